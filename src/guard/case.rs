//! One call under judgement: what is asked of the machine is asked once, what is found is kept.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::{Facts, Place, Policy, Protected, ProtectedKind, Reached};
use crate::decision::{Code, Doubt, GuardedAction};
use crate::memory::{Circle, Family};
use crate::request::MemoryGuardRequest;
use crate::shell::Word;

/// How deep prompts, skills and files may lead into each other.
const MAX_DEPTH: u8 = 4;

/// How many questions about paths one call may cost; what lies beyond is compared as spelled.
const MAX_QUESTIONS: u32 = 1_000;

/// How many memories one call may name. No honest call comes near, and what lies beyond is a doubt.
/// As many as the reader finds programs: a crowd of made-up ids must not hide a real one.
const MAX_MEMORIES: u32 = 10_000;

/// How many links one call may make that are followed.
const MAX_LINKS: usize = 16;

/// How many files of its own a call's later commands are told of.
const MAX_WRITTEN: usize = 64;

/// How many steps of reading the programs may cost that are judged with what searches find. One may
/// take as many as a call's own text; what it starts is judged in any case.
const MAX_SEARCH_STEPS: usize = 100_000;

/// In how many directories of its own one text is followed.
const MAX_DIRECTORIES: usize = 32;

/// A call under judgement.
pub(super) struct Case<'a> {
    pub(super) facts: &'a dyn Facts,
    pub(super) request: &'a MemoryGuardRequest,
    /// Further names of Cortex's program.
    pub(super) programs: &'a [String],
    pub(super) found: Found,
    stores: Vec<(Family, Place, Rc<Vec<Store>>)>,
    protected: Vec<(Option<String>, Rc<Vec<Protected>>)>,
    depth: u8,
    questions: Cell<u32>,
    memories: u32,
    folders: RefCell<HashMap<(String, String), String>>,
    /// Links that the call itself makes: the link's absolute path, and where it leads.
    links: Vec<(String, String)>,
    /// A file is changed whose name only run time knows.
    pub(super) changes_unknown: bool,
    /// What the call itself writes into files, by path; `None` = only run time knows.
    written: HashMap<String, Option<String>>,
    /// The protected files that the call itself has git track.
    pub(super) tracked: Vec<String>,
    /// The call lets `git clean` go without `-f`.
    pub(super) cleans_unforced: bool,
    /// The steps of reading that programs took which were judged with what a search finds.
    search_steps: usize,
    /// Their command lines, with the directories they run in.
    searches: HashSet<(Option<String>, String)>,
}

/// A store that the call reaches, with the caller's circle in it.
pub(super) struct Store {
    pub(super) reached: Reached,
    pub(super) circle: Result<Circle, Doubt>,
}

/// What was found, in the order found.
#[derive(Default)]
pub(super) struct Found {
    pub(super) memories: Vec<TouchedMemory>,
    pub(super) tampers: Vec<Tamper>,
    pub(super) doubts: Vec<Doubt>,
    /// The ids of what is the caller's own.
    pub(super) own: Vec<String>,
    /// It was found in a text that could not be read whole.
    pub(super) unread: bool,
    /// It was found in what code is made of that only run time knows.
    pub(super) made: bool,
}

impl Found {
    /// Whether nothing was found that the call would change.
    pub(super) fn is_empty(&self) -> bool {
        self.memories.is_empty() && self.tampers.is_empty()
    }
}

/// A foreign memory that the call would change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TouchedMemory {
    pub(super) effect: Effect,
    /// As the call spelled it, or the store's for a subject or an implicit target.
    pub(super) id: String,
    /// As the store has it.
    pub(super) stored_id: String,
    pub(super) label: String,
    pub(super) whence: Whence,
    /// The store's file.
    pub(super) store: String,
}

/// What would happen to a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Effect {
    /// A newer note on the subject retires it.
    Supersede,
    /// It is marked as resolved or superseded.
    Resolve,
    /// Its text is replaced.
    Rewrite,
    /// It is put back to what it was.
    Restore,
    /// It is removed.
    Delete,
}

impl Effect {
    pub(super) fn action(self) -> GuardedAction {
        match self {
            Self::Supersede | Self::Resolve => GuardedAction::Retire,
            Self::Rewrite | Self::Restore => GuardedAction::Edit,
            Self::Delete => GuardedAction::Delete,
        }
    }
}

/// Where a foreign memory comes from, seen from the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Whence {
    /// The caller's own scope, which is this one.
    Here(String),
    /// Another scope of the same project; `None` = the store does not say.
    Elsewhere(Option<String>),
    /// The store of another project.
    OtherProject,
}

/// Something besides a single memory that the call would change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tamper {
    /// What a subagent may not do, after "may not".
    pub(super) may_not: &'static str,
    /// What the call would do, after "would"; the path is named in it.
    pub(super) would: String,
    /// What is meant: a path, or the command for what has none.
    pub(super) path: String,
    /// The path's label.
    pub(super) label: String,
}

impl<'a> Case<'a> {
    pub(super) fn new(
        facts: &'a dyn Facts,
        request: &'a MemoryGuardRequest,
        policy: &'a Policy,
    ) -> Self {
        let found = Found::default();
        Self {
            facts,
            request,
            programs: &policy.programs,
            found,
            stores: Vec::new(),
            protected: Vec::new(),
            depth: 0,
            questions: Cell::new(0),
            memories: 0,
            folders: RefCell::default(),
            links: Vec::new(),
            changes_unknown: false,
            written: HashMap::new(),
            tracked: Vec::new(),
            cleans_unforced: false,
            search_steps: 0,
            searches: HashSet::new(),
        }
    }

    /// The stores of `family` that an invocation at `place` reaches; doubts are noted.
    pub(super) fn stores(&mut self, family: Family, place: &Place) -> Rc<Vec<Store>> {
        let known = self.stores.iter().find(|(f, p, _)| *f == family && p == place);
        if let Some((_, _, stores)) = known {
            return Rc::clone(stores);
        }
        let (reached, doubts) = self.facts.stores(family, place);
        for doubt in doubts {
            self.doubt(doubt);
        }
        let stores: Vec<Store> = reached
            .into_iter()
            .map(|reached| Store { circle: reached.memory.circle(&self.request.caller), reached })
            .collect();
        let stores = Rc::new(stores);
        self.stores.push((family, place.clone(), Rc::clone(&stores)));
        stores
    }

    /// The protected paths of the call, and the stores of `cwd` where the text itself went there.
    pub(super) fn protected(&mut self, cwd: Option<&str>) -> Rc<Vec<Protected>> {
        let cwd = cwd.filter(|cwd| *cwd != self.request.cwd);
        if let Some((_, known)) = self.protected.iter().find(|(at, _)| at.as_deref() == cwd) {
            return Rc::clone(known);
        }
        let all = match cwd.filter(|_| self.protected.len() < MAX_DIRECTORIES) {
            None if self.protected.is_empty() => Rc::new(self.facts.protected()),
            None => return self.protected(None),
            Some(cwd) => {
                let mut all = self.protected(None).to_vec();
                self.add_stores(&mut all, cwd);
                Rc::new(all)
            }
        };
        self.protected.push((cwd.map(str::to_owned), Rc::clone(&all)));
        all
    }

    fn add_stores(&self, all: &mut Vec<Protected>, cwd: &str) {
        let place = Place { cwd: Some(cwd.to_owned()), ..Place::default() };
        for family in [Family::Cortex, Family::Native] {
            // What cannot be read is a doubt only where a memory is looked for.
            let (reached, _) = self.facts.stores(family, &place);
            for store in reached {
                let path = store.memory.path().to_owned();
                if !all.iter().any(|known| known.path == path) {
                    let what = "the memory store";
                    all.push(Protected { path, what, kind: ProtectedKind::Store });
                }
            }
        }
    }

    /// Whether one more memory may be looked for; at the first that may not, a doubt is noted.
    pub(super) fn may_ask(&mut self) -> bool {
        self.memories = self.memories.saturating_add(1);
        let may = self.memories <= MAX_MEMORIES;
        if !may {
            self.doubt_of(Code::ShellUnclear, "too many targets");
        }
        may
    }

    /// Whether one more program may be judged with what a search finds; at the first that may not, a
    /// doubt is noted.
    pub(super) fn may_search(&mut self, removes: bool) -> bool {
        let most = if removes { 2 * MAX_SEARCH_STEPS } else { MAX_SEARCH_STEPS };
        let may = self.search_steps < most;
        if !may {
            self.doubt_of(Code::ShellUnclear, "too many found files");
        }
        may
    }

    /// Whether a command line of a search was not judged yet.
    pub(super) fn is_new_search(&mut self, cwd: Option<&str>, words: &str) -> bool {
        self.searches.insert((cwd.map(str::to_owned), words.to_owned()))
    }

    /// Counts the steps that such a program took to read.
    pub(super) fn searched(&mut self, steps: usize) {
        self.search_steps = self.search_steps.saturating_add(steps);
    }

    /// Remembers what the call writes into a file, for commands after it.
    pub(super) fn wrote(&mut self, cwd: Option<&str>, path: &str, text: Option<String>) {
        if let Some(path) = crate::shell::absolute(cwd, path)
            && self.written.len() < MAX_WRITTEN
        {
            self.written.insert(path, text);
        }
    }

    /// The text of a file, as the call itself leaves it: `Some(None)` if it writes what only run time
    /// knows, `None` if there is no readable file of that name.
    pub(super) fn text_at(&self, cwd: Option<&str>, word: &Word) -> Option<Option<String>> {
        let path = word.literal()?;
        let absolute = crate::shell::absolute(cwd, path)?;
        if let Some(text) = self.written.get(&absolute) {
            return Some(text.clone());
        }
        self.facts.text(&self.resolve(cwd.unwrap_or("/"), path)).map(Some)
    }

    /// Whether the call has used its questions up; at the first time a doubt is noted.
    pub(super) fn is_busy(&mut self) -> bool {
        let busy = self.questions.get() > MAX_QUESTIONS;
        if busy {
            self.doubt_of(Code::ShellUnclear, "too many targets");
        }
        busy
    }

    /// Like [`Self::resolve`] for a folder: many files of one call lie in the same few.
    pub(super) fn resolve_folder(&self, cwd: &str, folder: &str) -> String {
        let key = (cwd.to_owned(), folder.to_owned());
        if let Some(known) = self.folders.borrow().get(&key) {
            return known.clone();
        }
        let resolved = self.resolve(cwd, folder);
        self.folders.borrow_mut().insert(key, resolved.clone());
        resolved
    }

    /// `path` made absolute, links resolved; beyond the bound of questions only as it is spelled.
    pub(super) fn resolve(&self, cwd: &str, path: &str) -> String {
        if let Some(led) = self.led(cwd, path) {
            return self.resolve_made("/", &led);
        }
        self.resolve_made(cwd, path)
    }

    /// Where a path leads by the links that the call itself makes.
    fn led(&self, cwd: &str, path: &str) -> Option<String> {
        if self.links.is_empty() {
            return None;
        }
        let mut led = crate::shell::absolute(Some(cwd), path)?;
        let mut any = false;
        for _ in 0..MAX_LINKS {
            let next = self.links.iter().rev().find_map(|(link, target)| {
                let below = led.strip_prefix(link.as_str())?;
                (below.is_empty() || below.starts_with('/')).then(|| format!("{target}{below}"))
            });
            let Some(next) = next.filter(|next| *next != led) else { break };
            led = next;
            any = true;
        }
        any.then_some(led)
    }

    /// Notes a link that the call makes.
    pub(super) fn link(&mut self, link: String, target: String) {
        let inside = target.strip_prefix(&link).is_some_and(|rest| rest.starts_with('/'));
        if self.links.len() < MAX_LINKS && link != target && !inside {
            self.links.push((link, target));
            self.folders.borrow_mut().clear();
        }
    }

    fn resolve_made(&self, cwd: &str, path: &str) -> String {
        let asked = self.questions.get();
        self.questions.set(asked.saturating_add(1));
        if asked < MAX_QUESTIONS {
            self.facts.resolve(cwd, path)
        } else {
            crate::shell::absolute(Some(cwd), path).unwrap_or_default()
        }
    }

    /// The place of a call that is no shell command.
    pub(super) fn place_of_call(&self) -> Place {
        Place { cwd: Some(self.request.cwd.clone()), ..Place::default() }
    }

    /// Notes a doubt, once.
    pub(super) fn doubt(&mut self, doubt: Doubt) {
        if !self.found.doubts.contains(&doubt) {
            self.found.doubts.push(doubt);
        }
    }

    /// Notes a doubt of this code with a short detail, once.
    pub(super) fn doubt_of(&mut self, code: Code, detail: &str) {
        self.doubt(Doubt::new(code, super::label::one_line(detail, 200)));
    }

    /// Notes a foreign memory; of equal ids the graver effect stays.
    pub(super) fn touch(&mut self, memory: TouchedMemory) {
        let same = |known: &&mut TouchedMemory| {
            known.stored_id == memory.stored_id && known.store == memory.store
        };
        match self.found.memories.iter_mut().find(same) {
            Some(known) => known.effect = known.effect.max(memory.effect),
            None => self.found.memories.push(memory),
        }
    }

    /// Notes a tamper, once for each path.
    pub(super) fn tamper(&mut self, tamper: Tamper) {
        if !self.found.tampers.iter().any(|known| known.path == tamper.path) {
            self.found.tampers.push(tamper);
        }
    }

    /// Runs `judge` one level deeper, unless that is too deep.
    pub(super) fn deeper(&mut self, judge: impl FnOnce(&mut Self)) {
        if self.depth < MAX_DEPTH {
            self.depth += 1;
            judge(self);
            self.depth -= 1;
        }
    }
}
