//! Printing: data on standard output, talk on standard error; a closed pipe is no error.

use std::io::Write;

use anstyle::{AnsiColor, Style};

use super::failure::Failure;

/// Prints text or JSON as it is, to standard output.
pub(crate) fn data(text: &str) {
    let mut out = anstream::stdout().lock();
    // A reader that has left is not our failure.
    drop(out.write_all(text.as_bytes()).and_then(|()| out.flush()));
}

/// Prints one JSON document and a newline.
pub(crate) fn json(document: &serde_json::Value) {
    data(&format!("{document:#}\n"));
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
        talk(&format!("  {cause}"));
    }
    if let Some(hint) = error.downcast_ref::<Failure>().and_then(|failure| failure.hint.as_ref()) {
        talk("");
        labelled("hint:", AnsiColor::Cyan, hint);
    }
}

fn labelled(label: &str, color: AnsiColor, line: &str) {
    let style = Style::new().bold().fg_color(Some(color.into()));
    drop(writeln!(anstream::stderr().lock(), "{style}{label}{style:#} {line}"));
}
