//! The commands and the hook's arm, with recording stand-ins for the lanes' programs.

use std::path::PathBuf;

use insta::assert_snapshot;

use crate::support::{Home, Output};

/// A home whose PATH begins with stand-ins: each writes its arguments down, one line a call.
pub(super) fn world(script: &str) -> Home {
    let home = Home::new();
    for name in ["ssh", "docker", "kubectl", "e2b"] {
        let log = home.path().join("ran");
        let text = format!(
            "#!/bin/sh\nline={name}\nfor word; do line=\"$line [$word]\"; done\n\
             printf '%s\\n' \"$line\" >> {}\n{script}\n",
            log.display()
        );
        executable(&home, &format!("bin/{name}"), &text);
    }
    let path = format!("{}:/usr/bin:/bin", home.path().join("bin").display());
    home.env("PATH", &path)
}

pub(super) fn executable(home: &Home, below: &str, text: &str) -> PathBuf {
    let path = home.file(below, text);
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    path
}

pub(super) fn ran(home: &Home) -> Vec<String> {
    let text = std::fs::read_to_string(home.path().join("ran")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

pub(super) fn makes(home: &Home) -> usize {
    ran(home).iter().filter(|line| line.contains("mkdir")).count()
}

pub(super) fn exec(home: &Home, lane: &str, session: &str, command: &[&str]) -> Output {
    let mut words =
        vec!["scratchpad", "exec", "--lane", lane, "--target", "box", "--session", session, "--"];
    words.extend(command);
    home.run(&words, b"")
}

fn shown(output: &Output) -> String {
    format!("exit {}\n{}--\n{}", output.code.unwrap(), output.stdout, output.stderr)
}

#[test]
fn dir_prints_the_path_or_says_why_not() {
    let home = Home::new();
    let dir = |id: &str| home.run(&["scratchpad", "dir", &format!("--session={id}")], b"");
    assert_eq!(dir("0b3f-1").stdout, "/tmp/scratchpad/0b3f-1\n");
    assert_snapshot!(shown(&dir("a;\u{1b}[2Jb\n")), @r#"
    exit 1
    --
    error: a session called "a;\u{1b}[2Jb\n" gets no directory: only letters, digits, `.`, `_` and `-` are taken, at most 128 of them
    "#);
    for id in ["..", ".", "", "a/b", "'", "a b"] {
        assert_eq!((dir(id).code, dir(id).stdout.as_str()), (Some(1), ""), "{id:?}");
    }
}

#[test]
fn the_first_command_makes_the_directory_and_each_lane_is_run_exactly() {
    let home = world("exit 0");
    for lane in ["ssh", "local-docker", "k8s", "e2b"] {
        for words in [&["echo", "a b", "$HOME;'"][..], &["true"]] {
            assert_eq!(shown(&exec(&home, lane, "s-1", words)), "exit 0\n--\n", "{lane}");
        }
    }
    assert_snapshot!(ran(&home).join("\n"), @r#"
    ssh [-o] [BatchMode=yes] [-o] [ConnectTimeout=10] [--] [box] [sh -c 'umask 077; [ -h /tmp/scratchpad ] || [ -h /tmp/scratchpad/s-1 ] || mkdir -p /tmp/scratchpad/s-1 || exit 73; if [ -h /tmp/scratchpad ] || [ -h /tmp/scratchpad/s-1 ]; then exit 74; fi; [ -O /tmp/scratchpad/s-1 ] || exit 75; [ -O /tmp/scratchpad ] || [ -k /tmp/scratchpad ] || exit 75']
    ssh [-o] [BatchMode=yes] [-o] [ConnectTimeout=10] [--] [box] [echo 'a b' '$HOME;'\''']
    ssh [-o] [BatchMode=yes] [-o] [ConnectTimeout=10] [--] [box] [true]
    docker [inspect] [--format] [{{.Id}}] [box]
    docker [exec] [-i] [box] [sh] [-c] [sh -c 'umask 077; [ -h /tmp/scratchpad ] || [ -h /tmp/scratchpad/s-1 ] || mkdir -p /tmp/scratchpad/s-1 || exit 73; if [ -h /tmp/scratchpad ] || [ -h /tmp/scratchpad/s-1 ]; then exit 74; fi; [ -O /tmp/scratchpad/s-1 ] || exit 75; [ -O /tmp/scratchpad ] || [ -k /tmp/scratchpad ] || exit 75']
    docker [exec] [-i] [box] [sh] [-c] [echo 'a b' '$HOME;'\''']
    docker [inspect] [--format] [{{.Id}}] [box]
    docker [exec] [-i] [box] [sh] [-c] [true]
    kubectl [get] [pod/box] [-o] [jsonpath={.metadata.uid}{.status.containerStatuses[*].containerID}]
    kubectl [exec] [-i] [box] [--] [sh] [-c] [sh -c 'umask 077; [ -h /tmp/scratchpad ] || [ -h /tmp/scratchpad/s-1 ] || mkdir -p /tmp/scratchpad/s-1 || exit 73; if [ -h /tmp/scratchpad ] || [ -h /tmp/scratchpad/s-1 ]; then exit 74; fi; [ -O /tmp/scratchpad/s-1 ] || exit 75; [ -O /tmp/scratchpad ] || [ -k /tmp/scratchpad ] || exit 75']
    kubectl [exec] [-i] [box] [--] [sh] [-c] [echo 'a b' '$HOME;'\''']
    kubectl [get] [pod/box] [-o] [jsonpath={.metadata.uid}{.status.containerStatuses[*].containerID}]
    kubectl [exec] [-i] [box] [--] [sh] [-c] [true]
    e2b [sandbox] [exec] [box] [--] [sh] [-c] [sh -c 'umask 077; [ -h /tmp/scratchpad ] || [ -h /tmp/scratchpad/s-1 ] || mkdir -p /tmp/scratchpad/s-1 || exit 73; if [ -h /tmp/scratchpad ] || [ -h /tmp/scratchpad/s-1 ]; then exit 74; fi; [ -O /tmp/scratchpad/s-1 ] || exit 75; [ -O /tmp/scratchpad ] || [ -k /tmp/scratchpad ] || exit 75']
    e2b [sandbox] [exec] [box] [--] [sh] [-c] [echo 'a b' '$HOME;'\''']
    e2b [sandbox] [exec] [box] [--] [sh] [-c] [true]
    "#);
}

#[test]
fn output_and_status_are_the_command_s_own_also_when_the_mkdir_fails() {
    let home = world(
        "case \"$*\" in *mkdir*) echo noise; echo 'no /tmp here' >&2; exit 73;; esac\necho out; echo err >&2; exit 42",
    );
    assert_snapshot!(shown(&exec(&home, "ssh", "s-1", &["make"])), @r#"
    exit 42
    out
    --
    warning: the scratch directory /tmp/scratchpad/s-1 was not made: no /tmp here (status 73)
    err
    "#);
    // It was told, and it is not tried again for ten minutes.
    assert_eq!(shown(&exec(&home, "ssh", "s-1", &["make"])), "exit 42\nout\n--\nerr\n");
    assert_eq!(makes(&home), 1);
    // Another session, another target: another directory.
    exec(&home, "ssh", "s-2", &["make"]);
    assert_eq!(makes(&home), 2);
}

#[test]
fn a_failure_is_tried_again_after_ten_minutes() {
    let home = world("exit 1");
    exec(&home, "ssh", "s-1", &["true"]);
    let dir = home.path().join(".local/state/ringfence/scratchpad");
    let records =
        std::fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap().path().join("settled"));
    let record = records.into_iter().find(|path| path.exists()).unwrap();
    let text = std::fs::read_to_string(&record).unwrap();
    let stamp = regex::Regex::new(r#""at":\d+"#).unwrap();
    for (at, makes_then) in [("1", 2), ("99999999999999", 3)] {
        let text = stamp.replace(&text, format!("\"at\":{at}")).into_owned();
        std::fs::write(&record, text).unwrap();
        exec(&home, "ssh", "s-1", &["true"]);
        assert_eq!(makes(&home), makes_then, "{at}");
    }
    // What is no record is none.
    std::fs::write(&record, "{").unwrap();
    exec(&home, "ssh", "s-1", &["true"]);
    assert_eq!(makes(&home), 4);
}

#[test]
fn a_new_container_of_the_same_name_gets_its_own_directory() {
    let home = world("case \"$1\" in inspect) cat \"$HOME/id\";; esac");
    for (id, makes_then) in [("one", 1), ("one", 1), ("two", 2), ("one", 2)] {
        home.file("id", id);
        exec(&home, "local-docker", "s-1", &["true"]);
        assert_eq!(makes(&home), makes_then, "{id}");
    }
}

#[test]
fn processes_at_once_make_it_once_and_wait_for_it() {
    let home = world("case \"$*\" in *mkdir*) sleep 0.2; echo done >> \"$HOME/ran\";; esac");
    std::thread::scope(|scope| {
        for number in 0..4 {
            let home = &home;
            scope.spawn(move || exec(home, "ssh", "s-1", &["echo", &number.to_string()]));
        }
    });
    let ran = ran(&home);
    assert_eq!(makes(&home), 1, "{ran:?}");
    assert!(ran[0].contains("mkdir") && ran[1] == "done" && ran.len() == 6, "{ran:?}");
}

#[test]
fn hostile_ids_run_undecorated_and_hostile_words_run_nothing() {
    let home = world("exit 0");
    for id in ["a;b", "'", "a\nb", "..", "$(id)", "-x y"] {
        let output = exec(&home, "ssh", id, &["true"]);
        assert_eq!(output.code, Some(0), "{id:?}");
        assert!(output.stderr.starts_with("warning: a session called"), "{output:?}");
        assert_eq!(output.stderr.lines().count(), 1, "{output:?}");
    }
    assert_eq!((makes(&home), ran(&home).len()), (0, 6));
    let run = |lane: &str, target: &str| {
        let words = [
            "scratchpad",
            "exec",
            "--lane",
            lane,
            "--target",
            target,
            "--session",
            "s",
            "--",
            "true",
        ];
        home.run(&words, b"")
    };
    for (lane, target) in [
        ("ssh", "-oProxyCommand=touch x"),
        ("ssh", ""),
        ("host", "box"),
        ("adb", "box"),
        ("x", "box"),
    ] {
        assert_eq!(run(lane, target).code, Some(125), "{lane} {target}");
    }
    assert_eq!(ran(&home).len(), 6);
}

#[test]
fn planted_links_in_the_state_are_not_written_through() {
    let home = world("exit 0");
    let victim = home.file("victim", "precious");
    exec(&home, "ssh", "s-1", &["true"]);
    let dir = home.path().join(".local/state/ringfence/scratchpad");
    let record = std::fs::read_dir(&dir).unwrap().next().unwrap().unwrap().path().join("settled");
    std::fs::remove_file(&record).unwrap();
    std::os::unix::fs::symlink(&victim, &record).unwrap();
    exec(&home, "ssh", "s-1", &["true"]);
    assert_eq!(std::fs::read_to_string(&victim).unwrap(), "precious");
    assert!(!record.is_symlink(), "the link itself was replaced");
}

/// A hook call; the payload says `event`.
pub(super) fn hook(home: &Home, event: &str, session: &str, tool: &str) -> String {
    let payload = serde_json::json!({
        "session_id": session, "cwd": home.path(), "source": "startup", "hook_event_name": "x",
        "tool_name": tool, "tool_input": {"command": "ls"}, "tool_use_id": "t",
    });
    let args = ["hook", event, "--with", "scratchpad"];
    let output = home.run(&args, payload.to_string().as_bytes());
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""));
    output.stdout
}

/// A home whose configuration runs a stand-in that nothing on a PATH can replace.
fn configured() -> Home {
    let home = world("exit 0");
    let ssh = home.path().join("bin/ssh");
    home.file(
        ".config/ringfence/config.toml",
        &format!("[scratchpad]\nlane = \"ssh\"\ntarget = \"box\"\nexec = \"{} {{target}} {{command}}\"\n", ssh.display()),
    );
    home
}

/// Waits for the process that nobody waits for.
pub(super) fn made(home: &Home, count: usize) -> bool {
    (0..500).any(|_| {
        if makes(home) >= count {
            return true;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
        false
    })
}

#[test]
fn a_session_s_start_tells_the_model_and_has_it_made() {
    let home = configured();
    assert_snapshot!(hook(&home, "session-start", "s-1", ""), @r#"{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"Commands of this session that run on the `ssh` lane may use the scratch directory /tmp/scratchpad/s-1 there: it may be created by now, for this session alone."}}"#);
    assert!(made(&home, 1));
    assert_eq!(hook(&home, "pre-tool-use", "s-1", "Bash"), "");
    // No start of this one was seen: its first shell call has it made, once.
    assert_eq!(hook(&home, "pre-tool-use", "s-2", "Read"), "");
    assert_eq!(hook(&home, "pre-tool-use", "s-2", "Bash"), "");
    assert!(made(&home, 2));
    assert_eq!(hook(&home, "pre-tool-use", "s-2", "Bash"), "");
    for session in ["a;b", "..", "a/b"] {
        assert_eq!(hook(&home, "session-start", session, ""), "");
        assert_eq!(hook(&home, "pre-tool-use", session, "Bash"), "");
    }
    // A command takes the same settings, finds it made, and runs.
    let run = home.run(&["scratchpad", "exec", "--session", "s-2", "--", "true"], b"");
    assert_eq!(shown(&run), "exit 0\n--\n");
    assert_eq!(makes(&home), 2);
}

#[test]
fn without_a_lane_of_the_owner_s_nothing_is_said() {
    let home = world("exit 0");
    home.dir(".git");
    home.file(".ringfence.toml", "[scratchpad]\nlane = \"ssh\"\ntarget = \"box\"\n");
    assert_eq!(hook(&home, "session-start", "s-1", ""), "");
    assert_eq!(hook(&home, "pre-tool-use", "s-1", "Bash"), "");
    assert!(ran(&home).is_empty());
    let doctor = home.run(&["doctor"], b"").stdout;
    assert!(doctor.contains("`scratchpad.lane` cannot stand in a project's file"), "{doctor}");
}
