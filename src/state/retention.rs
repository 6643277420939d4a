//! How long what the hook leaves is kept, and the place where old records go.
//!
//! Called when a session starts, never for a tool call. Only files that have the names of ours are
//! looked at, in directories that are no links, and a record goes only when it says itself that it is
//! one.

use std::collections::BTreeSet;

use super::State;
use super::sessions::{ClientRecord, SessionRecord};
use crate::state::Grant;
use crate::sys::held::{HeldDir, Known};
use crate::sys::{clock, process};

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;

/// A session's record and mark, after its last start or end.
const SESSIONS: i64 = 90 * DAY;

/// The most sessions that are kept, whatever their age; those that run are kept always.
const SESSIONS_KEPT: usize = 10_000;

/// Which session a client runs, when no process of that number and start is left here. A client in
/// another container has its own numbers, so one that is young stays.
const CLIENTS: i64 = 7 * DAY;

/// A grant that was used or has run out.
const GRANTS: i64 = DAY;

/// The part of a log that was turned over.
const TURNED_OVER: i64 = 90 * DAY;

/// A file that a killed process of ours did not finish.
const UNFINISHED: i64 = HOUR;

/// How often is enough.
const PERIOD: i64 = DAY;

/// The most names that one run looks at in a directory, and the most that it removes.
const LOOKED_AT: usize = 50_000;
const REMOVED: usize = 2_000;

/// The largest record that is read.
const LIMIT: u64 = 65_536;

/// The file whose time says when this was done last.
const MARK: &str = "tidied";

impl State {
    /// Removes what is older than it is kept, once a day; says how many files went.
    pub fn tidy(&self) -> usize {
        let now = clock::now_ms();
        let Ok(dir) = HeldDir::open(&crate::sys::file::resolve(self.dir(), self.dir())) else {
            return 0;
        };
        if dir.known(MARK).is_some_and(|mark| (0..PERIOD).contains(&(now - mark.changed_ms))) {
            return 0;
        }
        let mut broom = Broom { now, left: REMOVED };
        if let Ok(sessions) = dir.below("sessions") {
            broom.sessions(&sessions);
        }
        if let Ok(grants) = dir.below("grants") {
            broom.grants(&grants);
        }
        if let Ok(scratchpads) = dir.below("scratchpad") {
            broom.scratchpads(&scratchpads);
        }
        if let Ok(claims) = dir.below("claims") {
            broom.claims(&claims);
        }
        broom.logs(&dir);
        // What was not done today is done when the next session starts.
        if broom.left > 0 {
            drop(crate::sys::file::write_record(&self.dir().join(MARK), b""));
        }
        REMOVED - broom.left
    }
}

/// One run.
struct Broom {
    now: i64,
    /// How many files may still go.
    left: usize,
}

impl Broom {
    fn remove(&mut self, dir: &HeldDir, name: &str) {
        if self.left > 0 && dir.remove(name).is_ok() {
            self.left -= 1;
        }
    }

    fn is_old(&self, known: Known, age: i64) -> bool {
        self.now - known.changed_ms > age
    }

    /// A file that a write left behind: `NAME.json.1234`.
    fn is_unfinished(&self, dir: &HeldDir, name: &str) -> bool {
        let Some((written, number)) = name.rsplit_once('.') else { return false };
        let ours = [".json", ".child", ".client"].iter().any(|end| written.ends_with(end));
        ours && !number.is_empty()
            && number.bytes().all(|byte| byte.is_ascii_digit())
            && dir.known(name).is_some_and(|known| self.is_old(known, UNFINISHED))
    }

    fn sessions(&mut self, dir: &HeldDir) {
        let names = dir.names(LOOKED_AT);
        let mut running = BTreeSet::new();
        for name in names.iter().filter(|name| name.ends_with(".client")) {
            match self.client(dir, name) {
                Some(session) => drop(running.insert(super::file_name(&session))),
                None => self.remove(dir, name),
            }
        }
        let mut ended: Vec<(i64, &str)> = Vec::new();
        for name in &names {
            if self.is_unfinished(dir, name) || self.is_stray_mark(dir, name) {
                self.remove(dir, name);
            }
            let Some(stem) = name.strip_suffix(".json").filter(|stem| !running.contains(*stem))
            else {
                continue;
            };
            ended.extend(dir.known(name).map(|known| (known.changed_ms, stem)));
        }
        ended.sort_unstable();
        let surplus = ended.len().saturating_sub(SESSIONS_KEPT);
        for (at, (changed, stem)) in ended.into_iter().enumerate() {
            if (at < surplus || self.now - changed > SESSIONS) && is_session(dir, stem) {
                // The record first: without its mark it would be taken for a session of its own.
                self.remove(dir, &format!("{stem}.json"));
                if dir.known(&format!("{stem}.child")).is_some() {
                    self.remove(dir, &format!("{stem}.child"));
                }
            }
        }
    }

    /// The mark of a session whose record went while we were killed.
    fn is_stray_mark(&self, dir: &HeldDir, name: &str) -> bool {
        let Some(stem) = name.strip_suffix(".child") else { return false };
        dir.known(name).is_some_and(|known| self.is_old(known, SESSIONS))
            && dir.known(&format!("{stem}.json")).is_none()
    }

    /// The session of a client that may still run.
    fn client(&self, dir: &HeldDir, name: &str) -> Option<String> {
        let known = dir.known(name);
        let record: Option<ClientRecord> =
            dir.read(name, LIMIT).and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let pid =
            name.strip_prefix("pid-").and_then(|rest| rest.strip_suffix(".client")?.parse().ok());
        let (Some(known), Some(record), Some(pid)) = (known, record, pid) else {
            // Not as we write it, so not ours to remove.
            return Some(String::new());
        };
        let runs = process::process(pid).is_some_and(|process| process.start == record.start);
        (runs || !self.is_old(known, CLIENTS)).then_some(record.session)
    }

    fn grants(&mut self, dir: &HeldDir) {
        for name in dir.names(LOOKED_AT) {
            let Some(known) = dir.known(&name) else { continue };
            let grant =
                || -> Option<Grant> { serde_json::from_slice(&dir.read(&name, LIMIT)?).ok() };
            let is_used = name.contains(".used-") && self.is_old(known, GRANTS);
            let ran_out =
                |grant: Grant| !grant.id.is_empty() && self.now - grant.until.max(0) > GRANTS;
            let goes = if name.ends_with(".json") {
                grant().is_some_and(ran_out)
            } else {
                (is_used && grant().is_some()) || self.is_unfinished(dir, &name)
            };
            if goes {
                self.remove(dir, &name);
            }
        }
    }

    /// `DIGEST.begun` of a session, `DIGEST/settled` of a directory there. Without its record a
    /// directory is made once more, which changes nothing there.
    fn scratchpads(&mut self, dir: &HeldDir) {
        for name in dir.names(LOOKED_AT) {
            let is_mark = |name: &str| name.strip_suffix(".begun").is_some_and(is_digest);
            if is_mark(&name) && dir.known(&name).is_some_and(|mark| self.is_old(mark, SESSIONS)) {
                self.remove(dir, &name);
            }
            if !is_digest(&name) {
                continue;
            }
            let Ok(record) = dir.below(&name) else { continue };
            let (now, mut had_record) = (self.now, false);
            let is_old = |changed: i64| now - changed > SESSIONS;
            for name in record.names(LOOKED_AT).iter().filter(|name| is_record(name)) {
                if record.known(name).is_some_and(|known| is_old(known.changed_ms)) {
                    self.remove(&record, name);
                    had_record = true;
                }
            }
            // A young one without a record is one in which somebody is just now at work.
            if had_record || record.changed_ms().is_some_and(is_old) {
                drop(dir.remove_dir(&name));
            }
        }
    }

    /// Marks of calls whose records prove nothing any more.
    fn claims(&mut self, dir: &HeldDir) {
        for name in dir.names(LOOKED_AT) {
            let is_old = dir.known(&name).is_some_and(|mark| self.is_old(mark, UNFINISHED));
            if is_digest(&name) && is_old {
                self.remove(dir, &name);
            }
        }
    }

    fn logs(&mut self, dir: &HeldDir) {
        for name in ["log.jsonl.1", "calls.jsonl.1"] {
            if dir.known(name).is_some_and(|known| self.is_old(known, TURNED_OVER)) {
                self.remove(dir, name);
            }
        }
    }
}

/// A record of a directory there, or one that a killed process did not finish.
fn is_record(name: &str) -> bool {
    let Some(rest) = name.strip_prefix("settled") else { return false };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    rest.is_empty() || rest.strip_prefix('.').is_some_and(is_number)
}

/// Whether a name is one that we made of something else.
fn is_digest(name: &str) -> bool {
    name.len() == 32 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether the file is a session's record, and its own.
fn is_session(dir: &HeldDir, stem: &str) -> bool {
    let bytes = dir.read(&format!("{stem}.json"), LIMIT).unwrap_or_default();
    let record: Option<SessionRecord> = serde_json::from_slice(&bytes).ok();
    record.is_some_and(|record| super::file_name(&record.session) == stem)
}
