//! The boundary around a command, with each backend that this machine has: real files, sockets,
//! processes, signals, tools. Every refusal has the same command outside beside it.

mod passing;
mod reaching;
mod tools;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::support::{BINARY, Home};

/// A home with secrets, a workspace below it, and a place beside it that is nobody's.
struct World {
    home: Home,
    backend: &'static str,
}

impl World {
    /// One world for each backend that holds here; what is missing is said.
    #[allow(clippy::print_stderr, reason = "a skipped test is not silent")]
    fn each(judge: impl Fn(&Self)) {
        let mut held = 0;
        for backend in ["bwrap", "landlock"] {
            let world = Self::new(backend);
            let probe = world.contain(&["--probe"], &[]);
            if probe.status.success() {
                held += 1;
                judge(&world);
            } else {
                eprintln!("skipped: {backend} does not hold here: {}", text(&probe.stdout));
            }
        }
        if held == 0 {
            eprintln!("skipped: no boundary holds on this machine");
        }
    }

    fn new(backend: &'static str) -> Self {
        let home = Home::new();
        home.file("work/file", "old\n");
        home.file("work/.claude/settings.json", "{}\n");
        home.file("work/.mcp.json", "{}\n");
        home.file(".ssh/id_ed25519", "secret\n");
        home.file(".aws/credentials", "secret\n");
        home.file(".config/gh/hosts.yml", "secret\n");
        home.file(".claude/.credentials.json", "secret\n");
        home.file(".local/state/ringfence/log.jsonl", "secret\n");
        home.file(".local/bin/hello", "#!/bin/sh\necho hello\n");
        home.file("beside/file", "old\n");
        Self { home, backend }
    }

    fn workspace(&self) -> PathBuf {
        self.home.path().join("work")
    }

    fn command(&self, options: &[&str], command: &[&str]) -> Command {
        let mut run = Command::new(BINARY);
        run.arg("contain").args(["--backend", self.backend]).args(options);
        if !command.is_empty() {
            run.arg("--").args(command);
        }
        self.prepare(&mut run);
        run
    }

    fn prepare(&self, run: &mut Command) {
        run.current_dir(self.workspace())
            .env_clear()
            .env("HOME", self.home.path())
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .stdin(Stdio::null());
    }

    fn contain(&self, options: &[&str], command: &[&str]) -> Output {
        self.command(options, command).output().unwrap()
    }

    /// A shell text inside.
    fn inside(&self, text: &str) -> Output {
        self.contain(&["-c", text], &[])
    }

    /// The same text outside.
    fn outside(&self, text: &str) -> Output {
        let mut run = Command::new("/bin/bash");
        run.args(["-c", text]);
        self.prepare(&mut run);
        run.output().unwrap()
    }

    /// Fails inside, works outside.
    fn stops(&self, text: &str) {
        let inside = self.inside(text);
        assert!(!inside.status.success(), "{}: {text}: {inside:?}", self.backend);
        assert_ne!(inside.status.code(), Some(125), "{}: {text}: {inside:?}", self.backend);
        let outside = self.outside(text);
        assert!(outside.status.success(), "outside: {text}: {outside:?}");
    }

    /// Works inside.
    fn lets(&self, text: &str) -> String {
        let inside = self.inside(text);
        assert!(inside.status.success(), "{}: {text}: {inside:?}", self.backend);
        text_of(&inside)
    }

    fn beside(&self) -> PathBuf {
        self.home.path().join("beside")
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn text_of(output: &Output) -> String {
    text(&output.stdout)
}

fn has(program: &str) -> bool {
    ["/usr/local/bin", "/usr/bin", "/bin"].iter().any(|dir| Path::new(dir).join(program).is_file())
}
