//! The probes in deployments that are odd or broken: links, files where directories belong, limits,
//! quotas, locks, and what a killed proof left.

use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use rusqlite::Connection;

use super::probe::{World, has_namespaces, line};
use crate::support::BINARY;

/// The probes of a world of its own after `script`, in which `$S` is the store's directory.
fn after(script: &str) -> Vec<String> {
    let world = World::new();
    let script = format!("S={}; {script}", world.store());
    let lines = world.under(&["env"], &script, &[BINARY]);
    assert!(!world.listing().iter().any(|path| path.contains(".ringfence-proof")), "{script}");
    lines
}

#[test]
fn what_stands_in_a_store_s_place_is_named() {
    let rows = [
        (
            "rm -f $S/memory.db-shm; mkdir $S/memory.db-shm",
            "-shm` cannot be opened to write: Is a directory",
        ),
        (
            "rm -f $S/memory.db-shm; ln -s nowhere $S/memory.db-shm",
            "-shm` cannot be opened to write: it is a link",
        ),
        ("rm -f $S/memory.db-shm; mkfifo $S/memory.db-shm", "-shm` is no regular file"),
        (
            "rm -f $S/memory.db-wal; mkdir $S/memory.db-wal",
            "-wal` cannot be opened to write: Is a directory",
        ),
        (
            "rm -f $S/memory.db-wal; ln -s /dev/full $S/memory.db-wal",
            "-wal` cannot be opened to write: it is a link",
        ),
        ("rm $S/memory.db*; mkfifo $S/memory.db", "memory.db` is no regular file"),
        (
            "rm $S/memory.db*; ln -s nowhere $S/memory.db",
            "memory.db` cannot be opened to write: it is a link",
        ),
        (
            "P=${S%/*}; rm -r $P; : > $P",
            "no directory can be made in `~/.local/share/ringfence/projects`: it is no directory",
        ),
        (
            "P=${S%/*}; rm -r $P; ln -s ../nowhere/x $P",
            "projects`: it is a link that leads nowhere",
        ),
        ("P=${S%/*}; rm -r $P; ln -s ../nowhere $P", "projects`: it is a link that leads nowhere"),
        ("P=${S%/*}; rm -r $P; ln -s projects $P", "projects`: it is a link"),
        // Blocks of 512 bytes.
        ("ulimit -f 8", "a limit on the size of files is in the way"),
        ("ulimit -f 0", "a limit on the size of files is in the way"),
    ];
    for (script, said) in rows {
        let lines = after(script);
        let found = line(&lines, "directory ringfence");
        assert!(found.starts_with("fails ") && found.ends_with(said), "{script}\n{found}");
    }
    // A link that leads somewhere is a place like any other.
    let lines = after("P=${S%/*}; mv $P $P.real; ln -s projects.real $P");
    assert!(line(&lines, "directory ringfence").starts_with("well"), "{lines:#?}");
}

#[test]
fn a_store_that_cannot_be_read_is_not_called_broken() {
    // The directory is at fault, and says so itself.
    let lines = after("rm $S/memory.db*; mkfifo $S/memory.db");
    assert!(line(&lines, "corrupt ringfence").starts_with("unknown"), "{lines:#?}");
    assert!(line(&lines, "locked ringfence").starts_with("unknown"), "{lines:#?}");
}

#[test]
fn a_client_s_memory_that_leads_nowhere_is_told_and_not_called_off() {
    let lines = after(": > $HOME/.claude");
    let found = line(&lines, "directory auto memory");
    assert!(
        found.starts_with("fails") && found.ends_with("in `~/.claude`: it is no directory"),
        "{found}"
    );
    assert!(line(&lines, "switched off").starts_with("well"), "{lines:#?}");
}

#[test]
fn a_quota_is_told_from_a_full_disk() {
    let bwrap = ["--dev-bind", "/", "/", "--unshare-user", "true"];
    let drawn = Command::new("bwrap").args(bwrap).stderr(Stdio::null()).status();
    if !drawn.is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: bubblewrap cannot be used here");
        return;
    }
    let world = World::new();
    for (errno, said) in [
        (libc::EDQUOT, "no file can be brought to the disk in"),
        (libc::ENOSPC, "no file can be brought to the disk in"),
    ] {
        // The system's answer to fsync, which a file system with a quota gives late.
        let filter = world.home.path().join("filter");
        std::fs::write(&filter, refusing(libc::SYS_fsync, errno)).unwrap();
        let program =
            ["bwrap", "--dev-bind", "/", "/", "--unshare-user", "--seccomp", "9", "--", BINARY];
        let script = format!("exec 9< {}", filter.display());
        let lines = world.under(&["env"], &script, &program);
        let why =
            if errno == libc::EDQUOT { "the quota is used up" } else { "there is no space left" };
        let found = line(&lines, "directory ringfence");
        assert!(found.contains(said) && found.ends_with(why), "{found}");
    }
    assert!(!world.listing().iter().any(|path| path.contains(".ringfence-proof")));
}

/// A filter of system calls, as the kernel takes it: this one is answered with an error.
fn refusing(call: libc::c_long, errno: i32) -> Vec<u8> {
    let call = u32::try_from(call).unwrap();
    let errno = u32::try_from(errno).unwrap();
    let steps: [(u16, u8, u8, u32); 4] = [
        // The number of the call; the next but one where it is another.
        (0x20, 0, 0, 0),
        (0x15, 0, 1, call),
        (0x06, 0, 0, 0x0005_0000 | errno),
        (0x06, 0, 0, 0x7fff_0000),
    ];
    let bytes = |(code, yes, no, value): (u16, u8, u8, u32)| {
        [&code.to_le_bytes()[..], &[yes, no], &value.to_le_bytes()].concat()
    };
    steps.into_iter().flat_map(bytes).collect()
}

#[test]
fn who_keeps_a_store_for_writing_is_named() {
    for (mode, sql, outcome, said) in [
        (
            "wal",
            "BEGIN; SELECT count(*) FROM notes",
            "well",
            "nobody keeps a reader or a writer out",
        ),
        ("wal", "BEGIN IMMEDIATE", "fails", "keeps it for writing and does not end"),
        (
            "delete",
            "BEGIN; SELECT count(*) FROM notes",
            "well",
            "nobody keeps a reader or a writer out",
        ),
        ("delete", "BEGIN IMMEDIATE", "fails", "keeps it for writing and does not end"),
        ("delete", "BEGIN EXCLUSIVE", "fails", "memory.db (SQLite 5)"),
    ] {
        let world = World::new();
        let store = Connection::open(format!("{}/memory.db", world.store())).unwrap();
        store.pragma_update(None, "journal_mode", mode).unwrap();
        let mut rows = Vec::new();
        for sql in sql.split("; ") {
            let mut statement = store.prepare(sql).unwrap();
            // What is read to its end is a transaction all the same.
            rows.push(statement.query([]).unwrap().next().unwrap().is_some());
        }
        let lines = world.under(&["env"], ":", &[BINARY]);
        let found = line(&lines, "locked ringfence");
        assert!(found.starts_with(outcome) && found.ends_with(said), "{mode} {sql}: {found}");
        if said.starts_with("keeps") {
            assert!(found.contains(&format!("process {}", std::process::id())), "{found}");
        }
    }
}

#[test]
fn what_a_killed_proof_left_goes_and_nothing_else() {
    let world = World::new();
    let store = world.store();
    let script = format!(
        "cd {store}; : > .ringfence-proof-1-0; mkdir .ringfence-proof-2-0 .ringfence-proof-3-0; \
         : > .ringfence-proof-2-0/.ringfence-proof-2-1; : > .ringfence-proof-3-0/mine; \
         : > .ringfence-proof-x-0; : > .ringfence-proof-1; : > .ringfence-proof-1-0.txt; \
         head -c 70000 /dev/zero > .ringfence-proof-4-0; ln -s memory.db .ringfence-proof-5-0; \
         touch -h -d '2 hours ago' .ringfence*; : > .ringfence-proof-6-0; cd {}",
        world.work().display()
    );
    world.under(&["env"], &script, &[BINARY]);
    let left: Vec<String> = world
        .listing()
        .into_iter()
        .filter_map(|path| Some(path.split_once("/.ringfence-proof-")?.1.to_owned()))
        .collect();
    assert_eq!(left, ["1", "1-0.txt", "3-0", "3-0/mine", "4-0", "5-0", "6-0", "x-0"]);
    assert!(std::path::Path::new(&store).join("memory.db").exists());
}

#[test]
fn a_disk_mounted_below_a_temporary_place_is_no_part_of_it() {
    if !has_namespaces() {
        return;
    }
    let world = World::new();
    let real = world.home.path().display();
    let script = format!(
        "mount -t tmpfs none /var/tmp; mkdir /var/tmp/disk; \
         mount --bind {real} /var/tmp/disk; export HOME=/var/tmp/disk; cd /var/tmp/disk/work"
    );
    let lines = world.under(&["unshare", "-m"], &script, &[BINARY]);
    let found = line(&lines, "throw-away auto memory");
    assert!(found.starts_with("well") || found.contains("container's own layer"), "{found}");
}

#[test]
fn a_directory_where_nothing_can_be_removed_is_left_alone() {
    let world = World::new();
    let store = world.store();
    let made = Command::new("chattr").args(["+a", &store]).stderr(Stdio::null()).status();
    if !made.is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: no directory can be made append-only here");
        return;
    }
    let lines = world.under(&["env"], ":", &[BINARY]);
    assert!(Command::new("chattr").args(["-a", &store]).status().unwrap().success());
    let found = line(&lines, "directory ringfence");
    assert!(found.starts_with("fails") && found.ends_with("it is append-only"), "{found}");
    assert!(!world.listing().iter().any(|path| path.contains(".ringfence-proof")));
}

#[test]
fn variables_that_are_no_text_are_told_and_not_called_unset() {
    let world = World::new();
    let script = "export MEMORY_ENGINE_DIR=$(printf '/x\\377')";
    let document = world.document(&["env"], script, &[BINARY]);
    assert_eq!(
        document["info"],
        serde_json::json!([
            "`MEMORY_ENGINE_DIR` is set to what is no text, so nothing is said of the engine"
        ])
    );
    assert!(!document.to_string().contains("MEMORY_ENGINE_DIR is not set"), "{document}");
}

#[test]
fn a_screen_with_a_cause_does_not_say_that_there_is_nothing() {
    let world = World::new();
    let dir = format!("{}/memory.db-shm", world.store());
    drop(std::fs::remove_file(&dir));
    std::fs::create_dir(&dir).unwrap();
    std::fs::set_permissions(&dir, PermissionsExt::from_mode(0o700)).unwrap();
    let said = world.home.run_in(&world.work(), &["audit", "--probe"], b"").stdout;
    assert!(
        said.ends_with("lost memory are there: the lines that begin with `fails`\n")
            && !said.contains("nothing to warn about"),
        "{said}"
    );
    let plain = world.home.run_in(&world.work(), &["audit"], b"").stdout;
    assert!(plain.ends_with("nothing to warn about\n"), "{plain}");
}

#[test]
fn settings_that_cannot_be_read_are_told() {
    for (script, said) in [
        ("mkdir -p ~/.claude/settings.json", "cannot be read, so nothing is known of it: "),
        ("mkdir -p ~/.claude; mkfifo ~/.claude/settings.json", "cannot be read, so nothing"),
        ("mkdir -p ~/.claude; echo '{' > ~/.claude/settings.json", "as it is, so nothing in it"),
        ("mkdir -p ~/.claude; echo '{}' > ~/.claude/settings.json", ""),
    ] {
        let world = World::new();
        let document = world.document(&["env"], script, &[BINARY]);
        let info = document["info"].as_array().unwrap();
        assert_eq!(info.len(), usize::from(!said.is_empty()), "{script}: {info:?}");
        assert!(info.iter().all(|line| line.as_str().unwrap().contains(said)), "{info:?}");
        let source = document["facts"][0]["source"].as_str().unwrap();
        assert_eq!(source.contains("that can be read"), said.starts_with("cannot"), "{source}");
    }
}

#[test]
fn writers_that_take_turns_keep_nobody_out() {
    let world = World::new();
    let path = format!("{}/memory.db", world.store());
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let store = Connection::open(&path).unwrap();
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                store.execute_batch("BEGIN IMMEDIATE; SELECT count(*) FROM notes; COMMIT").unwrap();
            }
        });
        let lines = world.under(&["env"], ":", &[BINARY]);
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(line(&lines, "locked ringfence").starts_with("well"), "{lines:#?}");
    });
}

#[test]
fn cortex_has_its_store_where_a_link_leads() {
    let world = World::new();
    let real = world.home.dir("elsewhere").join("real.db");
    let store = Connection::open(&real).unwrap();
    store.execute_batch("PRAGMA journal_mode = wal; CREATE TABLE notes (id TEXT)").unwrap();
    drop(store);
    std::os::unix::fs::symlink(&real, world.work().join(".cortex.db")).unwrap();
    let lines = world.under(&["env"], ":", &[BINARY]);
    let found = line(&lines, "directory cortex");
    assert!(
        found.starts_with("well directory cortex: a file was kept in `~/elsewhere`"),
        "{found}"
    );
    let lines = world.under(
        &["env"],
        "rm -f ~/elsewhere/real.db-shm; mkdir ~/elsewhere/real.db-shm",
        &[BINARY],
    );
    assert!(line(&lines, "directory cortex").starts_with("fails"), "{lines:#?}");
}
