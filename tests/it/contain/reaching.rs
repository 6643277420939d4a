//! What a contained command cannot reach.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, UdpSocket};
use std::process::{Child, Command, Stdio};

use insta::assert_snapshot;

use super::{World, has, text, text_of};
use crate::support::Home;

#[test]
fn only_the_workspace_can_be_changed() {
    World::each(|world| {
        let beside = world.beside();
        let beside = beside.display();
        world.lets("echo new > file && cat file && rm file && mkdir -p a/b && mv a c");
        for text in [
            format!("echo x > {beside}/new"),
            format!("echo x >> {beside}/file"),
            format!("ln -s x {beside}/link"),
            format!("mkdir {beside}/dir"),
            format!("truncate -s 0 {beside}/file"),
            format!("mv {beside}/file {beside}/other"),
            format!("rm -r {beside}"),
        ] {
            let inside = world.inside(&text);
            assert!(!inside.status.success(), "{}: {text}: {inside:?}", world.backend);
        }
        // A link in the workspace leads nowhere new.
        world.stops(&format!("ln -sfn {beside} out; echo x > out/file"));
        assert_eq!(std::fs::read_to_string(world.beside().join("file")).unwrap(), "x\n");
        world.stops("f=/etc/.ringfence-test; echo x > $f && rm $f");
    });
}

#[test]
fn secrets_cannot_be_read() {
    World::each(|world| {
        for below in [
            ".ssh/id_ed25519",
            ".aws/credentials",
            ".config/gh/hosts.yml",
            ".claude/.credentials.json",
            ".local/state/ringfence/log.jsonl",
            "beside/file",
        ] {
            world.stops(&format!("cat ~/{below}"));
        }
        assert_eq!(world.lets("cat ~/.local/bin/hello | tail -1"), "echo hello\n");
    });
}

#[test]
fn what_starts_programs_outside_stays_as_it_is() {
    World::each(|world| {
        if world.backend != "bwrap" {
            return;
        }
        drop(world.outside("git init -q ."));
        for text in [
            "echo x > .claude/settings.json",
            "echo x > .claude/settings.local.json",
            "echo x > .mcp.json",
            "echo x > .git/hooks/pre-commit",
            "git config core.fsmonitor ./x",
            "rm -rf .claude; test ! -e .claude",
        ] {
            let inside = world.inside(text);
            assert!(!inside.status.success(), "{text}: {inside:?}");
        }
        world.lets("git add file && git -c user.name=a -c user.email=a@b commit -qm x && git log --oneline");
    });
}

/// Ends with the test, also when it fails.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[test]
fn other_processes_cannot_be_looked_into_or_signalled() {
    World::each(|world| {
        let other = Command::new("sleep").arg("600").env("TOKEN", "secret").spawn().unwrap();
        let mut other = Ended(other);
        let pid = other.0.id();
        world.stops(&format!("cat /proc/{pid}/environ | grep -q secret"));
        let inside = world.inside(&format!("kill -0 {pid}"));
        assert!(!inside.status.success(), "{}: {inside:?}", world.backend);
        let inside = world.inside(&format!("kill -9 {pid}"));
        assert!(!inside.status.success(), "{}: {inside:?}", world.backend);
        assert!(other.0.try_wait().unwrap().is_none(), "it still runs");
        if world.backend == "bwrap" {
            let seen = world.lets("ls /proc | grep -c '^[0-9]'");
            assert!(seen.trim().parse::<u32>().unwrap() < 8, "{seen}");
        }
    });
}

#[test]
fn the_owners_tmux_server_cannot_be_reached() {
    if !has("tmux") {
        eprintln!("skipped: tmux is not installed");
        return;
    }
    World::each(|world| {
        // Plays the owner's: a server of this test's own, on a socket of its own.
        let place = tempfile::Builder::new().prefix("ringfence-tmux-").tempdir().unwrap();
        let socket = place.path().join("owner");
        let tmux = |args: &[&str]| {
            let mut run = Command::new("tmux");
            run.args(["-f", "/dev/null", "-S"]).arg(&socket).args(args);
            run.env_remove("TMUX").env("TERM", "xterm");
            run.output().unwrap()
        };
        assert!(
            tmux(&["new-session", "-d", "-s", "main", "-x", "80", "-y", "24", "cat"])
                .status
                .success()
        );
        let type_into = format!("tmux -S {} send-keys -t main typed Enter", socket.display());
        world.stops(&type_into);
        world.stops(&format!("tmux -S {} list-sessions", socket.display()));
        drop(world.inside(&type_into.replace("typed", "contained")));
        let screen = text_of(&tmux(&["capture-pane", "-p", "-t", "main"]));
        assert!(!screen.contains("contained"), "{screen}");
        assert!(tmux(&["kill-server"]).status.success());
    });
}

#[test]
fn there_is_no_network_unless_it_is_asked_for() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let _server = std::thread::spawn(move || {
        for stream in listener.incoming() {
            drop(stream.unwrap().write_all(b"hi\n"));
        }
    });
    World::each(|world| {
        let connect = format!("exec 3<>/dev/tcp/127.0.0.1/{port} && cat <&3");
        world.stops(&connect);
        let open = world.contain(&["--net", "-c", &connect], &[]);
        assert_eq!(text_of(&open), "hi\n", "{}: {open:?}", world.backend);
        if has("python3") {
            let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
            let to = socket.local_addr().unwrap();
            let send = format!(
                "python3 -c 'import socket; s=socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(b\"in\", (\"127.0.0.1\", {}))'",
                to.port()
            );
            drop(world.inside(&send));
            UdpSocket::bind("127.0.0.1:0").unwrap().send_to(b"out", to).unwrap();
            let mut first = [0; 8];
            let length = socket.recv(&mut first).unwrap();
            assert_eq!(&first[..length], b"out", "{}", world.backend);
        }
    });
}

#[test]
fn an_inherited_file_is_not_a_way_out() {
    World::each(|world| {
        let file = world.beside().join("file");
        let mut run = Command::new("/bin/bash");
        let line = format!(
            "exec 7>>{}; exec {} contain --backend {} -c 'echo x >&7'",
            file.display(),
            crate::support::BINARY,
            world.backend
        );
        world.prepare(run.args(["-c", &line]));
        let output = run.output().unwrap();
        assert!(!output.status.success(), "{output:?}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "old\n");
    });
}

#[test]
fn nothing_can_be_pushed_into_a_terminal() {
    if !has("python3") || !has("script") {
        eprintln!("skipped: python3 or script is not installed");
        return;
    }
    World::each(|world| {
        let push = "python3 -c 'import fcntl; fcntl.ioctl(0, 0x5412, b\"x\")' 2>&1 | tail -1";
        let line = format!("{} contain --backend {} -c", crate::support::BINARY, world.backend);
        world.home.file("push.sh", push);
        let script = world.home.path().join("push.sh");
        let mut run = Command::new("script");
        run.args(["-qec", &format!("{line} \"$(cat {})\"", script.display()), "/dev/null"]);
        world.prepare(&mut run);
        let output = run.output().unwrap();
        assert!(text_of(&output).contains("Operation not permitted"), "{output:?}");
        // The terminal itself is passed through.
        let mut run = Command::new("script");
        run.args(["-qec", &format!("{line} '[ -t 0 ] && [ -t 1 ] && echo both'"), "/dev/null"]);
        world.prepare(&mut run);
        assert!(text_of(&run.output().unwrap()).contains("both"));
    });
}

#[test]
fn a_workspace_that_holds_secrets_is_refused() {
    for (backend, workspace, expected) in [
        ("bwrap", "..", "holds the home directory"),
        ("landlock", "..", "holds the home directory"),
        ("bwrap", "/", "is the whole file system"),
        ("landlock", "/", "is the whole file system"),
        ("bwrap", "nowhere", "is not there"),
    ] {
        let world = World::new(backend);
        let output = world.contain(&["--workspace", workspace], &["true"]);
        assert_eq!(output.status.code(), Some(125), "{workspace}");
        assert!(text(&output.stderr).contains(expected), "{workspace}: {output:?}");
    }
}

#[test]
fn the_probe_says_what_is_bounded_and_what_is_not() {
    World::each(|world| {
        let screen = text_of(&world.contain(&["--probe"], &[]))
            .replace(&*world.workspace().canonicalize().unwrap().to_string_lossy(), "<work>");
        if world.backend == "bwrap" {
            assert_snapshot!(screen, @r"
            workspace  <work>
            boundary   bwrap
            bounds     files: only the workspace can be changed
                       home: hidden, but for tool chains without their credentials
                       terminal: no input can be pushed into it
                       processes: only its own can be seen or signalled
                       sockets: those in /tmp, /var/tmp, /run and home are hidden
                       wiring: .claude, .mcp.json, .git/hooks and .git/config stay as they are
                       network: none, not even the host's own loopback
            leaves     sockets elsewhere in the file system can be connected to
            ");
        } else if screen.contains("cannot be signalled") {
            assert_snapshot!(screen, @r"
            workspace  <work>
            boundary   landlock
            bounds     files: only the workspace can be changed
                       home: hidden, but for tool chains without their credentials
                       terminal: no input can be pushed into it
                       sockets: no local one can be made, so no tmux server can be reached
                       processes: those outside cannot be signalled
                       network: none, not even the host's own loopback
            leaves     the list of processes and their command lines can be read
                       modes, times and attributes of files outside can be changed by their owner
                       .claude, .mcp.json, .git/hooks and .git/config in the workspace can be changed
            ");
        }
        let document = text_of(&world.contain(&["--probe", "--json"], &[]));
        let document: serde_json::Value = serde_json::from_str(&document).unwrap();
        assert_eq!((&document["version"], &document["available"]), (&1.into(), &true.into()));
        assert_eq!(document["backend"], world.backend);
    });
}

#[test]
fn a_boundary_that_cannot_be_drawn_is_a_refusal_and_not_an_open_run() {
    // A system call that a container's filter denies looks like this to us: bwrap fails at start.
    let home = Home::new();
    let world = World { home, backend: "bwrap" };
    world.home.dir("work");
    if !has("bwrap") {
        eprintln!("skipped: bubblewrap is not installed");
        return;
    }
    let mut run = Command::new("unshare");
    run.args(["--user", "--map-root-user", "/bin/sh", "-c"]).arg(format!(
        "echo 0 > /proc/sys/user/max_user_namespaces && exec {} contain --backend bwrap -c 'touch ran; echo ran'",
        crate::support::BINARY
    ));
    world.prepare(&mut run);
    let output = run.output().unwrap();
    if text(&output.stderr).contains("unshare failed") {
        eprintln!("skipped: user namespaces cannot be limited here: {output:?}");
        return;
    }
    assert!(!output.status.success(), "{output:?}");
    assert_eq!(text_of(&output), "", "{output:?}");
    assert!(!world.workspace().join("ran").exists());
}

#[test]
fn signals_reach_the_command_and_its_status_comes_back() {
    World::each(|world| {
        let wait = "trap 'echo got; exit 3' TERM; echo ready; while :; do sleep 0.05; done";
        let mut child = world.command(&["-c", wait], &[]).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert_eq!(lines.next().unwrap().unwrap(), "ready");
        let pid = child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
        assert_eq!(lines.next().unwrap().unwrap(), "got", "{}", world.backend);
        assert_eq!(child.wait().unwrap().code(), Some(3), "{}", world.backend);
    });
}

#[test]
fn a_killed_boundary_leaves_nothing_running() {
    World::each(|world| {
        let beat = world.workspace().join("beat");
        let text = "echo ready; while :; do echo x >> beat; sleep 0.05; done";
        let mut child = world.command(&["-c", text], &[]).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert_eq!(lines.next().unwrap().unwrap(), "ready");
        child.kill().unwrap();
        child.wait().unwrap();
        // The pipe ends when the last process that holds it is gone.
        assert!(lines.next().is_none());
        let length = || std::fs::metadata(&beat).map_or(0, |meta| meta.len());
        let before = length();
        std::thread::sleep(std::time::Duration::from_millis(200));
        assert_eq!(length(), before, "{}", world.backend);
    });
}
