//! The places on the hook's line: what moves `HOME` and `XDG_*` moves none of them.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use ringfence::state::State;

use crate::support::{BINARY, Home};

/// Runs an argument list, or a text for `sh`, with everything in the environment elsewhere.
fn moved(home: &Home, program: &str, args: &[String], payload: &str) -> String {
    let elsewhere = home.dir("elsewhere");
    let mut child = Command::new(program)
        .args(args)
        .env_clear()
        .env("HOME", &elsewhere)
        .env("XDG_STATE_HOME", elsewhere.join("state"))
        .env("XDG_DATA_HOME", elsewhere.join("data"))
        .env("XDG_CONFIG_HOME", elsewhere.join("config"))
        .env("CLAUDE_CONFIG_DIR", elsewhere.join("client"))
        .env("PATH", "/nonexistent")
        .current_dir(home.path().join("work"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut pipe, payload.as_bytes()).unwrap();
    drop(pipe);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    String::from_utf8(output.stdout).unwrap()
}

struct World {
    home: Home,
    note: String,
    args: Vec<String>,
}

impl World {
    fn new() -> Self {
        let home = Home::new().env("PATH", "/nonexistent");
        let work = home.dir("work");
        let written = home.run_in(
            &work,
            &["note", "decision", "Sixty.", "--subject", "x", "--session", "earlier", "--json"],
            b"",
        );
        let note: serde_json::Value = serde_json::from_str(&written.stdout).unwrap();
        let note = note["id"].as_str().unwrap().to_owned();
        assert_eq!(home.run_in(&work, &["install"], b"").code, Some(0));
        let text = fs::read_to_string(home.path().join(".claude/settings.json")).unwrap();
        let root: serde_json::Value = serde_json::from_str(&text).unwrap();
        let args = root["hooks"]["PreToolUse"][0]["hooks"][0]["args"].as_array().unwrap();
        let args = args.iter().map(|arg| arg.as_str().unwrap().to_owned()).collect();
        Self { home, note, args }
    }

    fn payload(&self, agent_type: &str, command: &str) -> String {
        format!(
            r#"{{"session_id":"s","cwd":"{}","agent_id":"a","agent_type":"{agent_type}","tool_name":"Bash","tool_input":{{"command":"{command}"}}}}"#,
            self.home.path().join("work").display()
        )
    }

    fn delete(&self) -> String {
        format!("ringfence delete-memory {} --yes", self.note)
    }
}

#[test]
fn a_foreign_note_is_kept_whatever_the_environment_says() {
    let world = World::new();
    let payload = world.payload("worker", &world.delete());
    let line: Vec<String> =
        std::iter::once(BINARY.to_owned()).chain(world.args.iter().cloned()).collect();
    let shell = ["-c".to_owned(), shell_words::join(&line)];
    for (program, args) in [(BINARY, world.args.as_slice()), ("/bin/sh", &shell)] {
        let answer = moved(&world.home, program, args, &payload);
        assert!(answer.contains(&world.note), "{program}: {answer}");
    }
    // It was logged where the owner looks, and nothing was left where the environment points.
    let state = State::at(world.home.path().join(".local/state/ringfence"));
    assert_eq!(state.log_lines().iter().filter(|line| line.verdict == "deny").count(), 2);
    assert_eq!(fs::read_dir(world.home.path().join("elsewhere")).unwrap().count(), 0);
    // Without its places the line is blind, which is what the places are for.
    let bare = ["hook", "pre-tool-use", "--with", "guard"].map(str::to_owned);
    assert_eq!(moved(&world.home, BINARY, &bare, &payload), "");
}

#[test]
fn a_configuration_where_the_environment_points_is_not_read() {
    let world = World::new();
    let trusts = "[guard]\ntrusted_agents = [\"keeper\"]\n";
    let agent = "---\nname: keeper\ndescription: x\n---\n";
    let payload = world.payload("keeper", &world.delete());
    let refused = || !moved(&world.home, BINARY, &world.args, &payload).is_empty();
    world.home.file("elsewhere/config/ringfence/config.toml", trusts);
    world.home.file("elsewhere/.config/ringfence/config.toml", trusts);
    world.home.file("elsewhere/.claude/agents/keeper.md", agent);
    world.home.file("elsewhere/client/agents/keeper.md", agent);
    assert!(refused(), "neither is the owner's");
    world.home.file(".config/ringfence/config.toml", trusts);
    assert!(refused(), "the agent is not the owner's");
    world.home.file(".claude/agents/other.md", agent);
    assert!(!refused(), "both are, whatever the file is called");
    world.home.file("work/.claude/agents/anything.md", agent);
    assert!(refused(), "the project has one of that name too");
}

#[test]
fn agents_are_looked_for_where_the_client_had_them_at_install() {
    let home = Home::new();
    let cfg = home.path().join("cfg");
    let home = home.env("CLAUDE_CONFIG_DIR", cfg.to_str().unwrap()).env("PATH", "/nonexistent");
    home.dir("work");
    home.run(&["install"], b"");
    let text = fs::read_to_string(cfg.join("settings.json")).unwrap();
    let root: serde_json::Value = serde_json::from_str(&text).unwrap();
    let args = root["hooks"]["PreToolUse"][0]["hooks"][0]["args"].as_array().unwrap().clone();
    let at = args.iter().position(|arg| arg == "--client").unwrap();
    assert_eq!(Path::new(args[at + 1].as_str().unwrap()), cfg);
}
