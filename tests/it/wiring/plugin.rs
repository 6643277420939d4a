//! Tests of the client's plugin: its files, and what doctor, status and install say of it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use insta::assert_snapshot;
use ringfence::wiring::plugin;
use ringfence::wiring::table::{ENTRIES, TIMEOUT};
use serde_json::{Value, json};

use super::{bare_home, copy_binary};
use crate::support::{BINARY, Home};

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn document(below: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(repository().join(below)).unwrap()).unwrap()
}

#[test]
fn the_plugin_registers_what_install_registers() {
    let mut events = serde_json::Map::new();
    for row in ENTRIES.iter().filter(|row| row.arms.contains(&"guard")) {
        let mut group = serde_json::Map::new();
        group.extend(row.matcher.map(|matcher| ("matcher".to_owned(), json!(matcher))));
        let arms: Vec<_> =
            row.arms.iter().filter(|arm| ["guard", "audit"].contains(arm)).copied().collect();
        let handler = json!({
            "type": "command",
            "command": "${CLAUDE_PLUGIN_ROOT}/hooks/ringfence.sh",
            "args": ["hook", row.word, "--with", arms.join(",")],
            "timeout": TIMEOUT,
        });
        group.insert("hooks".to_owned(), json!([handler]));
        events.insert(row.event.to_owned(), json!([group]));
    }
    assert_eq!(document("hooks/hooks.json")["hooks"], Value::Object(events));
}

#[test]
fn the_plugin_has_our_name_and_version_and_its_shim_can_be_started() {
    let manifest = document(".claude-plugin/plugin.json");
    assert_eq!(manifest["name"], plugin::NAME);
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
    let catalog = document(".claude-plugin/marketplace.json");
    assert_eq!(catalog["plugins"][0]["name"], plugin::NAME);
    assert_eq!(catalog["plugins"][0]["source"], "./");
    let shim = fs::metadata(repository().join("hooks/ringfence.sh")).unwrap();
    assert_eq!(shim.permissions().mode() & 0o111, 0o111);
}

#[test]
fn the_shim_looks_for_the_program_where_doctor_does() {
    let text = fs::read_to_string(repository().join("hooks/ringfence.sh")).unwrap();
    let list = text.split("for binary in ").nth(1).unwrap().split("; do").next().unwrap();
    let list = list.replace("\\\n", " ").replace("${0%/*}", "/shim").replace("${HOME-}", "/home");
    let expected = plugin::program_of(Path::new("/shim/ringfence.sh"), Path::new("/home"));
    let found: Vec<PathBuf> =
        shell_words::split(&list).unwrap().into_iter().map(PathBuf::from).collect();
    assert_eq!(found, expected);
}

/// A home in which the client has installed the plugin from a checkout.
fn with_plugin(program: bool) -> Home {
    let home = bare_home();
    for below in
        [".claude-plugin/plugin.json", ".claude-plugin/marketplace.json", "hooks/hooks.json"]
    {
        home.file(
            &format!("checkout/{below}"),
            &fs::read_to_string(repository().join(below)).unwrap(),
        );
    }
    let shim = home.file("checkout/hooks/ringfence.sh", ringfence::wiring::shim::TEXT);
    fs::set_permissions(&shim, fs::Permissions::from_mode(0o755)).unwrap();
    let root = home.path().join("checkout");
    let known = json!({"ringfence": {"source": {"source": "directory", "path": root}, "installLocation": root}});
    home.file(".claude/plugins/known_marketplaces.json", &known.to_string());
    let copy = home.path().join(".claude/plugins/cache/ringfence/ringfence/0.1.0");
    let installed = json!({"version": 2, "plugins": {"ringfence@ringfence": [{"scope": "user", "installPath": copy}]}});
    home.file(".claude/plugins/installed_plugins.json", &installed.to_string());
    home.file(".claude/settings.json", r#"{"enabledPlugins": {"ringfence@ringfence": true}}"#);
    if program {
        home.dir(".local/bin");
        copy_binary(&home.path().join(".local/bin/ringfence"));
    }
    home
}

fn shown(home: &Home, args: &[&str]) -> String {
    let output = home.run(args, b"");
    let text = format!("exit {}\n{}--\n{}", output.code.unwrap(), output.stdout, output.stderr);
    let text = text.replace(home.path().to_str().unwrap(), "~").replace(BINARY, "RINGFENCE");
    let varies = regex::Regex::new(r"\d+ ms|\d{8}T\d{9}Z").unwrap();
    let text = varies.replace_all(&text, "N").replace(env!("CARGO_PKG_VERSION"), "VERSION");
    // What the client's own presence decides is the business of other tests.
    text.lines()
        .filter(|line| !line.contains("claude-code") && !line.contains("`claude`"))
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn doctor_and_status_see_the_plugin() {
    let home = with_plugin(true);
    assert_snapshot!(shown(&home, &["doctor"]), @r#"
    exit 0
    pass  settings    ~/.claude/settings.json is loaded by the client
    pass  plugin      ringfence@ringfence is enabled, with ~/checkout/hooks/hooks.json
    pass  registered  for 7 events in ~/checkout/hooks/hooks.json
    pass  matcher     `*` hits every guarded tool
    pass  timeout     5 s
    warn  form        the plugin's shim is a shell text: a project's LD_PRELOAD gets into its shell
          fix: ringfence install && claude plugin uninstall ringfence@ringfence
    pass  program     ~/.local/bin/ringfence, ringfence VERSION, static
    pass  switches    nothing silences hooks
    pass  canary      a subagent's delete of a foreign note was refused in N
    pass  canary      the parent's same call was let through, silently
    pass  canary      a subagent's harmless call was let through, silently
    warn  places      not named in ~/checkout/hooks/hooks.json; a client before 2.1.251 lets a project move them
          fix: ringfence install
    pass  rewriting   no other hook is seen to rewrite calls
    pass  writable    no other user may change what the guard relies on
    pass  state       ~/.local/state/ringfence is not there yet; the first call makes it
    pass  config      none; ~/.config/ringfence/config.toml would be read
    warn  last call   registered, but we were not asked about a subagent's call yet
          fix: let a subagent run once, then run `ringfence doctor` again
    pass  stores      none for this directory yet, so nothing to guard here
    pass  memory      nothing is known to keep memory from being written
    the guard works; 4 of 20 rows could be better
    --
    "#);
    assert_snapshot!(shown(&home, &["status"]), @r#"
    exit 0
    program   RINGFENCE VERSION
    entries   ~/checkout/hooks/hooks.json (ringfence@ringfence: PreToolUse, PostToolUseFailure, SessionStart, SessionEnd, SubagentStart, SubagentStop, ConfigChange)
    guard     on
    --
    "#);
}

#[test]
fn doctor_sees_what_keeps_the_plugin_from_guarding() {
    let rows = |home: &Home| -> Vec<String> {
        let all = shown(home, &["doctor"]);
        all.lines()
            .filter(|line| line.starts_with("fail") || line.contains("plugin"))
            .map(str::to_owned)
            .collect()
    };
    assert_snapshot!(rows(&with_plugin(false)).join("\n"), @"
    pass  plugin      ringfence@ringfence is enabled, with ~/checkout/hooks/hooks.json
    warn  form        the plugin's shim is a shell text: a project's LD_PRELOAD gets into its shell
          fix: ringfence install && claude plugin uninstall ringfence@ringfence
    fail  program     the shim ~/checkout/hooks/ringfence.sh finds no program of ours
    fail  canary      a subagent's delete of a foreign note was not refused: it let the call through
    ");
    let off = with_plugin(true);
    off.file(".claude/settings.json", r#"{"enabledPlugins": {"ringfence@ringfence": false}}"#);
    assert_snapshot!(rows(&off).join("\n"), @"
    warn  plugin      ringfence@ringfence is installed, but not enabled by ~/.claude/settings.json
          fix: claude plugin enable ringfence@ringfence
    fail  registered  no settings file that the client loads asks us about tool calls
    ");
    let gone = with_plugin(true);
    fs::remove_file(gone.path().join("checkout/hooks/hooks.json")).unwrap();
    assert_snapshot!(rows(&gone).join("\n"), @"
    fail  plugin      ringfence@ringfence is enabled, but has no entries: `~/checkout/hooks/hooks.json` is not there
          fix: claude plugin update ringfence@ringfence
    fail  registered  no settings file that the client loads asks us about tool calls
    ");
}

#[test]
fn a_project_may_switch_the_plugin_off_for_itself_and_doctor_says_so() {
    let home = with_plugin(true);
    home.dir("work/.git");
    home.file(
        "work/.claude/settings.json",
        r#"{"enabledPlugins": {"ringfence@ringfence": false}}"#,
    );
    let output = home.run_in(&home.path().join("work"), &["doctor"], b"");
    assert_eq!(output.code, Some(1));
    assert!(output.stdout.contains("not enabled by "), "{}", output.stdout);
}

#[test]
fn a_second_registration_is_named_by_install_and_doctor() {
    let home = with_plugin(true);
    assert_snapshot!(shown(&home, &["install"]), @r#"
    exit 0
    edited      ~/.claude/settings.json
    backup      ~/.claude/settings.json.ringfence-N.bak
    registered  RINGFENCE hook
    for         PreToolUse, PostToolUseFailure, SessionStart, SessionEnd, SubagentStart, SubagentStop, ConfigChange
    --
    warning: the plugin `ringfence@ringfence` asks us too, so each call is judged twice; `claude plugin uninstall ringfence@ringfence` ends that
    "#);
    let doctor = shown(&home, &["doctor"]);
    let row: Vec<&str> =
        doctor.lines().skip_while(|line| !line.contains("registered")).take(2).collect();
    assert_snapshot!(row.join("\n"), @"
    warn  registered  2 times, in ~/.claude/settings.json and ~/checkout/hooks/hooks.json: each call is judged so often, and logged once
          fix: claude plugin uninstall ringfence@ringfence
    ");
    assert_snapshot!(shown(&home, &["uninstall"]), @"
    exit 0
    restored    ~/.claude/settings.json
    removed     ~/.claude/settings.json.ringfence-N.bak
    removed     ~/.local/state/ringfence/wiring
    removed     ~/.local/state/ringfence
    removed     ~/.local/state
    --
    warning: the plugin is the client's own to remove: claude plugin uninstall ringfence@ringfence
    ");
}
