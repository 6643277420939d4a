//! A project, a home and a Cortex store in a temporary folder, and the guard's questions answered
//! from them.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use ringfence::decision::{Doubt, GuardedAction, Verdict};
use ringfence::guard::{
    Definer, Facts, Place, Policy, Protected, ProtectedKind, Reached, evaluate_memory_guard,
};
use ringfence::memory::Family;
use ringfence::memory::store::{CortexStore, Sitting};
use ringfence::request::{Argument, Arguments, Caller, MemoryGuardRequest};
use ringfence::shell::Files;

use crate::support::corpus;

/// Our record of when the host session was first seen: shortly before the base fixture's primary.
const FIRST_SEEN: &str = "2026-12-01T07:59:59.500Z";

/// Where the store lies.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Where {
    /// `.cortex.db` in the project, ignored by git.
    InProject,
    /// Below the home, as Cortex places it.
    InHome,
}

/// The world of one row.
pub(super) struct World {
    dir: tempfile::TempDir,
    pub(super) store: PathBuf,
    pub(super) project: PathBuf,
    pub(super) home: PathBuf,
    pub(super) grants: RefCell<Vec<(String, GuardedAction)>>,
    pub(super) other: RefCell<Option<PathBuf>>,
}

impl World {
    pub(super) fn new(place: Where, states: &str) -> Self {
        // Short, because a label shows no more than the end of a path.
        let dir = tempfile::Builder::new().prefix("rf-").tempdir_in("/tmp").unwrap();
        let root = dir.path().canonicalize().unwrap();
        let (project, home) = (root.join("w"), root.join("home"));
        let store = match place {
            Where::InProject => project.join(".cortex.db"),
            Where::InHome => home.join(".cortex/projects/w-0123456789abcdef/cortex.db"),
        };
        for folder in [&project, &home, store.parent().unwrap()] {
            std::fs::create_dir_all(folder).unwrap();
        }
        let world = Self {
            dir,
            store,
            project,
            home,
            grants: RefCell::default(),
            other: RefCell::default(),
        };
        world.write("w/.gitignore", ".cortex.db*\n");
        world.write("w/purge.sh", "#!/bin/sh\ncortex delete-memory F --yes\n");
        world.furnish();
        build(&world.store, states);
        world
    }

    /// The files that rows name.
    fn furnish(&self) {
        let hook = format!("{}/.local/bin/ringfence", self.home.display());
        let settings = serde_json::json!({
            "model": "a",
            "hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{
                "type": "command", "command": hook, "args": ["hook", "pre-tool-use"], "timeout": 5,
            }]}]},
        });
        for (path, text) in [
            ("home/.claude/settings.json", settings.to_string().as_str()),
            ("home/.config/ringfence/config.toml", "[guard]\n"),
            (
                "home/.claude/skills/late/SKILL.md",
                "---\nname: late\n---\n!`cortex delete-memory $1 --yes`\n",
            ),
            (
                "w/.claude/skills/tidy/SKILL.md",
                "Run !`git status` and never `cortex delete-memory F --yes`.\n",
            ),
            ("w/.claude/commands/db/purge.md", "!`cortex delete-memory F --yes`\n"),
            ("w/.claude/settings.json", "{\"model\":\"b\"}"),
            ("w/reads.sql", "SELECT * FROM notes;\n"),
            ("w/writes.sql", "DELETE FROM notes;\n"),
            ("w/off.json", "{\"disableAllHooks\": true}"),
            ("w/on.json", "{\"disableAllHooks\": false}"),
            ("w/plain.json", "{\"model\":\"c\"}"),
            ("w/Makefile", "purge:\n\tcortex delete-memory F --yes\n"),
            ("w/sub/keep.txt", "x"),
        ] {
            self.write(path, text);
        }
    }

    pub(super) fn write(&self, below: &str, text: &str) -> PathBuf {
        let path = self.dir.path().join(below);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    pub(super) fn request(&self, tool: &str, input: &str) -> MemoryGuardRequest {
        MemoryGuardRequest {
            tool: tool.into(),
            input: arguments(input),
            caller: Caller {
                session: "host".into(),
                agent: Some("a".into()),
                agent_type: Some("general-purpose".into()),
                ..Caller::default()
            },
            cwd: self.project.to_str().unwrap().into(),
            project: Some(self.project.to_str().unwrap().into()),
            call_id: None,
        }
    }

    pub(super) fn judge(&self, tool: &str, input: &str) -> Verdict {
        evaluate_memory_guard(self, &self.request(tool, input), &Policy::default())
    }

    /// The verdict in one line: `allow`, or the action and its targets; places by name.
    pub(super) fn verdict(&self, tool: &str, input: &str) -> String {
        let verdict = self.judge(tool, &self.fill(input));
        self.named(&line(&verdict))
    }

    /// Names of the corpus → paths of this world.
    pub(super) fn fill(&self, text: &str) -> String {
        text.replace("STORE", self.store.to_str().unwrap())
            .replace("FOLDER", self.store.parent().unwrap().to_str().unwrap())
            .replace("HOME_DIR", self.home.to_str().unwrap())
            .replace("PROJECT", self.project.to_str().unwrap())
    }

    /// Paths of this world → names of the corpus.
    pub(super) fn named(&self, text: &str) -> String {
        text.replace(self.store.to_str().unwrap(), "STORE")
            .replace(self.home.to_str().unwrap(), "HOME_DIR")
            .replace(self.project.to_str().unwrap(), "PROJECT")
    }
}

/// A verdict in one line.
pub(super) fn line(verdict: &Verdict) -> String {
    match &verdict.denial {
        None => "allow".into(),
        Some(denial) => {
            let ids: Vec<&str> = denial.targets.iter().map(|target| target.id.as_str()).collect();
            format!("{} {}", denial.action.as_str(), ids.join(" "))
        }
    }
}

/// Makes a store with the base fixture and the states named in `states` (`base`, `a+b`).
pub(super) fn build(path: &Path, states: &str) {
    let connection = rusqlite::Connection::open(path).unwrap();
    connection.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
    connection.execute_batch(&corpus("guard/cortex.sql")).unwrap();
    let all = corpus("guard/states.sql");
    for state in states.split('+').filter(|state| *state != "base") {
        let (_, rest) = all
            .split_once(&format!("-- state: {state}\n"))
            .unwrap_or_else(|| panic!("no state {state}"));
        connection.execute_batch(rest.split("-- state:").next().unwrap()).unwrap();
    }
}

/// The arguments of a call: a JSON object, or the text of a shell command.
pub(super) fn arguments(input: &str) -> Arguments {
    let object: Option<serde_json::Map<String, serde_json::Value>> =
        input.starts_with('{').then(|| serde_json::from_str(input).ok()).flatten();
    let Some(object) = object else {
        return Arguments::new(vec![("command".into(), Argument::Text(input.into()))]);
    };
    let pairs = object.into_iter().map(|(key, value)| {
        let value = match value {
            serde_json::Value::Null => Argument::Null,
            serde_json::Value::String(text) => Argument::Text(text),
            other => Argument::Other(other.to_string()),
        };
        (key, value)
    });
    Arguments::new(pairs.collect())
}

impl Files for World {
    fn text(&self, path: &str) -> Option<String> {
        let bytes = std::fs::read(path).ok()?;
        String::from_utf8(bytes).ok()
    }
}

impl Facts for World {
    fn stores(&self, family: Family, place: &Place) -> (Vec<Reached>, Vec<Doubt>) {
        if family == Family::Native {
            return (Vec::new(), Vec::new());
        }
        let other = self.other.borrow();
        let there = other
            .as_ref()
            .filter(|path| place.cwd.as_deref().is_some_and(|cwd| path.starts_with(cwd)));
        let mut found = (Vec::new(), Vec::new());
        for (path, own_project) in [(Some(&self.store), true), (there, false)] {
            let Some(path) = path else { continue };
            match CortexStore::open(path, sitting()) {
                Ok(store) => found.0.push(Reached { memory: Rc::new(store), own_project }),
                Err(doubt) => found.1.push(doubt),
            }
        }
        found
    }

    fn protected(&self) -> Vec<Protected> {
        let path = |path: &Path| path.to_str().unwrap().to_owned();
        let own = |below: &str, what| Protected {
            path: path(&self.home.join(below)),
            what,
            kind: ProtectedKind::Own,
        };
        vec![
            Protected {
                path: path(&self.store),
                what: "the memory store",
                kind: ProtectedKind::Store,
            },
            own(".config/ringfence", "Ringfence's configuration"),
            own(".local/state/ringfence", "Ringfence's state"),
            own(".local/bin/ringfence", "Ringfence's program"),
            Protected {
                path: path(&self.home.join(".claude/settings.json")),
                what: "the client's settings",
                kind: ProtectedKind::Settings,
            },
        ]
    }

    fn resolve(&self, cwd: &str, path: &str) -> String {
        let absolute = ringfence::shell::absolute(Some(cwd), path).unwrap();
        let mut known = PathBuf::from(&absolute);
        let mut rest = Vec::new();
        loop {
            if let Ok(real) = known.canonicalize() {
                rest.reverse();
                return rest
                    .iter()
                    .fold(real, |path: PathBuf, part| path.join(part))
                    .to_str()
                    .unwrap()
                    .into();
            }
            match known.file_name().map(std::ffi::OsStr::to_owned) {
                Some(name) => rest.push(name),
                None => return absolute,
            }
            known.pop();
        }
    }

    fn home(&self) -> &str {
        self.home.to_str().unwrap()
    }

    fn definer(&self, agent_type: &str) -> Option<Definer> {
        let below = format!(".claude/agents/{agent_type}.md");
        let project = self.project.join(&below);
        let owner = self.home.join(&below);
        let known = [(project, Definer::Project), (owner, Definer::Owner)];
        known.into_iter().find(|(path, _)| path.exists()).map(|(_, definer)| definer)
    }

    fn has_grant(&self, _store: &str, id: &str, action: GuardedAction) -> bool {
        self.grants.borrow().iter().any(|(known, act)| known == id && *act == action)
    }

    fn take_grant(&self, _store: &str, id: &str, action: GuardedAction) -> bool {
        let mut grants = self.grants.borrow_mut();
        let at = grants.iter().position(|(known, act)| known == id && *act == action);
        at.map(|at| grants.remove(at)).is_some()
    }
}

fn sitting() -> Sitting {
    Sitting { first_seen: Some(FIRST_SEEN.into()), ..Sitting::default() }
}
