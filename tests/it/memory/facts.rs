//! Which stores a call reaches, and which paths are protected.

use std::path::{Path, PathBuf};
use std::process::Command;

use ringfence::decision::GuardedAction;
use ringfence::facts::{Machine, Setup};
use ringfence::guard::{Facts, Place, ProtectedKind};
use ringfence::memory::Family;
use ringfence::memory::store::Project;
use ringfence::memory::store::native::Writer;
use ringfence::request::Caller;
use ringfence::shell::Files;
use ringfence::state::{Grant, State};
use ringfence::sys::clock;
use ringfence::sys::dirs::Dirs;
use ringfence::sys::git::Repository;

use super::cortex_store;

/// A home, and projects in it; all paths with links resolved.
struct World {
    _dir: tempfile::TempDir,
    root: PathBuf,
}

impl World {
    fn new() -> Self {
        let dir = tempfile::Builder::new().prefix("ringfence-facts-").tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let world = Self { _dir: dir, root };
        world.repository("w", "ref: refs/heads/main\n");
        world.repository("other", "ref: refs/heads/main\n");
        world.dir("w/sub/deep");
        world.dir("plain");
        world
    }

    fn dir(&self, below: &str) -> PathBuf {
        let path = self.root.join(below);
        std::fs::create_dir_all(&path).unwrap();
        path
    }

    fn path(&self, below: &str) -> String {
        self.root.join(below).to_str().unwrap().into()
    }

    fn file(&self, below: &str, text: &str) -> PathBuf {
        let path = self.root.join(below);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    fn repository(&self, below: &str, head: &str) {
        self.dir(&format!("{below}/.git/objects"));
        self.dir(&format!("{below}/.git/refs"));
        self.file(&format!("{below}/.git/HEAD"), head);
    }

    fn dirs(&self) -> Dirs {
        Dirs {
            home: self.root.join("home"),
            config: self.root.join("home/.config/ringfence"),
            state: self.root.join("home/.local/state/ringfence"),
            data: self.root.join("home/.local/share/ringfence"),
        }
    }

    /// The machine for a call of subagent `agent` in `w`.
    fn machine(&self, agent: &str) -> Machine {
        self.machine_with(agent, "w", Some("w"), &[])
    }

    fn machine_with(
        &self,
        agent: &str,
        cwd: &str,
        project: Option<&str>,
        stores: &[PathBuf],
    ) -> Machine {
        let dirs = self.dirs();
        Machine::new(Setup {
            state: State::at(dirs.state.clone()),
            dirs,
            stores: stores.to_vec(),
            cortex_homes: Vec::new(),
            config: None,
            client: None,
            caller: Caller {
                session: "host".into(),
                agent: Some(agent.into()),
                ..Caller::default()
            },
            cwd: self.path(cwd),
            project: project.map(|project| self.path(project)),
            call_id: Some("toolu_1".into()),
        })
    }

    fn project(&self, below: &str) -> Project {
        let dir = self.root.join(below);
        Project::of(&dir, Repository::find(&dir).as_ref())
    }

    /// Builds the Cortex store of a directory; returns its path.
    fn cortex(&self, below: &str) -> PathBuf {
        let name = self.project(below).directory_name();
        let path = self.root.join(format!("home/.cortex/projects/{name}/cortex.db"));
        cortex_store(&path, "v6", "");
        path
    }

    fn native(&self, below: &str) -> PathBuf {
        let name = self.project(below).directory_name();
        let path = self.dirs().data.join("projects").join(name).join("memory.db");
        drop(Writer::open(&path).unwrap());
        path
    }

    fn place(&self, below: &str) -> Place {
        Place { cwd: Some(self.path(below)), ..Place::default() }
    }
}

/// What is reached, `*` before another project's; or the doubts.
fn reached(machine: &Machine, root: &Path, family: Family, place: &Place) -> Vec<String> {
    let (reached, doubts) = machine.stores(family, place);
    let root = format!("{}/", root.display());
    let stores = reached.iter().map(|store| {
        let mark = if store.own_project { "" } else { "*" };
        format!("{mark}{}", store.memory.path().strip_prefix(&root).unwrap())
    });
    let doubts = doubts.iter().map(|doubt| format!("?{}", doubt.code.as_str()));
    stores.chain(doubts).collect()
}

fn below(path: &Path, root: &Path) -> String {
    path.strip_prefix(root).unwrap().to_str().unwrap().into()
}

#[test]
fn both_families_are_found_from_anywhere_in_the_project() {
    let world = World::new();
    let (cortex, native) = (world.cortex("w"), world.native("w"));
    let linked = world.root.join("link");
    std::os::unix::fs::symlink(world.root.join("w/sub"), linked).unwrap();
    for cwd in ["w", "w/sub", "w/sub/deep", "link", "link/deep", "w/.git"] {
        let machine = world.machine("a");
        let place = world.place(cwd);
        let found = |family| reached(&machine, &world.root, family, &place);
        assert_eq!(found(Family::Cortex), [below(&cortex, &world.root)], "{cwd}");
        assert_eq!(found(Family::Native), [below(&native, &world.root)], "{cwd}");
    }
}

#[test]
fn linked_work_trees_share_a_store_and_have_their_own_branch() {
    let world = World::new();
    let (cortex, native) = (world.cortex("w"), world.native("w"));
    let git = world.dir("w/.git/worktrees/side");
    world.file("w/.git/worktrees/side/HEAD", "ref: refs/heads/side\n");
    world.file("w/.git/worktrees/side/commondir", "../..\n");
    world.file("side/.git", &format!("gitdir: {}\n", git.display()));
    let machine = world.machine("a");
    let place = world.place("side");
    let found = |family| reached(&machine, &world.root, family, &place);
    assert_eq!(found(Family::Cortex), [below(&cortex, &world.root)]);
    assert_eq!(found(Family::Native), [below(&native, &world.root)]);
    let scope = |place: &Place| {
        let (reached, _) = machine.stores(Family::Native, place);
        let caller = Caller { session: "host".into(), ..Caller::default() };
        reached[0].memory.circle(&caller).unwrap().scope
    };
    assert_eq!(scope(&place).as_deref(), Some("branch:side"));
    assert_eq!(scope(&world.place("w")).as_deref(), Some("branch:main"));
}

#[test]
fn another_projects_store_is_looked_in_besides_and_is_not_the_callers() {
    let world = World::new();
    let (own, other) = (world.cortex("w"), world.cortex("other"));
    // The caller's row is in both fixtures; only a store that knows it can be its own.
    rusqlite::Connection::open(&other)
        .unwrap()
        .execute_batch("DELETE FROM sessions WHERE agent_id = 'a'")
        .unwrap();
    let machine = world.machine("a");
    let found = reached(&machine, &world.root, Family::Cortex, &world.place("other"));
    let (own, other) = (below(&own, &world.root), below(&other, &world.root));
    assert_eq!(found, [format!("*{other}"), own.clone()]);
    // At a directory that only run time knows, the call's own are looked in.
    assert_eq!(reached(&machine, &world.root, Family::Cortex, &Place::default()), [own]);
}

#[test]
fn a_store_that_knows_the_caller_is_its_own_wherever_it_lies() {
    let world = World::new();
    let other = world.cortex("other");
    // The host was started above the repository, and works in it.
    let machine = world.machine_with("a", "other", Some("plain"), &[]);
    let found = reached(&machine, &world.root, Family::Cortex, &Place::default());
    assert_eq!(found, [below(&other, &world.root)]);
    let stranger = world.machine_with("stranger", "other", Some("plain"), &[]);
    let found = reached(&stranger, &world.root, Family::Cortex, &Place::default());
    assert_eq!(found, [format!("*{}", below(&other, &world.root))]);
}

#[test]
fn cortex_is_found_at_old_places_by_its_hash_and_in_a_home_that_is_named() {
    let world = World::new();
    cortex_store(&world.root.join("w/.cortex.db"), "v2", "");
    cortex_store(&world.root.join("w/sub/.cortex.db"), "v1", "");
    let id = world.project("w").id;
    let renamed = world.root.join(format!("home/.cortex/projects/renamed-{id}/cortex.db"));
    cortex_store(&renamed, "v6", "");
    let moved = world.root.join(format!("moved/projects/w-{id}/cortex.db"));
    cortex_store(&moved, "v6", "");
    let relative = world.root.join(format!("home/rel/projects/w-{id}/cortex.db"));
    cortex_store(&relative, "v6", "");

    let machine = world.machine("a");
    let place = world.place("w/sub");
    let usual = [below(&renamed, &world.root), "w/.cortex.db".into(), "w/sub/.cortex.db".into()];
    assert_eq!(reached(&machine, &world.root, Family::Cortex, &place), usual);
    let named = |home: &str| {
        let place = Place { cortex_home: Some(home.into()), ..place.clone() };
        reached(&machine, &world.root, Family::Cortex, &place)
    };
    // As well as the default, never instead.
    let with = |more: &Path| {
        let mut all = usual.to_vec();
        all.insert(1, below(more, &world.root));
        all
    };
    assert_eq!(named(&world.path("moved")), with(&moved));
    assert_eq!(named("  rel "), with(&relative));
    assert_eq!(named("nowhere"), usual);
}

#[test]
fn named_stores_are_told_apart_by_what_is_in_them() {
    let world = World::new();
    let cortex = world.root.join("named/one.db");
    cortex_store(&cortex, "v6", "");
    let native = world.root.join("named/two.db");
    drop(Writer::open(&native).unwrap());
    let registered = [cortex.clone(), native.clone()];
    let machine = world.machine_with("a", "w", None, &registered);
    let found = |family| reached(&machine, &world.root, family, &Place::default());
    assert_eq!(found(Family::Cortex), ["named/one.db"]);
    assert_eq!(found(Family::Native), ["named/two.db"]);

    let machine = world.machine("a");
    let place = Place { named: vec!["../named/two.db".into()], ..world.place("w") };
    assert_eq!(reached(&machine, &world.root, Family::Native, &place), ["named/two.db"]);
}

#[test]
fn what_is_missing_or_damaged_is_a_doubt_and_the_rest_is_still_found() {
    let world = World::new();
    let machine = world.machine("a");
    let found =
        |machine: &Machine| reached(machine, &world.root, Family::Cortex, &world.place("w"));
    assert_eq!(found(&machine), ["?store-missing"]);
    let cortex = world.cortex("w");
    std::fs::write(&cortex, "no database").unwrap();
    assert_eq!(found(&world.machine("a")), ["?store-corrupt"]);
    cortex_store(&world.root.join("w/.cortex.db"), "v6", "");
    assert_eq!(found(&world.machine("a")), ["w/.cortex.db", "?store-corrupt"]);
}

#[test]
fn after_a_few_locked_stores_no_other_is_waited_for() {
    let world = World::new();
    let machine = world.machine("a");
    let mut held = Vec::new();
    let mut found = Vec::new();
    for number in 0..12 {
        let below = format!("locked/{number}");
        let path = world.dir(&below).join(".cortex.db");
        cortex_store(&path, "v1", "");
        let holder = rusqlite::Connection::open(&path).unwrap();
        holder
            .execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; CREATE TABLE x (y);")
            .unwrap();
        held.push(holder);
        found.extend(reached(&machine, &world.root, Family::Cortex, &world.place(&below)));
    }
    assert_eq!(found[0], "?store-locked");
    assert_eq!(found[11], "?deadline");
}

#[test]
fn paths_are_resolved_as_the_kernel_does_it() {
    let world = World::new();
    world.file("w/file", "");
    for (link, target) in [("w/in", "sub"), ("w/out", "../other"), ("w/dangling", "sub/gone")] {
        std::os::unix::fs::symlink(target, world.root.join(link)).unwrap();
    }
    let machine = world.machine("a");
    for (path, expected) in [
        ("file", "w/file"),
        ("./sub//deep/", "w/sub/deep"),
        ("sub/../file", "w/file"),
        ("in/deep/../x", "w/sub/x"),
        // Not `w`: `..` goes up from where the link leads.
        ("out/..", ""),
        ("in/../file", "w/file"),
        ("missing/../file", "w/file"),
        ("missing/deeper", "w/missing/deeper"),
        ("dangling", "w/sub/gone"),
        ("../../../../../../../../..", "/"),
        ("", "w"),
    ] {
        let expected = if expected == "/" {
            "/".to_owned()
        } else {
            world.root.join(expected).to_str().unwrap().trim_end_matches('/').to_owned()
        };
        assert_eq!(machine.resolve(&world.path("w"), path), expected, "{path}");
    }
    assert_eq!(machine.resolve("/nowhere", "/a/./b/../c"), "/a/c");
    assert_eq!(machine.resolve(&world.path("w/in"), "../file"), world.path("w/file"));
    // The kernel refuses it, so its links lead nowhere.
    let long = format!("{}in", "sub/../".repeat(60_000));
    assert_eq!(machine.resolve(&world.path("w"), &long), world.path("w/in"));
}

#[test]
fn only_small_regular_files_are_read() {
    let world = World::new();
    let machine = world.machine("a");
    let text = |below: &str| machine.text(&world.path(below));
    world.file("w/script", "#!/bin/sh\n");
    world.file("w/limit", &"x".repeat(256 * 1024));
    world.file("w/large", &"x".repeat(256 * 1024 + 1));
    let fifo = world.path("w/fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    std::fs::write(world.root.join("w/latin"), b"caf\xe9").unwrap();
    assert_eq!(text("w/script").as_deref(), Some("#!/bin/sh\n"));
    assert_eq!(text("w/limit").map(|text| text.len()), Some(256 * 1024));
    assert_eq!(text("w/latin").as_deref(), Some("caf\u{fffd}"));
    for nothing in ["w/large", "w/fifo", "w", "w/gone"] {
        assert_eq!(text(nothing), None, "{nothing}");
    }
    assert_eq!(machine.text("script"), None);
    assert_eq!(machine.text("/dev/zero"), None);
}

#[test]
fn stores_our_own_files_and_the_clients_settings_are_protected() {
    let world = World::new();
    let stores =
        [world.cortex("w"), world.native("w"), world.cortex("other"), world.native("other")];
    world.file("w/.ringfence.toml", "");
    let protected = world.machine_with("a", "w/sub", Some("w"), &[]).protected();
    let of = |kind| {
        let all = protected.iter().filter(|found| found.kind == kind);
        all.filter_map(|found| {
            Some(Path::new(&found.path).strip_prefix(&world.root).ok()?.to_str()?.to_owned())
        })
        .collect::<Vec<_>>()
    };
    // The call's own stores come first.
    assert_eq!(of(ProtectedKind::Store), stores.map(|path| below(&path, &world.root)));
    assert_eq!(
        of(ProtectedKind::Own),
        ["home/.local/state/ringfence", "home/.config/ringfence", "w/.ringfence.toml"]
    );
    assert_eq!(
        of(ProtectedKind::Settings),
        [
            "home/.claude/settings.json",
            "w/sub/.claude/settings.json",
            "w/sub/.claude/settings.local.json",
            "w/.claude/settings.json",
            "w/.claude/settings.local.json",
        ]
    );
    let binary = std::env::current_exe().unwrap().canonicalize().unwrap();
    assert!(protected.iter().any(|found| Path::new(&found.path) == binary));
}

#[test]
fn a_grant_is_taken_once() {
    let world = World::new();
    let state = State::at(world.dirs().state);
    let grant = Grant {
        session: "host".into(),
        store: "/s/cortex.db".into(),
        id: "F".into(),
        action: "delete".into(),
        until: clock::now_ms() + 600_000,
    };
    state.keep_grant(&grant).unwrap();
    let machine = world.machine("a");
    let has = |action| machine.has_grant("/s/cortex.db", "F", action);
    assert!(has(GuardedAction::Delete) && !has(GuardedAction::Edit));
    assert!(!machine.take_grant("/s/cortex.db", "G", GuardedAction::Delete));
    assert!(machine.take_grant("/s/cortex.db", "F", GuardedAction::Delete));
    // The same call may be judged twice, where we are registered twice; another call has no part in it.
    assert!(machine.take_grant("/s/cortex.db", "F", GuardedAction::Delete));
    assert!(!state.take_grant("host", "/s/cortex.db", "F", "delete", "another call"));
}
