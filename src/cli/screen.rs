//! What fits on a screen: widths in columns, cutting, wrapping, colours.

use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthChar;

use crate::decision::Weight;
use crate::guard::label;
use crate::sys::terminal;

/// The narrowest screen that is laid out for.
const NARROWEST: usize = 40;

/// The columns to lay out for; `None` when nobody looks, and then nothing is cut.
pub(crate) fn width() -> Option<usize> {
    terminal::columns().map(|columns| columns.max(NARROWEST))
}

/// How many columns a terminal gives `text`, which holds no controls.
pub(crate) fn columns(text: &str) -> usize {
    text.chars().map(|letter| letter.width().unwrap_or(0)).sum()
}

/// `text` filled up with blanks to `width` columns.
pub(crate) fn padded(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(columns(text));
    format!("{text}{}", " ".repeat(missing))
}

/// The beginning of `text` in at most `width` columns; what is cut ends in `…`.
pub(crate) fn fitted(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let mut used = 0;
    let kept = text.chars().take_while(|letter| {
        used += letter.width().unwrap_or(0);
        used < width
    });
    kept.chain(['…']).collect()
}

/// `text` after something that is `indent` columns wide: on a screen in lines that fit it, each begun
/// below the first.
pub(crate) fn hanging(text: &str, indent: usize) -> String {
    match width() {
        Some(width) => wrapped(text, width - indent).join(&format!("\n{:indent$}", "")),
        None => text.to_owned(),
    }
}

/// `text` in lines of at most `width` columns, broken at blanks where there are any.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        let mut word = word;
        if !line.is_empty() && columns(&line) + 1 + columns(word) > width {
            lines.push(std::mem::take(&mut line));
        } else if !line.is_empty() {
            line.push(' ');
        }
        while columns(word) > width {
            let mut used = 0;
            let end = word
                .char_indices()
                .find(|(_, letter)| {
                    used += letter.width().unwrap_or(0);
                    used > width
                })
                .map_or(word.len(), |(at, _)| at);
            let Some((head, tail)) =
                word.split_at_checked(end).filter(|(head, _)| !head.is_empty())
            else {
                break;
            };
            lines.push(head.to_owned());
            word = tail;
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}

/// How a letter is spelled that would move the eye or show nothing; `None` for all others.
pub(crate) fn shown_letter(letter: char) -> Option<String> {
    match letter {
        '\n' => Some("\\n".into()),
        '\t' => Some("\\t".into()),
        '\r' => Some("\\r".into()),
        _ if label::misleads(letter) => Some(format!("\\u{{{:x}}}", u32::from(letter))),
        _ => None,
    }
}

/// `text` on one line, with nothing in it that moves the eye.
pub(crate) fn shown(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for letter in text.chars() {
        match shown_letter(letter) {
            Some(spelled) => line.push_str(&spelled),
            None => line.push(letter),
        }
    }
    line
}

/// The colour of an outcome.
pub(crate) fn style(weight: Weight) -> Style {
    let color = match weight {
        Weight::Refused => AnsiColor::Red,
        Weight::Unproven => AnsiColor::Yellow,
        Weight::Failed => AnsiColor::Magenta,
        Weight::Allowed => AnsiColor::Green,
    };
    Style::new().bold().fg_color(Some(color.into()))
}

/// `text` in `style`; the printer takes it away where there is no terminal.
pub(crate) fn painted(text: &str, style: Style) -> String {
    format!("{style}{text}{style:#}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_those_of_a_terminal() {
        for (text, width) in [("abc", 3), ("日本", 4), ("e\u{301}", 1), ("", 0)] {
            assert_eq!(columns(text), width, "{text}");
        }
        assert_eq!(fitted("日本語", 5), "日本…");
        assert_eq!(fitted("abc", 3), "abc");
    }

    #[test]
    fn lines_are_broken_at_blanks_and_long_words_anywhere() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("abcdefghij k", 4), ["abcd", "efgh", "ij k"]);
        assert_eq!(wrapped("日本語", 4), ["日本", "語"]);
        assert_eq!(wrapped("", 4), [""]);
        assert!(wrapped("日", 1).concat() == "日");
    }
}
