//! Texts of other languages with names in them: `f"{name}"`, `${name}`, `#{name}`, perl's `$name`.

use super::literals::Snippet;
use super::operands::{Names, UNKNOWN};

impl Snippet<'_> {
    /// perl's and php's `$name`, where the snippet itself gives it a value.
    pub(super) fn perl_filled(&self, text: &str, names: &Names) -> String {
        if !text.contains('$') {
            return text.to_owned();
        }
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            let (before, tail) = rest.split_at(at);
            out.push_str(before);
            let inner = tail.get(1..).unwrap_or("");
            let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let end = inner.find(|c| !is_part(c)).unwrap_or(inner.len());
            let (name, after) = inner.split_at(end);
            let given =
                ["=", " ="].iter().any(|mark| self.code.contains(&format!("${name}{mark}")));
            match names.get(name).filter(|_| given) {
                Some(value) => out.push_str(&value.clone().text()),
                None => out.push_str(tail.get(..=end).unwrap_or("$")),
            }
            rest = after;
        }
        out + rest
    }
}

/// `{name}` of an f-string and `${name}` of a template: known names as their value.
pub(super) fn filled(text: &str, names: &Names) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        let head = rest.get(..at).unwrap_or("");
        out.push_str(head.strip_suffix('$').unwrap_or(head));
        rest = rest.get(at + 1..).unwrap_or("");
        let end = rest.find('}').unwrap_or(rest.len());
        let inner = rest.get(..end).unwrap_or("").trim();
        match names.get(inner) {
            Some(given) => out.push_str(&given.clone().text()),
            None => out.push_str(UNKNOWN),
        }
        rest = rest.get(end + 1..).unwrap_or("");
    }
    out + rest
}

/// ruby's `#{name}`.
pub(super) fn ruby_filled(text: &str, names: &Names) -> String {
    if !text.contains("#{") {
        return text.to_owned();
    }
    filled(&text.replace("#{", "${"), names)
}
