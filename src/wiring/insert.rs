//! Where a new entry goes in a settings text, and how it is laid out there. Pure.

#![forbid(unsafe_code)]

use super::document::{Node, Value};
use super::entry::{Entry, Form};
use super::print::{Piece, Style, indent_of_line, starts_its_line};
use super::settings::{Edited, Made, Refusal, read, wrong_kind};
use super::splice::{Splice, apply};

/// Puts one entry into its place, making `hooks` and the event's list where they are missing.
pub(super) fn insert(edited: &mut Edited, entry: &Entry) -> Result<(), Refusal> {
    let bytes = &edited.bytes;
    let group = group_of(entry);
    let list = || Piece::List(vec![group.clone()]);
    let hooks_of = |list| Piece::Object(vec![(entry.event.to_owned(), list)]);
    let made_event = Made { event: Some(entry.event.to_owned()), instead_of: None };
    let made_hooks = Made { event: None, instead_of: None };
    let Some(root) = read(bytes)? else {
        let whole = Piece::Object(vec![("hooks".to_owned(), hooks_of(list()))]);
        let mut text = whole.print(&Style::default(), "");
        text.push('\n');
        edited.bytes.extend_from_slice(text.as_bytes());
        edited.made.extend([made_hooks, made_event]);
        return Ok(());
    };
    let style = Style::of(bytes, &root);
    let spliced = match root.get("hooks") {
        None => {
            edited.made.extend([made_hooks, made_event]);
            append_member(bytes, &root, &style, "hooks", &hooks_of(list()))
        }
        Some(hooks) if hooks.is_object() => match hooks.get(entry.event) {
            None => {
                edited.made.push(made_event);
                append_member(bytes, hooks, &style, entry.event, &list())
            }
            Some(event) if event.is_list() => append_item(bytes, event, &style, &group),
            Some(event) if event.value == Value::Null => {
                let instead_of = Some("null".to_owned());
                edited.made.push(Made { instead_of, ..made_event });
                replace(bytes, event, &style, &list())
            }
            Some(event) => {
                return Err(wrong_kind(bytes, &format!("hooks.{}", entry.event), event));
            }
        },
        Some(hooks) if says_nothing(hooks) => {
            let text = bytes.get(hooks.start..hooks.end).unwrap_or_default();
            let instead_of = Some(String::from_utf8_lossy(text).into_owned());
            edited.made.extend([Made { instead_of, ..made_hooks }, made_event]);
            replace(bytes, hooks, &style, &hooks_of(list()))
        }
        Some(hooks) => return Err(wrong_kind(bytes, "hooks", hooks)),
    };
    edited.bytes = apply(bytes, vec![spliced]);
    Ok(())
}

/// Values of `hooks` that the client ignores and that hold nothing of anybody's.
fn says_nothing(hooks: &Node) -> bool {
    match &hooks.value {
        Value::Null | Value::Bool(_) => true,
        Value::List(items) => items.is_empty(),
        Value::Number(_) | Value::Text(_) | Value::Object(_) => false,
    }
}

fn group_of(entry: &Entry) -> Piece {
    let mut handler = vec![("type".to_owned(), Piece::text("command"))];
    match entry.form {
        Form::Exec => {
            let args = entry.args.iter().map(|arg| Piece::text(arg)).collect();
            handler.push(("command".to_owned(), Piece::text(&entry.command)));
            handler.push(("args".to_owned(), Piece::List(args)));
        }
        Form::Shell => {
            let words = std::iter::once(&entry.command).chain(&entry.args);
            handler.push(("command".to_owned(), Piece::text(&shell_words::join(words))));
        }
    }
    handler.push(("timeout".to_owned(), Piece::Word(entry.timeout.to_string())));
    let handler = Piece::Object(handler);
    let mut members = Vec::new();
    if let Some(matcher) = &entry.matcher {
        members.push(("matcher".to_owned(), Piece::text(matcher)));
    }
    members.push(("hooks".to_owned(), Piece::List(vec![handler])));
    Piece::Object(members)
}

/// Puts a member at the end of an object, laid out as its neighbours are.
pub(super) fn append_member(
    bytes: &[u8],
    into: &Node,
    style: &Style,
    key: &str,
    value: &Piece,
) -> Splice {
    let last = into.members().last().map(|one| (one.start, one.node.end));
    let print = |style: &Style, indent: &str| {
        format!(
            "{}{}{}",
            Piece::text(key).print(style, ""),
            style.colon,
            value.print(style, indent)
        )
    };
    append(bytes, into, last, style, &print)
}

fn append_item(bytes: &[u8], into: &Node, style: &Style, item: &Piece) -> Splice {
    let last = into.items().last().map(|one| (one.start, one.end));
    append(bytes, into, last, style, &|style, indent| item.print(style, indent))
}

/// Puts a child at the end of a container, laid out as its neighbours are.
fn append(
    bytes: &[u8],
    into: &Node,
    last: Option<(usize, usize)>,
    style: &Style,
    print: &dyn Fn(&Style, &str) -> String,
) -> Splice {
    let newline = style.newline;
    match last {
        Some((start, end)) if starts_its_line(bytes, start) => {
            let indent = indent_of_line(bytes, start);
            let text = format!(",{newline}{indent}{}", print(style, &indent));
            Splice::new(end, end, text)
        }
        Some((_, end)) => {
            let style = style.on_one_line();
            Splice::new(end, end, format!("{}{}", style.comma, print(&style, "")))
        }
        None if style.one_line => {
            let at = into.start + 1;
            Splice::new(at, at, print(style, ""))
        }
        None => {
            let outer = indent_of_line(bytes, into.start);
            let indent = format!("{outer}{}", style.unit);
            let inside = bytes.get(into.start + 1..into.end - 1).unwrap_or_default();
            let mut text = format!("{newline}{indent}{}", print(style, &indent));
            if !inside.contains(&b'\n') {
                text.push_str(newline);
                text.push_str(&outer);
            }
            Splice::new(into.start + 1, into.start + 1, text)
        }
    }
}

/// Puts a value in the place of another.
pub(super) fn replace(bytes: &[u8], node: &Node, style: &Style, piece: &Piece) -> Splice {
    let indent = indent_of_line(bytes, node.start);
    Splice::new(node.start, node.end, piece.print(style, &indent))
}
