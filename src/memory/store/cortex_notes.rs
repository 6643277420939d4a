//! The notes of a Cortex store with their sessions, as records of ours. The store is only read.

use std::path::Path;

use rusqlite::{Connection, Row};

use super::columns::Columns;
use super::native::{Entry, Record, SessionRow, StoreError};
use super::open;
use crate::memory::note::{KINDS, STATUSES, needs_subject};
use crate::memory::subject;
use crate::sys::clock;

/// Hands the records of the Cortex store at `path` to `take`, sessions first; returns the ids of notes
/// that ours cannot hold: of a kind that we do not know, without a text, or without the subject that
/// their kind needs.
///
/// # Errors
/// When the store cannot be read, or as `take` says.
pub fn copy(
    path: &Path,
    mut take: impl FnMut(&Record) -> Result<(), StoreError>,
) -> Result<Vec<String>, StoreError> {
    let unreadable = |doubt: crate::decision::Doubt| {
        StoreError::Unusable(format!("{}: {}", doubt.code.as_str(), doubt.detail))
    };
    let connection = open::read_only(path).map_err(unreadable)?;
    let columns = Columns::probe(&connection)?;
    let columns = columns.ok_or_else(|| StoreError::Foreign { path: path.to_owned() })?;
    sessions(&connection, columns, &mut take)?;
    let mut left = Vec::new();
    let has = |column: &str| connection.column_exists(Some("main"), "notes", column);
    let sql = format!(
        "SELECT n.id, n.session_id, n.timestamp, n.kind, n.subject, n.content, n.status, {}, {}, {} \
         FROM notes n LEFT JOIN sessions s ON s.id = n.session_id ORDER BY n.timestamp, n.id",
        if has("alternatives")? { "n.alternatives" } else { "NULL" },
        if columns.conflict { "coalesce(n.conflict, 0) <> 0" } else { "0" },
        scope_column(columns),
    );
    let mut statement = connection.prepare(&sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let id: String = row.get(0)?;
        match note(row) {
            Some(entry) => take(&Record::Note(entry))?,
            None => left.push(id),
        }
    }
    Ok(left)
}

fn sessions(
    connection: &Connection,
    columns: Columns,
    take: &mut impl FnMut(&Record) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let has = |column: &str| connection.column_exists(Some("main"), "sessions", column);
    let sql = format!(
        "SELECT s.id, s.parent_session_id, {}, {}, s.started_at, s.ended_at FROM sessions s ORDER BY s.id",
        scope_column(columns),
        if has("worktree_path")? { "s.worktree_path" } else { "NULL" },
    );
    let mut statement = connection.prepare(&sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let ended: Option<String> = row.get(5)?;
        take(&Record::Session(SessionRow {
            id: row.get(0)?,
            parent: row.get(1)?,
            scope: row.get::<_, Option<String>>(2)?.as_deref().and_then(scope),
            cwd: row.get(3)?,
            started_at: time(&row.get::<_, String>(4)?).unwrap_or_else(epoch),
            ended_at: ended.as_deref().and_then(time),
        }))?;
    }
    Ok(())
}

/// The column of a session's scope, for [`scope`].
fn scope_column(columns: Columns) -> &'static str {
    if columns.scope { "s.scope_key" } else { "NULL" }
}

/// Our word for a session's scope: Cortex's key names the repository and the work tree as well, ours
/// only the branch, whose name cannot hold a colon.
fn scope(key: &str) -> Option<String> {
    let (kind, rest) = key.split_once(':')?;
    let last = rest.rsplit(':').next().filter(|last| !last.is_empty())?;
    match kind {
        "branch" => Some(format!("branch:{last}")),
        "detached" => Some(format!("detached:{last}")),
        "project" => Some("project".to_owned()),
        _ => None,
    }
}

/// A row as a note of ours; `None` when ours cannot hold it.
fn note(row: &Row<'_>) -> Option<Entry> {
    let text = |index: usize| row.get::<_, Option<String>>(index).ok().flatten();
    let kind = text(3).filter(|kind| KINDS.contains(&kind.as_str()))?;
    let named = text(4).filter(|subject| subject::normalise(subject).is_some());
    if named.is_none() && needs_subject(&kind) {
        return None;
    }
    let at = text(2).as_deref().and_then(time).unwrap_or_else(epoch);
    let alternatives = text(7).and_then(|json| serde_json::from_str(&json).ok());
    Some(Entry {
        id: text(0)?,
        session: text(1)?,
        subject: named,
        content: text(5).filter(|content| !subject::trim(content).is_empty())?,
        status: text(6).filter(|status| STATUSES.contains(&status.as_str()))?,
        alternatives: alternatives.unwrap_or_default(),
        conflict: row.get(8).ok()?,
        scope: text(9).as_deref().and_then(scope),
        agent: None,
        kind,
        created_at: at.clone(),
        updated_at: at,
    })
}

/// A time as we write it.
fn time(text: &str) -> Option<String> {
    text.parse::<jiff::Timestamp>().ok().map(|time| clock::rfc3339(time.as_millisecond()))
}

/// Of what has no time, only the order is lost.
fn epoch() -> String {
    clock::rfc3339(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_keeps_its_branch_or_commit() {
        for (key, expected) in [
            ("branch:/home/u/r/.git:/home/u/r:feature/hooks", Some("branch:feature/hooks")),
            ("branch:c:/r/.git:c:/r:main", Some("branch:main")),
            ("detached:/r/.git:/r:0123abc", Some("detached:0123abc")),
            ("project:/home/u/r", Some("project")),
            ("branch:", None),
            ("S", None),
        ] {
            assert_eq!(scope(key).as_deref(), expected, "{key}");
        }
    }
}
