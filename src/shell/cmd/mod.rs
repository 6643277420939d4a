//! cmd.exe text: lines, separators, `if` and `for`, and what `cmd /c` is given.

mod command;
mod line;
mod tokens;
mod variables;
mod words;

use super::eval::{Printed, Reader};
use super::launch::join;
use super::run::Call;
use super::scope::Scope;
use super::types::{Dialect, Stdin, What};
pub(super) use command::{batch, fold_program};

/// How an unknown part of a text is spelled in it; no variable has this name.
pub(super) const UNKNOWN: &str = "%__unknown%";

/// Reads a cmd.exe text: line by line, because a line's `%NAME%`s are replaced before it runs.
pub(super) fn text(reader: &mut Reader<'_>, text: &str, scope: &mut Scope) -> Printed {
    lines(reader, text, scope, &Stdin::Inherited)
}

pub(super) fn lines(
    reader: &mut Reader<'_>,
    text: &str,
    scope: &mut Scope,
    input: &Stdin,
) -> Printed {
    let mut printed = Some(String::new());
    let mut rest = text;
    while !rest.is_empty() {
        let (line, after) = line::logical(rest);
        if !reader.spend(2 + line.len()) {
            return None;
        }
        let expanded = variables::expand(line, scope);
        if !reader.spend(expanded.len()) {
            return None;
        }
        let outer = reader.begin_command();
        if reader.via.is_empty() {
            let at = text.len() - rest.len();
            (reader.at, reader.end) = (at, at + line.trim_end().len());
        }
        let mut cursor = line::Line::new(&expanded);
        let more = cursor.commands(reader, scope, input, false);
        reader.end_command(outer);
        printed = super::eval::joined(printed, more);
        rest = after;
    }
    printed
}

/// Reads `text` as the code of a cmd.exe of its own.
pub(super) fn code(
    reader: &mut Reader<'_>,
    label: &'static str,
    text: &str,
    scope: &Scope,
    input: &Stdin,
) -> Printed {
    let mut own = scope.clone();
    reader.inside(label, |reader| {
        let printed = lines(reader, text, &mut own, input);
        reader.leave(Dialect::Cmd, text);
        printed
    })
}

/// `cmd /c …` as another shell starts it: the words after `/c` are one text.
pub(super) fn program(reader: &mut Reader<'_>, call: &Call<'_>, scope: &mut Scope) -> Printed {
    let mut own = super::shells::with_env(scope, call);
    for (index, word) in call.argv.iter().enumerate().skip(1) {
        let Some(switch) = word.literal().and_then(switch) else { break };
        match switch {
            Switch::Delayed => variables::delay(&mut own),
            Switch::Other => {}
            Switch::Code(attached) => {
                let rest = call.argv.get(index + 1..).unwrap_or(&[]);
                let mut code_word = super::types::Word::Literal(attached.to_owned());
                if !attached.is_empty() && !rest.is_empty() {
                    code_word.push_text(" ");
                }
                code_word.push_word(&join(rest));
                let Some(texts) = code_word.as_code() else {
                    reader.note(What::Code, &super::types::spell(call.argv));
                    return None;
                };
                let mut printed = None;
                for text in texts {
                    let text = text.replace("${__unknown}", UNKNOWN);
                    printed = code(reader, "cmd /c", unquoted(&text), &own, call.input);
                }
                return printed;
            }
        }
    }
    input(reader, call.input, &mut own)
}

/// The same from inside a cmd.exe text, where the raw text after the program's name is at hand.
fn raw_program(reader: &mut Reader<'_>, tail: &str, scope: &Scope, feed: &Stdin) -> Printed {
    let mut own = scope.clone();
    let mut rest = tail.trim_start();
    while rest.starts_with('/') {
        let end = rest.find([' ', '\t']).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        match switch(word) {
            Some(Switch::Delayed) => variables::delay(&mut own),
            Some(Switch::Code(_)) => {
                let text = rest.get(2..).unwrap_or("").trim_start();
                return code(reader, "cmd /c", unquoted(text), &own, feed);
            }
            Some(Switch::Other) | None => {}
        }
        rest = after.trim_start();
    }
    input(reader, feed, &mut own)
}

fn input(reader: &mut Reader<'_>, input: &Stdin, scope: &mut Scope) -> Printed {
    match input {
        Stdin::Text(text) => code(reader, "cmd", text, scope, &Stdin::Inherited),
        Stdin::File(file) => {
            let text = file.literal().and_then(|path| reader.file_text(path, scope));
            match text {
                Some(text) => code(reader, "cmd", &text, scope, &Stdin::Inherited),
                None => {
                    reader.note(What::Script, &super::types::spell(std::slice::from_ref(file)));
                    None
                }
            }
        }
        Stdin::Unknown => {
            reader.note(What::Code, "standard input of cmd");
            None
        }
        Stdin::Inherited => None,
    }
}

enum Switch<'t> {
    /// `/c`, `/k`, `/r`: code follows, maybe in the same word.
    Code(&'t str),
    /// `/v:on`.
    Delayed,
    Other,
}

/// Reads `/x`; Git Bash spells it `//x`.
fn switch(word: &str) -> Option<Switch<'_>> {
    let body = word.strip_prefix('/')?;
    let body = body.strip_prefix('/').unwrap_or(body);
    let mut letters = body.chars();
    Some(match letters.next()?.to_ascii_lowercase() {
        'c' | 'k' | 'r' => Switch::Code(letters.as_str()),
        'v' if !body.to_ascii_lowercase().ends_with(":off") => Switch::Delayed,
        _ => Switch::Other,
    })
}

/// The text after `/c` loses its outer quotes when it begins with one.
fn unquoted(text: &str) -> &str {
    let text = text.trim();
    match text.strip_prefix('"') {
        Some(inner) => match inner.rfind('"') {
            // `"prog with blanks" args`: two quotes around a program only are kept.
            Some(end) if end + 1 == inner.len() || inner.matches('"').count() > 1 => inner
                .get(..end)
                .map_or(inner, |body| if end + 1 == inner.len() { body } else { text }),
            Some(_) => text,
            None => inner,
        },
        None => text,
    }
}
