//! The shim: never in the way, and never quieter than the binary's own pre-filter.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use proptest::prelude::*;
use ringfence::hook::prefilter;

use crate::support::Home;

const SHIM: &str = include_str!("../../../hooks/ringfence.sh");

/// The shim beside a stand-in binary that says when it was asked.
fn shim(home: &Home, binary: Option<&str>) -> PathBuf {
    let path = home.file("bin/ringfence.sh", SHIM);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    if let Some(text) = binary {
        let binary = home.file("bin/ringfence", text);
        std::fs::set_permissions(&binary, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    path
}

fn run(home: &Home, shim: &PathBuf, event: &str, payload: &str) -> (Option<i32>, String) {
    run_with(home, shim, &[event], payload)
}

fn run_with(home: &Home, shim: &PathBuf, args: &[&str], payload: &str) -> (Option<i32>, String) {
    let mut child = Command::new("dash")
        .arg(shim)
        .args(args)
        .env_clear()
        .env("HOME", home.path())
        .env("PATH", "/usr/bin:/bin")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let bytes = payload.as_bytes().to_vec();
    // A stand-in that gives back what it reads would wait for us while we wait for it.
    let feeder = std::thread::spawn(move || drop(std::io::Write::write_all(&mut pipe, &bytes)));
    let output = child.wait_with_output().unwrap();
    feeder.join().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

const LOOKS: &str = "#!/bin/sh\ncat >/dev/null\necho LOOKED\n";

fn bash(command: &str) -> String {
    let command = command.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!(
        r#"{{"session_id":"s","cwd":"/w","agent_id":"a","tool_name":"Bash","tool_input":{{"command":"{command}","description":"d"}},"tool_use_id":"t"}}"#
    )
}

#[test]
fn the_lists_of_the_shim_are_those_of_the_binary() {
    let between = |from: &str, to: &str| {
        let text = SHIM.split(from).nth(1).unwrap().split(to).next().unwrap();
        let patterns = text.split(')').next().unwrap();
        patterns
            .replace(['\\', '\n', '\t'], " ")
            .split('|')
            .map(|word| word.trim().trim_matches(['*', '"']).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(between("# literals\n", "# end of literals"), prefilter::LITERALS);
    assert_eq!(between("# triggers\n", "# end of triggers"), prefilter::TRIGGERS);
    assert_eq!(between("# calm\n", "# end of calm"), prefilter::CALM);
    assert_eq!(between("# calm pairs\n", "# end of calm pairs"), prefilter::CALM_PAIRS);
}

#[test]
fn a_long_payload_reaches_the_binary_byte_for_byte() {
    let home = Home::new();
    let shim = shim(&home, Some("#!/bin/sh\ncat\n"));
    for length in [10, 8_190, 8_192, 16_384, 300_000] {
        let payload = bash(&format!("cortex {}", "ä".repeat(length / 2)));
        assert_eq!(run(&home, &shim, "pre-tool-use", &payload).1, payload, "{length}");
        assert_eq!(run(&home, &shim, "session-start", &payload).1, payload, "{length}");
    }
}

#[test]
fn the_shim_ends_in_silence_whatever_becomes_of_the_binary() {
    for binary in [
        None,
        Some("not a program"),
        Some("#!/bin/sh\nkill -9 $$\n"),
        Some("#!/bin/sh\nexit 2\n"),
        Some("#!/nowhere/sh\n"),
    ] {
        let home = Home::new();
        let shim = shim(&home, binary);
        for event in ["pre-tool-use", "session-start"] {
            let (code, stdout) = run(&home, &shim, event, &bash("cortex delete-memory x --yes"));
            assert_eq!((code, stdout.as_str()), (Some(0), ""), "{binary:?} {event}");
        }
    }
}

#[test]
fn the_shim_finds_the_program_where_it_is_installed_and_never_by_path() {
    for place in [".local/bin/ringfence", ".cargo/bin/ringfence"] {
        let home = Home::new();
        let shim = shim(&home, None);
        let found = home.file(place, LOOKS);
        std::fs::set_permissions(&found, std::fs::Permissions::from_mode(0o755)).unwrap();
        // A directory of its name is no program.
        home.dir("bin/ringfence");
        for event in ["pre-tool-use", "session-start"] {
            let said = run(&home, &shim, event, &bash("cortex delete-memory x --yes")).1;
            assert_eq!(said, "LOOKED\n", "{place} {event}");
        }
    }
}

#[test]
fn only_the_plugin_says_that_there_is_no_program() {
    if std::path::Path::new("/usr/local/bin/ringfence").exists()
        || std::path::Path::new("/usr/bin/ringfence").exists()
    {
        eprintln!("skipped: the shim finds a program that is installed on this machine");
        return;
    }
    let home = Home::new();
    let shim = shim(&home, None);
    let said = |event: &str, root: &str| {
        let output = Command::new("dash")
            .args([shim.to_str().unwrap(), "hook", event])
            .env_clear()
            .env("HOME", home.path())
            .env("CLAUDE_PLUGIN_ROOT", root)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stdout).unwrap()
    };
    let told: serde_json::Value = serde_json::from_str(&said("session-start", "/plugin")).unwrap();
    assert!(told["systemMessage"].as_str().unwrap().contains("guards nothing"), "{told}");
    assert_eq!(told.as_object().unwrap().len(), 1);
    for (event, root) in
        [("session-start", ""), ("session-end", "/plugin"), ("pre-tool-use", "/plugin")]
    {
        assert_eq!(said(event, root), "", "{event} {root}");
    }
}

#[test]
fn the_shim_asks_the_binary_only_when_it_must() {
    let home = Home::new();
    let shim = shim(&home, Some(LOOKS));
    let parent =
        r#"{"session_id":"s","cwd":"/w","tool_name":"Bash","tool_input":{"command":"rm -rf x"}}"#;
    for (payload, looked) in [
        (bash("cargo test --workspace"), false),
        (bash("git status && git log; git diff"), false),
        (bash("git push"), true),
        (bash("ls; unknown x"), true),
        (bash("(ls)"), false),
        (bash("cortex delete-memory x"), true),
        (bash("rm x"), true),
        (bash("./x"), true),
        (bash("echo \"x\""), true),
        (parent.to_owned(), false),
        (parent.replace("rm -rf x", "ringfence grant x"), true),
        (parent.replace("Bash", "mcp__cortex__cortex_note"), true),
        (parent.replace("\"cwd\"", "\"agentId\":\"a\",\"cwd\""), true),
        ("{ not json".to_owned(), false),
        (bash("ls").replace("\"description\":\"d\"", "\"command\":\"rm x\""), true),
        (bash("ls").replace("Bash", "Write"), true),
    ] {
        let (code, stdout) = run(&home, &shim, "pre-tool-use", &payload);
        assert_eq!((code, stdout == "LOOKED\n"), (Some(0), looked), "{payload}");
    }
    // A long one is handed over whole, whatever it holds.
    for padding in ["x".repeat(8_200), "ä".repeat(9_000), "x".repeat(100_000)] {
        let long = parent.replace("rm -rf x", &padding);
        assert_eq!(run(&home, &shim, "pre-tool-use", &long).1, "LOOKED\n", "{}", padding.len());
    }
    // The host's words among an agent's arguments.
    for arguments in [
        r#"{"z":{"tool_name":"Bash","command":"ls"},"id":"x"}"#,
        r#"{"z":{"tool_name":"Bash","tool_input":{"command":"ls"}},"id":"x"}"#,
        r#"{"z":{"tool_name":"Bash","tool_input":{"command":"ls","b":""}},"id":"x"}"#,
    ] {
        let call = format!(
            r#"{{"session_id":"s","agent_id":"a","tool_name":"mcp__m__cortex_resolve","tool_input":{arguments}}}"#
        );
        assert_eq!(run(&home, &shim, "pre-tool-use", &call).1, "LOOKED\n", "{call}");
    }
    // A child session's calls are looked at although they hold no mark.
    home.file(".local/state/ringfence/sessions/s.child", "p");
    assert_eq!(run(&home, &shim, "pre-tool-use", parent).1, "LOOKED\n");
    // The line says where the markers are.
    home.file("elsewhere/sessions/s.child", "p");
    let elsewhere = home.path().join("elsewhere");
    let elsewhere = elsewhere.to_str().unwrap();
    for (state, looked) in [(elsewhere, "LOOKED\n"), ("/nonexistent", "")] {
        for args in [
            vec!["hook", "pre-tool-use", "--with", "guard", "--state", state, "--data", "/d"],
            vec!["pre-tool-use", &format!("--state={state}")],
        ] {
            assert_eq!(run_with(&home, &shim, &args, parent).1, looked, "{args:?}");
        }
    }
}

#[test]
fn nothing_that_a_projects_environment_can_set_blinds_the_shim() {
    let home = Home::new();
    let shim = shim(&home, Some(LOOKS));
    let fakes = ["fake/cat", "fake/head"].map(|fake| home.file(fake, "#!/bin/sh\nexit 0\n"));
    for fake in &fakes {
        std::fs::set_permissions(fake, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = format!("{}:/usr/bin:/bin", fakes[0].parent().unwrap().display());
    for shell in [&["dash"][..], &["bash", "--posix"]] {
        for (name, value) in [
            ("PATH", path.as_str()),
            ("BASH_FUNC_cat%%", "() { :; }"),
            ("BASH_FUNC_head%%", "() { :; }"),
            ("BASH_FUNC_printf%%", "() { :; }"),
            ("IFS", "x"),
            ("XDG_STATE_HOME", "relative"),
        ] {
            let mut child = Command::new(shell[0])
                .args(&shell[1..])
                .arg(&shim)
                .arg("pre-tool-use")
                .env_clear()
                .env("HOME", home.path())
                .env("PATH", "/usr/bin:/bin")
                .env(name, value)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            let payload = bash("cortex delete-memory x");
            std::io::Write::write_all(&mut child.stdin.take().unwrap(), payload.as_bytes())
                .unwrap();
            let output = child.wait_with_output().unwrap();
            assert_eq!(String::from_utf8_lossy(&output.stdout), "LOOKED\n", "{shell:?} {name}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn what_the_binary_would_look_at_the_shim_passes_on(
        words in proptest::collection::vec("[a-z]{1,6}|git|status|ls|ls|cat|rm|bash|bash\\.exe|BASH|cortex|ringfence|delete-memory|del\"\"ete-memory|a=b|/bin/x|;|&&|\\||\\$x|'|clean|3f2a9c1e-7b44-4d0e-9a6f-2c5d8e1b0a77", 1..6),
        glue in "| |\n",
    ) {
        let command = words.join(if glue.is_empty() { " " } else { &glue });
        if prefilter::text_may_matter(&command) {
            let home = Home::new();
            let shim = shim(&home, Some(LOOKS));
            let (code, stdout) = run(&home, &shim, "pre-tool-use", &bash(&command));
            prop_assert_eq!((code, stdout.as_str()), (Some(0), "LOOKED\n"), "{}", command);
        }
    }
}
