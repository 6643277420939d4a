//! The replacements of the file tools.

use crate::request::{Argument, MemoryGuardRequest};

/// One replacement of a text.
pub(super) struct Edit {
    old: String,
    new: String,
    all: bool,
}

/// The largest text that an edit may unfold to; more is no text that a client reads.
const EDIT_LIMIT: usize = 8 << 20;

impl Edit {
    /// The text after the edit; `None` when it would grow beyond all use.
    fn apply(&self, text: &str) -> Option<String> {
        if self.old.is_empty() {
            return Some(self.new.clone());
        }
        let count = if self.all { text.matches(&self.old).count() } else { 1 };
        if count.saturating_mul(self.new.len()) > EDIT_LIMIT {
            return None;
        }
        Some(if self.all {
            text.replace(&self.old, &self.new)
        } else {
            text.replacen(&self.old, &self.new, 1)
        })
    }
}

/// `text` after all `edits`; `None` when one would grow beyond all use.
pub(super) fn edited(text: &str, edits: &[Edit]) -> Option<String> {
    edits.iter().take(256).try_fold(text.to_owned(), |text, edit| edit.apply(&text))
}

/// The replacements of an `Edit` or `MultiEdit` call.
pub(super) fn edits(request: &MemoryGuardRequest) -> Option<Vec<Edit>> {
    let text = |key: &str| match request.input.get(key) {
        Some(Argument::Text(text)) => Some(text.clone()),
        Some(Argument::Null | Argument::Other(_)) | None => None,
    };
    if let Some(new) = text("new_string") {
        let all = matches!(request.input.get("replace_all"), Some(Argument::Other(raw)) if raw.trim() == "true");
        return Some(vec![Edit { old: text("old_string").unwrap_or_default(), new, all }]);
    }
    let Some(Argument::Other(raw)) = request.input.get("edits") else { return None };
    let list: Vec<serde_json::Value> = serde_json::from_str(raw).ok()?;
    let text = |edit: &serde_json::Value, key: &str| {
        edit.get(key).and_then(serde_json::Value::as_str).unwrap_or_default().to_owned()
    };
    let all = |edit: &serde_json::Value| {
        edit.get("replace_all").and_then(serde_json::Value::as_bool).unwrap_or(false)
    };
    let edit = |edit: &serde_json::Value| Edit {
        old: text(edit, "old_string"),
        new: text(edit, "new_string"),
        all: all(edit),
    };
    Some(list.iter().map(edit).collect())
}
