//! The machine's facts, looked at without being changed, and what the stores were asked.

use std::cell::RefCell;
use std::rc::Rc;

use crate::decision::{Doubt, GuardedAction};
use crate::facts::Machine;
use crate::guard::{Definer, Facts, Place, Protected, Reached};
use crate::memory::{Circle, Family, Item, Memory, Note, Session};
use crate::request::Caller;
use crate::shell::Files;

/// One memory that the guard found, or did not find, in one store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LookedUp {
    /// The store's file.
    pub(super) store: String,
    /// What was asked for: an id, or a subject.
    pub(super) asked: String,
    pub(super) found: Vec<Owned>,
    pub(super) doubt: Option<Doubt>,
}

/// A memory with its owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Owned {
    pub(super) id: String,
    pub(super) kind: String,
    pub(super) subject: Option<String>,
    pub(super) session: Option<String>,
    pub(super) agent: Option<String>,
    pub(super) scope: Option<String>,
}

/// What one store knows of the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) store: String,
    pub(super) circle: Result<Circle, Doubt>,
}

/// What the stores were asked in the course of a judgement, each question once.
#[derive(Default)]
pub(super) struct Watch {
    pub(super) looked_up: RefCell<Vec<LookedUp>>,
    pub(super) known: RefCell<Vec<Known>>,
}

/// The most questions that are kept.
const MOST: usize = 200;

/// The machine's facts, but for grants: explaining a call must not use one up.
pub(super) struct LookOnly {
    pub(super) machine: Machine,
    pub(super) watch: Rc<Watch>,
}

impl Files for LookOnly {
    fn text(&self, path: &str) -> Option<String> {
        self.machine.text(path)
    }
}

impl Facts for LookOnly {
    fn stores(&self, family: Family, place: &Place) -> (Vec<Reached>, Vec<Doubt>) {
        let (reached, doubts) = self.machine.stores(family, place);
        let watched = |reached: Reached| Reached {
            memory: Rc::new(Watched { inner: reached.memory, watch: Rc::clone(&self.watch) }),
            ..reached
        };
        (reached.into_iter().map(watched).collect(), doubts)
    }

    fn protected(&self) -> Vec<Protected> {
        self.machine.protected()
    }

    fn resolve(&self, cwd: &str, path: &str) -> String {
        self.machine.resolve(cwd, path)
    }

    fn home(&self) -> &str {
        self.machine.home()
    }

    fn definer(&self, agent_type: &str) -> Option<Definer> {
        self.machine.definer(agent_type)
    }

    fn has_grant(&self, store: &str, id: &str, action: GuardedAction) -> bool {
        self.machine.has_grant(store, id, action)
    }

    fn take_grant(&self, store: &str, id: &str, action: GuardedAction) -> bool {
        self.machine.has_grant(store, id, action)
    }
}

/// A store whose answers are kept.
struct Watched {
    inner: Rc<dyn Memory>,
    watch: Rc<Watch>,
}

impl Watched {
    fn keep<T>(&self, asked: &str, answer: &Result<T, Doubt>, owned: impl Fn(&T) -> Vec<Owned>) {
        let found = answer.as_ref().map(owned).unwrap_or_default();
        let doubt = answer.as_ref().err().cloned();
        let store = self.inner.path().to_owned();
        let looked_up = LookedUp { store, asked: asked.to_owned(), found, doubt };
        let mut all = self.watch.looked_up.borrow_mut();
        if all.len() < MOST && !all.contains(&looked_up) {
            all.push(looked_up);
        }
    }
}

fn note(note: &Note) -> Owned {
    Owned {
        id: note.id.clone(),
        kind: note.kind.clone(),
        subject: note.subject.clone(),
        session: Some(note.session.clone()),
        agent: note.agent.clone(),
        scope: note.scope.clone(),
    }
}

fn item(item: &Item) -> Owned {
    Owned {
        id: item.id.clone(),
        kind: item.kind.clone(),
        subject: item.subject.clone(),
        session: item.session.clone(),
        agent: item.agent.clone(),
        scope: item.scope.clone(),
    }
}

impl Memory for Watched {
    fn family(&self) -> Family {
        self.inner.family()
    }

    fn path(&self) -> &str {
        self.inner.path()
    }

    fn circle(&self, caller: &Caller) -> Result<Circle, Doubt> {
        let circle = self.inner.circle(caller);
        let known = Known { store: self.inner.path().to_owned(), circle: circle.clone() };
        let mut all = self.watch.known.borrow_mut();
        if all.len() < MOST && !all.contains(&known) {
            all.push(known);
        }
        circle
    }

    fn session(&self, id: &str) -> Result<Option<Session>, Doubt> {
        self.inner.session(id)
    }

    fn note(&self, id: &str) -> Result<Option<Note>, Doubt> {
        let answer = self.inner.note(id);
        self.keep(id, &answer, |found| found.iter().map(note).collect());
        answer
    }

    fn item(&self, id: &str) -> Result<Option<Item>, Doubt> {
        let answer = self.inner.item(id);
        self.keep(id, &answer, |found| found.iter().map(item).collect());
        answer
    }

    fn former(&self, id: &str) -> Result<Option<Item>, Doubt> {
        let answer = self.inner.former(id);
        self.keep(id, &answer, |found| found.iter().map(item).collect());
        answer
    }

    fn active_on(&self, subject: &str) -> Result<Vec<Note>, Doubt> {
        let answer = self.inner.active_on(subject);
        self.keep(subject, &answer, |found| found.iter().map(note).collect());
        answer
    }

    fn active_like(&self, raw: &str) -> Result<Vec<Note>, Doubt> {
        let answer = self.inner.active_like(raw);
        self.keep(raw, &answer, |found| found.iter().map(note).collect());
        answer
    }
}
