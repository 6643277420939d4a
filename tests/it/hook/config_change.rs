//! Changes of the client's settings: refused exactly when our entries would not bind any more.

use std::fs;
use std::path::PathBuf;

use ringfence::state::{Off, State};

use crate::support::{BINARY, Home, Output};

/// A home with the hook installed, a project in it, and the line that was registered.
struct World {
    home: Home,
    project: PathBuf,
    line: Vec<String>,
}

/// What a test does to one file: the name of its source, and the file below the home.
const USER: (&str, &str) = ("user_settings", ".claude/settings.json");
const PROJECT: (&str, &str) = ("project_settings", "work/.claude/settings.json");
const LOCAL: (&str, &str) = ("local_settings", "work/.claude/settings.local.json");

impl World {
    fn new(install: &[&str]) -> Self {
        let home = Home::new().env("PATH", "/nonexistent");
        let project = home.dir("work");
        home.dir("work/.git");
        let args: Vec<&str> = ["install"].iter().chain(install).copied().collect();
        let done = home.run_in(&project, &args, b"");
        assert_eq!(done.code, Some(0), "{done:?}");
        let mut world = Self { home, project, line: Vec::new() };
        world.line = world.registered();
        world
    }

    /// The argument list of the ConfigChange entry, without the program.
    fn registered(&self) -> Vec<String> {
        for (_, below) in [USER, PROJECT, LOCAL] {
            let Ok(text) = fs::read_to_string(self.home.path().join(below)) else { continue };
            let root: serde_json::Value = serde_json::from_str(&text).unwrap();
            let handler = &root["hooks"]["ConfigChange"][0]["hooks"][0];
            if let Some(args) = handler["args"].as_array() {
                return args.iter().map(|arg| arg.as_str().unwrap().to_owned()).collect();
            }
        }
        panic!("nothing registered");
    }

    fn text(&self, below: &str) -> String {
        fs::read_to_string(self.home.path().join(below)).unwrap_or_default()
    }

    /// Asks about a change as the client does.
    fn ask(&self, (source, below): (&str, &str)) -> Output {
        let payload = serde_json::json!({
            "session_id": "s",
            "transcript_path": self.home.path().join(".claude/projects/-w/s.jsonl"),
            "cwd": self.project,
            "hook_event_name": "ConfigChange",
            "source": source,
            "file_path": self.home.path().join(below),
        });
        let args: Vec<&str> = self.line.iter().map(String::as_str).collect();
        self.home.run_in(&self.project, &args, payload.to_string().as_bytes())
    }

    /// Writes a file and asks; the reason of the refusal, if it is one.
    fn change(&self, file: (&str, &str), text: &str) -> Option<String> {
        self.home.file(file.1, text);
        self.refusal(file)
    }

    fn refusal(&self, file: (&str, &str)) -> Option<String> {
        let output = self.ask(file);
        assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""));
        if output.stdout.is_empty() {
            return None;
        }
        let answer: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
        assert_eq!(answer["decision"], "block");
        assert!(answer["systemMessage"].is_string());
        Some(self.plain(answer["reason"].as_str().unwrap()))
    }

    fn plain(&self, text: &str) -> String {
        text.replace(self.home.path().to_str().unwrap(), "~").replace(BINARY, "RINGFENCE")
    }
}

#[test]
fn a_refusal_says_what_is_wrong_and_what_mends_it() {
    let world = World::new(&[]);
    let reason = world.change(PROJECT, r#"{"disableAllHooks": true}"#).unwrap();
    insta::assert_snapshot!(reason, @r#"
    This change of the settings was not taken over, because Ringfence's hook would no longer be asked: `disableAllHooks` in ~/work/.claude/settings.json switches every hook off. This session goes on with the settings that it has, but the file is still wrong on disk and a new session reads it. To mend it: remove `disableAllHooks` from ~/work/.claude/settings.json; then check with `ringfence doctor`. A person who wants the guard off runs `ringfence off` in a terminal first.
    "#);
    let log = State::at(world.home.path().join(".local/state/ringfence")).log_lines();
    let line = log.last().unwrap();
    assert_eq!((line.verdict.as_str(), line.code.as_str()), ("deny", "denied-unbinding"));
    assert_eq!(line.tool, "ConfigChange");
}

/// What is done to a file: the whole text, or one text put in the place of another.
enum Edit {
    Whole(&'static str),
    Swap(&'static str, &'static str),
}
use Edit::{Swap, Whole};

#[test]
fn changes_after_which_our_entries_bind_pass_in_silence() {
    let rows: &[(&str, (&str, &str), Edit)] = &[
        ("nothing changed", USER, Swap("", "")),
        ("other key", USER, Swap("{\n", "{\n  \"model\": \"opus\",\n")),
        ("matcher of all", USER, Swap(r#""matcher": "*""#, r#""matcher": ".*""#)),
        ("longer timeout", USER, Swap(r#""timeout": 5"#, r#""timeout": 60"#)),
        ("no timeout", USER, Swap(",\n            \"timeout\": 5", "")),
        ("record events gone", USER, Swap("SubagentStop", "Notification")),
        ("grants are not given back", USER, Swap("PostToolUseFailure", "Stop")),
        ("hooks on", USER, Swap("{\n", "{\n  \"disableAllHooks\": false,\n")),
        (
            "a hook beside",
            PROJECT,
            Whole(r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"x"}]}]}}"#),
        ),
        ("void project file", PROJECT, Whole("{ // mine\n}")),
        ("void local file", LOCAL, Whole("{")),
        (
            "mild env",
            PROJECT,
            Whole(
                r#"{"env":{"A":"1","PATH":"/x","LD_PRELOAD":"/x.so","HOME":"/x","XDG_STATE_HOME":"/x","CORTEX_HOME":"/x","CLAUDE_CODE_SHELL_PREFIX":"x"}}"#,
            ),
        ),
        ("silencer off", PROJECT, Whole(r#"{"env":{"CLAUDE_CODE_SIMPLE":"0"}}"#)),
        ("another plugin", PROJECT, Whole(r#"{"enabledPlugins":{"ringfence@x":false}}"#)),
        ("no effect outside managed", PROJECT, Whole(r#"{"allowManagedHooksOnly":true}"#)),
        ("root's", ("policy_settings", ".claude/settings.json"), Whole("{}")),
        ("skills", ("skills", ".claude/settings.json"), Whole("{}")),
    ];
    let mut wrong = Vec::new();
    for (name, file, edit) in rows {
        let world = World::new(&[]);
        let text = match edit {
            Whole(text) => (*text).to_owned(),
            Swap(from, to) => world.text(file.1).replace(from, to),
        };
        if let Some(reason) = world.change(*file, &text) {
            wrong.push(format!("{name}: {reason}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn changes_after_which_our_entries_do_not_bind_are_refused() {
    let rows: &[(&str, (&str, &str), Edit, &str)] = &[
        ("emptied", USER, Whole("{}"), "has our PreToolUse entry"),
        ("nothing in it", USER, Whole(""), "has our PreToolUse entry"),
        (
            "broken",
            USER,
            Whole("{"),
            "does not load ~/.claude/settings.json: the file ends too early",
        ),
        ("comment", USER, Swap("{\n", "{ // mine\n"), "a comment is not JSON"),
        ("wrong type", USER, Swap("{\n", "{ \"model\": 5,\n"), "`model` must be a string"),
        (
            "bad entry beside ours",
            USER,
            Swap(r#""PreToolUse": ["#, r#""PreToolUse": [{"hooks": 3},"#),
            "has no list called `hooks`",
        ),
        ("all off", USER, Swap("{\n", "{ \"disableAllHooks\": true,\n"), "switches every hook off"),
        (
            "off by the project",
            PROJECT,
            Whole(r#"{"disableAllHooks":true}"#),
            "~/work/.claude/settings.json switches",
        ),
        (
            "off by the local file",
            LOCAL,
            Whole(r#"{"disableAllHooks":true}"#),
            "settings.local.json switches",
        ),
        (
            "silent client",
            PROJECT,
            Whole(r#"{"env":{"CLAUDE_CODE_SIMPLE":"1"}}"#),
            "starts the client without hooks",
        ),
        (
            "safe client",
            LOCAL,
            Whole(r#"{"env":{"CLAUDE_CODE_SAFE_MODE":true}}"#),
            "starts the client without hooks",
        ),
        ("matcher", USER, Swap(r#""matcher": "*""#, r#""matcher": "Bash""#), "misses"),
        (
            "matcher forgets plugins",
            USER,
            Swap(r#""matcher": "*""#, r#""matcher": "Bash|PowerShell|mcp__cortex__cortex_note""#),
            "mcp__plugin_memory_cortex__cortex_note",
        ),
        (
            "matcher that is none",
            USER,
            Swap(r#""matcher": "*""#, r#""matcher": "Bash(""#),
            "and 11 more",
        ),
        (
            "event gone",
            USER,
            Swap("\"PreToolUse\"", "\"PostToolBatch\""),
            "has our PreToolUse entry",
        ),
        ("child sessions unseen", USER, Swap("SessionStart", "Stop"), "has our SessionStart entry"),
        ("next change unseen", USER, Swap("ConfigChange", "Stop"), "has our ConfigChange entry"),
        (
            "not waited for",
            USER,
            Swap(r#""type": "command""#, r#""type": "command", "async": true"#),
            "not waited for",
        ),
        (
            "condition",
            USER,
            Swap(r#""type": "command""#, r#""type": "command", "if": "Bash(git *)""#),
            "condition",
        ),
        ("too short", USER, Swap(r#""timeout": 5"#, r#""timeout": 0.001"#), "timeout of 0.001 s"),
        ("timeout 0", USER, Swap(r#""timeout": 5"#, r#""timeout": 0"#), "a number above 0"),
        ("another program", USER, Swap(BINARY, "/tmp/ringfence"), "starts `/tmp/ringfence`"),
        ("program by its name", USER, Swap(BINARY, "ringfence"), "starts `ringfence`"),
        (
            "the last of equal keys counts",
            USER,
            Swap(
                "\"hooks\": {\n    \"PreToolUse\"",
                "\"disableAllHooks\": false, \"disableAllHooks\": true, \"hooks\": {\n    \"PreToolUse\"",
            ),
            "switches every hook off",
        ),
        ("other arm", USER, Swap("\"guard\"", "\"audit\""), "does not select the guard"),
    ];
    let mut wrong = Vec::new();
    for (name, file, edit, words) in rows {
        let world = World::new(&[]);
        let text = match edit {
            Whole(text) => (*text).to_owned(),
            Swap(from, to) => {
                let text = world.text(file.1);
                assert!(text.contains(from), "{name}");
                text.replace(from, to)
            }
        };
        match world.change(*file, &text) {
            Some(reason) if reason.contains(words) => {}
            other => wrong.push(format!("{name}: {other:?}")),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_file_that_was_refused_is_refused_with_every_later_change_until_it_is_mended() {
    // The client reads all files again when one change passes.
    let world = World::new(&[]);
    let good = world.text(USER.1);
    assert!(world.change(USER, "{}").is_some());
    assert!(world.change(LOCAL, r#"{"model":"opus"}"#).is_some());
    assert_eq!(world.change(USER, &good), None);
    assert_eq!(world.change(LOCAL, r#"{"model":"opus"}"#), None);
}

#[test]
fn a_file_that_is_gone_or_is_none_is_refused() {
    let world = World::new(&[]);
    let path = world.home.path().join(USER.1);
    fs::remove_file(&path).unwrap();
    assert!(world.refusal(USER).unwrap().contains("ringfence install"));
    fs::create_dir(&path).unwrap();
    assert!(world.refusal(USER).unwrap().contains("it is a directory"));
}

#[test]
fn the_stronger_scope_decides_about_switches() {
    let world = World::new(&[]);
    world.home.file(LOCAL.1, r#"{"disableAllHooks":false,"env":{"CLAUDE_CODE_SIMPLE":"0"}}"#);
    let text = r#"{"disableAllHooks":true,"env":{"CLAUDE_CODE_SIMPLE":"1"}}"#;
    assert_eq!(world.change(PROJECT, text), None);
    assert!(world.change(LOCAL, "{}").unwrap().contains("~/work/.claude/settings.json"));
}

#[test]
fn an_entry_in_another_scope_binds_as_well() {
    let world = World::new(&["--scope", "project"]);
    assert_eq!(world.change(USER, "{"), None);
    let reason = world.change(PROJECT, "{}").unwrap();
    assert!(reason.contains("To mend it: ringfence install --scope project;"), "{reason}");
    let two = World::new(&[]);
    two.home.run_in(&two.project, &["install", "--scope", "local"], b"");
    assert_eq!(two.change(USER, "{}"), None);
}

#[test]
fn in_a_pause_nothing_is_refused() {
    let world = World::new(&[]);
    let state = State::at(world.home.path().join(".local/state/ringfence"));
    let until = ringfence::sys::clock::now_ms() + 60_000;
    state.switch_off(&Off { until, project: Some(world.home.path().join("elsewhere")) }).unwrap();
    assert!(world.change(USER, "{}").is_some());
    state.switch_off(&Off { until, project: Some(world.project.clone()) }).unwrap();
    assert_eq!(world.refusal(USER), None);
    state.switch_on(Some(&world.project), 0).unwrap();
    assert!(world.refusal(USER).is_some());
    state.switch_off(&Off { until, project: None }).unwrap();
    assert_eq!(world.refusal(USER), None);
    // A pause that is over, and one that nobody can have meant.
    for until in [1, i64::MAX] {
        state.switch_off(&Off { until, project: None }).unwrap();
        assert!(world.refusal(USER).is_some(), "{until}");
    }
}

#[test]
fn what_cannot_be_read_passes() {
    let world = World::new(&[]);
    world.home.file(USER.1, "{}");
    let args: Vec<&str> = world.line.iter().map(String::as_str).collect();
    for payload in
        ["", "{", "[]", "{}", r#"{"source":"user_settings"}"#, r#"{"source":5,"file_path":5}"#]
    {
        let output = world.home.run_in(&world.project, &args, payload.as_bytes());
        assert_eq!((output.code, output.stdout.as_str()), (Some(0), ""), "{payload}");
    }
    let without_guard: Vec<&str> =
        args.iter().map(|arg| if *arg == "guard" { "audit" } else { arg }).collect();
    let payload = format!(
        r#"{{"source":"user_settings","file_path":"{}","cwd":"/"}}"#,
        world.home.path().join(USER.1).display()
    );
    assert_eq!(world.home.run(&without_guard, payload.as_bytes()).stdout, "");
    assert_ne!(world.home.run(&args, payload.as_bytes()).stdout, "");
}

/// A shell line for the same entries, as older clients need it.
fn in_shell_form(text: &str) -> String {
    let mut root: serde_json::Value = serde_json::from_str(text).unwrap();
    for groups in root["hooks"].as_object_mut().unwrap().values_mut() {
        let handler = groups[0]["hooks"][0].as_object_mut().unwrap();
        let args = handler.remove("args").unwrap();
        let words = args.as_array().unwrap().iter().map(|arg| arg.as_str().unwrap());
        let program = handler["command"].as_str().unwrap().to_owned();
        let line: Vec<&str> = std::iter::once(program.as_str()).chain(words).collect();
        handler.insert("command".into(), line.join(" ").into());
    }
    root.to_string()
}

#[test]
fn what_bends_a_shell_unbinds_the_shell_form_only() {
    for (env, bends) in [
        (r#"{"LD_PRELOAD":"/x.so"}"#, true),
        (r#"{"LD_PRELOAD":""}"#, false),
        (r#"{"CLAUDE_CODE_SHELL_PREFIX":"/x"}"#, true),
        (r#"{"LD_LIBRARY_PATH":"/opt/cuda"}"#, false),
        (r#"{"LD_LIBRARY_PATH":"/opt/cuda:LIBS"}"#, true),
        (r#"{"PATH":"/x","BASH_ENV":"/x"}"#, false),
    ] {
        let world = World::new(&[]);
        world.home.file("libs/libc.so.6", "");
        let libs = world.home.path().join("libs");
        let text = format!(r#"{{"env":{env}}}"#).replace("LIBS", libs.to_str().unwrap());
        assert_eq!(world.change(PROJECT, &text), None, "{env}");
        let shell = in_shell_form(&world.text(USER.1));
        world.home.file(USER.1, &shell);
        assert_eq!(world.refusal(PROJECT).is_some(), bends, "{env}");
    }
}

#[test]
fn places_are_moved_only_on_a_line_that_does_not_name_them_and_by_a_client_that_lets_it() {
    let places = regex::Regex::new(r#",\s*"--config",\s[^\]]*"#).unwrap();
    for (version, old_line, refused) in [
        ("2.1.250", true, true),
        ("2.1.250", false, false),
        ("2.1.251", true, false),
        ("", true, false),
    ] {
        let world = World::new(&[]);
        if old_line {
            let text = world.text(USER.1);
            world.home.file(USER.1, &places.replace_all(&text, "\n"));
        }
        world.home.file(
            ".claude/projects/-w/s.jsonl",
            &format!("{{\"type\":\"user\",\"version\":\"{version}\"}}\n{{\"type\":\"x\"}}\n"),
        );
        let reason = world.change(PROJECT, r#"{"env":{"XDG_STATE_HOME":"/tmp/x"}}"#);
        assert_eq!(reason.is_some(), refused, "{version} {old_line} {reason:?}");
    }
}

#[test]
fn a_plugin_binds_while_the_settings_leave_it_on() {
    // As the client keeps an installed plugin, its program among its files.
    let home = Home::new().env("PATH", "/nonexistent");
    let project = home.dir("work");
    home.dir("work/.git");
    let root = home.dir("mkt/ringfence");
    let hook = |word: &str| {
        serde_json::json!([{"hooks": [{
            "type": "command",
            "command": "${CLAUDE_PLUGIN_ROOT}/bin/ringfence",
            "args": ["hook", word],
            "timeout": 5,
        }]}])
    };
    let hooks = serde_json::json!({"hooks": {
        "PreToolUse": hook("pre-tool-use"),
        "SessionStart": hook("session-start"),
        "ConfigChange": hook("config-change"),
    }});
    home.file("mkt/ringfence/hooks/hooks.json", &hooks.to_string());
    home.file("mkt/ringfence/.claude-plugin/plugin.json", r#"{"name":"ringfence"}"#);
    home.dir("mkt/ringfence/bin");
    let program = root.join("bin/ringfence");
    let copied = std::process::Command::new("cp").arg(BINARY).arg(&program).status();
    assert!(copied.unwrap().success());
    let client = home.path().join("client");
    std::os::unix::fs::symlink("/bin/bash", &client).unwrap();
    let ask_client = |words: &[&str], (source, below): (&str, &str)| {
        let payload = serde_json::json!({
            "session_id": "s", "cwd": project, "source": source,
            "transcript_path": home.path().join(".claude/projects/-w/s.jsonl"),
            "file_path": home.path().join(below),
        });
        // A program called `client` stands for the client, with the words it was started with.
        let mut child = std::process::Command::new(&client)
            .args(["-c", "\"$0\" hook config-change; true"])
            .arg(&program)
            .args(words)
            .env_clear()
            .env("HOME", home.path())
            .current_dir(&project)
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut pipe = child.stdin.take().unwrap();
        std::io::Write::write_all(&mut pipe, payload.to_string().as_bytes()).unwrap();
        drop(pipe);
        String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
    };
    let ask = |file| ask_client(&[], file);
    // Started with `--plugin-dir`: no settings can take it away but those that silence all hooks.
    let inline = |file| ask_client(&["--plugin-dir", root.to_str().unwrap()], file);
    home.file(PROJECT.1, r#"{"enabledPlugins":{"ringfence@inline":false}}"#);
    assert_eq!(inline(PROJECT), "");
    assert!(ask(PROJECT).contains("decision"), "nobody named it");
    home.file(PROJECT.1, r#"{"disableAllHooks":true}"#);
    assert!(inline(PROJECT).contains("disableAllHooks"));
    home.file(PROJECT.1, "{}");
    // Installed: the settings decide, the stronger scope first.
    let list =
        serde_json::json!({"version": 2, "plugins": {"ringfence@mkt": [{"installPath": root}]}});
    home.file(".claude/plugins/installed_plugins.json", &list.to_string());
    assert!(ask(USER).contains("decision"), "nowhere on");
    home.file(USER.1, r#"{"enabledPlugins":{"ringfence@mkt":true}}"#);
    assert_eq!(ask(USER), "");
    home.file(PROJECT.1, r#"{"enabledPlugins":{"ringfence@mkt":false}}"#);
    assert!(ask(PROJECT).contains("decision"), "off in the project");
    home.file(LOCAL.1, r#"{"enabledPlugins":{"ringfence@mkt":true}}"#);
    assert_eq!(ask(LOCAL), "");
}

#[test]
fn what_the_client_was_started_with_counts_as_well() {
    let home = Home::new().env("PATH", "/nonexistent");
    let project = home.dir("work");
    home.dir("work/.git");
    home.run_in(&project, &["install"], b"");
    let settings = home.path().join(USER.1);
    let ours = fs::read_to_string(&settings).unwrap();
    let client = home.path().join("client");
    std::os::unix::fs::symlink("/bin/bash", &client).unwrap();
    let ask = |words: &[&str]| {
        let payload = serde_json::json!({
            "session_id": "s", "cwd": project, "source": "user_settings", "file_path": settings,
        });
        let mut child = std::process::Command::new(&client)
            .args(["-c", "\"$0\" hook config-change; true", BINARY])
            .args(words)
            .env_clear()
            .env("HOME", home.path())
            .current_dir(&project)
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut pipe = child.stdin.take().unwrap();
        std::io::Write::write_all(&mut pipe, payload.to_string().as_bytes()).unwrap();
        drop(pipe);
        !child.wait_with_output().unwrap().stdout.is_empty()
    };
    assert!(!ask(&[]));
    // Sources that the client was told not to read neither help nor harm.
    assert!(ask(&["--setting-sources", "project,local"]));
    home.file(PROJECT.1, r#"{"disableAllHooks":true}"#);
    assert!(ask(&[]));
    assert!(!ask(&["--setting-sources=user"]));
    assert!(!ask(&["--settings", r#"{"disableAllHooks":false}"#]));
    home.file(PROJECT.1, "{}");
    // Entries in a file that the client was given, relative to where it is.
    home.file("work/own.json", &ours);
    home.file(USER.1, "{}");
    assert!(ask(&[]));
    assert!(!ask(&["--settings", "own.json"]));
    home.file("work/own.json", r#"{"disableAllHooks":true}"#);
    home.file(USER.1, &ours);
    assert!(ask(&["--settings", "own.json"]));
}

#[test]
fn a_client_in_a_folder_reads_the_local_settings_of_the_top_too() {
    let world = World::new(&[]);
    let sub = world.home.dir("work/sub");
    for dir in ["objects", "refs"] {
        world.home.dir(&format!("work/.git/{dir}"));
    }
    world.home.file("work/.git/HEAD", "ref: refs/heads/main\n");
    let ask = |source: &str, below: &str, text: &str| {
        let path = world.home.file(below, text);
        let payload = serde_json::json!({
            "session_id": "s", "cwd": sub, "source": source, "file_path": path,
        });
        let args: Vec<&str> = world.line.iter().map(String::as_str).collect();
        let output = world.home.run_in(&sub, &args, payload.to_string().as_bytes());
        world.plain(&output.stdout)
    };
    let off = r#"{"disableAllHooks":true}"#;
    let on = r#"{"disableAllHooks":false}"#;
    // The project's file at the top is not read there.
    world.home.file("work/.claude/settings.json", off);
    assert_eq!(ask("project_settings", "work/sub/.claude/settings.json", "{}"), "");
    assert!(ask("project_settings", "work/sub/.claude/settings.json", off).contains("work/sub/"));
    assert_eq!(ask("local_settings", "work/sub/.claude/settings.local.json", on), "");
    // The top's local file wins over the folder's, also when another file is asked about.
    assert!(
        ask("local_settings", "work/.claude/settings.local.json", off).contains("disableAllHooks")
    );
    assert!(
        ask("user_settings", USER.1, &world.text(USER.1)).contains("work/.claude/settings.local")
    );
    assert_eq!(ask("local_settings", "work/.claude/settings.local.json", "{}"), "");
}

#[test]
fn another_shell_unbinds_the_shell_form_only() {
    let world = World::new(&[]);
    let exec = world.text(USER.1);
    let with_shell = |text: &str, shell: &str| {
        text.replace("\"type\":\"command\"", &format!("\"type\":\"command\",\"shell\":\"{shell}\""))
            .replace(
                "\"type\": \"command\"",
                &format!("\"type\": \"command\", \"shell\": \"{shell}\""),
            )
    };
    let shell = in_shell_form(&exec);
    assert_eq!(world.change(USER, &with_shell(&exec, "powershell")), None);
    assert_eq!(world.change(USER, &with_shell(&shell, "bash")), None);
    let reason = world.change(USER, &with_shell(&shell, "powershell")).unwrap();
    assert!(reason.contains("given to the shell `powershell`"), "{reason}");
}

#[test]
fn what_root_locks_leaves_root_s_entries_and_the_plugins() {
    use ringfence::wiring::binding::{Terms, loose};
    use ringfence::wiring::scopes::{Origin, SettingsFile};
    let world = World::new(&[]);
    let ours = world.text(USER.1);
    let file = |origin, text: &str| {
        SettingsFile::of_text(origin, PathBuf::from(format!("{origin:?}")), text.as_bytes(), BINARY)
    };
    let plugin = file(Origin::User, &ours).registered;
    let judge = |user: &str, managed: &str, plugin| {
        let files = [file(Origin::User, user), file(Origin::Managed, managed)];
        let terms =
            Terms { is_own: &|_| true, env_moves_home: &|| false, plugin, installed: Origin::User };
        loose(&files, &terms).map(|loose| loose.said)
    };
    let root_s = |key: &str, value: &str| ours.replacen('{', &format!("{{\"{key}\": {value},"), 1);
    for (key, value, user, own, by_plugin) in [
        ("allowManagedHooksOnly", "true", false, true, false),
        ("allowManagedHooksOnly", "false", true, true, true),
        ("strictPluginOnlyCustomization", "true", false, true, true),
        ("strictPluginOnlyCustomization", "[\"hooks\"]", false, true, true),
        ("strictPluginOnlyCustomization", "[\"skills\"]", true, true, true),
        ("strictPluginOnlyCustomization", "\"bad\"", false, true, true),
        ("disableAllHooks", "true", false, false, false),
        ("disableAllHooks", "false", true, true, true),
    ] {
        let alone = format!("{{\"{key}\": {value}}}");
        let said = (
            judge(&ours, &alone, &[]).is_none(),
            judge("{}", &root_s(key, value), &[]).is_none(),
            judge("{}", &alone, &plugin).is_none(),
        );
        assert_eq!(said, (user, own, by_plugin), "{key} {value}");
    }
    // A switch of the user's does not touch root's entries, nor does a silencing variable.
    let off = r#"{"disableAllHooks":true,"env":{"CLAUDE_CODE_SIMPLE":"1"}}"#;
    assert_eq!(judge(off, &ours, &[]), None);
}
