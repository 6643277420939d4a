//! Looking for words: all of them must be there, in any of their forms.

use rusqlite::params_from_iter;
use rusqlite::types::Value;

use super::error::StoreError;
use super::filter::Filter;
use super::reader::{Page, Reader};
use super::row::{self, ENTRY_COLUMNS};

/// From so many hits on, they come newest first: weighing that many would take seconds.
const WEIGHED: i64 = 50_000;

/// The most words of a text that are looked for.
pub(super) const MAX_WORDS: usize = 16;

impl Reader {
    /// Finds the notes that hold all words of `text`, best first. `"two words"` in quotes must stand
    /// together, `word*` is the beginning of one. A text without any word finds nothing.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn search(&self, text: &str, filter: &Filter) -> Result<Page, StoreError> {
        let terms = terms(text);
        if terms.is_empty() {
            return Ok(Page::default());
        }
        let query = terms.join(" ");
        let condition = filter.condition();
        // One state for the count and the part.
        let read = self.connection.unchecked_transaction()?;
        let mut values = vec![Value::Text(query)];
        values.extend(condition.values);
        let total: i64 = read.query_row(
            &format!(
                "SELECT count(*) FROM notes WHERE seq IN \
                 (SELECT rowid FROM notes_fts WHERE notes_fts MATCH ?) AND {}",
                condition.sql
            ),
            params_from_iter(&values),
            |row| row.get(0),
        )?;
        let (score, order) = if total <= WEIGHED {
            ("bm25(notes_fts, 3.0, 1.0)", "score, created_at DESC, seq DESC")
        } else {
            ("0", "created_at DESC, seq DESC")
        };
        values.extend(filter.page());
        let mut statement = read.prepare(&format!(
            "SELECT {ENTRY_COLUMNS} FROM notes JOIN \
             (SELECT rowid AS hit, {score} AS score FROM notes_fts WHERE notes_fts MATCH ?) \
             ON seq = hit WHERE {} ORDER BY {order} LIMIT ? OFFSET ?",
            condition.sql
        ))?;
        let rows = statement.query_map(params_from_iter(&values), row::entry)?;
        Ok(Page { total, entries: rows.collect::<rusqlite::Result<_>>()? })
    }
}

/// The words and phrases of a text in the index's own query language, nothing of which is taken from
/// the text unquoted.
fn terms(text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    for (number, part) in text.split('"').enumerate() {
        if number % 2 == 1 {
            terms.extend(term(part));
            continue;
        }
        for word in part.split_whitespace() {
            match word.strip_suffix('*') {
                Some(beginning) => terms.extend(term(beginning).map(|term| term + "*")),
                None => terms.extend(term(word)),
            }
        }
    }
    terms.truncate(MAX_WORDS);
    terms
}

/// A text as one phrase; `None` when the index would find no word in it.
pub(super) fn term(text: &str) -> Option<String> {
    let text: String = text.chars().filter(|letter| *letter != '\0').collect();
    let text = text.trim();
    text.chars().any(char::is_alphanumeric).then(|| format!("\"{}\"", text.replace('"', "\"\"")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_text_is_taken_for_the_query_language() {
        for (text, expected) in [
            ("retry ceiling", r#""retry" "ceiling""#),
            ("\"retry ceiling\" x", r#""retry ceiling" "x""#),
            ("retr* -- NOT", r#""retr"* "NOT""#),
            ("a\" OR 1", r#""a" "OR 1""#),
            ("subject:x (y)", r#""subject:x" "(y)""#),
            ("\0 ** \"\" '", ""),
        ] {
            assert_eq!(terms(text).join(" "), expected, "{text:?}");
        }
        assert_eq!(terms(&"x ".repeat(100)).len(), MAX_WORDS);
    }
}
