//! Text of others on one line of ours: quoted, short, nothing in it that moves the reader's eye.

/// The longest label, in characters.
pub const LABEL_LENGTH: usize = 60;

/// `text` in quotes on one line, at most `max` characters with the quotes; what is cut ends in `…`.
///
/// Control, bidirectional, invisible and line-breaking characters are written as `\u{…}`.
pub fn quoted(text: &str, max: usize) -> String {
    format!("\"{}\"", one_line(text, max.saturating_sub(2)))
}

/// `text` on one line, at most `max` characters, escaped as in [`quoted`].
pub fn one_line(text: &str, max: usize) -> String {
    let mut line = String::new();
    let mut length = 0;
    let mut kept = 0;
    for letter in text.chars() {
        let shown = escaped(letter);
        let width = shown.chars().count();
        if length + width > max {
            line.truncate(kept);
            line.push('…');
            return line;
        }
        line.push_str(&shown);
        length += width;
        if length < max {
            kept = line.len();
        }
    }
    line
}

/// A text of several lines: lines and tabs stay, what could mislead is escaped.
pub fn lines(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for letter in text.chars() {
        if matches!(letter, '\n' | '\t') || !misleads(letter) {
            plain.push(letter);
        } else {
            plain.push_str(&format!("\\u{{{:x}}}", u32::from(letter)));
        }
    }
    plain
}

/// The end of `path` in quotes on one line, at most [`LABEL_LENGTH`] characters: the end tells more.
pub fn quoted_path(path: &str) -> String {
    let shown: Vec<String> = path.chars().map(escaped).collect();
    let mut length = 0;
    let fits = shown
        .iter()
        .rev()
        .take_while(|piece| {
            length += piece.chars().count();
            length <= LABEL_LENGTH - 3
        })
        .count();
    let cut = shown.len() - fits;
    let end: String = shown.into_iter().skip(cut).collect();
    if cut == 0 { format!("\"{end}\"") } else { format!("\"…{end}\"") }
}

/// A memory's label: its kind and its subject, at most [`LABEL_LENGTH`] characters.
pub fn label(kind: &str, subject: Option<&str>) -> String {
    let kind = one_line(kind.strip_prefix("note:").unwrap_or(kind), 20);
    match subject {
        Some(subject) => {
            let left = LABEL_LENGTH - 1 - kind.chars().count();
            format!("{kind} {}", quoted(subject, left))
        }
        None => kind,
    }
}

/// Whether `id` can be shown as a word of a command line as it is.
pub(super) fn is_plain(id: &str) -> bool {
    !id.is_empty()
        && id.len() <= LABEL_LENGTH
        && !id.starts_with('-')
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b":._-".contains(&byte))
}

fn escaped(letter: char) -> String {
    match letter {
        '"' => "\\\"".into(),
        '\\' => "\\\\".into(),
        '\n' => "\\n".into(),
        '\r' => "\\r".into(),
        '\t' => "\\t".into(),
        _ if misleads(letter) => {
            format!("\\u{{{:x}}}", u32::from(letter))
        }
        _ => letter.into(),
    }
}

/// Whether a character could mislead whoever reads a line with it: controls, and those that change
/// direction, break lines or show nothing.
pub fn misleads(letter: char) -> bool {
    letter.is_control() || is_invisible(letter)
}

/// Characters that change direction, break lines or show nothing.
fn is_invisible(letter: char) -> bool {
    matches!(u32::from(letter),
        0x00AD | 0x034F | 0x061C | 0x115F | 0x1160 | 0x17B4 | 0x17B5 | 0x180B..=0x180F
        | 0x200B..=0x200F | 0x2028..=0x202E | 0x2060..=0x206F | 0x3164 | 0xFE00..=0xFE0F
        | 0xFEFF | 0xFFA0 | 0xFFF0..=0xFFFB | 0x1D173..=0x1D17A | 0xE0000..=0xE0FFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_one_short_line() {
        for (kind, subject, expected) in [
            ("decision", Some("retry ceiling"), r#"decision "retry ceiling""#),
            ("note:decision", Some("a"), r#"decision "a""#),
            ("command_run", None, "command_run"),
            (
                "decision",
                Some("a\n\u{202e}b\"c\\\u{1b}[1m"),
                r#"decision "a\n\u{202e}b\"c\\\u{1b}[1m""#,
            ),
            (
                "decision",
                Some("0123456789012345678901234567890123456789012345678901234567890"),
                r#"decision "012345678901234567890123456789012345678901234567…""#,
            ),
            ("a\nvery long kind of a foreign store", Some("x"), r#"a\nvery long kind o… "x""#),
        ] {
            let label = label(kind, subject);
            assert_eq!(label, expected);
            assert!(label.chars().count() <= LABEL_LENGTH, "{label}");
        }
    }

    #[test]
    fn a_text_that_just_fits_is_not_cut() {
        assert_eq!(one_line("abcd", 4), "abcd");
        assert_eq!(one_line("abcde", 4), "abc…");
        assert_eq!(one_line("abc\u{202e}", 4), "abc…");
    }

    #[test]
    fn a_long_path_keeps_its_end() {
        let long = format!("/{}/cortex.db", "d".repeat(80));
        let shown = quoted_path(&long);
        assert!(shown.ends_with("d/cortex.db\"") && shown.starts_with("\"…d"), "{shown}");
        assert_eq!(shown.chars().count(), LABEL_LENGTH);
        assert_eq!(quoted_path("/w/.cortex.db"), "\"/w/.cortex.db\"");
    }
}
