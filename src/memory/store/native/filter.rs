//! Which notes are meant: conditions that lists, searches and exports share.

use rusqlite::types::Value;

use crate::memory::subject;

/// Which notes are meant; what is empty or `None` does not count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only these kinds.
    pub kinds: Vec<String>,
    /// Only these statuses.
    pub statuses: Vec<String>,
    /// Only notes on this subject, normalised before it is compared.
    pub subject: Option<String>,
    /// Only notes that this session wrote.
    pub session: Option<String>,
    /// Only notes that this subagent wrote.
    pub agent: Option<String>,
    /// Only notes of this scope.
    pub scope: Option<String>,
    /// Only notes written then or later, RFC 3339 with milliseconds in UTC.
    pub since: Option<String>,
    /// Only contested ones.
    pub contested: bool,
    /// How many.
    pub limit: usize,
    /// How many to skip.
    pub offset: usize,
}

/// A condition over `notes` and its values, in the order of its `?`.
pub(super) struct Condition {
    pub(super) sql: String,
    pub(super) values: Vec<Value>,
}

impl Filter {
    /// The condition without limit and offset.
    pub(super) fn condition(&self) -> Condition {
        let mut parts: Vec<String> = Vec::new();
        let mut values: Vec<Value> = Vec::new();
        for (column, words) in [("kind", &self.kinds), ("status", &self.statuses)] {
            if !words.is_empty() {
                parts.push(format!("{column} IN ({})", vec!["?"; words.len()].join(", ")));
                values.extend(words.iter().cloned().map(Value::Text));
            }
        }
        // A blank subject is none, and no note has it.
        let subject = self.subject.as_deref().map(subject::normalise);
        let texts = [
            ("subject_key IS ?", subject),
            ("session = ?", self.session.clone().map(Some)),
            ("agent = ?", self.agent.clone().map(Some)),
            ("scope = ?", self.scope.clone().map(Some)),
            ("created_at >= ?", self.since.clone().map(Some)),
        ];
        for (part, value) in texts {
            if let Some(value) = value {
                parts.push(part.to_owned());
                values.push(value.map_or(Value::Null, Value::Text));
            }
        }
        if self.contested {
            parts.push("conflict = 1".to_owned());
        }
        if parts.is_empty() {
            parts.push("true".to_owned());
        }
        Condition { sql: parts.join(" AND "), values }
    }

    /// The values of `LIMIT ? OFFSET ?`.
    pub(super) fn page(&self) -> [Value; 2] {
        [self.limit, self.offset]
            .map(|count| Value::Integer(i64::try_from(count).unwrap_or(i64::MAX)))
    }
}
