//! The probes, in mount namespaces of their own: each fault is made for real.

use std::process::{Command, Stdio};

use crate::support::{BINARY, Home};

/// Whether a mount namespace can be made here; says so when not.
pub(super) fn has_namespaces() -> bool {
    let made = Command::new("unshare")
        .args(["-m", "mount", "-t", "tmpfs", "none", "/mnt"])
        .stderr(Stdio::null())
        .status();
    let can = made.is_ok_and(|status| status.success());
    if !can {
        eprintln!("SKIPPED: no mount namespace can be made here");
    }
    can
}

/// A project with a note in our store, below a place that is not cleared by the system.
pub(super) struct World {
    pub(super) home: Home,
    _dir: tempfile::TempDir,
}

impl World {
    pub(super) fn new() -> Self {
        let dir = tempfile::Builder::new()
            .prefix("audit-probe-")
            .tempdir_in(env!("CARGO_TARGET_TMPDIR"))
            .unwrap();
        let home = Home::at(&dir.path().canonicalize().unwrap());
        home.dir("work/.git");
        let world = Self { home, _dir: dir };
        let note = ["note", "decision", "One queue.", "--subject", "queue", "--session", "monday"];
        assert_eq!(world.home.run_in(&world.work(), &note, b"").code, Some(0));
        world
    }

    pub(super) fn work(&self) -> std::path::PathBuf {
        self.home.path().join("work")
    }

    pub(super) fn store(&self) -> String {
        let projects = self.home.path().join(".local/share/ringfence/projects");
        let found = std::fs::read_dir(projects).unwrap().next().unwrap().unwrap();
        found.path().to_str().unwrap().to_owned()
    }

    /// The probes after `script` has changed the world, as `outcome cause store: said`.
    fn after(&self, script: &str) -> Vec<String> {
        self.under(&["unshare", "-m"], script, &[BINARY])
    }

    /// What the probes say after `script`, as JSON.
    pub(super) fn document(
        &self,
        prefix: &[&str],
        script: &str,
        program: &[&str],
    ) -> serde_json::Value {
        let text = format!("{script}\nexec {} audit --probe --json", program.join(" "));
        let (first, rest) = prefix.split_first().unwrap();
        let output = Command::new(first)
            .args(rest)
            .args(["sh", "-euc", &text])
            .current_dir(self.work())
            .env_clear()
            .env("HOME", self.home.path())
            .env("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {said} {output:?}"))
    }

    pub(super) fn under(&self, prefix: &[&str], script: &str, program: &[&str]) -> Vec<String> {
        let document = self.document(prefix, script, program);
        let probes = document["probes"].as_array().unwrap();
        let text = |value: &serde_json::Value| value.as_str().unwrap_or("machine").to_owned();
        probes
            .iter()
            .map(|one| {
                let words = ["outcome", "cause", "store", "said"].map(|key| text(&one[key]));
                let [outcome, cause, store, said] = words;
                format!("{outcome} {cause} {store}: {said}")
                    .replace(self.home.path().to_str().unwrap(), "~")
            })
            .collect()
    }

    /// Everything below the home but what the commands themselves keep.
    pub(super) fn listing(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut open = vec![self.home.path().to_path_buf()];
        while let Some(dir) = open.pop() {
            for entry in std::fs::read_dir(dir).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path.clone());
                }
                found.push(path.to_string_lossy().into_owned());
            }
        }
        found.sort();
        found
    }
}

/// The line of one cause and store.
pub(super) fn line<'a>(lines: &'a [String], start: &str) -> &'a str {
    let found = lines.iter().find(|line| line.split_once(' ').unwrap().1.starts_with(start));
    found.unwrap_or_else(|| panic!("no {start}: {lines:#?}"))
}

#[test]
fn a_sound_store_is_proved_and_nothing_is_left_behind() {
    let world = World::new();
    let before = world.listing();
    let lines = world.under(&["env"], ":", &[BINARY]);
    for start in
        ["directory ringfence", "sandbox ringfence", "corrupt ringfence", "locked ringfence"]
    {
        assert!(line(&lines, start).starts_with("well "), "{lines:#?}");
    }
    // Reading a store makes its side files, as any look-up does; of the proofs there is nothing.
    let after = world.listing();
    let new: Vec<_> = after.iter().filter(|path| !before.contains(path)).collect();
    assert!(new.iter().all(|path| path.ends_with("-shm") || path.ends_with("-wal")), "{new:?}");
}

#[test]
fn each_fault_of_a_directory_is_told_from_the_others() {
    if !has_namespaces() {
        return;
    }
    let world = World::new();
    let store = world.store();
    let tmpfs = format!(
        "cp -a {store} {store}.keep; mount -t tmpfs -o size=200k,mode=700 none {store}; \
         cp {store}.keep/memory.db {store}/; rm -r {store}.keep"
    );
    let rows = [
        (
            format!("mount --bind {store} {store}; mount -o remount,bind,ro {store}"),
            "fails directory ringfence: no file can be made in",
            "the file system is read-only",
        ),
        (
            format!("{tmpfs}; head -c 400k /dev/zero > {store}/full || :"),
            "fails directory ringfence: no file can be",
            "there is no space left",
        ),
        (tmpfs.clone(), "fails throw-away ringfence:", "is in memory only (tmpfs)"),
        (
            format!("mount --bind {store} {store}; mount -t tmpfs none {store}/..; mkdir {store}"),
            "fails throw-away ringfence: the mount at",
            "lies over the one at",
        ),
        (
            format!("mount --bind -o noexec {store} {store}; mount -o remount,bind,noexec {store}"),
            "well directory ringfence: a file was kept in",
            "open to write",
        ),
    ];
    for (script, start, holds) in rows {
        let lines = world.after(&script);
        let key = start.split_once(' ').unwrap().1.split(':').next().unwrap();
        let found = line(&lines, key);
        assert!(found.starts_with(start) && found.contains(holds), "{script}\n{found}");
    }
    assert!(!world.listing().iter().any(|path| path.contains(".ringfence-proof")));
}

#[test]
fn a_directory_of_another_user_is_named_with_both() {
    if !has_namespaces() {
        return;
    }
    let world = World::new();
    let store = world.store();
    let setpriv = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"];
    // All of the way but the store itself is open to that user.
    let open = format!(
        "mount --bind {store} /mnt; mount -t tmpfs -o mode=755 none /srv; \
         cp {BINARY} /srv/ringfence; chmod 755 /srv/ringfence; mkdir /srv/home; chmod 777 /srv/home; \
         export HOME=/srv/home RINGFENCE_STORE=/mnt/memory.db; chmod 755 {store}; chmod 644 {store}/memory.db; \
         cd /srv/home"
    );
    let program: Vec<&str> = setpriv.iter().copied().chain(["/srv/ringfence"]).collect();
    let lines = world.under(&["unshare", "-m"], &open, &program);
    let found = line(&lines, "directory ringfence");
    assert!(
        found.starts_with("fails")
            && found.ends_with("it belongs to user 0, and this is user 65534"),
        "{found}"
    );
}

#[test]
fn a_broken_store_is_told_from_a_whole_one() {
    let world = World::new();
    let path = format!("{}/memory.db", world.store());
    let mut bytes = std::fs::read(&path).unwrap();
    for byte in &mut bytes[4096..] {
        *byte = 0xff;
    }
    std::fs::write(&path, bytes).unwrap();
    let lines = world.under(&["env"], ":", &[BINARY]);
    assert!(line(&lines, "corrupt ringfence").starts_with("fails"), "{lines:#?}");
}

#[test]
fn the_sandbox_of_the_settings_is_drawn_and_tried() {
    let drawn = Command::new("bwrap")
        .args(["--ro-bind", "/", "/", "--unshare-user", "true"])
        .stderr(Stdio::null())
        .status();
    let socat = std::path::Path::new("/usr/bin/socat").exists();
    if !socat || !drawn.is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: bubblewrap and socat cannot draw a sandbox here");
        return;
    }
    let world = World::new();
    world.home.file(".claude/settings.json", r#"{"sandbox": {"enabled": true}}"#);
    let found = world.under(&["env"], ":", &[BINARY]);
    let found = line(&found, "sandbox ringfence");
    assert!(
        found.starts_with("fails sandbox ringfence: inside a sandbox drawn as the settings say no file can be made")
            && found.ends_with("the file system is read-only"),
        "{found}"
    );
    let open =
        r#"{"sandbox": {"enabled": true, "filesystem": {"allowWrite": ["~/.local/share"]}}}"#;
    world.home.file(".claude/settings.json", open);
    let found = world.under(&["env"], ":", &[BINARY]);
    let found = line(&found, "sandbox ringfence");
    assert!(found.starts_with("well sandbox ringfence: inside a sandbox"), "{found}");
}

#[test]
fn rules_switches_work_trees_hooks_and_agents_are_looked_at() {
    let world = World::new();
    let before = world.under(&["env"], ":", &[BINARY]);
    for start in ["rules auto memory", "switched off", "work tree", "agents' tools", "other hooks"]
    {
        assert!(line(&before, start).starts_with("well"), "{before:#?}");
    }
    world.home.file(
        ".claude/settings.json",
        r#"{"permissions": {"deny": ["Edit(~/.claude/**)"]}, "hooks": {"PreToolUse": [{"matcher": "Write|Bash", "hooks": [{"type": "command", "command": "/opt/other check"}]}]}}"#,
    );
    world.home.file(".claude/agents/a.md", "---\nname: a\nmemory: user\ntools: Read, Grep\n---\n");
    let after = world.under(&["env"], ":", &[BINARY]);
    assert!(line(&after, "rules auto memory").starts_with("fails"), "{after:#?}");
    assert!(line(&after, "other hooks ringfence").ends_with("/opt/other"), "{after:#?}");
    assert!(line(&after, "agents' tools").starts_with("fails"), "{after:#?}");
    for tools in ["Read, Write", "[\"Read\", \"Edit\"]", "\n  - Read\n  - Write", "'*'"] {
        let text = format!("---\nname: a\nmemory: user\ntools: {tools}\n---\n");
        world.home.file(".claude/agents/a.md", &text);
        let lines = world.under(&["env"], ":", &[BINARY]);
        assert!(line(&lines, "agents' tools").starts_with("well"), "{tools}");
    }
    world.home.file(".claude/settings.json", r#"{"autoMemoryEnabled": false}"#);
    let off = world.under(&["env"], ":", &[BINARY]);
    assert!(line(&off, "switched off").starts_with("unknown"), "{off:#?}");
}
