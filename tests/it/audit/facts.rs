//! Facts from the environment, the client's settings and the stores.

use insta::assert_snapshot;

use crate::support::Home;

/// What `ringfence audit` says in a project, with names of this run taken out.
fn said(home: &Home, args: &[&str]) -> String {
    let project = home.path().join("work");
    let mut words = vec!["audit"];
    words.extend(args);
    let output = home.run_in(&project, &words, b"");
    let real = home.path().canonicalize().unwrap();
    let text = format!("exit {}\n{}{}", output.code.unwrap(), output.stdout, output.stderr);
    let id = regex::Regex::new("-[0-9a-f]{16}").unwrap();
    let text = text.replace(real.to_str().unwrap(), "~").replace("-tmp-ringfence-it-", "-HOME-");
    let slug = regex::Regex::new("projects/-HOME-[^/]*-work").unwrap();
    slug.replace_all(&id.replace_all(&text, "-ID"), "projects/SLUG").into_owned()
}

fn world() -> Home {
    let home = Home::new();
    home.dir("work/.git");
    home
}

/// The tags of all warnings.
fn tags(home: &Home) -> Vec<String> {
    let output = home.run_in(&home.path().join("work"), &["audit", "--json"], b"");
    let document: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(document["version"], 1);
    let warnings = document["warnings"].as_array().unwrap();
    warnings.iter().map(|warning| warning["tag"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_plain_machine_has_nothing_to_say() {
    assert_snapshot!(said(&world(), &["--strict"]), @r#"
    exit 0
    client sandbox  off  (no settings file switches it on)
    auto memory     ~/.claude/projects/SLUG/memory (file tools)  (the client's directory and settings)
    nothing to warn about
    "#);
}

#[test]
fn the_engine_is_audited_by_its_environment() {
    let home = world().env("MEMORY_ENGINE_BACKEND", "file");
    assert_snapshot!(said(&home, &["--strict"]), @r#"
    exit 1
    engine lane      in-process  (REMOTE_EXEC is not set)
    engine backend   file  (MEMORY_ENGINE_BACKEND)
    engine declares  nothing  (MEMORY_PERSISTENCE_CAPABLE is not set)
    engine memory    ~/.ai-agent/memory  (the default data root)
    engine reaches   ~/work  (the current directory)
    client sandbox   off  (no settings file switches it on)
    auto memory      ~/.claude/projects/SLUG/memory (file tools)  (the client's directory and settings)
    memory_root_outside_write_boundary: On the lane `in-process` the model will be told to write its memory below `~/.ai-agent/memory`, which its file tools cannot reach (`path_not_in_root`; they reach `~/work`): move the root inside with `MEMORY_ENGINE_DIR`, or declare `MEMORY_PERSISTENCE_CAPABLE=true` where another writer brings it there, or `false`, by which the session becomes read-only for memory: changes on disk without a committed record are neither adopted nor served.
    "#);
    let inside = world().env("MEMORY_ENGINE_DIR", "engine");
    assert_snapshot!(said(&inside, &["--strict"]), @r#"
    exit 0
    engine lane      in-process  (REMOTE_EXEC is not set)
    engine backend   file  (MEMORY_ENGINE_BACKEND is not set)
    engine declares  nothing  (MEMORY_PERSISTENCE_CAPABLE is not set)
    engine memory    ~/work/engine/memory  (MEMORY_ENGINE_DIR)
    engine reaches   ~/work  (the current directory)
    client sandbox   off  (no settings file switches it on)
    auto memory      ~/.claude/projects/SLUG/memory (file tools)  (the client's directory and settings)
    nothing to warn about
    "#);
    let host = world().env("REMOTE_EXEC", "host");
    assert_snapshot!(said(&host, &["--strict"]), @r#"
    exit 0
    engine lane      host  (REMOTE_EXEC)
    engine backend   file  (MEMORY_ENGINE_BACKEND is not set)
    engine declares  true  (the `host` executor)
    engine memory    ~/.ai-agent/memory  (the default data root)
    engine reaches   cannot be computed  (each task has its own)
    client sandbox   off  (no settings file switches it on)
    auto memory      ~/.claude/projects/SLUG/memory (file tools)  (the client's directory and settings)
    note: the `host` executor counts as declared: MEMORY_PERSISTENCE_CAPABLE=true
    nothing to warn about
    "#);
}

const OUTSIDE: &str = "memory_root_outside_write_boundary";
const DROPPED: &str = "memory_remote_lane_write_instruction_dropped";
const DENIED: &str = "memory_write_denied_by_rule";

/// Variables, and the tags that follow.
type Row = (&'static [(&'static str, &'static str)], &'static [&'static str]);

#[test]
fn each_variable_of_the_engine_decides_what_the_specification_says() {
    let rows: [Row; 14] = [
        (&[("MEMORY_ENGINE_BACKEND", "file")], &[OUTSIDE]),
        (&[("MEMORY_ENGINE_BACKEND", "pg")], &[OUTSIDE]),
        (&[("MEMORY_ENGINE_BACKEND", "pg"), ("MEMORY_ENGINE_DIR", ".")], &[OUTSIDE]),
        (&[("MEMORY_ENGINE_BACKEND", "pg"), ("LOCAL_DATA_ROOT", ".")], &[]),
        (&[("MEMORY_ENGINE_BACKEND", "file"), ("LOCAL_DATA_ROOT", ".")], &[OUTSIDE]),
        (&[("MEMORY_ENGINE_BACKEND", "sqlite")], &[]),
        (&[("AGENT_DATA_DIR", "data")], &[]),
        (&[("AGENT_DATA_DIR", "../data")], &[OUTSIDE]),
        (&[("AGENT_DATA_DIR", "../data"), ("MEMORY_PERSISTENCE_CAPABLE", "false")], &[]),
        (&[("AGENT_DATA_DIR", "../data"), ("MEMORY_PERSISTENCE_CAPABLE", "yes")], &[OUTSIDE]),
        (&[("REMOTE_EXEC", "e2b")], &[]),
        (&[("REMOTE_EXEC", "e2b"), ("MEMORY_ENGINE_REMOTE_LANE", "allow")], &[DROPPED]),
        (&[("REMOTE_EXEC", "host"), ("AGENT_DATA_DIR", "../data")], &[]),
        (&[("REMOTE_EXEC", "host"), ("MEMORY_PERSISTENCE_CAPABLE", "false")], &[]),
    ];
    for (variables, expected) in rows {
        let home = variables.iter().fold(world(), |home, (name, value)| home.env(name, value));
        assert_eq!(tags(&home), expected, "{variables:?}");
    }
}

#[test]
fn a_root_behind_a_link_is_judged_where_it_leads() {
    let home = world().env("AGENT_DATA_DIR", "data");
    home.dir("elsewhere");
    std::os::unix::fs::symlink(home.path().join("elsewhere"), home.path().join("work/data"))
        .unwrap();
    assert_eq!(tags(&home), [OUTSIDE]);
    // What cannot be resolved is not judged.
    let looped = world().env("AGENT_DATA_DIR", "data");
    std::os::unix::fs::symlink("data", looped.path().join("work/data")).unwrap();
    assert_eq!(tags(&looped), [""; 0]);
}

/// Whether the client could draw a sandbox here.
fn has_sandbox() -> bool {
    let there = |name: &str| std::path::Path::new("/usr/bin").join(name).exists();
    let has = there("bwrap") && there("socat");
    if !has {
        eprintln!("SKIPPED: bubblewrap or socat is not installed");
    }
    has
}

/// A note in our store, and these settings for the user.
fn with_settings(settings: &str) -> Home {
    let home = world();
    home.file(".claude/settings.json", settings);
    home.file("bwrap", "");
    std::fs::set_permissions(
        home.path().join("bwrap"),
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    let note = ["note", "decision", "One queue.", "--subject", "queue", "--session", "monday"];
    assert_eq!(home.run_in(&home.path().join("work"), &note, b"").code, Some(0));
    home
}

#[test]
fn a_sandbox_that_keeps_a_store_closed_is_told() {
    let home = with_settings(r#"{"sandbox": {"enabled": true}}"#);
    if !has_sandbox() {
        return;
    }
    assert_snapshot!(said(&home, &["--strict"]), @r##"
    exit 1
    client sandbox  on, writes ~/work, /tmp/claude, /private/tmp/claude  (~/.claude/settings.json)
    ringfence       ~/.local/share/ringfence/projects/work-ID (shell command)  (no server is registered for it)
    auto memory     ~/.claude/projects/SLUG/memory (file tools)  (the client's directory and settings)
    memory_root_outside_write_boundary: A note that `ringfence` writes from the client's shell is lost: its sandbox, which `~/.claude/settings.json` switches on, keeps commands from writing below `~/.local/share/ringfence/projects/work-ID`; let a server write it (`ringfence install --with guard,audit,mcp`), or name exactly that directory in `sandbox.filesystem.allowWrite`.
    "##);
}

#[test]
fn each_key_of_the_settings_counts_as_in_the_client() {
    if !has_sandbox() {
        return;
    }
    let files = |files: &str, rest: &str| {
        format!(r#"{{"sandbox": {{"enabled": true, "filesystem": {{{files}}}{rest}}}}}"#)
    };
    let rows = [
        (r#"{"sandbox": {"enabled": false}}"#.to_owned(), vec![]),
        (r#"{"sandbox": {"enabled": "true"}}"#.to_owned(), vec![]),
        (files("", ""), vec![OUTSIDE]),
        (files(r#""disabled": true"#, ""), vec![]),
        (files(r#""allowWrite": ["~/.local/share/ringfence"]"#, ""), vec![]),
        (files(r#""allowWrite": ["~/.local/share/ring"]"#, ""), vec![OUTSIDE]),
        (files(r#""allowWrite": ["//"]"#, ""), vec![]),
        (files(r#""allowWrite": ["/"]"#, ""), vec![]),
        (files(r#""allowWrite": ["~/**"]"#, ""), vec![]),
        (files(r#""allowWrite": ["~"], "denyWrite": ["~/.local/share"]"#, ""), vec![OUTSIDE]),
        (files("", r#", "excludedCommands": ["ringfence note:*"]"#), vec![]),
        (files("", r#", "excludedCommands": ["docker *"]"#), vec![OUTSIDE]),
        (
            r#"{"sandbox": {"enabled": true}, "permissions": {"allow": ["Edit(~/.local/**)"]}}"#
                .to_owned(),
            vec![],
        ),
        (
            r#"{"sandbox": {"enabled": true}, "permissions": {"additionalDirectories": ["~/.local"]}}"#
                .to_owned(),
            vec![],
        ),
        (r#"{"permissions": {"deny": ["Edit(~/.claude/**)"]}}"#.to_owned(), vec![DENIED]),
        (r#"{"permissions": {"deny": ["Write"]}}"#.to_owned(), vec![DENIED]),
        (r#"{"permissions": {"deny": ["Bash", "Edit(~/.claud/**)", "Edit([)"]}}"#.to_owned(), vec![]),
        (
            r#"{"permissions": {"deny": ["Write"]}, "autoMemoryEnabled": false}"#.to_owned(),
            vec![],
        ),
        (
            r#"{"permissions": {"deny": ["Write"]}, "env": {"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1"}}"#
                .to_owned(),
            vec![],
        ),
        (
            r#"{"permissions": {"deny": ["Edit(//elsewhere/**)"]}, "autoMemoryDirectory": "/elsewhere/m"}"#
                .to_owned(),
            vec![DENIED],
        ),
        // A directory's name is no pattern.
        (
            r#"{"permissions": {"deny": ["Edit(//elsewhere/m*/**)"]}, "autoMemoryDirectory": "/elsewhere/m[1]*"}"#
                .to_owned(),
            vec![DENIED],
        ),
        (
            r#"{"permissions": {"deny": ["Edit(//a/**)"]}, "autoMemoryDirectory": "/b", "env": {"CLAUDE_COWORK_MEMORY_PATH_OVERRIDE": "/a/m"}}"#
                .to_owned(),
            vec![DENIED],
        ),
    ];
    for (settings, expected) in rows {
        assert_eq!(tags(&with_settings(&settings)), expected, "{settings}");
    }
}

#[test]
fn the_strongest_file_decides_and_a_void_one_does_not() {
    if !has_sandbox() {
        return;
    }
    let on = r#"{"sandbox": {"enabled": true}}"#;
    let home = with_settings(on);
    home.file("work/.claude/settings.json", r#"{"sandbox": {"enabled": false}}"#);
    assert_eq!(tags(&home), [""; 0]);
    home.file("work/.claude/settings.local.json", on);
    assert_eq!(tags(&home), [OUTSIDE]);
    home.file("work/.claude/settings.local.json", "{");
    assert_eq!(tags(&home), [""; 0]);
}

#[test]
fn a_server_is_not_fenced() {
    let home = with_settings(r#"{"sandbox": {"enabled": true}}"#);
    assert_eq!(home.run(&["install", "--with", "guard,mcp"], b"").code, Some(0));
    assert_eq!(tags(&home), [""; 0]);
}

#[test]
fn the_document_is_that_of_the_example() {
    let home = world().env("AGENT_DATA_DIR", "../data");
    let printed = said(&home, &["--json"]).split_once('\n').unwrap().1.to_owned();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/corpus/json/audit.json");
    if std::env::var_os("RINGFENCE_WRITE_EXAMPLES").is_some() {
        std::fs::write(path, &printed).unwrap();
    }
    assert_eq!(printed, crate::support::corpus("json/audit.json"));
}

/// Where the client's memory is denied, what else the settings say, its `env`, and whether it is told.
type MemoryRow = (&'static str, &'static str, &'static [(&'static str, &'static str)], bool);

#[test]
fn the_client_s_own_memory_is_on_and_where_the_client_has_it() {
    const OFF: &str = "CLAUDE_CODE_DISABLE_AUTO_MEMORY";
    const PATH: &str = "CLAUDE_COWORK_MEMORY_PATH_OVERRIDE";
    const REMOTE_DIR: &str = "CLAUDE_CODE_REMOTE_MEMORY_DIR";
    const REMOTE: &str = "CLAUDE_CODE_REMOTE";
    const SET_OFF: &str = r#", "autoMemoryEnabled": false"#;
    const USUAL: &str = "~/.claude/projects/**";
    let rows: [MemoryRow; 25] = [
        (USUAL, "", &[], true),
        (USUAL, SET_OFF, &[], false),
        // The variable has the first word, in any of its spellings.
        (USUAL, "", &[(OFF, "1")], false),
        (USUAL, "", &[(OFF, " TRUE ")], false),
        (USUAL, "", &[(OFF, "yes")], false),
        (USUAL, "", &[(OFF, "On")], false),
        (USUAL, "", &[(OFF, "2")], true),
        (USUAL, SET_OFF, &[(OFF, "2")], false),
        (USUAL, SET_OFF, &[(OFF, "0")], true),
        (USUAL, SET_OFF, &[(OFF, "no")], true),
        (USUAL, "", &[("CLAUDE_CODE_SIMPLE", "1")], false),
        (USUAL, "", &[("CLAUDE_CODE_SIMPLE", "0")], true),
        (USUAL, "", &[(REMOTE, "true")], false),
        (USUAL, "", &[(REMOTE, "true"), (OFF, "0")], true),
        ("//a/**", "", &[(REMOTE, "true"), (PATH, "/a/m")], true),
        ("//a/projects/*/memory/**", "", &[(REMOTE, "true"), (REMOTE_DIR, "/a")], true),
        (USUAL, "", &[(REMOTE_DIR, "/a")], false),
        // Which place wins, and which is none.
        ("//b/**", r#", "autoMemoryDirectory": "/b""#, &[(REMOTE_DIR, "/a")], true),
        ("//a/**", r#", "autoMemoryDirectory": "/b""#, &[(PATH, "/a/m")], true),
        ("//b/**", r#", "autoMemoryDirectory": "/b""#, &[(PATH, "a/m")], true),
        ("~/m/**", r#", "autoMemoryDirectory": "~/m""#, &[], true),
        (USUAL, r#", "autoMemoryDirectory": "m""#, &[], true),
        (USUAL, r#", "autoMemoryDirectory": "~/../x""#, &[], true),
        (USUAL, r#", "autoMemoryDirectory": "~/""#, &[], true),
        (USUAL, r#", "autoMemoryDirectory": "/b""#, &[], false),
    ];
    for (denied, rest, variables, is_told) in rows {
        let env: std::collections::BTreeMap<_, _> = variables.iter().copied().collect();
        let env = serde_json::to_string(&env).unwrap();
        let settings =
            format!(r#"{{"permissions": {{"deny": ["Edit({denied})"]}}, "env": {env}{rest}}}"#);
        let home = world();
        home.file(".claude/settings.json", &settings);
        let expected: &[&str] = if is_told { &[DENIED] } else { &[] };
        assert_eq!(tags(&home), expected, "{settings}");
    }
}
