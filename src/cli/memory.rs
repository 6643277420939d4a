//! What the memory commands share: which store, who writes, how notes and failures are printed.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::failure::{Failure, Kind};
use super::output;
use crate::guard::label;
use crate::memory::Family;
use crate::memory::store::Project;
use crate::memory::store::native::{Author, Changed, Entry, Reader, StoreError, Writer};
use crate::memory::store::snapshot::{Vault, When};
use crate::state::{Proposal, State};
use crate::sys::child::Scratch;
use crate::sys::dirs::Dirs;
use crate::sys::git::{self, Repository};
use crate::sys::{clock, env, process};

/// How old the hook's record of this very call may be.
const RECORD_AGE_MS: i64 = 10_000;

/// The session of a note that was written outside any client.
const TERMINAL: &str = "terminal";

/// The project that a command runs in.
pub(super) struct Here {
    project: Project,
    store: PathBuf,
    state: State,
    scope: Option<String>,
}

impl Here {
    /// Finds the project's store from the current directory; `RINGFENCE_STORE` and `RINGFENCE_STATE`
    /// name other places.
    pub(super) fn find() -> anyhow::Result<Self> {
        let dirs = Dirs::from_env().ok_or_else(|| {
            Failure::no("`HOME` is not set to an absolute path").hint("export HOME=/home/you")
        })?;
        let dir = env::current_dir()
            .ok_or_else(|| Failure::no("the current directory is gone").hint("cd ~"))?;
        let dir = crate::sys::file::canonical(&dir).unwrap_or(dir);
        let project = Project::of(&dir, Repository::find(&dir).as_ref());
        let store = match env::var("RINGFENCE_STORE") {
            Some(named) => dir.join(named),
            None => project.file_below(&dirs.data.join("projects"), "memory.db"),
        };
        let state = env::var("RINGFENCE_STATE").map_or(dirs.state, |named| dir.join(named));
        Ok(Self { project, store, state: State::at(state), scope: git::scope_of(&dir) })
    }

    /// The project's name.
    pub(super) fn label(&self) -> &str {
        &self.project.label
    }

    /// The store's file.
    pub(super) fn store(&self) -> &Path {
        &self.store
    }

    /// What the hook has kept.
    pub(super) fn state(&self) -> &State {
        &self.state
    }

    /// Whether a directory belongs to this project; one that is gone belongs to none.
    pub(super) fn is_project_of(&self, dir: &Path) -> bool {
        crate::sys::file::canonical(dir).is_some_and(|path| {
            Project::of(&path, Repository::find(&path).as_ref()).id == self.project.id
        })
    }

    /// The proposals that wait in this project, or in all.
    pub(super) fn proposals(&self, all: bool) -> Vec<Proposal> {
        let mut waiting = self.state.proposals();
        waiting.retain(|proposal| all || self.is_project_of(Path::new(&proposal.cwd)));
        waiting
    }

    /// Opens the store for reading; `None` when there is none yet.
    pub(super) fn reader(&self) -> anyhow::Result<Option<Reader>> {
        Reader::open(&self.store).map_err(explain)
    }

    /// Opens the store for writing and takes in what the hook has left.
    pub(super) fn writer(&self) -> anyhow::Result<Writer> {
        let kept = self.keep_today();
        let mut writer = Writer::open(&self.store).map_err(explain)?;
        if let Err(error) = kept {
            output::warning(&format!("there is no snapshot of today: {error}"));
        }
        writer.take_in(&self.state, &self.project.id).map_err(explain)?;
        Ok(writer)
    }

    /// Opens the store to see what a change would do; where there is none, an empty one in `scratch`.
    pub(super) fn trial(&self, scratch: &Scratch) -> anyhow::Result<Writer> {
        let there = crate::sys::file::exists(&self.store);
        let path = if there { self.store.clone() } else { scratch.path().join("memory.db") };
        Writer::open(&path).map_err(explain)
    }

    /// Takes the day's snapshot before its first write. One that fails keeps nobody from writing.
    fn keep_today(&self) -> Result<(), StoreError> {
        if !crate::sys::file::exists(&self.store) {
            return Ok(());
        }
        let shelf = Vault::of(self.state.dir()).shelf(Family::Native, &self.store);
        shelf.take(When::Daily).map(drop)
    }

    /// Opens the store for changing what is in it; where there is none, `missing` says what is not.
    pub(super) fn changer(&self, missing: StoreError) -> anyhow::Result<Writer> {
        if !crate::sys::file::exists(&self.store) {
            return Err(explain(missing));
        }
        self.writer()
    }

    /// Who runs this command: the session that is named, the client's, or a terminal; and the subagent
    /// that the hook recorded for this very call, if its records agree.
    pub(super) fn author(&self, session: Option<&str>) -> Author {
        let now = clock::now_ms();
        let session = session
            .map(str::to_owned)
            .or_else(|| env::var("CLAUDE_CODE_SESSION_ID"))
            .unwrap_or_else(|| TERMINAL.to_owned());
        let (agent, call) = self.caller(&session, now);
        Author {
            session,
            agent,
            scope: self.scope.clone(),
            call,
            pid: process::own().map(|own| own.pid),
            at: clock::rfc3339(now),
        }
    }

    /// The subagent and the call of the fresh records of a session, as far as they are unanimous.
    fn caller(&self, session: &str, now: i64) -> (Option<String>, Option<String>) {
        let fresh: Vec<_> = self
            .state
            .recent_calls()
            .into_iter()
            .filter(|record| record.event == "call" && record.session == session)
            .filter(|record| {
                let at = record.at.parse::<jiff::Timestamp>().map(jiff::Timestamp::as_millisecond);
                at.is_ok_and(|at| (0..=RECORD_AGE_MS).contains(&(now - at)))
            })
            .collect();
        let Some(first) = fresh.first() else { return (None, None) };
        let agent = first.agent.clone().filter(|_| fresh.iter().all(|r| r.agent == first.agent));
        let call = Some(first.call.clone())
            .filter(|call| !call.is_empty() && fresh.iter().all(|record| record.call == *call));
        (agent, call)
    }
}

/// A note as `--json` shows it.
#[derive(Debug, Serialize)]
pub(super) struct Item<'e> {
    id: &'e str,
    kind: &'e str,
    subject: Option<&'e str>,
    content: &'e str,
    status: &'e str,
    conflict: bool,
    session: &'e str,
    agent: Option<&'e str>,
    scope: Option<&'e str>,
    created_at: &'e str,
    updated_at: &'e str,
}

impl<'e> From<&'e Entry> for Item<'e> {
    fn from(entry: &'e Entry) -> Self {
        Self {
            id: &entry.id,
            kind: &entry.kind,
            subject: entry.subject.as_deref(),
            content: &entry.content,
            status: &entry.status,
            conflict: entry.conflict,
            session: &entry.session,
            agent: entry.agent.as_deref(),
            scope: entry.scope.as_deref(),
            created_at: &entry.created_at,
            updated_at: &entry.updated_at,
        }
    }
}

/// What `note-resolve`, `edit-memory` and `delete-memory` print as JSON.
#[derive(Debug, Serialize)]
pub(super) struct ChangeDocument<'c> {
    pub(super) version: u8,
    pub(super) id: &'c str,
    /// `resolved`, `superseded`, `edited`, `deleted`; `preview` when nothing was meant to change.
    pub(super) outcome: &'c str,
    /// Whether the store is another one now.
    pub(super) changed: bool,
    /// Other notes that are contested no longer.
    pub(super) settled: &'c [String],
    /// The note, in a preview.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) item: Option<Item<'c>>,
}

/// Prints what a change did.
pub(super) fn report(changed: &Changed, outcome: &str, json: bool) -> anyhow::Result<()> {
    let id = &changed.before.id;
    if json {
        let settled = &changed.settled;
        return output::document(&ChangeDocument {
            version: 1,
            id,
            outcome,
            changed: changed.changed,
            settled,
            item: None,
        });
    }
    let did = if changed.changed { outcome } else { "nothing to change:" };
    output::data(&format!("{did} {} ({id})\n", name(&changed.before)));
    settled(&changed.settled);
    Ok(())
}

/// Says which notes are contested no longer.
fn settled(ids: &[String]) {
    for id in ids {
        output::talk(&format!("no longer contested: {id}"));
    }
}

/// A note in a few words.
pub(super) fn name(entry: &Entry) -> String {
    label::label(&entry.kind, entry.subject.as_deref())
}

/// A store's failure for a person.
pub(super) fn explain(error: StoreError) -> anyhow::Error {
    let sentence = error.to_string();
    match error {
        StoreError::NoSuchNote(_) | StoreError::NoSuchSubject(_) => {
            Failure::no(label::one_line(&sentence, 200)).hint("ringfence list-memory").into()
        }
        StoreError::Deleted { id, .. } => {
            Failure::no(sentence).hint(format!("ringfence show-memory {id} --history")).into()
        }
        StoreError::NotThen { id, .. } => {
            Failure::no(sentence).hint(format!("ringfence show-memory {id} --history")).into()
        }
        StoreError::Ambiguous { subject, ids } => ambiguous(&subject, &ids),
        StoreError::Newer { .. } => Failure::no(sentence).hint("./install.sh").into(),
        StoreError::Foreign { .. }
        | StoreError::Locked
        | StoreError::Refused(_)
        | StoreError::Damaged(_)
        | StoreError::Unusable(_)
        | StoreError::Unfit(_)
        | StoreError::Held { .. }
        | StoreError::Unopenable { .. } => Failure::no(sentence).into(),
        StoreError::Other(_) => Failure { kind: Kind::Internal, sentence, hint: None }.into(),
    }
}

/// The ids are listed below the sentence, as its causes.
fn ambiguous(subject: &str, ids: &[String]) -> anyhow::Error {
    let sentence = format!(
        "{} contested memories are active on {}",
        ids.len(),
        label::quoted(subject, label::LABEL_LENGTH)
    );
    let first = ids.first().map_or("ID", String::as_str);
    let failure = Failure::no(sentence).hint(format!("ringfence note-resolve --id {first}"));
    let causes = ids.iter().rev().fold(None, |below: Option<anyhow::Error>, id| {
        Some(match below {
            Some(below) => below.context(id.clone()),
            None => anyhow::Error::msg(id.clone()),
        })
    });
    match causes {
        Some(causes) => causes.context(failure),
        None => failure.into(),
    }
}

/// Refuses a text that is blank.
pub(super) fn not_blank(text: &str) -> anyhow::Result<()> {
    if crate::memory::subject::trim(text).is_empty() {
        return Err(Failure::usage("the text is blank").into());
    }
    Ok(())
}

/// Refuses a word that is not in the list.
pub(super) fn one_of(what: &str, word: &str, all: &[&str]) -> anyhow::Result<()> {
    if all.contains(&word) {
        return Ok(());
    }
    let quoted = label::one_line(word, 40);
    let choice = format!("one of {}", all.join(", "));
    Err(Failure::usage(format!("`{quoted}` is no {what}")).hint(choice).into())
}

/// The text of a file of at most a MiB, or of standard input for `-`, without a byte order mark.
pub(super) fn text_of(path: &Path) -> anyhow::Result<String> {
    const LIMIT: u64 = 1 << 20;
    let read = if path == Path::new("-") {
        crate::sys::file::read_input(LIMIT)
    } else {
        crate::sys::file::read_bounded(path, LIMIT)
    };
    let shown = label::one_line(&path.to_string_lossy(), 200);
    let bytes = read.map_err(|error| Failure::no(format!("`{shown}` cannot be read: {error}")))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| Failure::no(format!("`{shown}` is not a text in UTF-8")))?;
    Ok(text.strip_prefix('\u{feff}').map_or(text.clone(), str::to_owned))
}
