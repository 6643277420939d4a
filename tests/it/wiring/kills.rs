//! Install and uninstall, killed before each system call that changes something, and run at once.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::{bare_home, copy_binary};
use crate::support::{BINARY, Home, is_long};

/// The calls that change something.
const CHANGES: &[&str] = &[
    "write",
    "rename",
    "renameat",
    "renameat2",
    "link",
    "linkat",
    "unlink",
    "unlinkat",
    "rmdir",
    "mkdir",
    "mkdirat",
    "fsync",
    "fchmod",
    "chmod",
    "fchown",
    "flock",
];

const PLAIN: &str = "{\n  \"model\": \"opus\",\n  \"hooks\": {\"Stop\": []}\n}\n";

/// Runs a command that is killed before its `count`-th `call`; whether it came to its end before.
fn survives(home: &Home, program: &Path, args: &[&str], call: &str, count: usize) -> bool {
    let status = Command::new("/usr/bin/strace")
        .args(["-qq", "-o", "/dev/null", "-e", &format!("trace={call}")])
        .args(["-e", &format!("inject={call}:signal=SIGKILL:when={count}")])
        .arg(program)
        .args(args)
        .env_clear()
        .env("HOME", home.path())
        .env("PATH", "/nonexistent")
        .current_dir(home.path())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .status()
        .unwrap();
    status.success()
}

/// Whether processes can be stopped at their system calls here.
fn can_trace() -> bool {
    let found =
        Command::new("/usr/bin/strace").args(["-qq", "-o", "/dev/null", "/bin/true"]).output();
    let can = found.is_ok_and(|output| output.status.success());
    if !can {
        eprintln!("skipped: it needs strace, which may trace");
    }
    can
}

/// All files below the home, with their content; directories that are empty do not count.
fn files(home: &Home) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![home.path().to_path_buf()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(home.path()).unwrap().to_str().unwrap().to_owned();
                let text = String::from_utf8(fs::read(&path).unwrap_or_default());
                // Each round has a home of its own, which the entries name.
                let text = text.unwrap_or_default().replace(home.path().to_str().unwrap(), "~");
                found.insert(name, text.into_bytes());
            }
        }
    }
    found
}

/// A home with these settings, and the program beside them.
fn home(settings: Option<&str>) -> (Home, std::path::PathBuf) {
    let home = bare_home();
    let program = home.dir("bin").join("ringfence");
    copy_binary(&program);
    if let Some(text) = settings {
        home.file(".claude/settings.json", text);
    }
    (home, program)
}

fn run(home: &Home, program: &Path, args: &[&str]) {
    let output = Command::new(program)
        .args(args)
        .env_clear()
        .env("HOME", home.path())
        .env("PATH", "/nonexistent")
        .current_dir(home.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{args:?}: {output:?}");
}

/// Kills `victim` at each of its changes, then checks that the settings are as before or as after, and
/// that one more install and uninstall leave what was there at first.
fn at_each_change(settings: Option<&str>, before: &[&[&str]], victim: &[&str]) {
    let prepare = || {
        let (home, program) = home(settings);
        for args in before {
            run(&home, &program, args);
        }
        (home, program)
    };
    let (home, program) = prepare();
    let old = files(&home).remove(".claude/settings.json");
    run(&home, &program, victim);
    let new = files(&home).remove(".claude/settings.json");
    let mut deaths = 0;
    for call in CHANGES {
        for count in 1.. {
            let (home, program) = prepare();
            if survives(&home, &program, victim, call, count) {
                break;
            }
            deaths += 1;
            let place = format!("{victim:?} killed at {call} {count}");
            let now = files(&home).remove(".claude/settings.json");
            assert!(now == old || now == new, "{place}");
            check(&home, &program, settings, victim, &place);
        }
    }
    assert!(deaths > 15, "{victim:?}: {deaths}");
}

/// One more run of each leaves what was there at first.
fn check(home: &Home, program: &Path, settings: Option<&str>, victim: &[&str], place: &str) {
    for args in [victim, &["install"], &["uninstall"]] {
        run(home, program, args);
    }
    let mut left = files(home);
    left.remove("bin/ringfence");
    // A copy of the settings may be one too many.
    left.retain(|name, _| !name.ends_with(".bak"));
    let names: Vec<_> = left.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        settings.map(|_| ".claude/settings.json").into_iter().collect::<Vec<_>>(),
        "{place}"
    );
    let text = left.remove(".claude/settings.json").unwrap_or_default();
    assert_eq!(String::from_utf8(text).unwrap(), settings.unwrap_or_default(), "{place}");
}

#[test]
fn an_install_killed_anywhere_leaves_whole_settings_and_can_be_taken_back() {
    if can_trace() {
        at_each_change(Some(PLAIN), &[], &["install"]);
    }
}

#[test]
fn an_install_into_nothing_and_with_the_shim_is_no_different() {
    if can_trace() {
        at_each_change(None, &[], &["install", "--shim"]);
    }
}

#[test]
fn an_update_killed_anywhere_is_no_different() {
    // The writes are those of the two above; in the long run it is seen that they are.
    if is_long() && can_trace() {
        at_each_change(Some(PLAIN), &[&["install"]], &["install", "--shim"]);
    }
}

#[test]
fn an_uninstall_killed_anywhere_leaves_whole_settings_and_can_be_done_again() {
    if can_trace() {
        at_each_change(Some(PLAIN), &[&["install"]], &["uninstall"]);
    }
}

#[test]
fn installs_and_uninstalls_at_once_end_in_one_or_the_other() {
    for _ in 0..5 {
        let home = bare_home();
        let settings = home.file(".claude/settings.json", PLAIN);
        std::thread::scope(|scope| {
            for args in [["install"], ["uninstall"], ["install"], ["uninstall"]] {
                let home = &home;
                scope.spawn(move || assert_eq!(home.run(&args, b"").code, Some(0), "{args:?}"));
            }
        });
        let text = fs::read_to_string(&settings).unwrap();
        let entries = text.matches(BINARY).count();
        assert!(text == PLAIN || entries == ringfence::wiring::table::ENTRIES.len(), "{text}");
        home.run(&["uninstall"], b"");
        assert_eq!(fs::read_to_string(&settings).unwrap(), PLAIN);
    }
}
