//! What passes through unchanged: status, bytes, arguments, directory.

use std::io::{Read, Write};
use std::process::Stdio;

use super::{World, text, text_of};

#[test]
fn the_commands_own_status_comes_back() {
    World::each(|world| {
        for (text, code) in [
            ("true", 0),
            ("exit 7", 7),
            ("exit 125", 125),
            ("kill -9 $$", 137),
            ("kill -TERM $$", 143),
            ("no-such-program", 127),
        ] {
            assert_eq!(world.inside(text).status.code(), Some(code), "{}: {text}", world.backend);
        }
        let missing = world.contain(&[], &["no-such-program"]);
        assert_eq!(missing.status.code(), Some(127), "{missing:?}");
        let plain = world.contain(&[], &["./file"]);
        assert_eq!(plain.status.code(), Some(126), "{plain:?}");
    });
}

#[test]
fn arguments_and_directory_arrive_as_they_are() {
    World::each(|world| {
        let odd = ["a b", "", "'", "\"$x\"", "--net", "*", "ä\n"];
        let mut command = vec!["printf", "%s|"];
        command.extend(odd);
        assert_eq!(text_of(&world.contain(&[], &command)), format!("{}|", odd.join("|")));
        std::fs::create_dir(world.workspace().join("sub")).unwrap();
        let run = world.command(&[], &["pwd"]).current_dir(world.workspace().join("sub")).output();
        assert!(text_of(&run.unwrap()).trim_end().ends_with("/work/sub"));
    });
}

#[test]
fn bytes_pass_both_ways_unchanged() {
    let length: usize = if crate::support::is_long() { 100_000_000 } else { 8_000_000 };
    World::each(|world| {
        let mut child = world
            .command(&[], &["cat"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let bytes: Vec<u8> = (0..length).map(|at| ((at * 2_654_435_761) >> 7) as u8).collect();
        let mut input = child.stdin.take().unwrap();
        let copy = bytes.clone();
        let feeder = std::thread::spawn(move || input.write_all(&copy).unwrap());
        let mut back = Vec::with_capacity(length);
        child.stdout.take().unwrap().read_to_end(&mut back).unwrap();
        feeder.join().unwrap();
        assert!(child.wait().unwrap().success());
        assert!(back == bytes, "{}", world.backend);
    });
}

#[test]
fn what_leads_to_someones_terminal_or_keys_is_taken_from_the_environment() {
    World::each(|world| {
        let names = ["TMUX", "SSH_AUTH_SOCK", "STY", "DISPLAY", "DBUS_SESSION_BUS_ADDRESS"];
        let mut run = world.command(&[], &["env"]);
        for name in names {
            run.env(name, "/tmp/x");
        }
        let seen = text_of(&run.env("KEPT", "1").output().unwrap());
        assert!(names.iter().all(|name| !seen.contains(&format!("{name}="))), "{seen}");
        assert!(seen.contains("KEPT=1\n") && seen.contains("RINGFENCE_CONTAINED=1\n"), "{seen}");
        let own = world.lets("test -w \"$TMPDIR\" && mktemp && cd ~ 2>/dev/null; true");
        assert!(own.contains("/tmp"), "{own}");
    });
}

#[test]
fn two_boundaries_at_once_do_not_meet() {
    World::each(|world| {
        let first = world
            .command(&["-c", "echo a > one; sleep 0.3; cat two"], &[])
            .stdout(Stdio::piped())
            .spawn();
        let second = world
            .command(&["-c", "echo b > two; sleep 0.3; cat one"], &[])
            .stdout(Stdio::piped())
            .spawn();
        let first = first.unwrap().wait_with_output().unwrap();
        let second = second.unwrap().wait_with_output().unwrap();
        assert_eq!((text_of(&first), text_of(&second)), ("b\n".into(), "a\n".into()));
    });
}

#[test]
fn the_process_inside_is_not_for_people() {
    let world = World::new("bwrap");
    let output = world.home.run(&["contain-inside", "--net"], b"");
    assert_eq!(output.code, Some(125));
    assert!(output.stderr.contains("`ringfence contain`'s own"), "{output:?}");
    let nothing = world.contain(&[], &[]);
    assert_eq!(nothing.status.code(), Some(64), "{}", text(&nothing.stderr));
}
