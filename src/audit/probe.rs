//! The probes: each known cause of unwritable memory, proved by doing where it can be. Nothing is left
//! behind, and no store is written.

use std::path::Path;
use std::time::Duration;

use super::agents::agents;
use super::client::{self, Channel, Sandbox, Store};
use super::gather::{self, Known, Question};
use crate::decision::Code;
use crate::memory::store::{Project, quick_check};
use crate::posture::boundary::start::bubblewrap;
use crate::posture::hosted::HOSTED_VARIABLE;
use crate::sys::child::{self, Run};
use crate::sys::git::Repository;
use crate::sys::{clock, env, file, proof};
use crate::wiring::doctor::{self, Health};
use crate::wiring::matcher::Matcher;

/// How long a proof inside a boundary may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// How often a writer's lock is looked at, and the pause between, in milliseconds: no note takes as
/// long as all of it.
const LOOKS: u32 = 100;
const PAUSE_MS: u64 = 20;

/// What a proof prints when it holds.
pub const PROVED: &str = "proved";

/// How a probe came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// This cause is not there.
    Well,
    /// It cannot be told from here.
    Unknown,
    /// It is there: memory is lost, or will be.
    Fails,
}

impl Outcome {
    /// The word in tables and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Well => "well",
            Self::Unknown => "unknown",
            Self::Fails => "fails",
        }
    }
}

/// One cause, tried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probed {
    /// Which cause.
    pub cause: &'static str,
    /// Of which store; empty for the machine.
    pub store: &'static str,
    /// How it came out.
    pub outcome: Outcome,
    /// What was seen.
    pub said: String,
}

/// Tries every cause out.
pub fn probe(question: &Question<'_>, known: &Known) -> Vec<Probed> {
    let mut all = Vec::new();
    for store in &known.stores {
        let mut add = |cause, (outcome, said): (Outcome, String)| {
            all.push(Probed { cause, store: store.name, outcome, said });
        };
        let directory = directory(store);
        let is_writable = directory.0 == Outcome::Well;
        add("directory", directory);
        add("sandbox", boundary(question, store, known.sandbox.as_ref()));
        add("rules", rules(question, store));
        add("throw-away", throw_away(question, store));
        add("other hooks", other_hooks(question, store));
        if let Some(file) = store.file.as_deref().filter(|file| file::exists(file)) {
            let (corrupt, locked) = readable(file, is_writable);
            add("corrupt", corrupt);
            add("locked", locked);
        }
    }
    let mut add = |cause, (outcome, said): (Outcome, String)| {
        all.push(Probed { cause, store: "", outcome, said });
    };
    add("switched off", switched_off(known));
    add("work tree", work_tree(question));
    add("agents' tools", agents(question));
    add("guard", guard(question));
    all
}

pub(super) fn well(said: impl Into<String>) -> (Outcome, String) {
    (Outcome::Well, said.into())
}

pub(super) fn fails(said: impl Into<String>) -> (Outcome, String) {
    (Outcome::Fails, said.into())
}

fn unknown(said: impl Into<String>) -> (Outcome, String) {
    (Outcome::Unknown, said.into())
}

/// Mode, owner, mount, space and quota, by keeping a file there as this process.
fn directory(store: &Store) -> (Outcome, String) {
    if let Err(said) = proof::keep_a_file(&store.named) {
        return fails(said);
    }
    let Some(path) = &store.file else {
        return well(format!("a file was kept in `{}`", store.root.display()));
    };
    let beside = ["", "-wal", "-shm"].map(|end| {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        std::path::PathBuf::from(name)
    });
    for one in beside.iter().filter(|one| file::exists(one)) {
        if let Err(said) = proof::open_to_write(one) {
            return fails(said);
        }
    }
    well(format!(
        "a file was kept in `{}`, and the store's files open to write",
        store.root.display()
    ))
}

/// The same from inside the boundary that will be around whoever writes.
fn boundary(
    question: &Question<'_>,
    store: &Store,
    sandbox: Option<&Sandbox>,
) -> (Outcome, String) {
    match (store.channel, sandbox) {
        (Channel::Server, _) => well("a server is not fenced"),
        (Channel::FileTools, _) => well("file tools are not in the sandbox"),
        (Channel::Shell, _) if env::var(HOSTED_VARIABLE).as_deref() == Some("1") => {
            let own = question.places.binary.to_string_lossy().into_owned();
            let workspace = question.places.project.to_string_lossy().into_owned();
            let argv = [own, "contain".into(), "--workspace".into(), workspace, "--".into()];
            let proved = prove_inside(question, &argv, store);
            told(proved, "the boundary of a hosted run", store)
        }
        (Channel::Shell, None) => well("no sandbox is around shell commands"),
        (Channel::Shell, Some(sandbox)) => {
            if sandbox.excluded.iter().any(|word| word == store.program) {
                return well(format!("`{}` runs outside of the sandbox", store.program));
            }
            let Some(bubblewrap) = bubblewrap() else {
                return unknown("bubblewrap is not at its usual place, so nothing can be tried");
            };
            let argv = drawn(&bubblewrap.to_string_lossy(), sandbox);
            let proved = prove_inside(question, &argv, store);
            // Where it cannot be drawn, the list is still known.
            if proved.is_none() && !client::sandbox_reaches(sandbox, &store.root) {
                return fails(format!(
                    "`{}` is not in the sandbox's write list",
                    store.root.display()
                ));
            }
            told(proved, "a sandbox drawn as the settings say", store)
        }
    }
}

fn told(proved: Option<Result<(), String>>, boundary: &str, store: &Store) -> (Outcome, String) {
    match proved {
        Some(Ok(())) => {
            well(format!("inside {boundary} a file was kept in `{}`", store.root.display()))
        }
        Some(Err(said)) => fails(format!("inside {boundary} {said}")),
        None => unknown(format!("{boundary} could not be drawn here")),
    }
}

/// The client's sandbox, as far as files go.
fn drawn(bubblewrap: &str, sandbox: &Sandbox) -> Vec<String> {
    let mut argv: Vec<String> =
        [bubblewrap, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
            .map(str::to_owned)
            .to_vec();
    let mut bind = |flag: &str, path: &Path| {
        let path = path.to_string_lossy().into_owned();
        argv.extend([flag.to_owned(), path.clone(), path]);
    };
    for path in &sandbox.inside {
        bind("--bind-try", path);
    }
    for path in &sandbox.closed {
        bind("--ro-bind-try", path);
    }
    argv.extend(["--unshare-user".to_owned(), "--die-with-parent".to_owned(), "--".to_owned()]);
    argv
}

/// What the proof says from inside; `None` when it did not get to run.
fn prove_inside(
    question: &Question<'_>,
    boundary: &[String],
    store: &Store,
) -> Option<Result<(), String>> {
    let own = question.places.binary.to_string_lossy().into_owned();
    let mut argv = boundary.to_vec();
    argv.extend([own, "audit".into(), "--prove".into()]);
    argv.push(store.root.to_string_lossy().into_owned());
    let run = Run { argv: &argv, cwd: question.cwd, env: &[], input: b"", limit: PATIENCE };
    let ended = child::run(&run).ok()?;
    let said = String::from_utf8_lossy(&ended.output).trim_end().to_owned();
    match (ended.status, said.as_str()) {
        (Some(0), PROVED) => Some(Ok(())),
        (Some(1), said) if !said.is_empty() => Some(Err(said.to_owned())),
        _ => None,
    }
}

fn rules(question: &Question<'_>, store: &Store) -> (Outcome, String) {
    if store.channel != Channel::FileTools {
        return well("no file tool writes it");
    }
    if let Some(denial) = gather::denial(question, &store.root) {
        return fails(format!("the rule `{}` in `{}` refuses it", denial.rule, denial.from));
    }
    match gather::ruled(question, &store.root, |file| &file.fence.ask) {
        Some(ask) => unknown(format!(
            "the rule `{}` in `{}` asks first: where nobody answers, it is refused",
            ask.rule, ask.from
        )),
        None => well("no rule covers it"),
    }
}

fn throw_away(question: &Question<'_>, store: &Store) -> (Outcome, String) {
    let root = &store.root;
    let mount = proof::mount_of(root);
    if let Some(mount) = &mount {
        if let Some(hidden) = &mount.hides {
            return fails(format!(
                "the mount at `{}` lies over the one at `{}`, where the store is meant to be",
                mount.point.display(),
                hidden.display()
            ));
        }
        if matches!(mount.kind.as_str(), "tmpfs" | "ramfs") {
            return fails(format!(
                "`{}` is in memory only ({}), gone with the next start",
                mount.point.display(),
                mount.kind
            ));
        }
    }
    let temporary = ["/tmp", "/var/tmp"].map(Path::new);
    // What is mounted below them is no part of them.
    let is_apart = |place: &Path| {
        mount.as_ref().is_some_and(|mount| mount.point != place && mount.point.starts_with(place))
    };
    let place = temporary.iter().find(|place| root.starts_with(place) && !is_apart(place));
    if let Some(place) = place {
        return fails(format!(
            "`{}` is for temporary things, which systems clear away",
            place.display()
        ));
    }
    if root.components().any(|one| one.as_os_str() == "_npx") {
        return fails("it lies in a cache of npx, which any run may clear");
    }
    let repository = Repository::find(&question.places.project);
    let linked = repository.as_ref().and_then(|found| found.top.as_ref()).filter(|top| {
        repository.as_ref().and_then(Repository::main_top).is_some_and(|main| main != top.as_path())
    });
    if let Some(top) = linked.filter(|top| root.starts_with(top)) {
        return fails(format!("it lies in the work tree `{}` and goes with it", top.display()));
    }
    let contained = ["/.dockerenv", "/run/.containerenv"].map(Path::new);
    if mount.is_some_and(|mount| mount.kind == "overlay")
        && contained.iter().any(|mark| file::exists(mark))
    {
        return fails("it lies in a container's own layer, gone with the container");
    }
    well("it lies where things stay")
}

fn other_hooks(question: &Question<'_>, store: &Store) -> (Outcome, String) {
    let tools: &[&str] = match (store.channel, store.name) {
        (Channel::FileTools, _) => &["Write", "Edit"],
        (Channel::Shell, _) => &["Bash"],
        (Channel::Server, "cortex") => &["mcp__cortex__cortex_note"],
        (Channel::Server, _) => &["mcp__ringfence__cortex_note"],
    };
    let loaded = question.files.iter().filter(|file| file.is_loaded());
    let asked: Vec<String> = loaded
        .flat_map(|file| file.others.iter())
        .filter(|other| {
            let matcher = Matcher::read(other.matcher.as_deref());
            tools.iter().any(|tool| matcher.hits(tool))
        })
        .filter_map(|other| other.words.first().cloned())
        .collect();
    match asked.first() {
        None => well("no other hook is asked before it"),
        Some(first) => unknown(format!(
            "{} other hooks are asked before it, and each can refuse it: {first}",
            asked.len()
        )),
    }
}

/// Whether the store is whole, and whether somebody keeps others out.
fn readable(path: &Path, is_writable: bool) -> ((Outcome, String), (Outcome, String)) {
    match quick_check(path) {
        Ok(()) => (well("the store is whole"), locked(path)),
        Err(doubt) if doubt.code == Code::StoreLocked => {
            (unknown("it is locked"), fails(format!("it is locked: {}", doubt.detail)))
        }
        Err(doubt) if doubt.code == Code::StoreCorrupt => (fails(doubt.detail), locked(path)),
        Err(doubt) => {
            let said = format!("it cannot be read: {}: {}", doubt.code.as_str(), doubt.detail);
            // Where the directory is at fault, the store itself may well be whole.
            let outcome = if is_writable { Outcome::Fails } else { Outcome::Unknown };
            ((outcome, said), unknown("it cannot be read"))
        }
    }
}

/// Whether one writer keeps all others out for longer than any note takes.
fn locked(path: &Path) -> (Outcome, String) {
    let free = || well("nobody keeps a reader or a writer out");
    let Some(writer) = proof::writer_of(path) else { return free() };
    for _ in 0..LOOKS {
        clock::pause(PAUSE_MS);
        // Where another one has it by now, each gets its turn.
        if proof::writer_of(path) != Some(writer) {
            return free();
        }
    }
    let who = match writer {
        0 => "another process".to_owned(),
        pid => format!("process {pid}"),
    };
    fails(format!("{who} keeps it for writing and does not end"))
}

fn switched_off(known: &Known) -> (Outcome, String) {
    let on = known.stores.iter().any(|store| store.channel == Channel::FileTools);
    match on {
        true => well("the client's own memory is on"),
        false => unknown("the client's own memory is off: it is not asked to write any"),
    }
}

fn work_tree(question: &Question<'_>) -> (Outcome, String) {
    let of = |dir: &Path| Project::of(dir, Repository::find(dir).as_ref()).id;
    let repository = Repository::find(question.cwd);
    let Some(main) = repository.as_ref().and_then(Repository::main_top) else {
        return well("there is no other work tree");
    };
    match file::canonical(main) {
        Some(main) if of(&main) != of(question.cwd) => {
            fails(format!("from here another store is found than from `{}`", main.display()))
        }
        _ => well(format!("the store is that of `{}`", main.display())),
    }
}

fn guard(question: &Question<'_>) -> (Outcome, String) {
    let rows = doctor::check(question.places);
    match rows.iter().find(|row| row.health == Health::Fail) {
        Some(row) => fails(format!("{}: {}", row.name, row.said)),
        None => well("a subagent's delete of a foreign note was refused"),
    }
}
