//! Tests of doctor, status and off.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use insta::assert_snapshot;

use super::{bare_home, copy_binary};
use crate::support::{BINARY, Home, Output};

fn shown(home: &Home, output: &Output) -> String {
    let text = format!("exit {}\n{}--\n{}", output.code.unwrap(), output.stdout, output.stderr);
    let text = text.replace(home.path().to_str().unwrap(), "~").replace(BINARY, "RINGFENCE");
    let took = regex::Regex::new(r"\d+ ms").unwrap();
    took.replace_all(&text, "N ms").replace(env!("CARGO_PKG_VERSION"), "VERSION")
}

/// What doctor says of a file, as `health name` for everything that is not well.
fn complaints(home: &Home) -> (Option<i32>, Vec<String>) {
    let output = home.run(&["doctor", "--json"], b"");
    let document: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(document["version"], 1);
    let rows = document["rows"].as_array().unwrap();
    let unwell = rows.iter().filter(|row| row["health"] != "pass");
    let said = unwell
        // Neither depends on the settings: tests have no client and no calls behind them.
        .filter(|row| row["name"] != "client" && row["name"] != "last call")
        .map(|row| {
            assert!(row["fix"].is_string(), "{row}");
            format!("{} {}", row["health"].as_str().unwrap(), row["name"].as_str().unwrap())
        })
        .collect();
    (output.code, said)
}

/// A home with the hook installed, its settings changed by `edit`.
fn installed(edit: impl Fn(&str) -> String) -> Home {
    let home = bare_home();
    assert_eq!(home.run(&["install"], b"").code, Some(0));
    let path = home.path().join(".claude/settings.json");
    let text = fs::read_to_string(&path).unwrap();
    let edited = edit(&text);
    fs::write(&path, edited).unwrap();
    home
}

#[test]
fn doctor_is_content_after_an_install() {
    let home = installed(str::to_owned);
    assert_snapshot!(shown(&home, &home.run(&["doctor"], b"")), @r#"
    exit 0
    pass  settings    ~/.claude/settings.json is loaded by the client
    pass  registered  for 7 events in ~/.claude/settings.json
    pass  matcher     `*` hits every guarded tool
    pass  timeout     5 s
    pass  form        started without a shell
    pass  program     RINGFENCE, ringfence VERSION, static
    pass  switches    nothing silences hooks
    pass  canary      a subagent's delete of a foreign note was refused in N ms
    pass  canary      the parent's same call was let through, silently
    pass  canary      a subagent's harmless call was let through, silently
    warn  client      there is no `claude` on PATH
          fix: npm install -g @anthropic-ai/claude-code
    pass  places      the hook's lines name them: no `env` moves them
    pass  rewriting   no other hook is seen to rewrite calls
    pass  writable    no other user may change what the guard relies on
    pass  state       ~/.local/state/ringfence can be written
    pass  config      none; ~/.config/ringfence/config.toml would be read
    warn  last call   registered, but we were not asked about a subagent's call yet
          fix: let a subagent run once, then run `ringfence doctor` again
    pass  stores      none for this directory yet, so nothing to guard here
    pass  memory      nothing is known to keep memory from being written
    the guard works; 2 of 19 rows could be better
    --
    "#);
}

#[test]
fn doctor_says_how_old_the_newest_snapshot_is_and_whether_it_would_help() {
    let home = bare_home();
    let rows = || {
        let output = home.run(&["doctor", "--json"], b"");
        let document: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
        let rows = document["rows"].as_array().unwrap().iter().filter(|r| r["name"] == "snapshots");
        let path = regex::Regex::new("/[^ ]*/(memory|[a-z]+-[0-9TZ]+)[.]db").unwrap();
        let word = |value: &serde_json::Value| value.as_str().unwrap_or("-").to_owned();
        let row = |row: &serde_json::Value| {
            let text = ["health", "said", "fix"].map(|name| word(&row[name])).join(" | ");
            path.replace_all(&text, "<$1.db>").into_owned()
        };
        rows.map(row).collect::<Vec<_>>()
    };
    // Without a store there is nothing to copy.
    assert_eq!(rows(), [] as [String; 0]);
    home.run(&["note", "insight", "x"], b"");
    assert_eq!(rows(), ["warn | <memory.db> has none yet | ringfence snapshot"]);
    let name = home.run(&["snapshot"], b"").stdout.trim().to_owned();
    let said = rows();
    assert!(
        said[0].starts_with("pass | the newest of <memory.db> is ")
            && said[0].ends_with(" s old | -"),
        "{said:?}"
    );
    let shelves = home.path().join(".local/state/ringfence/snapshots");
    let shelf = fs::read_dir(shelves).unwrap().next().unwrap().unwrap().path();
    let aged = shelf.join("ringfence-20200101T000000Z.db");
    fs::rename(shelf.join(format!("{name}.db")), &aged).unwrap();
    let said = rows();
    assert!(
        said[0].starts_with("warn | the newest of <memory.db> is ")
            && said[0].ends_with(" days old, and the store was changed since | ringfence snapshot"),
        "{said:?}"
    );
    // Nothing was written since: the copy is as good as new.
    let dirs = fs::read_dir(home.path().join(".local/share/ringfence/projects")).unwrap();
    for dir in dirs {
        for file in fs::read_dir(dir.unwrap().path()).unwrap() {
            let file = fs::File::options().append(true).open(file.unwrap().path());
            let then = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_500_000_000);
            file.unwrap().set_modified(then).unwrap();
        }
    }
    let said = rows();
    assert!(
        said[0].starts_with("pass") && said[0].ends_with("; nothing was changed since | -"),
        "{said:?}"
    );
    fs::write(&aged, "no database at all").unwrap();
    assert_eq!(
        rows(),
        [
            "warn | the newest of <memory.db> cannot be read: store-corrupt | rm <ringfence-20200101T000000Z.db> && ringfence snapshot"
        ]
    );
}

#[test]
fn doctor_says_when_nothing_is_installed() {
    let home = bare_home();
    assert_eq!(complaints(&home), (Some(1), vec!["fail registered".to_owned()]));
}

#[test]
fn doctor_sees_what_keeps_the_guard_from_guarding() {
    let fails: &[(&str, &str, &str, &str)] = &[
        ("matcher", r#""matcher": "*""#, r#""matcher": "Bash""#, "fail matcher"),
        ("bad expression", r#""matcher": "*""#, r#""matcher": "Bash(""#, "fail matcher"),
        ("program gone", BINARY, "/nonexistent/ringfence", "fail program"),
        ("relative program", &format!("\"{BINARY}\""), "\"ringfence\"", "fail program"),
        (
            "not awaited",
            r#""type": "command""#,
            r#""type": "command", "async": true"#,
            "fail timeout",
        ),
        ("too short", r#""timeout": 5"#, r#""timeout": 1"#, "fail timeout"),
        (
            "condition",
            r#""type": "command""#,
            r#""type": "command", "if": "Bash(git *)""#,
            "fail matcher",
        ),
        (
            "switch",
            r#"{
  "hooks""#,
            r#"{
  "disableAllHooks": true,
  "hooks""#,
            "fail switches",
        ),
        (
            "silent variable",
            r#"{
  "hooks""#,
            r#"{
  "env": {"CLAUDE_CODE_SAFE_MODE": "1"},
  "hooks""#,
            "fail switches",
        ),
        ("comment", "{\n", "{ // mine\n", "fail settings"),
        ("wrong type", "{\n", "{ \"model\": 5,\n", "fail settings"),
        ("other arm", r#""guard""#, r#""audit""#, "fail canary"),
    ];
    let mut wrong = Vec::new();
    for (name, from, to, expected) in fails {
        let home = installed(|text| {
            assert!(text.contains(from), "{name}: {text}");
            text.replace(from, to)
        });
        let (code, said) = complaints(&home);
        if code != Some(1) || !said.contains(&(*expected).to_owned()) {
            wrong.push(format!("{name}: {code:?} {said:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn doctor_warns_of_what_works_but_not_for_long() {
    let warns: &[(&str, &str, &str, &str)] = &[
        ("no timeout", ",\n            \"timeout\": 5", "", "warn timeout"),
        ("blocks", r#""timeout": 5"#, r#""timeout": 5, "onFailure": "block""#, "warn timeout"),
        ("event missing", "SessionStart", "Notification", "warn registered"),
        ("unknown event", "SessionStart", "SessionBegin", "warn settings"),
    ];
    let mut wrong = Vec::new();
    for (name, from, to, expected) in warns {
        let home = installed(|text| text.replace(from, to));
        let (code, said) = complaints(&home);
        if code != Some(0) || !said.contains(&(*expected).to_owned()) {
            wrong.push(format!("{name}: {code:?} {said:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_switch_in_another_scope_is_seen_and_the_stronger_scope_decides() {
    let home = installed(str::to_owned);
    let project = home.dir("work");
    home.dir("work/.git");
    let health = || {
        let output = home.run_in(&project, &["doctor", "--json"], b"");
        let document: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
        let rows = document["rows"].as_array().unwrap();
        rows.iter().find(|row| row["name"] == "switches").unwrap()["health"].clone()
    };
    assert_eq!(health(), "pass");
    home.file("work/.claude/settings.json", "{\"disableAllHooks\": true}");
    assert_eq!(health(), "fail");
    home.file("work/.claude/settings.local.json", "{\"disableAllHooks\": false}");
    assert_eq!(health(), "warn");
}

#[test]
fn a_trial_leaves_no_trace_in_the_owner_s_records() {
    let home = installed(str::to_owned);
    let before = tree(&home);
    home.run(&["doctor"], b"");
    assert_eq!(tree(&home), before);
}

fn tree(home: &Home) -> Vec<String> {
    let output = std::process::Command::new("find").arg(home.path()).output().unwrap();
    let mut lines: Vec<String> =
        String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

#[test]
fn the_shim_is_installed_tried_and_removed() {
    let home = bare_home();
    let program = home.dir("bin").join("ringfence");
    copy_binary(&program);
    let run = |args: &[&str]| {
        let output = std::process::Command::new(&program)
            .args(args)
            .env_clear()
            .env("HOME", home.path())
            .env("PATH", "/usr/bin:/bin")
            .current_dir(home.path())
            .output()
            .unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (code, said) = run(&["install", "--shim"]);
    assert_eq!(code, Some(0), "{said}");
    let shim = home.path().join("bin/ringfence.sh");
    assert_eq!(fs::metadata(&shim).unwrap().permissions().mode() & 0o777, 0o755);
    let (code, said) = run(&["doctor"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("a foreign note was refused"), "{said}");
    // A second registration replaces the first; the shim goes with the last entry that names it.
    assert_eq!(run(&["install"]).0, Some(0));
    let settings = fs::read_to_string(home.path().join(".claude/settings.json")).unwrap();
    assert!(!settings.contains("ringfence.sh"), "{settings}");
    assert_eq!(run(&["uninstall"]).0, Some(0));
    assert!(!shim.exists() && !home.path().join(".claude").exists());
}

#[test]
fn an_older_client_gets_the_form_it_knows() {
    let home = bare_home();
    let client = home.file("bin/claude", "#!/bin/sh\necho '2.1.100 (Claude Code)'\n");
    fs::set_permissions(&client, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", home.path().join("bin").display());
    let home = home.env("PATH", &path);
    assert_eq!(home.run(&["install"], b"").stderr, "");
    let text = fs::read_to_string(home.path().join(".claude/settings.json")).unwrap();
    assert!(
        text.contains(&format!("\"command\": \"{BINARY} hook pre-tool-use --with guard --config ")),
        "{text}"
    );
    assert!(!text.contains("\"args\""), "{text}");
    let again = home.run(&["install"], b"");
    assert!(again.stdout.starts_with("unchanged"), "{again:?}");
    let said = home.run(&["doctor"], b"").stdout;
    assert!(said.contains("warn  client      2.1.100 starts hooks by a shell"), "{said}");
    assert!(said.contains("a foreign note was refused"), "{said}");
    home.run(&["uninstall"], b"");
    assert!(!home.path().join(".claude").exists());
}

#[test]
fn status_is_short() {
    let home = installed(str::to_owned);
    assert_snapshot!(shown(&home, &home.run(&["status"], b"")), @r#"
    exit 0
    program   RINGFENCE VERSION
    entries   ~/.claude/settings.json (PreToolUse, PostToolUseFailure, SessionStart, SessionEnd, SubagentStart, SubagentStop, ConfigChange)
    record    ~/.local/state/ringfence/wiring (record of the installation)
    guard     on
    --
    "#);
    assert_snapshot!(shown(&bare_home(), &bare_home().run(&["status"], b"")), @r#"
    exit 0
    program   RINGFENCE VERSION
    entries   none: not installed
    guard     on
    --
    "#);
}

#[test]
fn the_guard_is_switched_off_from_a_terminal_only() {
    let home = bare_home();
    assert_snapshot!(shown(&home, &home.run(&["off"], b"")), @r#"
    exit 1
    --
    error: only a person at a terminal outside any client can do this: there is no terminal
    "#);
    assert_snapshot!(shown(&home, &home.run(&["off", "--for", "soon"], b"")), @r#"
    exit 64
    --
    error: `soon` is no time

    hint: type a time such as 30s, 10m or 2h
    "#);
    assert_snapshot!(shown(&home, &home.run(&["off", "--for", "30d"], b"")), @r#"
    exit 64
    --
    error: `30d` is not between 1s and 7d
    "#);
    assert_eq!(home.run(&["off", "--end"], b"").stdout, "the guard was on\n");
}

/// The document that a command prints, without what differs from run to run.
fn document(home: &Home, args: &[&str]) -> serde_json::Value {
    let output = home.run(args, b"");
    let text = shown(home, &output);
    let stamp = regex::Regex::new(r"-\d{8}T\d{9}Z").unwrap();
    let text = stamp.replace_all(&text, "-TIME").into_owned();
    let body = text.split_once('\n').unwrap().1.split("\n--\n").next().unwrap().to_owned();
    serde_json::from_str(&body).unwrap_or_else(|error| panic!("{error}: {body}"))
}

#[test]
fn the_documents_are_those_in_the_examples() {
    let home = bare_home();
    home.file(".claude/settings.json", "{\n  \"model\": \"opus\"\n}\n");
    for (name, args) in [
        ("install", ["install", "--json"]),
        ("status", ["status", "--json"]),
        ("doctor", ["doctor", "--json"]),
        ("uninstall", ["uninstall", "--json"]),
    ] {
        let printed = document(&home, &args);
        let example = format!("json/{name}.json");
        if std::env::var_os("RINGFENCE_WRITE_EXAMPLES").is_some() {
            let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("tests/corpus")
                .join(&example);
            fs::write(path, format!("{printed:#}\n")).unwrap();
        }
        let expected: serde_json::Value =
            serde_json::from_str(&crate::support::corpus(&example)).unwrap();
        assert_eq!(printed, expected, "{name}");
    }
}

/// The rows of one name, as `health: said | fix`, without what differs from run to run.
fn rows_of(home: &Home, name: &str) -> Vec<String> {
    let document = document(home, &["doctor", "--json"]);
    let rows = document["rows"].as_array().unwrap().iter().filter(|row| row["name"] == name);
    rows.map(|row| {
        let text = |key: &str| row[key].as_str().unwrap_or("-").to_owned();
        format!("{}: {} | {}", text("health"), text("said"), text("fix"))
    })
    .collect()
}

/// A home with the hook installed and a client of a version on PATH.
fn with_client(version: &str) -> Home {
    let home = bare_home();
    let client = home.file("bin/claude", &format!("#!/bin/sh\necho '{version} (Claude Code)'\n"));
    fs::set_permissions(&client, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", home.path().join("bin").display());
    let home = home.env("PATH", &path);
    assert_eq!(home.run(&["install"], b"").code, Some(0));
    home
}

/// The settings without the places on the hook's lines, as older installs wrote them.
fn forget_places(home: &Home) {
    let path = home.path().join(".claude/settings.json");
    let text = fs::read_to_string(&path).unwrap();
    let places = regex::Regex::new(r#",\s*"--config",\s[^\]]*"#).unwrap();
    fs::write(&path, places.replace_all(&text, "\n").as_ref()).unwrap();
}

#[test]
fn old_clients_are_told_from_new_ones() {
    let mut seen = Vec::new();
    for version in ["2.1.68", "2.1.100", "2.1.250", "2.1.328", "unknown"] {
        let home = with_client(version);
        seen.push(format!("# {version}"));
        seen.extend(rows_of(&home, "client"));
        forget_places(&home);
        seen.extend(rows_of(&home, "places"));
    }
    assert_snapshot!(seen.join("\n"), @r#"
    # 2.1.68
    fail: 2.1.68 does not mark a subagent's calls; 2.1.69 is the first that does | claude update
    pass: the hook's lines name them: no `env` moves them | -
    # 2.1.100
    warn: 2.1.100 starts hooks by a shell; 2.1.139 is the first that need not | claude update
    pass: the hook's lines name them: no `env` moves them | -
    # 2.1.250
    pass: 2.1.250 marks a subagent's calls | -
    warn: not named in ~/.claude/settings.json, and 2.1.250 lets a project's `env` move them; 2.1.251 is the first that does not | ringfence install
    # 2.1.328
    pass: 2.1.328 marks a subagent's calls | -
    pass: not named in ~/.claude/settings.json; 2.1.328 keeps a project's `env` off them | -
    # unknown
    warn: the client does not say its version | claude update
    warn: not named in ~/.claude/settings.json; a client before 2.1.251 lets a project move them | ringfence install
    "#);
    let named = with_client("2.1.100");
    assert_snapshot!(rows_of(&named, "places").join("\n"), @r#"
    pass: the hook's lines name them: no `env` moves them | -
    "#);
}

#[test]
fn a_client_that_ignores_on_failure_is_named_when_somebody_relies_on_it() {
    let posture = r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"/bin/true","onFailure":"block"}]}]}}"#;
    let mut seen = Vec::new();
    for (version, text) in [("2.1.294", posture), ("2.1.295", posture), ("2.1.294", "{}")] {
        let home = with_client(version);
        home.file(".claude/settings.local.json", text);
        seen.extend(rows_of(&home, "client"));
    }
    assert_snapshot!(seen.join("\n"), @r#"
    pass: 2.1.294 marks a subagent's calls | -
    warn: 2.1.294 ignores `onFailure` in ~/.claude/settings.local.json: a hook that fails lets the call through; 2.1.295 is the first that does not | claude update
    pass: 2.1.295 marks a subagent's calls | -
    pass: 2.1.294 marks a subagent's calls | -
    "#);
}

#[test]
fn hooks_that_rewrite_calls_are_named() {
    let home = installed(str::to_owned);
    home.file("rewrite.sh", "#!/bin/sh\necho '{\"hookSpecificOutput\":{\"updatedInput\":{}}}'\n");
    home.file("plain.sh", "#!/bin/sh\nexit 0\n");
    let mut seen = Vec::new();
    for (matcher, command) in [
        ("Bash", "~/plain.sh"),
        ("Bash", "~/rewrite.sh --fast"),
        ("*", "sh \\\"$HOME/rewrite.sh\\\""),
        ("WebFetch", "~/rewrite.sh"),
        ("Bash", "\\\"unclosed ~/rewrite.sh"),
    ] {
        home.file(
            ".claude/settings.local.json",
            &format!(
                r#"{{"hooks":{{"PreToolUse":[{{"matcher":"{matcher}","hooks":[{{"type":"command","command":"{command}"}}]}}]}}}}"#
            ),
        );
        seen.push(format!("# {matcher} {command}"));
        seen.extend(rows_of(&home, "rewriting"));
    }
    assert_snapshot!(seen.join("\n"), @r#"
    # Bash ~/plain.sh
    pass: no other hook is seen to rewrite calls | -
    # Bash ~/rewrite.sh --fast
    warn: ~/rewrite.sh in ~/.claude/settings.local.json may rewrite a call after we judged it: it holds `updatedInput` | take that hook out of ~/.claude/settings.local.json
    # * sh \"$HOME/rewrite.sh\"
    warn: ~/rewrite.sh in ~/.claude/settings.local.json may rewrite a call after we judged it: it holds `updatedInput` | take that hook out of ~/.claude/settings.local.json
    # WebFetch ~/rewrite.sh
    pass: no other hook is seen to rewrite calls | -
    # Bash \"unclosed ~/rewrite.sh
    warn: ~/rewrite.sh in ~/.claude/settings.local.json may rewrite a call after we judged it: it holds `updatedInput` | take that hook out of ~/.claude/settings.local.json
    "#);
}

#[test]
fn what_others_may_write_is_named() {
    let home = installed(str::to_owned);
    assert_snapshot!(rows_of(&home, "writable").join("\n"), @r#"
    pass: no other user may change what the guard relies on | -
    "#);
    let open = |below: &str| {
        let path = home.path().join(below);
        fs::set_permissions(path, fs::Permissions::from_mode(0o777)).unwrap();
    };
    home.file(".config/ringfence/config.toml", "");
    open(".config/ringfence/config.toml");
    open(".claude/settings.json");
    open(".claude");
    open(".local/state/ringfence");
    assert_snapshot!(rows_of(&home, "writable").join("\n"), @r#"
    warn: ~/.claude can be changed by other users | chmod go-w ~/.claude
    warn: ~/.claude/settings.json can be changed by other users | chmod go-w ~/.claude/settings.json
    warn: ~/.config/ringfence/config.toml can be changed by other users | chmod go-w ~/.config/ringfence/config.toml
    warn: ~/.local/state/ringfence can be changed by other users | chmod go-w ~/.local/state/ringfence
    "#);
}

#[test]
fn a_switch_that_is_overruled_is_a_warning() {
    let home = installed(str::to_owned);
    home.file(".claude/settings.json", &{
        let text = fs::read_to_string(home.path().join(".claude/settings.json")).unwrap();
        text.replacen('{', "{ \"disableAllHooks\": true,", 1)
    });
    home.file(".claude/settings.local.json", r#"{"disableAllHooks":false}"#);
    assert_snapshot!(rows_of(&home, "switches").join("\n"), @r#"
    warn: `disableAllHooks` in ~/.claude/settings.json is overruled by a stronger file, for now | remove `disableAllHooks` from ~/.claude/settings.json
    "#);
}

#[test]
fn only_a_call_that_we_were_asked_about_proves_that_the_client_asks() {
    let home = installed(str::to_owned);
    let last = || {
        let rows = rows_of(&home, "last call").join("\n");
        regex::Regex::new(r"\d+ (s|min|h|days)").unwrap().replace_all(&rows, "N $1").into_owned()
    };
    let mut seen = vec![last()];
    let args: Vec<String> = {
        let text = fs::read_to_string(home.path().join(".claude/settings.json")).unwrap();
        let root: serde_json::Value = serde_json::from_str(&text).unwrap();
        let args = root["hooks"]["PreToolUse"][0]["hooks"][0]["args"].as_array().unwrap().clone();
        args.iter().map(|arg| arg.as_str().unwrap().to_owned()).collect()
    };
    home.run(&["hook", "subagent-start"], br#"{"session_id":"s","agent_id":"a","cwd":"/"}"#);
    seen.push(last());
    // The parent's call proves nothing.
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let call = |agent: &str| {
        let payload = format!(
            r#"{{"session_id":"s",{agent}"cwd":"/","tool_name":"Bash","tool_input":{{"command":"ls"}}}}"#
        );
        assert_eq!(home.run(&args, payload.as_bytes()).stdout, "");
    };
    call("");
    seen.push(last());
    call(r#""agent_id":"a","#);
    seen.push(last());
    // And an old one does not when subagents have started since.
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(3 * 86_400);
    let asked = home.path().join(".local/state/ringfence/asked");
    fs::File::options().write(true).open(asked).unwrap().set_modified(old).unwrap();
    seen.push(last());
    assert_snapshot!(seen.join("\n"), @r#"
    warn: registered, but we were not asked about a subagent's call yet | let a subagent run once, then run `ringfence doctor` again
    warn: registered but never called: a subagent started N s ago, and we were not asked about a call of one | ringfence install, then start the client anew
    warn: registered but never called: a subagent started N s ago, and we were not asked about a call of one | ringfence install, then start the client anew
    pass: we were asked about a subagent's call N s ago | -
    warn: a subagent started N s ago, but the last call of one that we were asked about is N days old | ringfence install, then start the client anew
    "#);
}

#[test]
fn a_state_elsewhere_than_the_hook_s_is_named() {
    let home = installed(str::to_owned);
    assert_eq!(rows_of(&home, "state").len(), 1);
    let home = home.env("XDG_STATE_HOME", "/nonexistent/state");
    assert_snapshot!(rows_of(&home, "state").join("\n"), @r#"
    pass: /nonexistent/state/ringfence is not there yet; the first call makes it | -
    warn: the hook keeps its state in ~/.local/state/ringfence, this shell's is /nonexistent/state/ringfence | RINGFENCE_STATE=~/.local/state/ringfence ringfence doctor
    "#);
}

#[test]
fn a_state_that_cannot_be_made_is_no_state_that_is_not_there_yet() {
    let home = installed(str::to_owned);
    let state = home.path().join(".local/state");
    fs::remove_dir_all(&state).unwrap();
    fs::write(&state, "").unwrap();
    assert_snapshot!(rows_of(&home, "state").join("\n"), @"fail: ~/.local/state/ringfence cannot be made or used: ~/.local/state is no directory | ls -ld ~/.local/state");
    fs::remove_file(&state).unwrap();
    std::os::unix::fs::symlink("nowhere", &state).unwrap();
    assert_snapshot!(rows_of(&home, "state").join("\n"), @"fail: ~/.local/state/ringfence cannot be made or used: ~/.local/state is no directory | ls -ld ~/.local/state");
}

#[test]
fn pauses_are_shown_by_doctor_and_status() {
    let home = installed(str::to_owned);
    let state = ringfence::state::State::at(home.path().join(".local/state/ringfence"));
    let project = Some(home.dir("work"));
    let until = ringfence::sys::clock::now_ms() + 600_000;
    state.switch_off(&ringfence::state::Off { until, project }).unwrap();
    let time = regex::Regex::new(r"\d{4}-\d\d-\d\dT[\d:.]+Z").unwrap();
    let plain = |text: &str| time.replace_all(text, "TIME").into_owned();
    assert_snapshot!(plain(&rows_of(&home, "off").join("\n")), @r#"
    warn: the guard is off for ~/work until TIME | cd ~/work && ringfence off --project --end
    "#);
    assert_snapshot!(plain(&shown(&home, &home.run(&["status"], b""))), @r#"
    exit 0
    program   RINGFENCE VERSION
    entries   ~/.claude/settings.json (PreToolUse, PostToolUseFailure, SessionStart, SessionEnd, SubagentStart, SubagentStop, ConfigChange)
    record    ~/.local/state/ringfence/wiring (record of the installation)
    guard     on
    guard     off for ~/work until TIME
    --
    "#);
    state.switch_off(&ringfence::state::Off { until, project: None }).unwrap();
    assert_snapshot!(plain(&rows_of(&home, "off").join("\n")), @r#"
    warn: the guard is off until TIME | ringfence off --end
    warn: the guard is off for ~/work until TIME | cd ~/work && ringfence off --project --end
    "#);
    assert_snapshot!(plain(&home.run(&["off", "--end"], b"").stdout.replace(home.path().to_str().unwrap(), "~")), @r#"
    the guard is on again
    the guard is off for ~/work until TIME
    "#);
    let document = document(&home, &["status", "--json"]);
    assert_eq!(document["off_until"], serde_json::Value::Null);
    assert_eq!(document["off_projects"].as_array().unwrap().len(), 1);
}

#[test]
fn stores_are_looked_into() {
    let home = installed(str::to_owned);
    let note = home.run(&["note", "insight", "The queue is bounded.", "--session", "s"], b"");
    assert_eq!(note.code, Some(0), "{note:?}");
    let projects = home.path().join(".local/share/ringfence/projects");
    let dir = fs::read_dir(projects).unwrap().next().unwrap().unwrap().path();
    let store = dir.join("memory.db");
    let name = dir.file_name().unwrap().to_str().unwrap().to_owned();
    let plain = || {
        let rows = rows_of(&home, "stores").join("\n").replace(&name, "PROJECT");
        let numbers = regex::Regex::new(r"schema \d+|WAL of \d+ KB").unwrap();
        numbers.replace_all(&rows, "N").into_owned()
    };
    let mut seen = vec![plain()];
    fs::set_permissions(&store, fs::Permissions::from_mode(0o666)).unwrap();
    seen.push(plain());
    fs::set_permissions(&store, fs::Permissions::from_mode(0o600)).unwrap();
    let wal = dir.join("memory.db-wal");
    fs::File::create(&wal).unwrap().set_len(65 << 20).unwrap();
    seen.push(plain());
    fs::remove_file(&wal).unwrap();
    fs::write(&store, "this is no database, whatever its name may be, and it is long enough")
        .unwrap();
    seen.push(plain());
    assert_snapshot!(seen.join("\n"), @r#"
    pass: ~/.local/share/ringfence/projects/PROJECT/memory.db can be read (ringfence, N, 1 notes, no WAL) | -
    warn: ~/.local/share/ringfence/projects/PROJECT/memory.db can be changed by other users | chmod go-w ~/.local/share/ringfence/projects/PROJECT/memory.db
    warn: ~/.local/share/ringfence/projects/PROJECT/memory.db has 65 MB in its WAL, which slows each look-up: some program keeps it open | fuser -v ~/.local/share/ringfence/projects/PROJECT/memory.db
    warn: ~/.local/share/ringfence/projects/PROJECT/memory.db (SQLite 26) cannot be read: store-corrupt | ringfence explain --codes
    "#);
}

#[test]
fn status_says_when_a_client_would_not_ask_us() {
    let home = installed(str::to_owned);
    home.file(".claude/settings.local.json", r#"{"disableAllHooks":true}"#);
    assert_snapshot!(shown(&home, &home.run(&["status"], b"")), @r#"
    exit 0
    program   RINGFENCE VERSION
    entries   ~/.claude/settings.json (PreToolUse, PostToolUseFailure, SessionStart, SessionEnd, SubagentStart, SubagentStop, ConfigChange)
    record    ~/.local/state/ringfence/wiring (record of the installation)
    not asked `disableAllHooks` in ~/.claude/settings.local.json switches every hook off; to mend it: remove `disableAllHooks` from ~/.claude/settings.local.json
    guard     on
    --
    "#);
    let document = document(&home, &["status", "--json"]);
    assert_eq!(
        document["not_asked"]["mend"],
        "remove `disableAllHooks` from ~/.claude/settings.local.json"
    );
}
