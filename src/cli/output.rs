//! Printing: data on standard output, talk on standard error; a closed pipe is no error.

use std::io::Write;
use std::path::Path;
use std::sync::OnceLock;

use anstyle::{AnsiColor, Style};

use super::failure::Failure;
use crate::guard::label;

/// Why standard output could not be written, for the first time that it could not.
static LOST: OnceLock<std::io::Error> = OnceLock::new();

/// Prints text or JSON as it is, to standard output.
pub(crate) fn data(text: &str) {
    let mut out = anstream::stdout().lock();
    if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush())
        // A reader that has left is not our failure.
        && error.kind() != std::io::ErrorKind::BrokenPipe
    {
        drop(LOST.set(error));
    }
}

/// Why something that was printed did not arrive: a full disk keeps no export.
pub(crate) fn lost() -> Option<&'static std::io::Error> {
    LOST.get()
}

/// A path on one line of a terminal; who made the directory may have chosen a name that misleads.
pub(crate) fn place(path: &Path) -> String {
    label::one_line(&path.display().to_string(), usize::MAX)
}

/// As [`data`]; `false` when the reader has left.
pub(crate) fn stream(text: &str) -> bool {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_ok()
}

/// Prints one JSON document and a newline.
pub(crate) fn json(document: &serde_json::Value) {
    data(&format!("{}\n", plain_json(&format!("{document:#}"))));
}

/// Prints one JSON document with its keys in the order of the struct.
///
/// # Errors
/// Never for documents of strings, numbers and lists.
pub(crate) fn document(document: &impl serde::Serialize) -> anyhow::Result<()> {
    data(&format!("{}\n", plain_json(&serde_json::to_string_pretty(document)?)));
    Ok(())
}

/// JSON text with what could mislead a terminal written as `\uXXXX`: serde leaves all but the C0
/// controls as they are. Outside strings JSON has no such characters.
pub(crate) fn plain_json(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter == '\n' || !label::misleads(letter) {
            plain.push(letter);
        } else {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                plain.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    plain
}

/// A text of several lines for a terminal: lines and tabs stay, what could mislead is escaped.
pub(crate) fn plain_text(text: &str) -> String {
    label::lines(text)
}

/// Prints one line of talk to standard error.
pub(crate) fn talk(line: &str) {
    drop(writeln!(anstream::stderr().lock(), "{line}"));
}

/// Prints a warning: only if there is something to do about it.
pub(crate) fn warning(line: &str) {
    labelled("warning:", AnsiColor::Yellow, line);
}

/// Prints a failure: `error:`, causes below, an empty line, `hint:`.
pub(crate) fn failure(error: &anyhow::Error) {
    let mut chain = error.chain();
    if let Some(first) = chain.next() {
        labelled("error:", AnsiColor::Red, &first.to_string());
    }
    for cause in chain {
        talk(&format!("  {}", label::lines(&cause.to_string())));
    }
    if let Some(hint) = error.downcast_ref::<Failure>().and_then(|failure| failure.hint.as_ref()) {
        talk("");
        labelled("hint:", AnsiColor::Cyan, hint);
    }
}

fn labelled(label: &str, color: AnsiColor, line: &str) {
    let style = Style::new().bold().fg_color(Some(color.into()));
    drop(writeln!(anstream::stderr().lock(), "{style}{label}{style:#} {}", label::lines(line)));
}
