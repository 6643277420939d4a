//! A place where bash really runs texts: stubs on PATH, no network, and what was started is written down.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Tools that texts may use for real; each only reads, prints, or starts what it is given.
const TOOLS: &[&str] = &[
    "bash", "cat", "env", "timeout", "nice", "nohup", "xargs", "find", "sed", "tr", "rev",
    "base64", "head", "tail", "tee", "stdbuf", "setsid", "sort", "wc", "mkdir", "cp", "mv",
    "chmod", "printf", "grep", "awk", "seq", "flock", "yes", "xxd", "python3", "perl", "git",
];

/// Reads a case's number, runs it as the client runs a command, and says that it is done.
const DRIVER: &str = r#"
while read -r number; do
    cd "$TOP/$number/work" || exit 1
    PATH="$TOP/$number/bin:$TOP/tools" HOME="$TOP/$number" SHELL="$TOP/tools/bash" "$TOP/tools/timeout" -k 1 5 \
        "$TOP/tools/bash" --norc --noprofile -c "$(<../text)" </dev/null >/dev/null 2>&1
    echo done >&3
done 3>&1 2>/dev/null
"#;

/// One start of the stub.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Run {
    pub(super) cwd: String,
    pub(super) args: Vec<String>,
}

/// A bash in namespaces of its own that runs one text after the other.
pub(super) struct Bench {
    top: tempfile::TempDir,
    driver: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    next: usize,
}

impl Bench {
    /// `None`, said aloud, where bash or the namespaces are missing.
    pub(super) fn new() -> Option<Self> {
        let top = tempfile::Builder::new().prefix("ringfence-bash-").tempdir().unwrap();
        let tools = top.path().join("tools");
        std::fs::create_dir(&tools).unwrap();
        for tool in TOOLS {
            let found = ["/usr/bin", "/bin"].iter().map(|dir| Path::new(dir).join(tool));
            if let Some(path) = found.into_iter().find(|path| path.exists()) {
                symlink(path, tools.join(tool)).unwrap();
            }
        }
        // Read as bash, so run as bash: dash knows neither `$'…'` nor braces.
        symlink("bash", tools.join("sh")).unwrap();
        let way = way_without_network().filter(|_| tools.join("bash").exists());
        let Some(way) = way else {
            let said = "SKIPPED: no bash or no namespaces (unshare), so bash judged nothing\n";
            std::io::stderr().write_all(said.as_bytes()).unwrap();
            return None;
        };
        let mut driver = Command::new("unshare")
            .args(way)
            .args(["/bin/bash", "--norc", "--noprofile", "-c", DRIVER])
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("TOP", top.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let stdin = driver.stdin.take().unwrap();
        let stdout = BufReader::new(driver.stdout.take().unwrap());
        Some(Self { top, driver, stdin, stdout, next: 0 })
    }

    fn case(&self, number: usize) -> PathBuf {
        self.top.path().join(number.to_string())
    }

    /// The directory that the text of case `number` starts in.
    pub(super) fn work(&self, number: usize) -> String {
        self.case(number).join("work").display().to_string()
    }

    /// Runs `text`; the number is for [`Self::runs`], because what it sent to the background may
    /// still be running.
    pub(super) fn run(&mut self, text: &str) -> usize {
        self.run_with(text, "cortex")
    }

    /// The same with a stub of another name.
    pub(super) fn run_with(&mut self, text: &str, name: &str) -> usize {
        self.next += 1;
        let case = self.case(self.next);
        for place in ["bin", "work/sub/sub/sub", "work/a"] {
            std::fs::create_dir_all(case.join(place)).unwrap();
        }
        let quoted = text.replace('\'', r"'\''");
        let text =
            format!("shopt -s expand_aliases; shopt -u extglob; eval '{quoted}' < /dev/null");
        std::fs::write(case.join("text"), text).unwrap();
        // One write for each run, because stages of a pipeline run at the same time.
        let log = case.join("log");
        let stub = format!(
            "#!/bin/sh\nprintf '%s\\037' \"$PWD\" \"$@\" '\u{1e}' >> '{}'\n",
            log.display()
        );
        let program = case.join("bin").join(name.rsplit('/').next().unwrap_or(name));
        std::fs::write(&program, stub).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        writeln!(self.stdin, "{}", self.next).unwrap();
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        assert_eq!(line, "done\n", "the driver ended");
        self.next
    }

    /// What the stub was started with, so far.
    pub(super) fn runs(&self, number: usize) -> Vec<Run> {
        let log = std::fs::read(self.case(number).join("log")).unwrap_or_default();
        String::from_utf8_lossy(&log)
            .split_terminator("\u{1e}\u{1f}")
            .map(|run| {
                // The reader takes a line's CRLF as its end.
                let mut words = run
                    .split_terminator('\u{1f}')
                    .map(|word| word.trim_end_matches('\r').to_owned());
                Run { cwd: words.next().unwrap_or_default(), args: words.collect() }
            })
            .collect()
    }

    /// Takes a case's files away.
    pub(super) fn forget(&self, number: usize) {
        // A process that it left may be writing there: then the directory goes with the bench.
        std::fs::remove_dir_all(self.case(number)).ok();
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        self.driver.kill().ok();
        self.driver.wait().ok();
    }
}

/// Options of unshare that take the network away: as root, or in a user namespace.
fn way_without_network() -> Option<&'static [&'static str]> {
    const WAYS: &[&[&str]] = &[
        &["--net", "--pid", "--fork", "--kill-child"],
        &["--user", "--map-root-user", "--net", "--pid", "--fork", "--kill-child"],
    ];
    WAYS.iter().copied().find(|way| {
        Command::new("unshare")
            .args(*way)
            .arg("true")
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    })
}
