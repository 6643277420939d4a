//! cmd.exe's variables: `%NAME%` before a line runs, `!NAME!` while it runs.

use crate::shell::scope::{Scope, Value};
use crate::shell::types::Word;

/// The key under which a scope keeps that `!NAME!` is replaced.
const DELAYED: &str = "cmd delayed";

/// Turns delayed replacement on.
pub(super) fn delay(scope: &mut Scope) {
    scope.set(DELAYED, Value::Scalar(Word::Literal("on".into())));
}

/// Whether `!NAME!` is replaced.
pub(super) fn is_delayed(scope: &Scope) -> bool {
    scope.get(DELAYED).is_some()
}

/// Gives `name` a value; names know no case.
pub(super) fn set(scope: &mut Scope, name: &str, value: Word) {
    let name = name.to_ascii_uppercase();
    scope.set(&name, Value::Scalar(value));
    scope.export(&name);
}

/// Replaces the `%NAME%`s that the text itself set; the others stay as they are spelled.
pub(super) fn expand(text: &str, scope: &Scope) -> String {
    replaced(text, '%', scope)
}

/// Replaces `!NAME!`.
pub(super) fn expand_delayed(text: &str, scope: &Scope) -> String {
    if is_delayed(scope) { replaced(text, '!', scope) } else { text.to_owned() }
}

fn replaced(text: &str, mark: char, scope: &Scope) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(mark) {
        let (head, tail) = rest.split_at(at);
        out.push_str(head);
        let inner = tail.get(1..).unwrap_or("");
        if mark == '%' && inner.starts_with('%') {
            // `%%` is one that `call` or `for` makes use of.
            out.push_str("%%");
            rest = inner.get(1..).unwrap_or("");
            continue;
        }
        let close = inner.char_indices().take(200).find(|(_, c)| *c == mark || *c == '\n');
        let found = close.and_then(|(end, c)| {
            let body = inner.get(..end)?;
            (c == mark).then(|| value(body, scope)).flatten().map(|value| (value, end))
        });
        match found {
            Some((value, end)) => {
                out.push_str(&value);
                rest = inner.get(end + 1..).unwrap_or("");
            }
            None => {
                out.push(mark);
                rest = inner;
            }
        }
        if out.len() > 1_048_576 {
            break;
        }
    }
    out.push_str(rest);
    out
}

/// The value of `NAME`, `NAME:~1,2` or `NAME:a=b`.
fn value(body: &str, scope: &Scope) -> Option<String> {
    let (name, change) = body.split_once(':').map_or((body, None), |(n, c)| (n, Some(c)));
    let upper = name.to_ascii_uppercase();
    let known = scope.scalar(&upper).and_then(|word| word.literal().map(str::to_owned));
    let text = match (known, upper.as_str()) {
        (Some(text), _) => text,
        (None, "COMSPEC") => "cmd.exe".to_owned(),
        _ => return None,
    };
    Some(match change {
        None => text,
        Some(change) => match change.strip_prefix('~') {
            Some(slice) => crate::shell::changes::cut(&text, &slice.replace(',', ":")),
            None => {
                let (from, to) = change.split_once('=')?;
                crate::shell::changes::replace(&text, from, to, true)?
            }
        },
    })
}
