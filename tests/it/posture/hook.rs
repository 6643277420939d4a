//! The hook's posture arm: a stand-in for the client starts the hook as a hosted or watched run.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use insta::assert_snapshot;

use crate::support::{BINARY, Home};

/// Starts its arguments as a client would: the parent process of the hook.
const CLIENT: &str = "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:]))";

struct World {
    home: Home,
    /// The client's own first environment.
    first: Vec<(&'static str, String)>,
}

impl World {
    fn hosted() -> Self {
        let mut world = Self::watched();
        world.first.push(("RINGFENCE_HOSTED", "1".into()));
        world
    }

    fn watched() -> Self {
        let home = Home::new();
        home.dir("work/.git");
        home.file("work/file", "x\n");
        Self { home, first: Vec::new() }
    }

    fn config(self, text: &str) -> Self {
        self.home.file(".config/ringfence/config.toml", text);
        self
    }

    fn work(&self) -> PathBuf {
        self.home.path().join("work").canonicalize().unwrap()
    }

    /// One hook call below a client with that first environment; `later` is what a project's
    /// settings put into the hook's.
    fn call(&self, event: &str, payload: &str, later: &[(&str, &str)]) -> String {
        self.call_with("posture", event, payload, later)
    }

    fn call_with(&self, arms: &str, event: &str, payload: &str, later: &[(&str, &str)]) -> String {
        let mut run = Command::new("python3");
        run.args(["-c", CLIENT, "env"]);
        run.args(later.iter().map(|(name, value)| format!("{name}={value}")));
        run.args([BINARY, "hook", event, "--with", arms]);
        run.env_clear()
            .env("HOME", self.home.path())
            .env("PATH", "/usr/bin:/bin")
            .envs(self.first.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .current_dir(self.work());
        let mut child = run.spawn().unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), payload.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stdout).unwrap()
    }

    fn start(&self) {
        let payload = serde_json::json!({
            "session_id": "s", "cwd": self.work(), "source": "startup",
            "hook_event_name": "SessionStart",
        });
        assert_eq!(self.call("session-start", &payload.to_string(), &[]), "");
    }

    fn tool(&self, tool: &str, input: &serde_json::Value, later: &[(&str, &str)]) -> String {
        let payload = serde_json::json!({
            "session_id": "s", "cwd": self.work(), "hook_event_name": "PreToolUse",
            "tool_name": tool, "tool_input": input, "tool_use_id": "t",
        });
        self.call("pre-tool-use", &payload.to_string(), later)
    }

    fn bash(&self, command: &str, later: &[(&str, &str)]) -> String {
        let input =
            serde_json::json!({"command": command, "description": "d", "run_in_background": true});
        self.tool("Bash", &input, later)
    }
}

/// `allow`, `rewrite COMMAND`, `context …` or `deny REASON`.
fn said(answer: &str) -> String {
    if answer.is_empty() {
        return "allow".into();
    }
    let answer: serde_json::Value = serde_json::from_str(answer).unwrap();
    let output = &answer["hookSpecificOutput"];
    if let Some(input) = output.get("updatedInput") {
        assert!(output.get("permissionDecision").is_none());
        return format!("rewrite {}", input["command"].as_str().unwrap());
    }
    if let Some(context) = output.get("additionalContext") {
        return format!("context {}", context.as_str().unwrap());
    }
    assert_eq!(output["permissionDecision"], "deny");
    format!("deny {}", output["permissionDecisionReason"].as_str().unwrap())
}

fn can_contain(world: &World) -> bool {
    let probe = world.home.run_in(&world.work(), &["contain", "--probe"], b"");
    probe.code == Some(0)
}

#[test]
fn a_persons_terminal_is_never_touched() {
    let world = World::watched();
    world.start();
    for answer in [
        world.bash("tmux kill-server; rm -rf /srv", &[]),
        world.tool("Write", &serde_json::json!({"file_path": "/etc/x", "content": ""}), &[]),
        world.tool("Skill", &serde_json::json!({"skill": "x"}), &[]),
        world.bash("ls", &[("RINGFENCE_HOSTED", "1")]),
    ] {
        assert_eq!(said(&answer), "allow");
    }
    assert_eq!(World::watched().call("pre-tool-use", "no json", &[]), "");
}

#[test]
fn a_hosted_runs_command_is_contained_or_refused() {
    let world = World::hosted();
    world.start();
    let answer = said(&world.bash("echo 'a b' > \"$X\"", &[]));
    if can_contain(&world) {
        let work = world.work();
        let expected = format!(
            "rewrite {BINARY} contain --workspace {} -c 'echo '\\''a b'\\'' > \"$X\"'",
            work.display()
        );
        assert_eq!(answer, expected);
    } else {
        assert!(answer.starts_with("deny This run is hosted (conversational)"), "{answer}");
    }
    let off = World::hosted().config("[contain]\nbackend = \"off\"\n");
    off.start();
    let answer = said(&off.bash("ls", &[]));
    assert_snapshot!(answer, @"deny This run is hosted (conversational) and nobody is watching it: a command must run inside a boundary, and the boundary is not enabled. Report in your final message what you would need and why.");
}

#[test]
fn every_argument_of_a_rewritten_call_is_kept() {
    let world = World::hosted();
    world.start();
    if !can_contain(&world) {
        eprintln!("skipped: no boundary holds on this machine");
        return;
    }
    let answer = world.bash("ls", &[]);
    let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
    let input = &answer["hookSpecificOutput"]["updatedInput"];
    assert_eq!(input["description"], "d");
    assert_eq!(input["run_in_background"], true);
    assert_eq!(input.as_object().unwrap().len(), 3);
}

#[test]
fn the_clients_own_prefix_contains_and_a_changed_one_is_refused() {
    let mut world = World::hosted();
    let printed = world.home.run_in(&world.work(), &["posture", "env"], b"").stdout;
    let line = printed.lines().find(|line| line.contains("SHELL_PREFIX")).unwrap();
    let prefix = line.split_once('=').unwrap().1.to_owned();
    assert!(std::path::Path::new(&prefix).is_file(), "{prefix}");
    world.first.push(("CLAUDE_CODE_SHELL_PREFIX", prefix.clone()));
    world.start();
    if !can_contain(&world) {
        eprintln!("skipped: no boundary holds on this machine");
        return;
    }
    assert_eq!(said(&world.bash("ls", &[])), "allow");
    for later in ["", "/bin/env", &format!("{prefix} --net"), "ringfence contain -c"] {
        let answer = said(&world.bash("ls", &[("CLAUDE_CODE_SHELL_PREFIX", later)]));
        assert!(answer.contains("the client's shell prefix is not the one"), "{later}: {answer}");
    }
}

#[test]
fn only_the_owner_grants_the_host() {
    let work = |world: &World| world.work().display().to_string();
    let granting = World::hosted();
    let rule = format!(
        "[[posture.rule]]\nworkspace = \"{}\"\nposture = \"workstream\"\n[contain]\nbackend = \"off\"\n",
        work(&granting)
    );
    let granting = granting.config(&rule);
    granting.start();
    assert_snapshot!(said(&granting.bash("ls", &[])), @"context This command runs on the host, not inside a boundary: the boundary is not enabled. Take care.");
    // A project's file grants nothing, and a rule there may only tighten.
    let project = World::hosted().config("[contain]\nbackend = \"off\"\n");
    project.home.file("work/.ringfence.toml", &rule);
    project.start();
    assert!(said(&project.bash("ls", &[])).starts_with("deny This run is hosted (conversational)"));
    // Neither does what the call itself says.
    let input = serde_json::json!({"command": "ls", "dangerouslyDisableSandbox": true, "posture": "workstream"});
    assert!(said(&project.tool("Bash", &input, &[("RINGFENCE_HOSTED", "0")])).starts_with("deny"));
}

#[test]
fn the_deciders_word_counts_and_its_failure_grants_nothing() {
    for (script, granted) in [
        ("read x; case $x in *sessionId*workspaceRoot*) echo workstream;; esac", true),
        ("echo conversational", false),
        ("echo Workstream", false),
        ("echo workstream; exit 1", false),
        ("echo workstream; echo more", false),
        ("sleep 5; echo workstream", false),
    ] {
        let world = World::hosted();
        let program = world.home.file("decide", &format!("#!/bin/sh\n{script}\n"));
        std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755))
            .unwrap();
        let world = world.config(&format!(
            "[posture]\ndecide = \"{}\"\n[contain]\nbackend = \"off\"\n",
            program.display()
        ));
        world.start();
        let answer = said(&world.bash("ls", &[]));
        assert_eq!(answer.starts_with("context"), granted, "{script}: {answer}");
    }
}

#[test]
fn the_owners_terminal_is_refused_before_anything_else() {
    let world = World::hosted().config("[posture]\nterminal_names = [\"ci-runner\"]\n");
    world.start();
    assert_snapshot!(said(&world.bash("tmux send-keys -t main ls Enter", &[])), @"deny The owner's terminal is off limits to a hosted run. `tmux send-keys -t main ls Enter` would act on `main`, which is not a session of this run. Use a session of your own: `tmux … -t ringfence-NAME:`.");
    assert!(!said(&world.bash("tmux send-keys -t ci-runner ls Enter", &[])).contains("off limits"));
    assert!(
        said(&world.bash("tmux new -d -s ringfence-x", &[])).contains("tmux -L ringfence-NAME")
    );
}

#[test]
fn file_tools_stay_in_the_workspace_and_off_the_wiring() {
    let world = World::hosted();
    world.start();
    let work = world.work();
    let home = world.home.path().canonicalize().unwrap();
    std::os::unix::fs::symlink("/etc", work.join("link")).unwrap();
    for (tool, path, allowed) in [
        ("Write", work.join("new"), true),
        ("Edit", work.join("sub/../file"), true),
        ("Write", home.join("beside"), false),
        ("Write", work.join("../beside"), false),
        ("Write", work.join("link/x"), false),
        ("NotebookEdit", "/etc/x.ipynb".into(), false),
        ("Write", work.join(".claude/settings.json"), false),
        ("Write", work.join(".mcp.json"), false),
        ("Write", work.join(".git/hooks/pre-commit"), false),
        ("Read", home.join(".local/state/ringfence/sessions/s.posture"), false),
        ("Read", "/etc/hostname".into(), true),
    ] {
        let key = if tool == "NotebookEdit" { "notebook_path" } else { "file_path" };
        let answer = said(&world.tool(tool, &serde_json::json!({key: path, "content": "x"}), &[]));
        assert_eq!(answer == "allow", allowed, "{tool} {}: {answer}", path.display());
    }
    assert!(
        said(&world.tool("Skill", &serde_json::json!({"skill": "x"}), &[])).starts_with("deny")
    );
}

#[test]
fn what_cannot_be_judged_in_a_hosted_run_is_refused() {
    let world = World::hosted();
    for payload in ["", "no json", "{\"session_id\":\"s\"", "[]"] {
        let answer = said(&world.call("pre-tool-use", payload, &[]));
        assert!(
            answer.starts_with("deny This run is hosted and nobody is watching it"),
            "{payload}: {answer}"
        );
    }
    // No start was seen: nothing was granted.
    let rule = format!(
        "[[posture.rule]]\nworkspace = \"{}\"\nposture = \"workstream\"\n[contain]\nbackend = \"off\"\n",
        world.work().display()
    );
    let world = world.config(&rule);
    assert!(said(&world.bash("ls", &[])).starts_with("deny This run is hosted (conversational)"));
    // Two texts, or words: what would run is not known.
    world.start();
    let answer = world.tool("Bash", &serde_json::json!({"command": ["ls"]}), &[]);
    assert!(said(&answer).contains("could not be read"), "{answer}");
}

#[test]
fn a_later_directory_does_not_choose_the_posture() {
    let world = World::hosted();
    let other = world.home.dir("other").canonicalize().unwrap();
    let rule = format!(
        "[[posture.rule]]\nworkspace = \"{}\"\nposture = \"workstream\"\n[contain]\nbackend = \"off\"\n",
        other.display()
    );
    let world = world.config(&rule);
    world.start();
    let payload = serde_json::json!({"session_id": "s", "cwd": other, "source": "resume"});
    world.call("session-start", &payload.to_string(), &[]);
    let call = serde_json::json!({"session_id": "s", "cwd": other, "tool_name": "Bash", "tool_input": {"command": "ls"}});
    assert!(said(&world.call("pre-tool-use", &call.to_string(), &[])).starts_with("deny"));
}

#[test]
fn the_screen_shows_the_answer_and_why() {
    let world = World::hosted()
        .config("[posture]\nterminal_names = [\"ci-runner\"]\n[contain]\nbackend = \"off\"\n");
    let screen = world.home.run_in(&world.work(), &["posture"], b"").stdout;
    assert_snapshot!(screen.replace(&*world.work().to_string_lossy(), "<work>"), @r"
    posture    conversational, for a hosted run that starts here
    because    nothing grants more
    workspace  <work>
    command    is refused: the boundary is not enabled
    terminal   ringfence-*, ci-runner
    ");
    world.start();
    let screen = world.home.run_in(&world.work(), &["posture", "--session", "s"], b"").stdout;
    assert_snapshot!(screen.replace(&*world.work().to_string_lossy(), "<work>"), @r"
    posture    conversational, decided when it started
    because    nothing grants more
    hosted     RINGFENCE_HOSTED=1 in the client's first environment
    workspace  <work>
    command    is refused: the boundary is not enabled
    terminal   ringfence-*, ci-runner
    ");
    let document =
        world.home.run_in(&world.work(), &["posture", "--session", "s", "--json"], b"").stdout;
    let document: serde_json::Value = serde_json::from_str(&document).unwrap();
    assert_eq!((&document["version"], &document["posture"]), (&1.into(), &"conversational".into()));
}

#[test]
fn both_arms_on_one_line_give_one_answer_and_the_refusal_wins() {
    let world = World::hosted();
    world.start();
    for (command, expected) in [
        ("ringfence off", "switch the guard off"),
        ("tmux kill-server", "The owner's terminal"),
        // Nothing is wrong with it: it is contained, or refused where nothing contains.
        ("cat file", "contain"),
    ] {
        let payload = serde_json::json!({
            "session_id": "s", "cwd": world.work(), "hook_event_name": "PreToolUse",
            "agent_id": "a", "tool_name": "Bash", "tool_input": {"command": command},
            "tool_use_id": "t",
        });
        let answer = world.call_with("guard,posture", "pre-tool-use", &payload.to_string(), &[]);
        assert_eq!(answer.lines().count(), 1, "{command}: {answer}");
        let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
        let output = &answer["hookSpecificOutput"];
        let reason = output.get("permissionDecisionReason");
        if reason.is_none() {
            assert_eq!(command, "cat file");
            assert!(output["updatedInput"]["command"].is_string(), "{command}: {answer}");
        }
        let said = reason.unwrap_or(&output["updatedInput"]["command"]).as_str().unwrap();
        assert!(said.contains(expected), "{command}: {said}");
    }
}

#[test]
fn what_the_guard_cannot_read_is_refused_in_a_hosted_run() {
    let world = World::hosted();
    world.start();
    let payload = format!(
        r#"{{"session_id":"s","cwd":"{}","agent_id":"a","tool_name":"Bash","tool_input":{{"command":"true"}} BROKEN"#,
        world.work().display()
    );
    let answer = world.call_with("guard,posture", "pre-tool-use", &payload, &[]);
    assert!(answer.contains(r#""permissionDecision":"deny""#), "{answer}");
    let alone = world.call_with("guard", "pre-tool-use", &payload, &[]);
    assert_eq!(alone, "", "the guard alone lets through what it cannot read");
}
