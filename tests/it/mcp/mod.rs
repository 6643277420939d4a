//! Tests of the memory server: the protocol, its tools, who may change what, and how it ends.

mod callers;
mod endings;
mod rows;

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::support::{BINARY, Home};

/// A home with one project on branch main.
pub(crate) struct World {
    pub(crate) home: Home,
    pub(crate) project: PathBuf,
}

impl World {
    pub(crate) fn new() -> Self {
        let home = Home::new();
        home.file("project/.git/HEAD", "ref: refs/heads/main\n");
        for below in ["objects", "refs"] {
            home.dir(&format!("project/.git/{below}"));
        }
        let project = home.path().join("project").canonicalize().unwrap();
        Self { home, project }
    }

    /// Runs a command of ours in the project, which must succeed.
    pub(crate) fn run(&self, args: &[&str]) -> String {
        let output = self.home.run_in(&self.project, args, b"");
        assert_eq!(output.code, Some(0), "{args:?}: {}", output.stderr);
        output.stdout
    }

    /// Writes a note of a session by hand; returns its id.
    pub(crate) fn note(&self, kind: &str, subject: &str, text: &str, session: &str) -> String {
        let args = ["note", kind, text, "--subject", subject, "--session", session];
        self.run(&args).trim().to_owned()
    }

    /// A note's fields, as `show-memory --json` has them.
    pub(crate) fn show(&self, id: &str) -> Value {
        serde_json::from_str(&self.run(&["show-memory", id, "--json"])).unwrap()
    }

    /// Lets the hook see a call of `tool`, and returns what it answers.
    pub(crate) fn hook(
        &self,
        tool: &str,
        call: &str,
        agent: Option<&str>,
        input: &Value,
    ) -> String {
        let mut payload = json!({
            "session_id": "host", "cwd": self.project, "hook_event_name": "PreToolUse",
            "tool_name": tool, "tool_input": input, "tool_use_id": call,
        });
        if let Some(agent) = agent {
            payload["agent_id"] = json!(agent);
            payload["agent_type"] = json!("general-purpose");
        }
        let bytes = payload.to_string().into_bytes();
        let output = self.home.run_in(&self.project, &["hook", "pre-tool-use"], &bytes);
        assert_eq!(output.code, Some(0), "{}", output.stderr);
        output.stdout
    }

    pub(crate) fn serve(&self) -> Server {
        Server::start(self.home.path(), &self.project, &[("CLAUDE_CODE_SESSION_ID", "host")])
    }
}

/// A running server.
pub(crate) struct Server {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    next: u64,
}

impl Server {
    pub(crate) fn start(home: &Path, cwd: &Path, env: &[(&str, &str)]) -> Self {
        let mut child = Command::new(BINARY)
            .arg("mcp")
            .current_dir(cwd)
            .env_clear()
            .env("HOME", home)
            .env("PATH", "/usr/bin:/bin")
            .envs(env.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Self { child, stdin, stdout, next: 1 }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn send(&mut self, text: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(text.as_bytes()).unwrap();
        stdin.flush().unwrap();
    }

    pub(crate) fn stdin_bytes(&mut self, bytes: &[u8]) {
        self.stdin.as_mut().unwrap().write_all(bytes).unwrap();
    }

    /// The next line that it says; `None` when it has left.
    pub(crate) fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let count = self.stdout.read_line(&mut line).unwrap();
        (count > 0).then(|| line.trim_end().to_owned())
    }

    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        let id = self.next;
        self.next += 1;
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.send(&format!("{request}\n"));
        let answer: Value = serde_json::from_str(&self.line().expect("an answer")).unwrap();
        assert_eq!(answer["id"], json!(id), "{answer}");
        answer
    }

    /// Calls a tool: its text, or what it refused to do.
    pub(crate) fn call(
        &mut self,
        tool: &str,
        arguments: &Value,
        call: Option<&str>,
    ) -> Result<String, String> {
        let mut params = json!({ "name": tool, "arguments": arguments });
        if let Some(call) = call {
            params["_meta"] = json!({ "claudecode/toolUseId": call, "progressToken": 1 });
        }
        let answer = self.ask("tools/call", &params);
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str().expect("a text").to_owned();
        assert_eq!(result["isError"] == json!(true), text.starts_with("Error:"), "{text}");
        if result["isError"] == json!(true) { Err(text) } else { Ok(text) }
    }

    /// The client leaves; the status with which the server does.
    pub(crate) fn leave(mut self) -> Option<i32> {
        drop(self.stdin.take());
        self.wait()
    }

    pub(crate) fn wait(&mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }

    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stdin.take());
        drop(self.child.wait());
    }
}

/// The id of the note that an answer of `cortex_note` tells.
pub(crate) fn id_of(text: &str) -> String {
    let line = text.lines().find_map(|line| line.strip_prefix("id: "));
    line.unwrap_or_else(|| panic!("no id in {text}")).to_owned()
}
