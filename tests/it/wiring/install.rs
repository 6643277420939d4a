//! Tests of install and uninstall on files.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use insta::assert_snapshot;
use proptest::prelude::*;
use ringfence::sys::replace::{self, Found};
use ringfence::wiring::entry::{Entry, Form};
use ringfence::wiring::settings;

use super::{bare_home, copy_binary};
use crate::support::{BINARY, Home, Output};

const PLAIN: &str = "{\n  \"model\": \"opus\",\n  \"env\": {\"A\": \"1\"}\n}\n";

/// The output without what differs from run to run.
fn shown(home: &Home, output: &Output) -> String {
    let clean = |text: &str| {
        let text = text.replace(home.path().to_str().unwrap(), "~").replace(BINARY, "RINGFENCE");
        let stamp = regex::Regex::new(r"-\d{8}T\d{9}Z").unwrap();
        short(&stamp.replace_all(&text, "-TIME"))
    };
    let stdout = clean(&output.stdout);
    let stderr = clean(&output.stderr);
    format!("exit {}\n{stdout}--\n{stderr}", output.code.unwrap())
}

/// The text with the places on the hook's lines, which one test spells out, as one word.
fn short(text: &str) -> String {
    let places =
        regex::Regex::new(r#""--config",\s[^\]]*?"--cortex-home",\s[^"\]]*"[^"]*""#).unwrap();
    places.replace_all(text, "PLACES").into_owned()
}

fn settings_of(home: &Home) -> PathBuf {
    home.path().join(".claude/settings.json")
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn install_says_what_it_wrote() {
    let home = bare_home();
    home.file(".claude/settings.json", PLAIN);
    assert_snapshot!(shown(&home, &home.run(&["install"], b"")), @r#"
    exit 0
    edited      ~/.claude/settings.json
    backup      ~/.claude/settings.json.ringfence-TIME.bak
    registered  RINGFENCE hook
    for         PreToolUse, PostToolUseFailure, SessionStart, SessionEnd, SubagentStart, SubagentStop, ConfigChange
    --
    warning: no client was found: there is no `claude` on PATH; the hook runs once there is
    "#);
    assert_snapshot!(short(&fs::read_to_string(settings_of(&home)).unwrap().replace(BINARY, "RINGFENCE")), @r#"
    {
      "model": "opus",
      "env": {"A": "1"},
      "hooks": {
        "PreToolUse": [
          {
            "matcher": "*",
            "hooks": [
              {
                "type": "command",
                "command": "RINGFENCE",
                "args": [
                  "hook",
                  "pre-tool-use",
                  "--with",
                  "guard",
                  PLACES
                ],
                "timeout": 5
              }
            ]
          }
        ],
        "PostToolUseFailure": [
          {
            "matcher": "*",
            "hooks": [
              {
                "type": "command",
                "command": "RINGFENCE",
                "args": [
                  "hook",
                  "post-tool-use-failure",
                  "--with",
                  "guard",
                  PLACES
                ],
                "timeout": 5
              }
            ]
          }
        ],
        "SessionStart": [
          {
            "hooks": [
              {
                "type": "command",
                "command": "RINGFENCE",
                "args": [
                  "hook",
                  "session-start",
                  "--with",
                  "guard,audit",
                  PLACES
                ],
                "timeout": 5
              }
            ]
          }
        ],
        "SessionEnd": [
          {
            "hooks": [
              {
                "type": "command",
                "command": "RINGFENCE",
                "args": [
                  "hook",
                  "session-end",
                  "--with",
                  "guard",
                  PLACES
                ],
                "timeout": 5
              }
            ]
          }
        ],
        "SubagentStart": [
          {
            "hooks": [
              {
                "type": "command",
                "command": "RINGFENCE",
                "args": [
                  "hook",
                  "subagent-start",
                  "--with",
                  "guard",
                  PLACES
                ],
                "timeout": 5
              }
            ]
          }
        ],
        "SubagentStop": [
          {
            "hooks": [
              {
                "type": "command",
                "command": "RINGFENCE",
                "args": [
                  "hook",
                  "subagent-stop",
                  "--with",
                  "guard",
                  PLACES
                ],
                "timeout": 5
              }
            ]
          }
        ],
        "ConfigChange": [
          {
            "hooks": [
              {
                "type": "command",
                "command": "RINGFENCE",
                "args": [
                  "hook",
                  "config-change",
                  "--with",
                  "guard",
                  PLACES
                ],
                "timeout": 5
              }
            ]
          }
        ]
      }
    }
    "#);
    assert_snapshot!(shown(&home, &home.run(&["install"], b"")), @r#"
    exit 0
    unchanged   ~/.claude/settings.json
    registered  RINGFENCE hook
    for         PreToolUse, PostToolUseFailure, SessionStart, SessionEnd, SubagentStart, SubagentStop, ConfigChange
    --
    warning: no client was found: there is no `claude` on PATH; the hook runs once there is
    "#);
    assert_snapshot!(shown(&home, &home.run(&["uninstall"], b"")), @r#"
    exit 0
    restored    ~/.claude/settings.json
    removed     ~/.claude/settings.json.ringfence-TIME.bak
    removed     ~/.local/state/ringfence/wiring
    removed     ~/.local/state/ringfence
    removed     ~/.local/state
    removed     ~/.local
    --
    "#);
    assert_snapshot!(shown(&home, &home.run(&["uninstall"], b"")), @r#"
    exit 0
    nothing of ours was found
    --
    "#);
}

#[test]
fn a_dry_run_shows_the_lines_and_changes_nothing() {
    let home = bare_home();
    home.file(".claude/settings.json", PLAIN);
    assert_snapshot!(shown(&home, &home.run(&["install", "--dry-run"], b"")), @r#"
    exit 0
    would edit ~/.claude/settings.json
      {
        "model": "opus",
    -   "env": {"A": "1"}
    +   "env": {"A": "1"},
    +   "hooks": {
    +     "PreToolUse": [
    +       {
    +         "matcher": "*",
    +         "hooks": [
    +           {
    +             "type": "command",
    +             "command": "RINGFENCE",
    +             "args": [
    +               "hook",
    +               "pre-tool-use",
    +               "--with",
    +               "guard",
    +               PLACES
    +             ],
    +             "timeout": 5
    +           }
    +         ]
    +       }
    +     ],
    +     "PostToolUseFailure": [
    +       {
    +         "matcher": "*",
    +         "hooks": [
    +           {
    +             "type": "command",
    +             "command": "RINGFENCE",
    +             "args": [
    +               "hook",
    +               "post-tool-use-failure",
    +               "--with",
    +               "guard",
    +               PLACES
    +             ],
    +             "timeout": 5
    +           }
    +         ]
    +       }
    +     ],
    +     "SessionStart": [
    +       {
    +         "hooks": [
    +           {
    +             "type": "command",
    +             "command": "RINGFENCE",
    +             "args": [
    +               "hook",
    +               "session-start",
    +               "--with",
    +               "guard,audit",
    +               PLACES
    +             ],
    +             "timeout": 5
    +           }
    +         ]
    +       }
    +     ],
    +     "SessionEnd": [
    +       {
    +         "hooks": [
    +           {
    +             "type": "command",
    +             "command": "RINGFENCE",
    +             "args": [
    +               "hook",
    +               "session-end",
    +               "--with",
    +               "guard",
    +               PLACES
    +             ],
    +             "timeout": 5
    +           }
    +         ]
    +       }
    +     ],
    +     "SubagentStart": [
    +       {
    +         "hooks": [
    +           {
    +             "type": "command",
    +             "command": "RINGFENCE",
    +             "args": [
    +               "hook",
    +               "subagent-start",
    +               "--with",
    +               "guard",
    +               PLACES
    +             ],
    +             "timeout": 5
    +           }
    +         ]
    +       }
    +     ],
    +     "SubagentStop": [
    +       {
    +         "hooks": [
    +           {
    +             "type": "command",
    +             "command": "RINGFENCE",
    +             "args": [
    +               "hook",
    +               "subagent-stop",
    +               "--with",
    +               "guard",
    +               PLACES
    +             ],
    +             "timeout": 5
    +           }
    +         ]
    +       }
    +     ],
    +     "ConfigChange": [
    +       {
    +         "hooks": [
    +           {
    +             "type": "command",
    +             "command": "RINGFENCE",
    +             "args": [
    +               "hook",
    +               "config-change",
    +               "--with",
    +               "guard",
    +               PLACES
    +             ],
    +             "timeout": 5
    +           }
    +         ]
    +       }
    +     ]
    +   }
      }
    --
    warning: no client was found: there is no `claude` on PATH; the hook runs once there is
    "#);
    assert_eq!(fs::read_to_string(settings_of(&home)).unwrap(), PLAIN);
    assert_eq!(names(home.path()), [".claude"]);
    home.run(&["install"], b"");
    let installed = fs::read(settings_of(&home)).unwrap();
    let dry = home.run(&["uninstall", "--dry-run"], b"");
    assert!(dry.stdout.starts_with("would restore "), "{dry:?}");
    assert_eq!(fs::read(settings_of(&home)).unwrap(), installed);
}

#[test]
fn a_second_install_changes_no_byte_and_makes_no_backup() {
    let home = bare_home();
    home.file(".claude/settings.json", PLAIN);
    home.run(&["install"], b"");
    let (bytes, files) = (fs::read(settings_of(&home)).unwrap(), names(&home.dir(".claude")));
    assert_eq!(files.len(), 2, "{files:?}");
    assert_eq!(home.run(&["install"], b"").code, Some(0));
    assert_eq!(fs::read(settings_of(&home)).unwrap(), bytes);
    assert_eq!(names(&home.dir(".claude")), files);
}

#[test]
fn what_install_made_uninstall_removes() {
    let home = bare_home();
    let installed = home.run(&["install"], b"");
    assert_snapshot!(shown(&home, &installed), @r#"
    exit 0
    made        ~/.claude/settings.json
    registered  RINGFENCE hook
    for         PreToolUse, PostToolUseFailure, SessionStart, SessionEnd, SubagentStart, SubagentStop, ConfigChange
    --
    warning: no client was found: there is no `claude` on PATH; the hook runs once there is
    "#);
    let mode = |below: &str| fs::metadata(home.path().join(below)).unwrap().mode() & 0o777;
    assert_eq!((mode(".claude"), mode(".claude/settings.json")), (0o700, 0o600));
    let removed = home.run(&["uninstall"], b"");
    assert_snapshot!(shown(&home, &removed), @r#"
    exit 0
    removed     ~/.claude/settings.json
    removed     ~/.local/state/ringfence/wiring
    removed     ~/.local/state/ringfence
    removed     ~/.local/state
    removed     ~/.claude
    removed     ~/.local
    --
    "#);
    assert_eq!(names(home.path()), [""; 0]);
}

#[test]
fn an_edit_in_between_stays() {
    let home = bare_home();
    home.file(".claude/settings.json", PLAIN);
    home.run(&["install"], b"");
    let with_us = fs::read_to_string(settings_of(&home)).unwrap();
    home.file(".claude/settings.json", &with_us.replace("opus", "haiku"));
    let output = home.run(&["uninstall"], b"");
    assert_snapshot!(shown(&home, &output), @r#"
    exit 0
    edited      ~/.claude/settings.json
    backup      ~/.claude/settings.json.ringfence-TIME.bak
    removed     ~/.local/state/ringfence/wiring
    removed     ~/.local/state/ringfence
    removed     ~/.local/state
    removed     ~/.local
    kept        ~/.claude/settings.json.ringfence-TIME.bak
    kept        ~/.claude/settings.json.ringfence-TIME.bak
    --
    "#);
    assert_eq!(fs::read_to_string(settings_of(&home)).unwrap(), PLAIN.replace("opus", "haiku"));
}

#[test]
fn an_edit_in_between_stays_also_after_a_second_install() {
    let home = bare_home();
    home.file(".claude/settings.json", PLAIN);
    home.run(&["install"], b"");
    let with_us = fs::read_to_string(settings_of(&home)).unwrap();
    home.file(
        ".claude/settings.json",
        &with_us.replace("opus", "haiku").replace(BINARY, "/old/ringfence"),
    );
    assert_eq!(home.run(&["install"], b"").code, Some(0));
    assert!(!fs::read_to_string(settings_of(&home)).unwrap().contains("/old/ringfence"));
    home.run(&["uninstall"], b"");
    assert_eq!(fs::read_to_string(settings_of(&home)).unwrap(), PLAIN.replace("opus", "haiku"));
}

#[test]
fn without_a_record_only_our_entries_go() {
    let home = bare_home();
    home.file(".claude/settings.json", PLAIN);
    home.run(&["install"], b"");
    fs::remove_dir_all(home.path().join(".local")).unwrap();
    home.run(&["uninstall"], b"");
    assert_eq!(fs::read_to_string(settings_of(&home)).unwrap(), PLAIN);
}

#[test]
fn a_foreign_hook_beside_ours_stays() {
    let home = bare_home();
    let theirs = "{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": [\n  {\"type\": \"command\", \"command\": \"echo ringfence hook pre-tool-use\"},\n  {\"type\": \"command\", \"command\": \"/opt/ringfence\", \"args\": [\"audit\"]}]}]}}";
    home.file(".claude/settings.json", theirs);
    home.run(&["install"], b"");
    let with_us = fs::read_to_string(settings_of(&home)).unwrap();
    assert!(with_us.contains(BINARY) && with_us.contains("\"audit\""), "{with_us}");
    fs::remove_dir_all(home.path().join(".local")).unwrap();
    home.run(&["uninstall"], b"");
    assert_eq!(fs::read_to_string(settings_of(&home)).unwrap(), theirs);
}

#[test]
fn a_linked_settings_file_is_written_through_the_link() {
    let home = bare_home();
    home.file("dotfiles/claude.json", PLAIN);
    home.dir(".claude");
    symlink("../dotfiles/claude.json", settings_of(&home)).unwrap();
    home.run(&["install"], b"");
    assert!(fs::symlink_metadata(settings_of(&home)).unwrap().is_symlink());
    let real = home.path().join("dotfiles/claude.json");
    assert!(fs::read_to_string(&real).unwrap().contains(BINARY));
    assert_eq!(names(&home.dir(".claude")), ["settings.json"]);
    home.run(&["uninstall"], b"");
    assert_eq!(fs::read_to_string(&real).unwrap(), PLAIN);
    assert_eq!(names(&home.dir("dotfiles")), ["claude.json"]);
}

#[test]
fn a_link_to_nothing_is_filled_and_emptied_again() {
    let home = bare_home();
    home.dir("dotfiles");
    home.dir(".claude");
    symlink("../dotfiles/claude.json", settings_of(&home)).unwrap();
    assert_eq!(home.run(&["install"], b"").code, Some(0));
    assert!(home.path().join("dotfiles/claude.json").is_file());
    home.run(&["uninstall"], b"");
    assert_eq!(names(&home.dir("dotfiles")), [""; 0]);
    assert!(fs::symlink_metadata(settings_of(&home)).unwrap().is_symlink());
}

#[test]
fn mode_and_owner_stay() {
    for mode in [0o600, 0o644, 0o755, 0o444] {
        let home = bare_home();
        let path = home.file(".claude/settings.json", PLAIN);
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        // Only root can give a file away; for others this is its own owner again.
        let owner = if fs::metadata("/proc/self").unwrap().uid() == 0 {
            65534
        } else {
            fs::metadata(&path).unwrap().uid()
        };
        std::os::unix::fs::chown(&path, Some(owner), None).unwrap();
        home.run(&["install"], b"");
        let meta = fs::metadata(&path).unwrap();
        assert!(fs::read_to_string(&path).unwrap().contains(BINARY), "{mode:o}");
        assert_eq!((meta.mode() & 0o777, meta.uid()), (mode, owner));
        home.run(&["uninstall"], b"");
        let meta = fs::metadata(&path).unwrap();
        assert_eq!((meta.mode() & 0o777, meta.uid()), (mode, owner));
    }
}

#[test]
fn what_cannot_be_taken_is_refused_with_its_place() {
    let rows: &[(&str, &str)] = &[
        ("comment", "{\n  // mine\n  \"model\": \"opus\"\n}\n"),
        ("comma", "{\n  \"model\": \"opus\",\n}\n"),
        ("cut", "{\n  \"model\": \"op"),
        ("list", "[]\n"),
        ("type", "{\"model\": 5}\n"),
        ("entry", "{\"hooks\": {\"PreToolUse\": [{\"type\": \"command\", \"command\": \"x\"}]}}\n"),
        ("event", "{\"hooks\": {\"SessionStart\": \"x\"}}\n"),
    ];
    let mut said = String::new();
    for (name, text) in rows {
        let home = bare_home();
        home.file(".claude/settings.json", text);
        let output = home.run(&["install"], b"");
        said.push_str(&format!("# {name}: {}\n", shown(&home, &output)));
        assert_eq!(fs::read_to_string(settings_of(&home)).unwrap(), *text, "{name}");
        assert_eq!(names(home.path()), [".claude"], "{name}");
    }
    assert_snapshot!(said, @r#"
    # comment: exit 1
    --
    error: `~/.claude/settings.json` is left as it is: the client does not load it: a comment is not JSON at line 2, column 3

    hint: mend the file, then run this again

    # comma: exit 1
    --
    error: `~/.claude/settings.json` is left as it is: the client does not load it: a comma with nothing after it is not JSON at line 3, column 1

    hint: mend the file, then run this again

    # cut: exit 1
    --
    error: `~/.claude/settings.json` is left as it is: the client does not load it: the file ends within a string at line 2, column 15

    hint: mend the file, then run this again

    # list: exit 1
    --
    error: `~/.claude/settings.json` is left as it is: the client does not load it: the settings are no object but array at line 1, column 1

    hint: mend the file, then run this again

    # type: exit 1
    --
    error: `~/.claude/settings.json` is left as it is: the client does not load it: `model` must be a string, not number at line 1, column 2

    hint: mend the file, then run this again

    # entry: exit 1
    --
    error: `~/.claude/settings.json` is left as it is: the client does not load it: `hooks.PreToolUse.0` has no list called `hooks` at line 1, column 27

    hint: mend the file, then run this again

    # event: exit 1
    --
    error: `~/.claude/settings.json` is left as it is: `hooks.SessionStart` is of the wrong kind (string) at line 1, column 28

    hint: mend or remove that key, then run this again
    "#);
}

#[test]
fn what_is_no_file_is_refused() {
    let home = bare_home();
    home.dir(".claude/settings.json");
    assert_snapshot!(shown(&home, &home.run(&["install"], b"")), @r#"
    exit 1
    --
    error: could not read `~/.claude/settings.json`: it is a directory
    "#);
    let home = bare_home();
    home.dir(".claude");
    assert!(
        std::process::Command::new("mkfifo").arg(settings_of(&home)).status().unwrap().success()
    );
    assert_snapshot!(shown(&home, &home.run(&["install"], b"")), @r#"
    exit 1
    --
    error: could not read `~/.claude/settings.json`: it is no regular file
    "#);
    let home = bare_home();
    home.dir(".claude");
    symlink("../nowhere/settings.json", settings_of(&home)).unwrap();
    assert_snapshot!(shown(&home, &home.run(&["install"], b"")), @r#"
    exit 1
    --
    error: could not read `~/.claude/settings.json`: it is a link into a directory that is not there
    "#);
}

#[test]
fn switches_that_silence_hooks_are_named() {
    let home = bare_home();
    home.file(
        ".claude/settings.json",
        "{\"disableAllHooks\": true, \"env\": {\"CLAUDE_CODE_SIMPLE\": \"1\"}}\n",
    );
    assert_snapshot!(shown(&home, &home.run(&["install"], b"")), @r#"
    exit 0
    edited      ~/.claude/settings.json
    backup      ~/.claude/settings.json.ringfence-TIME.bak
    registered  RINGFENCE hook
    for         PreToolUse, PostToolUseFailure, SessionStart, SessionEnd, SubagentStart, SubagentStop, ConfigChange
    --
    warning: no hook runs: in `~/.claude/settings.json` `disableAllHooks` switches every hook off at line 1, column 2
    warning: no hook runs: in `~/.claude/settings.json` `env.CLAUDE_CODE_SIMPLE` starts the client without hooks at line 1, column 35
    warning: no client was found: there is no `claude` on PATH; the hook runs once there is
    "#);
}

#[test]
fn only_the_newest_backups_are_kept() {
    let home = bare_home();
    home.file(".claude/settings.json", PLAIN);
    for turn in 0..8 {
        home.run(&["install"], b"");
        let with_us = fs::read_to_string(settings_of(&home)).unwrap();
        home.file(
            ".claude/settings.json",
            &with_us.replace(BINARY, &format!("/old{turn}/ringfence")),
        );
    }
    assert_eq!(names(&home.dir(".claude")).len(), 1 + 5);
}

#[test]
fn two_installs_at_once_write_one_set_of_entries() {
    for _ in 0..5 {
        let home = bare_home();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| assert_eq!(home.run(&["install"], b"").code, Some(0)));
            }
        });
        let text = fs::read_to_string(settings_of(&home)).unwrap();
        assert_eq!(text.matches(BINARY).count(), 7, "{text}");
        home.run(&["uninstall"], b"");
        assert_eq!(names(home.path()), [""; 0]);
    }
}

#[test]
fn the_client_s_own_directory_variable_is_followed() {
    let home = bare_home();
    let elsewhere = home.path().join("cfg");
    let home = home.env("CLAUDE_CONFIG_DIR", elsewhere.to_str().unwrap());
    home.run(&["install"], b"");
    assert!(elsewhere.join("settings.json").is_file());
    home.run(&["uninstall"], b"");
    assert!(!elsewhere.exists());
}

#[test]
fn a_project_s_settings_are_edited_on_request() {
    let home = bare_home();
    let project = home.dir("work");
    home.dir("work/.git");
    home.dir("work/src");
    home.run_in(&project.join("src"), &["install", "--scope", "project"], b"");
    assert!(project.join(".claude/settings.json").is_file());
    // The record knows the file, wherever uninstall is run.
    home.run(&["uninstall"], b"");
    assert!(!project.join(".claude").exists());
}

#[test]
fn places_that_the_hook_cannot_guess_stand_on_its_line() {
    let home = bare_home();
    let home = home.env("CORTEX_HOME", "/srv/cortex").env("RINGFENCE_STORE", "/srv/notes.db");
    home.run(&["install"], b"");
    let text = fs::read_to_string(settings_of(&home)).unwrap();
    let root: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        root["hooks"]["PreToolUse"][0]["hooks"][0]["args"],
        serde_json::json!([
            "hook",
            "pre-tool-use",
            "--with",
            "guard",
            "--store",
            "/srv/notes.db",
            "--cortex-home",
            "/srv/cortex",
            "--config",
            home.path().join(".config/ringfence/config.toml"),
            "--state",
            home.path().join(".local/state/ringfence"),
            "--data",
            home.path().join(".local/share/ringfence"),
            "--client",
            home.path().join(".claude"),
            "--cortex-home",
            home.path().join(".cortex"),
        ])
    );
}

#[test]
fn what_several_users_share_names_no_place_of_one() {
    let home = bare_home();
    let project = home.dir("work");
    home.dir("work/.git");
    home.run_in(&project, &["install", "--scope", "project"], b"");
    let text = fs::read_to_string(project.join(".claude/settings.json")).unwrap();
    assert!(!text.contains("--state") && !text.contains("--client"), "{text}");
    home.run_in(&project, &["install", "--scope", "local"], b"");
    let text = fs::read_to_string(project.join(".claude/settings.local.json")).unwrap();
    assert!(text.contains("--state") && text.contains("--client"), "{text}");
}

#[test]
fn lines_without_places_are_ours_too_and_give_way() {
    let home = bare_home();
    home.run(&["install"], b"");
    let new = fs::read_to_string(settings_of(&home)).unwrap();
    let places = regex::Regex::new(r#",\s*"--config",\s[^\]]*"#).unwrap();
    let old = places.replace_all(&new, "\n").into_owned();
    assert!(!old.contains("--state") && old.contains("pre-tool-use"), "{old}");
    fs::write(settings_of(&home), &old).unwrap();
    home.run(&["install"], b"");
    assert_eq!(fs::read_to_string(settings_of(&home)).unwrap(), new);
    fs::write(settings_of(&home), &old).unwrap();
    let said = home.run(&["uninstall"], b"");
    assert_eq!(said.code, Some(0), "{said:?}");
    let left = fs::read_to_string(settings_of(&home)).unwrap_or_default();
    assert!(!left.contains("ringfence"), "{left}");
}

#[test]
fn a_client_without_exec_form_starts_the_shim_with_its_event() {
    let home = bare_home();
    let program = home.path().join("own bin/ringfence");
    fs::create_dir(home.path().join("own bin")).unwrap();
    copy_binary(&program);
    let done = std::process::Command::new(&program)
        .args(["install", "--shim"])
        .env_clear()
        .env("HOME", home.path())
        .output()
        .unwrap();
    assert!(done.status.success());
    let text = fs::read_to_string(settings_of(&home)).unwrap();
    let root: serde_json::Value = serde_json::from_str(&text).unwrap();
    let handler = &root["hooks"]["PreToolUse"][0]["hooks"][0];
    let shim = program.with_file_name("ringfence.sh");
    assert_eq!(handler["args"], serde_json::Value::Null);
    let command = handler["command"].as_str().unwrap();
    let expected = format!("'{}' hook pre-tool-use --with guard --config ", shim.display());
    assert!(command.starts_with(&expected), "{command}");
    assert!(command.contains(" --state "), "{command}");
}

fn our_entries() -> Vec<Entry> {
    ["PreToolUse", "SessionStart"]
        .into_iter()
        .map(|event| Entry {
            event,
            matcher: (event == "PreToolUse").then(|| "*".to_owned()),
            command: "/opt/ringfence".to_owned(),
            args: vec!["hook".to_owned(), "pre-tool-use".to_owned()],
            form: Form::Exec,
            timeout: 5,
        })
        .collect()
}

/// Any JSON text, laid out in any way.
fn json() -> impl Strategy<Value = String> {
    let blank = || "[ \t\r\n]{0,3}";
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        "-?(0|[1-9][0-9]{0,3})(\\.[0-9]{1,3})?([eE][+-]?[0-9]{1,2})?",
        "\"([a-z\u{e4}\u{2028}]|\\\\[nt\"\\\\/]|\\\\ud800){0,5}\"",
    ];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        let key = prop_oneof![
            "\"[a-z]{0,4}\"",
            Just("\"PostToolUse\"".to_owned()),
            Just("\"Stop\"".to_owned())
        ];
        let member = (blank(), key, blank(), blank(), inner.clone(), blank())
            .prop_map(|(a, key, b, c, value, d)| format!("{a}{key}{b}:{c}{value}{d}"));
        let item = (blank(), inner, blank()).prop_map(|(a, value, b)| format!("{a}{value}{b}"));
        prop_oneof![
            (blank(), prop::collection::vec(member, 0..4)).prop_map(|(a, all)| {
                format!("{{{}}}", if all.is_empty() { a } else { all.join(",") })
            }),
            (blank(), prop::collection::vec(item, 0..4)).prop_map(|(a, all)| {
                format!("[{}]", if all.is_empty() { a } else { all.join(",") })
            }),
        ]
    })
}

/// A settings text: an object with any members, some of them `hooks`.
fn settings_text() -> impl Strategy<Value = String> {
    let hooks = prop_oneof![
        Just(r#"{}"#.to_owned()),
        Just("null".to_owned()),
        Just(r#"{"PreToolUse": []}"#.to_owned()),
        Just("{\n \"PreToolUse\": [\n  {\"matcher\": \"x\", \"hooks\": [] } ] }".to_owned()),
        Just(r#"{"Stop":[],"SessionStart":[{"hooks":[]}]}"#.to_owned()),
    ];
    let member = prop_oneof![
        3 => ("\"[a-z]{1,4}\"", "[ \n]{0,2}", json()).prop_map(|(key, gap, value)| format!("{key}:{gap}{value}")),
        1 => hooks.prop_map(|hooks| format!("\"hooks\": {hooks}")),
    ];
    let gap = "(\n  |\r\n\t| |)";
    (prop::collection::vec(member, 0..5), gap, "(\n|\r\n|)").prop_map(|(members, gap, end)| {
        let members: Vec<String> = members.iter().map(|one| format!("{gap}{one}")).collect();
        format!("{{{}{end}}}{end}", members.join(","))
    })
}

proptest! {
    #[test]
    fn adding_and_removing_gives_the_same_bytes(text in settings_text()) {
        let added = settings::add(text.as_bytes(), &our_entries(), "/opt/ringfence");
        prop_assume!(added.is_ok());
        let added = added.unwrap();
        prop_assert!(serde_like(&added.bytes), "{}", String::from_utf8_lossy(&added.bytes));
        let again = settings::add(&added.bytes, &our_entries(), "/opt/ringfence").unwrap();
        prop_assert_eq!(&again.bytes, &added.bytes);
        let removed = settings::remove(&added.bytes, "/opt/ringfence", Some(&added.made)).unwrap();
        let removed = String::from_utf8(removed).unwrap();
        // A container that was empty but for blanks loses them: nothing says whose they were.
        let bare = |text: &str| regex::Regex::new(r"([\[{])\s+([\]}])").unwrap().replace_all(text, "$1$2").into_owned();
        prop_assert_eq!(bare(&removed), bare(&text));
    }

    #[test]
    fn no_bytes_make_the_editor_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        drop(settings::add(&bytes, &our_entries(), "/opt/ringfence"));
        drop(settings::remove(&bytes, "/opt/ringfence", None));
    }
}

fn serde_like(bytes: &[u8]) -> bool {
    ringfence::wiring::document::read(bytes).is_ok()
}

#[test]
fn a_colleague_s_entry_in_a_project_stays_unless_it_is_asked_for() {
    let home = bare_home();
    let project = home.dir("work");
    home.dir("work/.git");
    let shared = "{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"*\", \"hooks\": [{\"type\": \"command\", \"command\": \"/home/ann/ringfence\", \"args\": [\"hook\", \"pre-tool-use\"]}]}]}}\n";
    let path = home.file("work/.claude/settings.json", shared);
    home.run_in(&project, &["uninstall"], b"");
    assert_eq!(fs::read_to_string(&path).unwrap(), shared);
    home.run_in(&project, &["uninstall", "--scope", "project"], b"");
    assert_eq!(fs::read_to_string(&path).unwrap(), "{}\n");
}

#[test]
fn purge_takes_state_and_notes_too() {
    let home = bare_home();
    home.run(&["install"], b"");
    home.run(&["note", "insight", "something"], b"");
    assert!(home.path().join(".local/share/ringfence").is_dir());
    let kept = home.run(&["uninstall"], b"");
    assert_eq!(kept.code, Some(0));
    assert!(home.path().join(".local/share/ringfence").is_dir(), "notes are the owner's");
    let state = home.path().join(".local/state/ringfence");
    ringfence::state::State::at(&state).append_log(&ringfence::state::LogLine::default()).unwrap();
    let sizes = |output: &Output| {
        let bytes = regex::Regex::new(r"\d+ bytes|projects/project-\S+").unwrap();
        bytes.replace_all(&shown(&home, output), "N bytes").into_owned()
    };
    assert_snapshot!(sizes(&home.run(&["uninstall", "--purge"], b"")), @"
    exit 0
    would purge ~/.local/state/ringfence/log.jsonl (1 file, N bytes)
    would purge ~/.local/share/ringfence/projects (1 file, N bytes)
    --
    nothing was changed; ringfence uninstall --purge --yes does it
    ");
    assert!(home.path().join(".local/share/ringfence/projects").is_dir());
    assert_snapshot!(sizes(&home.run(&["uninstall", "--purge", "--yes"], b"")), @"
    exit 0
    purged      ~/.local/state/ringfence/log.jsonl (1 file, N bytes)
    purged      ~/.local/share/ringfence/projects (1 file, N bytes)
    removed     ~/.local/share/ringfence
    removed     ~/.local/state/ringfence
    --
    ");
    assert!(!home.path().join(".local/share/ringfence").exists());
    assert!(!state.exists());
    assert_eq!(home.run(&["uninstall", "--yes"], b"").code, Some(64));
}

#[test]
fn a_purge_removes_nothing_that_is_not_ours_and_follows_no_link() {
    let home = bare_home();
    home.file("elsewhere/log.jsonl", "theirs");
    home.file("place/diary.txt", "theirs");
    home.file("place/log.jsonl", "{}\n");
    home.file("place/sessions/s.json", "{}");
    symlink(home.path().join("elsewhere"), home.path().join("place/grants")).unwrap();
    home.dir(".local/share/ringfence");
    let projects = home.path().join(".local/share/ringfence/projects");
    symlink(home.path().join("elsewhere"), &projects).unwrap();
    let place = home.path().join("place");
    let home = home.env("RINGFENCE_STATE", place.to_str().unwrap());
    let output = home.run(&["uninstall", "--purge", "--yes"], b"");
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(names(&place), ["diary.txt"]);
    assert!(output.stdout.contains(&format!("kept        {}", place.display())), "{output:?}");
    assert!(!projects.exists() && fs::symlink_metadata(&projects).is_err());
    assert_eq!(names(&home.path().join("elsewhere")), ["log.jsonl"]);
}

#[test]
fn what_cannot_be_taken_out_of_a_settings_file_keeps_its_record_from_a_purge() {
    let home = bare_home();
    home.file(".claude/settings.json", PLAIN);
    home.run(&["install"], b"");
    let with_us = fs::read_to_string(settings_of(&home)).unwrap();
    home.file(".claude/settings.json", &with_us.replace("\"opus\",", "\"opus\", //"));
    assert_eq!(home.run(&["uninstall", "--purge", "--yes"], b"").code, Some(1));
    home.file(".claude/settings.json", &with_us);
    assert_eq!(home.run(&["uninstall", "--purge", "--yes"], b"").code, Some(0));
    assert_eq!(fs::read_to_string(settings_of(&home)).unwrap(), PLAIN);
}

#[test]
fn one_uninstall_takes_older_entries_too_when_it_is_asked_to() {
    let home = bare_home();
    home.file(".claude/settings.json", PLAIN);
    home.run(&["install"], b"");
    fs::remove_dir_all(home.path().join(".local")).unwrap();
    let with_us = fs::read_to_string(settings_of(&home)).unwrap();
    let older = with_us.replace(BINARY, "/old/ringfence");
    home.file(".claude/settings.json", &older);
    home.run(&["install"], b"");
    let output = home.run(&["uninstall"], b"");
    assert_eq!(fs::read_to_string(settings_of(&home)).unwrap(), older, "its very bytes");
    assert_snapshot!(shown(&home, &output), @r#"
    exit 0
    restored    ~/.claude/settings.json
    removed     ~/.claude/settings.json.ringfence-TIME.bak
    removed     ~/.claude/settings.json.ringfence-TIME.bak
    removed     ~/.local/state/ringfence/wiring
    removed     ~/.local/state/ringfence
    removed     ~/.local/state
    removed     ~/.local
    --
    warning: `~/.claude/settings.json` has its old bytes, and in them 7 hook entries of ours from an earlier install; `ringfence uninstall --older` takes those out too
    "#);
    // Same entries: nothing to write. Other ones: the original holds the older.
    for old in [BINARY, "/old/ringfence"] {
        let text = fs::read_to_string(settings_of(&home)).unwrap();
        home.file(".claude/settings.json", &text.replace(BINARY, old));
        assert_eq!(home.run(&["install"], b"").code, Some(0));
        let before = fs::read_to_string(settings_of(&home)).unwrap();
        let output = home.run(&["uninstall", "--older"], b"");
        assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{output:?}");
        assert_eq!(fs::read_to_string(settings_of(&home)).unwrap(), PLAIN, "{old}: {before}");
        let again = home.run(&["uninstall"], b"").stdout;
        assert!(again.lines().all(|line| line.starts_with("kept")), "{old}: {again}");
        home.run(&["install"], b"");
        fs::remove_dir_all(home.path().join(".local")).unwrap();
    }
}

/// Runs the binary, copied into the home, as a user who is not root.
fn as_nobody(home: &Home, args: &[&str]) -> Output {
    let program = home.path().join("ringfence");
    if !program.exists() {
        copy_binary(&program);
    }
    let output = std::process::Command::new("setpriv")
        .args(["--reuid=65534", "--regid=65534", "--clear-groups", "--"])
        .arg(&program)
        .args(args)
        .env_clear()
        .env("HOME", home.path())
        .env("PATH", "/usr/bin:/bin")
        .current_dir(home.path())
        .output()
        .unwrap();
    Output {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn what_may_not_be_read_or_written_is_refused_and_untouched() {
    if fs::metadata("/proc/self").unwrap().uid() != 0 {
        return;
    }
    let home = bare_home();
    let path = home.file(".claude/settings.json", PLAIN);
    for below in ["", ".claude", ".claude/settings.json"] {
        std::os::unix::fs::chown(home.path().join(below), Some(65534), Some(65534)).unwrap();
    }
    let set = |below: &str, mode| {
        fs::set_permissions(home.path().join(below), fs::Permissions::from_mode(mode)).unwrap();
    };
    set(".claude/settings.json", 0o000);
    let unreadable = as_nobody(&home, &["install"]);
    assert_snapshot!(shown(&home, &unreadable), @r#"
    exit 1
    --
    error: could not read `~/.claude/settings.json`: permission denied
    "#);
    set(".claude/settings.json", 0o644);
    set(".claude", 0o555);
    let read_only = as_nobody(&home, &["install"]);
    assert_snapshot!(shown(&home, &read_only), @r#"
    exit 1
    --
    error: could not write `~/.claude/settings.json`: permission denied
    "#);
    set(".claude", 0o755);
    assert_eq!(fs::read_to_string(&path).unwrap(), PLAIN);
    assert_eq!(names(home.path()), [".claude", "ringfence"]);
    assert_eq!(as_nobody(&home, &["install"]).code, Some(0));
    as_nobody(&home, &["uninstall"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), PLAIN);
}

#[test]
fn a_file_that_changed_after_it_was_looked_at_is_not_replaced() {
    let home = bare_home();
    let path = home.file("settings.json", PLAIN);
    let Found::File(seen) = replace::look(&path, 1 << 20).unwrap() else { panic!() };
    home.file("settings.json", "{\"theirs\": 1}");
    let error = replace::replace(&seen, b"{\"ours\": 1}").unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::ResourceBusy);
    assert_eq!(replace::remove(&seen).unwrap_err().kind(), std::io::ErrorKind::ResourceBusy);
    assert_eq!(fs::read_to_string(&path).unwrap(), "{\"theirs\": 1}");
    assert_eq!(names(home.path()), ["settings.json"], "nothing is left beside it");
}

/// Layouts with the entry put in, as a person would have put it.
#[test]
fn a_new_entry_is_laid_out_as_its_neighbours_are() {
    let rows: &[(&str, &str)] = &[
        ("", "{\n  \"hooks\": {\n    \"Stop\": [\n      1\n    ]\n  }\n}\n"),
        ("{}", "{\n  \"hooks\": {\n    \"Stop\": [\n      1\n    ]\n  }\n}"),
        ("{\n}\n", "{\n  \"hooks\": {\n    \"Stop\": [\n      1\n    ]\n  }\n}\n"),
        ("{\"a\":1}", "{\"a\":1,\"hooks\":{\"Stop\":[1]}}"),
        ("{\"a\": 1}\n", "{\"a\": 1, \"hooks\": {\"Stop\": [1]}}\n"),
        (
            "{\r\n\t\"a\": 1\r\n}\r\n",
            "{\r\n\t\"a\": 1,\r\n\t\"hooks\": {\r\n\t\t\"Stop\": [\r\n\t\t\t1\r\n\t\t]\r\n\t}\r\n}\r\n",
        ),
        ("{\n    \"hooks\": {\"Stop\": [2]}\n}", "{\n    \"hooks\": {\"Stop\": [2, 1]}\n}"),
        (
            "{\n    \"hooks\": {\n        \"Stop\": []\n    }\n}",
            "{\n    \"hooks\": {\n        \"Stop\": [\n            1\n        ]\n    }\n}",
        ),
        (
            "{\"hooks\": {}, \"hooks\": {\"Stop\": [2]}}",
            "{\"hooks\": {}, \"hooks\": {\"Stop\": [2, 1]}}",
        ),
        ("{\n  \"hooks\": null\n}", "{\n  \"hooks\": {\n    \"Stop\": [\n      1\n    ]\n  }\n}"),
    ];
    let entry = Entry {
        event: "Stop",
        matcher: None,
        command: "ringfence".to_owned(),
        args: vec!["hook".to_owned(), "session-end".to_owned()],
        form: Form::Shell,
        timeout: 5,
    };
    let group = regex::Regex::new(r#"(?s)\{\s*"hooks": ?\[\s*\{\s*"type".*?\}\s*\]\s*\}"#).unwrap();
    for (before, after) in rows {
        let added = settings::add(before.as_bytes(), std::slice::from_ref(&entry), "").unwrap();
        let text = String::from_utf8(added.bytes.clone()).unwrap();
        // The group itself is the same everywhere: `1` stands for it, with its own line ends.
        assert_eq!(group.replace(&text, "1"), *after, "{before:?}");
        let removed = settings::remove(&added.bytes, "", Some(&added.made)).unwrap();
        let expected = if before.is_empty() { "{}\n" } else { &before.replace("{\n}", "{}") };
        assert_eq!(String::from_utf8(removed).unwrap(), expected, "{before:?}");
    }
}
