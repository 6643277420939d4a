//! Lanes that hang, babble, or lie, and what is planted there and here.

use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::Duration;

use ringfence::scratchpad::adapter::Adapter;
use ringfence::scratchpad::flight::{Place, Settled, ensure};
use ringfence::scratchpad::make_command;
use ringfence::state::State;

use super::commands::{exec, executable, hook, makes, ran, world};
use crate::support::Home;

/// What comes of a lane whose program is this script.
fn settled(home: &Home, script: &str, patience: Duration, is_heard: bool) -> Settled {
    let program = executable(home, "lane", &format!("#!/bin/sh\n{script}\n"));
    let template = format!("{} {{command}}", program.display());
    let adapter = Adapter::new("ssh", None, Some(&template)).unwrap();
    let dir = "/tmp/scratchpad/s-1";
    let place = Place { lane: "ssh", target: None, session: "s-1", dir, patience, is_heard };
    ensure(&State::at(home.path().join("state")), &place, &adapter)
}

#[test]
fn a_lane_that_hangs_is_given_up_and_that_is_kept() {
    let home = Home::new();
    let brief = Duration::from_millis(100);
    for (script, is_first) in [("exec sleep 600", true), ("exec yes", false)] {
        let came = settled(&home, script, brief, true);
        match came {
            Settled::Failed(why) => assert!(is_first && why.ends_with("did not end in time")),
            other => assert!(!is_first && other == Settled::FailedBefore, "{other:?}"),
        }
    }
    let babbling = Home::new();
    assert!(matches!(settled(&babbling, "exec yes", brief, true), Settled::Failed(_)));
}

#[test]
fn a_failure_that_nobody_heard_of_holds_for_nobody_else() {
    let home = Home::new();
    let patience = Duration::from_secs(60);
    let fails = || Settled::Failed("it ended with status 1".to_owned());
    assert_eq!(settled(&home, "exit 1", patience, false), fails());
    // For the process that nobody hears it does hold.
    assert_eq!(settled(&home, "exit 1", patience, false), Settled::FailedBefore);
    assert_eq!(settled(&home, "exit 1", patience, true), fails());
    assert_eq!(settled(&home, "exit 0", patience, true), Settled::FailedBefore);
    let other = Home::new();
    assert_eq!(settled(&other, "exit 1", patience, false), fails());
    assert_eq!(settled(&other, "exit 0", patience, true), Settled::Made);
}

#[test]
fn a_lane_that_is_not_there_is_not_held_against_it() {
    let home = Home::new().env("PATH", "/nowhere");
    let output = exec(&home, "ssh", "s-1", &["true"]);
    assert_eq!(output.code, Some(127));
    assert!(output.stderr.contains("`ssh` does not start"), "{output:?}");
    let ssh = executable(&home, "bin/ssh", "#!/bin/sh\necho \"$*\" >> \"$HOME/ran\"\n");
    let path = format!("{}:/usr/bin:/bin", ssh.parent().unwrap().display());
    let home = home.env("PATH", &path);
    assert_eq!(exec(&home, "ssh", "s-1", &["true"]).code, Some(0));
    assert_eq!(makes(&home), 1);
    std::fs::set_permissions(&ssh, PermissionsExt::from_mode(0o644)).unwrap();
    let home = home.env("PATH", ssh.parent().unwrap().to_str().unwrap());
    assert_eq!(exec(&home, "ssh", "s-1", &["true"]).code, Some(126));
}

#[test]
fn what_a_lane_leaves_running_is_not_waited_for() {
    // As the master of shared ssh connections: it stays, and keeps our pipes.
    let home = world("case \"$*\" in *mkdir*) (read line < \"$HOME/gate\") & esac; exit 0");
    let gate = home.path().join("gate");
    assert!(Command::new("mkfifo").arg(&gate).status().unwrap().success());
    let output = exec(&home, "ssh", "s-1", &["true"]);
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""));
    std::fs::write(&gate, "go\n").unwrap();
}

#[test]
fn a_lane_that_babbles_is_heard_in_one_short_line() {
    for (babble, said) in [
        // More than any pipe holds, and nobody reads it.
        ("head -c 3000000 /dev/zero; exit 0", ""),
        ("head -c 3000000 /dev/zero | tr '\\0' x >&2; exit 9", "x"),
        ("printf '\\033[2J\\r\\342\\200\\256evil\\n\\n' >&2; exit 9", "\\u{1b}[2J"),
        ("printf '\\377\\376' >&2; exit 9", "\u{fffd}"),
    ] {
        let home = world(&format!("case \"$*\" in *mkdir*) {babble};; esac; exit 0"));
        let output = exec(&home, "ssh", "s-1", &["true"]);
        assert_eq!(output.code, Some(0), "{babble}");
        assert!(output.stderr.contains(said) && output.stderr.len() < 700, "{output:?}");
        assert!(output.stderr.lines().count() <= 1 && !output.stderr.contains('\u{1b}'));
        assert_eq!(output.stderr.is_empty(), said.is_empty());
    }
}

#[test]
fn containers_that_begin_anew_get_their_directory_anew() {
    let home = world("case \"$1\" in get) cat \"$HOME/id\";; esac");
    for (id, count) in [("uid docker://1", 1), ("uid docker://1", 1), ("uid docker://2", 2)] {
        home.file("id", id);
        exec(&home, "k8s", "s-1", &["true"]);
        assert_eq!(makes(&home), count, "{id}");
    }
    // A plain name is a pod's; with a kind it is asked for as it stands.
    let asked: Vec<String> = ran(&home).into_iter().filter(|line| line.contains("[get]")).collect();
    assert!(asked.iter().all(|line| line.starts_with("kubectl [get] [pod/box] [-o]")), "{asked:?}");
    let words = ["scratchpad", "exec", "--lane", "k8s", "--target", "pods/box", "--session", "s-1"];
    home.run(&[&words[..], &["--", "true"]].concat(), b"");
    assert!(ran(&home).iter().any(|line| line.starts_with("kubectl [get] [pods/box] [-o]")));
    // Behind a deployment they come and go unseen.
    let before = makes(&home);
    let words = words.map(|word| if word == "pods/box" { "deploy/box" } else { word });
    for count in 1..3 {
        home.run(&[&words[..], &["--", "true"]].concat(), b"");
        assert_eq!(makes(&home), before + count);
    }
}

#[test]
fn a_target_that_the_command_line_does_not_take_is_refused() {
    let home = world("exit 0");
    let ssh = home.path().join("bin/ssh");
    let config = |target: &str, rest: &str| {
        let line = format!("exec = \"{} {rest} {{command}}\"", ssh.display());
        let text = format!("[scratchpad]\nlane = \"ssh\"\ntarget = \"{target}\"\n{line}\n");
        home.file(".config/ringfence/config.toml", &text);
    };
    let run = |target: &[&str]| {
        let words = [&["scratchpad", "exec", "--session", "s-1"], target, &["--", "true"]].concat();
        home.run(&words, b"")
    };
    config("box", "fixed");
    let output = run(&["--target", "other"]);
    assert_eq!(output.code, Some(125), "{output:?}");
    assert!(output.stderr.contains("has no `{target}`"), "{output:?}");
    assert!(ran(&home).is_empty());
    for target in [&["--target", "box"][..], &[]] {
        assert_eq!(run(target).code, Some(0));
    }
    // As a part of a word it is taken too.
    config("box", "-p 22 root@{target}");
    assert_eq!(run(&["--target", "other"]).code, Some(0));
    let last = ran(&home).pop().unwrap();
    assert_eq!(last, "ssh [-p] [22] [root@other] [true]");
}

#[test]
fn a_command_has_its_own_environment_where_the_hook_s_process_had_none() {
    let home = world("[ -n \"$LANE_KEY\" ] || exit 1").env("LANE_KEY", "1");
    let ssh = home.path().join("bin/ssh");
    home.file(
        ".config/ringfence/config.toml",
        &format!("[scratchpad]\nlane = \"ssh\"\nexec = \"{} {{command}}\"\n", ssh.display()),
    );
    hook(&home, "session-start", "s-1", "");
    assert!(super::commands::made(&home, 1));
    // It waits for the one that is at it, and then makes it itself.
    let run = || home.run(&["scratchpad", "exec", "--session", "s-1", "--", "true"], b"");
    for _ in 0..2 {
        assert_eq!((run().code, run().stderr.as_str()), (Some(0), ""));
        assert_eq!(makes(&home), 2);
    }
}

/// Runs a text with an empty `/tmp`, in this shell; nothing where that cannot be.
fn in_shell(shell: &str, before: &str, text: &str, after: &str) -> Option<String> {
    let script = format!(
        "mount -t tmpfs -o mode=1777 none /tmp; {before}; {shell} -c \"$1\"; echo $?; {after}"
    );
    let made = Command::new("unshare")
        .args(["-m", "sh", "-c", &script, "sh", text])
        .stderr(Stdio::null())
        .output();
    let said = String::from_utf8(made.ok()?.stdout).ok()?;
    (!said.is_empty()).then_some(said)
}

#[test]
fn the_directory_is_made_whatever_the_login_shell_is() {
    let text = make_command("/tmp/scratchpad/s-1");
    let stat = "stat -c '%a %F' /tmp/scratchpad/s-1";
    let mut tried = 0;
    for shell in ["sh", "bash", "dash", "zsh", "fish", "ksh", "mksh", "tcsh", "csh", "busybox sh"] {
        let program = shell.split(' ').next().unwrap();
        if !["/bin", "/usr/bin"].iter().any(|dir| std::path::Path::new(dir).join(program).exists())
        {
            continue;
        }
        let Some(said) = in_shell(shell, "umask 0", &text, stat) else {
            eprintln!("SKIPPED: no mount namespace can be made here");
            return;
        };
        assert_eq!(said, "0\n700 directory\n", "{shell}");
        tried += 1;
    }
    assert!(tried >= 1);
}

#[test]
fn nothing_is_made_where_a_planted_link_leads() {
    let text = make_command("/tmp/scratchpad/s-1");
    let rows = [
        ("mkdir /tmp/real; ln -s /tmp/real /tmp/scratchpad", "74\n"),
        ("mkdir -p /tmp/real /tmp/scratchpad; ln -s /tmp/real/x /tmp/scratchpad/s-1", "74\n"),
        ("mkdir /tmp/real; : > /tmp/scratchpad", "73\n"),
        ("mkdir /tmp/real; mount -o remount,ro /tmp", "73\n"),
        ("mkdir /tmp/real; mount -t tmpfs -o nr_inodes=2 none /tmp; mkdir /tmp/real", "73\n"),
        ("mkdir -p /tmp/real /tmp/scratchpad; : > /tmp/scratchpad/s-1", "73\n"),
        ("mkdir -p /tmp/real /tmp/scratchpad; mkfifo /tmp/scratchpad/s-1", "73\n"),
        ("mkdir -p /tmp/real /tmp/scratchpad/s-1; chown 65534 /tmp/scratchpad/s-1", "75\n"),
        ("mkdir -p /tmp/real /tmp/scratchpad; chown 65534 /tmp/scratchpad", "75\n"),
        ("mkdir -p /tmp/real /tmp/scratchpad/s-1", "0\n"),
        ("mkdir -p -m 1777 /tmp/real /tmp/scratchpad; chown 65534 /tmp/scratchpad", "0\n"),
    ];
    for (before, expected) in rows {
        let Some(said) = in_shell("sh", before, &text, "ls /tmp/real") else {
            eprintln!("SKIPPED: no mount namespace can be made here");
            return;
        };
        assert_eq!(said, expected, "{before}");
    }
}

#[test]
fn what_can_never_be_made_is_not_told_of() {
    let home = world("exit 0");
    let ssh = home.path().join("bin/ssh").display().to_string();
    for (number, (rest, is_told)) in [
        // The usual command line needs a target.
        (String::new(), false),
        ("target = \"-oProxyCommand=id\"".to_owned(), false),
        ("target = \"a b\"".to_owned(), false),
        ("target = 7".to_owned(), false),
        (format!("target = \"{}\"", "h".repeat(600)), false),
        (format!("exec = \"{ssh} {{target}} {{command}}\""), false),
        (format!("exec = \"{ssh} {{command}}\""), true),
        (format!("target = \"box\"\nexec = \"{ssh} root@{{target}} {{command}}\""), true),
    ]
    .into_iter()
    .enumerate()
    {
        let text = format!("[scratchpad]\nlane = \"ssh\"\n{rest}\n");
        home.file(".config/ringfence/config.toml", &text);
        let said = hook(&home, "session-start", &format!("s-{number}"), "");
        assert_eq!(!said.is_empty(), is_told, "{rest}: {said}");
        assert_eq!(hook(&home, "pre-tool-use", &format!("t-{number}"), "Bash"), "");
    }
    home.file(".config/ringfence/config.toml", "[scratchpad]\nlane = \"ssh\"\ntarget = \"-x\"\n");
    let doctor = home.run(&["doctor"], b"").stdout;
    assert!(doctor.contains("`scratchpad.target` must be the plain name"), "{doctor}");
}

#[test]
fn a_link_in_the_place_of_our_records_is_not_written_through() {
    let home = world("exit 0");
    let victim = home.dir("victim");
    home.dir(".local/state/ringfence");
    let place = home.path().join(".local/state/ringfence/scratchpad");
    std::os::unix::fs::symlink(&victim, place).unwrap();
    // Without a record it is made again, which changes nothing there.
    for count in 1..3 {
        assert_eq!(exec(&home, "ssh", "s-1", &["true"]).code, Some(0));
        assert_eq!(makes(&home), count);
    }
    hook(&home, "pre-tool-use", "s-1", "Bash");
    assert_eq!(std::fs::read_dir(victim).unwrap().count(), 0);
}

#[test]
fn a_lane_that_is_not_known_is_told_the_known_ones() {
    let home = Home::new();
    let run = |lane: &[&str]| {
        let words = [&["scratchpad", "exec", "--session", "s"], lane, &["--", "true"]].concat();
        home.run(&words, b"").stderr
    };
    assert!(run(&["--lane", "docker"]).starts_with(
        "error: \"docker\" is no remote lane: those are ssh, local-docker, k8s and e2b\n"
    ));
    assert!(run(&[]).starts_with("error: no lane is named, and the configuration names none\n"));
}
