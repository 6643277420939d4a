//! install.sh: with a given binary, in homes of all kinds.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;

use insta::assert_snapshot;

use crate::support::BINARY;

/// Where to run it.
struct Place {
    dir: tempfile::TempDir,
    home: PathBuf,
    shell: &'static [&'static str],
    path: String,
}

impl Place {
    /// A home with this name.
    fn new(name: &str) -> Self {
        let dir = tempfile::Builder::new().prefix("ringfence-sh-").tempdir().unwrap();
        let home = dir.path().join(name);
        fs::create_dir(&home).unwrap();
        Self { dir, home, shell: &["dash"], path: "/usr/bin:/bin".to_owned() }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(self.shell[0]);
        command
            .args(&self.shell[1..])
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("install.sh"))
            .args(args)
            .current_dir(&self.home)
            .env_clear()
            .env("HOME", &self.home)
            .env("PATH", &self.path)
            .env("TMPDIR", &self.home)
            // A relative one that leads elsewhere must not lead us there.
            .env("CDPATH", "/usr");
        command
    }

    /// Exit code and all that was said, without what differs from run to run.
    fn run(&self, args: &[&str]) -> (Option<i32>, String) {
        self.said(&mut self.command(args))
    }

    fn said(&self, command: &mut Command) -> (Option<i32>, String) {
        let output = command.output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned()
            + &String::from_utf8_lossy(&output.stderr);
        let text = text.replace(self.home.to_str().unwrap(), "~").replace(BINARY, "BINARY");
        let varies =
            regex::Regex::new(r"\d+ ms|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}").unwrap();
        (output.status.code(), varies.replace_all(&text, "N").into_owned())
    }

    fn names(&self) -> Vec<String> {
        let all = fs::read_dir(&self.home).unwrap();
        all.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

#[test]
fn it_says_what_it_does_and_shows_a_refusal() {
    let place = Place::new("home");
    let (code, said) = place.run(&["--binary", BINARY, "--dry-run"]);
    assert_eq!((code, place.names().len()), (Some(0), 0));
    let (installed, full) = place.run(&["--binary", BINARY]);
    assert!(full.starts_with(&said), "a dry run says the same: {said}");
    assert_eq!(installed, Some(0), "{full}");
    // The rows of doctor are the business of its own tests.
    let is_row = |line: &&str| {
        ["pass  ", "warn  ", "      fix:", "for  "].iter().any(|start| line.starts_with(start))
    };
    let brief: String =
        full.lines().filter(|line| !is_row(line)).map(|line| format!("{line}\n")).collect();
    let rows = regex::Regex::new(r"; \d+ of \d+ rows could").unwrap();
    assert_snapshot!(rows.replace(&brief, "; N rows could"), @r#"
    This takes BINARY
    and installs ~/.local/bin/ringfence
    and registers it in the client's user settings (ringfence uninstall takes it back).

    installed   ~/.local/bin/ringfence
    made        ~/.claude/settings.json
    registered  ~/.local/bin/ringfence hook

    the guard works; N rows could be better

    In a throw-away project, on Monday:
      $ ringfence note decision "Retries stop after sixty seconds." --subject "retry ceiling"
      N
    On Tuesday a subagent runs:
      $ ringfence delete-memory N --yes
    and gets, instead of the command:
      A subagent may not delete memory from earlier work in this directory.
      This call would delete 1 memory that this conversation did not write:
        - decision "retry ceiling" (N)
      Put the finding in your final message instead; the parent decides about it. If it must be done, ask the parent to run `ringfence grant N --action delete`.

    It is asked from now on, also by clients that run already; ringfence log shows what it decides.
    warning: ~/.local/bin is not on PATH; the hook does not need it, you do:
             export PATH="~/.local/bin:$PATH"
    warning: no client was found: there is no `claude` on PATH; the hook runs once there is
    "#);
}

#[test]
fn homes_and_prefixes_may_have_any_name_and_everything_is_taken_back() {
    for name in [
        "plain",
        "with space",
        "it's",
        "a\"b",
        "do$llar",
        "back\\slash",
        "-dash",
        "a:b",
        "*",
        "ü",
        "a'; touch x; '",
    ] {
        let mut place = Place::new(name);
        // Each name in one shell is enough: they are slow together.
        place.shell = if name.len() % 2 == 0 { &["dash"] } else { &["bash", "--posix"] };
        let (code, said) = place.run(&["--binary", BINARY]);
        assert_eq!(code, Some(0), "{name}: {said}");
        assert!(said.contains("A subagent may not delete memory"), "{name}: {said}");
        let settings = fs::read(place.home.join(".claude/settings.json")).unwrap();
        let inode = fs::metadata(place.home.join(".claude/settings.json")).unwrap().ino();
        // Again: nothing is different.
        let (code, said) = place.run(&["--binary", BINARY]);
        assert_eq!(code, Some(0), "{name}: {said}");
        assert_eq!(fs::read(place.home.join(".claude/settings.json")).unwrap(), settings, "{name}");
        assert_eq!(fs::metadata(place.home.join(".claude/settings.json")).unwrap().ino(), inode);
        let (code, said) = place.run(&["--uninstall"]);
        assert_eq!(code, Some(0), "{name}: {said}");
        assert_eq!(place.names(), [""; 0], "{name}: {said}");
    }
}

#[test]
fn a_relative_prefix_is_taken_from_where_one_stands() {
    let place = Place::new("home");
    let (code, said) = place.run(&["--binary", BINARY, "--prefix", "opt/x y", "--no-register"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(place.home.join("opt/x y/bin/ringfence").is_file());
    assert!(!place.home.join(".claude").exists());
    let program = place.home.join("opt/x y/bin/ringfence");
    assert_eq!(fs::metadata(program).unwrap().permissions().mode() & 0o777, 0o755);
    let (code, said) = place.run(&["--uninstall", "--prefix=opt/x y"]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(place.names(), ["opt"]);
}

#[test]
fn what_is_missing_is_named_and_nothing_is_made() {
    let mut said = String::new();
    let mut check = |title: &str, place: &Place, args: &[&str]| {
        let (code, text) = place.run(args);
        said.push_str(&format!("# {title}: exit {}\n{text}\n", code.unwrap()));
    };
    let mut place = Place::new("home");
    let tools = place.dir.path().join("tools");
    fs::create_dir(&tools).unwrap();
    for tool in ["uname", "dirname", "sed", "cat", "grep"] {
        std::os::unix::fs::symlink(format!("/usr/bin/{tool}"), tools.join(tool)).unwrap();
    }
    place.path = tools.display().to_string();
    place.shell = &["/bin/dash"];
    check("no cargo", &place, &[]);
    let fake = |name: &str, text: &str| {
        let path = tools.join(name);
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    };
    fake("cargo", "exit 1");
    check("no compiler", &place, &[]);
    fake("cc", "exit 1");
    check("no rustc", &place, &[]);
    fake("rustc", "echo 'rustc 1.63.0 (x)'");
    std::os::unix::fs::symlink("/usr/bin/cut", tools.join("cut")).unwrap();
    check("old rustc", &place, &[]);
    check("no such binary", &place, &["--binary", "nowhere"]);
    check("another binary", &place, &["--binary", "/bin/true"]);
    check("no path", &place, &["--prefix"]);
    check("empty path", &place, &["--prefix", ""]);
    check("not installed", &place, &["--uninstall"]);
    assert_snapshot!(said, @"
    # no cargo: exit 1
    error: cargo is not installed

    hint: https://rustup.rs, or a distribution that has Rust 1.91 or newer

    # no compiler: exit 1
    error: there is no C compiler (cc)

    hint: Debian and Ubuntu: apt-get install gcc libc6-dev; Fedora: dnf install gcc glibc-static

    # no rustc: exit 1
    error: rustc does not run

    hint: rustc --version

    # old rustc: exit 1
    error: Rust 1.63.0 is too old; 1.91 or newer is needed

    hint: https://rustup.rs, or a distribution that has Rust 1.91 or newer

    # no such binary: exit 1
    error: ~/nowhere is no program

    hint: ./install.sh --binary FILE

    # another binary: exit 1
    error: /bin/true is no ringfence, or not for this machine

    # no path: exit 64
    error: --prefix needs a path

    usage: ./install.sh [--prefix DIR] [--no-register] [--binary FILE] [--dry-run]
           ./install.sh --uninstall [--prefix DIR] [--dry-run]

    Builds the release binary with cargo, installs it as DIR/bin/ringfence (DIR is ~/.local),
    registers the hook in the client's user settings, runs `ringfence doctor`, and shows a refusal
    in a throw-away project. Nothing else on the machine is changed; run it again to update.

      --prefix DIR    install below DIR instead of ~/.local
      --no-register   only build and install; do not touch the client's settings
      --binary FILE   install this program instead of building one: no cargo, no network
      --uninstall     take the registration back and remove the binary; notes and log stay
      --dry-run       say what would be done, and do nothing

    Without a network it builds from packages that cargo has already (cargo fetch --locked), or that
    lie in the checkout as vendor/ (cargo vendor --locked).

    # empty path: exit 64
    error: --prefix needs a path

    usage: ./install.sh [--prefix DIR] [--no-register] [--binary FILE] [--dry-run]
           ./install.sh --uninstall [--prefix DIR] [--dry-run]

    Builds the release binary with cargo, installs it as DIR/bin/ringfence (DIR is ~/.local),
    registers the hook in the client's user settings, runs `ringfence doctor`, and shows a refusal
    in a throw-away project. Nothing else on the machine is changed; run it again to update.

      --prefix DIR    install below DIR instead of ~/.local
      --no-register   only build and install; do not touch the client's settings
      --binary FILE   install this program instead of building one: no cargo, no network
      --uninstall     take the registration back and remove the binary; notes and log stay
      --dry-run       say what would be done, and do nothing

    Without a network it builds from packages that cargo has already (cargo fetch --locked), or that
    lie in the checkout as vendor/ (cargo vendor --locked).

    # not installed: exit 1
    error: there is no ~/.local/bin/ringfence

    hint: ./install.sh --uninstall --prefix DIR
    ");
    assert_eq!(place.names(), [""; 0]);
    assert_eq!(place.run(&["--unknown"]).0, Some(64));
    assert_eq!(place.run(&["--help"]).0, Some(0));
}

#[test]
fn a_home_that_cannot_be_written_is_left_alone() {
    if fs::metadata("/proc/self").unwrap().uid() != 0 {
        eprintln!("skipped: it needs root, to become somebody else");
        return;
    }
    let place = Place::new("home");
    fs::set_permissions(place.dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let copy = place.dir.path().join("ringfence");
    let done = Command::new("cp").arg(BINARY).arg(&copy).status().unwrap();
    assert!(done.success());
    // The checkout may lie where only root can read.
    let script = place.dir.path().join("install.sh");
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("install.sh"), &script).unwrap();
    let mut command = Command::new("setpriv");
    command
        .args(["--reuid=65534", "--regid=65534", "--clear-groups", "--", "dash"])
        .arg(&script)
        .args(["--binary", copy.to_str().unwrap()])
        .current_dir(place.dir.path())
        .env_clear()
        .env("HOME", &place.home)
        .env("PATH", &place.path);
    let (code, said) = place.said(&mut command);
    assert_snapshot!(said.replace(place.dir.path().to_str().unwrap(), "PLACE"), @"
    This takes PLACE/ringfence
    and installs ~/.local/bin/ringfence
    and registers it in the client's user settings (ringfence uninstall takes it back).

    error: ~/.local/bin cannot be written

    hint: ./install.sh --prefix DIR
    ");
    assert_eq!((code, place.names().len()), (Some(1), 0));
}

#[test]
fn the_program_stays_where_the_registration_cannot_be_taken_back() {
    let place = Place::new("home");
    assert_eq!(place.run(&["--binary", BINARY]).0, Some(0));
    let settings = place.home.join(".claude/settings.json");
    let text = fs::read_to_string(&settings).unwrap();
    fs::write(&settings, text.replacen('{', "{ // mine", 1)).unwrap();
    let (code, said) = place.run(&["--uninstall"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("so the program stays"), "{said}");
    assert!(place.home.join(".local/bin/ringfence").exists());
}

#[test]
fn it_is_clean_in_every_shell_s_eyes() {
    for (program, args) in
        [("dash", &["-n"][..]), ("bash", &["--posix", "-n"]), ("shellcheck", &["--severity=style"])]
    {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("install.sh");
        match Command::new(program).args(args).arg(script).output() {
            Ok(output) => assert!(output.status.success(), "{program}: {output:?}"),
            Err(error) => eprintln!("skipped: {program}: {error}"),
        }
    }
}
