//! What notes two states of a store differ in: both are walked by id, so that neither is held.

use std::cmp::Ordering;
use std::path::Path;

use rusqlite::{Connection, OptionalExtension, Row, Rows};

use super::{Snapshot, copy};
use crate::memory::Family;
use crate::memory::store::columns::Columns;
use crate::memory::store::native::StoreError;

/// A note as it is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// Its id.
    pub id: String,
    /// Its kind.
    pub kind: String,
    /// Its subject.
    pub subject: Option<String>,
    /// Its text.
    pub content: String,
    /// Its status.
    pub status: String,
    /// Whether it is contested.
    pub contested: bool,
}

/// Which parts of a note differ, by name.
pub type Fields = Vec<&'static str>;

/// How one note differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// It is in the later state only.
    Added(Side),
    /// It is in the earlier state only.
    Removed(Side),
    /// It is in both, but otherwise; as it is later.
    Changed(Side, Fields),
}

/// Hands each difference between the states at `from` and `to` to `take`, in the order of ids.
///
/// # Errors
/// When one of them cannot be read or is none of the family.
pub fn difference(
    family: Family,
    from: &Path,
    to: &Path,
    mut take: impl FnMut(Difference),
) -> Result<(), StoreError> {
    let (from, to) = (opened(family, from)?, opened(family, to)?);
    let (mut left, mut right) =
        (from.prepare(&query(family, &from)?)?, to.prepare(&query(family, &to)?)?);
    let (mut left, mut right) = (left.query([])?, right.query([])?);
    let (mut old, mut new) = (next(&mut left)?, next(&mut right)?);
    loop {
        let order = match (&old, &new) {
            (Some(old), Some(new)) => old.id.as_bytes().cmp(new.id.as_bytes()),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return Ok(()),
        };
        match order {
            Ordering::Less => {
                old.take().into_iter().for_each(|old| take(Difference::Removed(old)));
                old = next(&mut left)?;
            }
            Ordering::Greater => {
                new.take().into_iter().for_each(|new| take(Difference::Added(new)));
                new = next(&mut right)?;
            }
            Ordering::Equal => {
                if let (Some(old), Some(new)) = (old.take(), new.take()) {
                    let fields = fields(&old, &new);
                    if !fields.is_empty() {
                        take(Difference::Changed(new, fields));
                    }
                }
                (old, new) = (next(&mut left)?, next(&mut right)?);
            }
        }
    }
}

/// A note as a snapshot has it.
///
/// # Errors
/// When the snapshot cannot be read.
pub fn note_of(snapshot: &Snapshot, id: &str) -> Result<Option<Side>, StoreError> {
    let connection = copy::open(&snapshot.path)?;
    let conflict = connection.column_exists(Some("main"), "notes", "conflict")?;
    let sql = format!("SELECT {} FROM notes WHERE id = ?1", columns(conflict));
    Ok(connection.query_row(&sql, [id], side).optional()?)
}

fn opened(family: Family, path: &Path) -> Result<Connection, StoreError> {
    let connection = copy::open(path)?;
    let is_store = match family {
        Family::Cortex => Columns::probe(&connection)?.is_some(),
        Family::Native => super::super::native::is_ours(&connection)?,
    };
    if is_store { Ok(connection) } else { Err(StoreError::Foreign { path: path.to_owned() }) }
}

fn query(family: Family, connection: &Connection) -> Result<String, StoreError> {
    let conflict = match family {
        Family::Native => true,
        Family::Cortex => Columns::probe(connection)?.is_some_and(|columns| columns.conflict),
    };
    Ok(format!("SELECT {} FROM notes ORDER BY CAST(id AS TEXT) COLLATE BINARY", columns(conflict)))
}

/// The columns of a [`Side`]; cast, because a foreign store may hold anything in any column.
fn columns(conflict: bool) -> String {
    let conflict = if conflict { "coalesce(conflict, 0) <> 0" } else { "0" };
    format!(
        "CAST(id AS TEXT), CAST(kind AS TEXT), CAST(subject AS TEXT), \
         CAST(coalesce(content, '') AS TEXT), CAST(status AS TEXT), {conflict}"
    )
}

fn next(rows: &mut Rows<'_>) -> rusqlite::Result<Option<Side>> {
    rows.next()?.map(side).transpose()
}

fn side(row: &Row<'_>) -> rusqlite::Result<Side> {
    let text = |index: usize| -> rusqlite::Result<Option<String>> {
        let bytes = row.get_ref(index)?.as_bytes_or_null().unwrap_or_default();
        Ok(bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned()))
    };
    Ok(Side {
        id: text(0)?.unwrap_or_default(),
        kind: text(1)?.unwrap_or_default(),
        subject: text(2)?,
        content: text(3)?.unwrap_or_default(),
        status: text(4)?.unwrap_or_default(),
        contested: row.get(5)?,
    })
}

fn fields(old: &Side, new: &Side) -> Fields {
    [
        ("kind", old.kind != new.kind),
        ("subject", old.subject != new.subject),
        ("text", old.content != new.content),
        ("status", old.status != new.status),
        ("contest", old.contested != new.contested),
    ]
    .into_iter()
    .filter_map(|(name, differs)| differs.then_some(name))
    .collect()
}
