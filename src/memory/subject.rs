//! Subjects: how a note's "about what" is compared.

#![forbid(unsafe_code)]

/// JavaScript's white space, which is what `trim` takes off in Cortex.
fn is_js_space(character: char) -> bool {
    matches!(
        character,
        '\t' | '\n' | '\u{b}' | '\u{c}' | '\r' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200a}'
                | '\u{2028}'
                | '\u{2029}'
                | '\u{202f}'
                | '\u{205f}'
                | '\u{3000}'
                | '\u{feff}'
    )
}

/// `text` without JavaScript's white space around it.
pub fn trim(text: &str) -> &str {
    text.trim_matches(is_js_space)
}

/// Trimmed and lower-cased over all of Unicode; `None` when nothing is left.
///
/// No Unicode normalisation and no folding of inner blanks: what Cortex stores is in this form, and
/// it is compared byte by byte.
pub fn normalise(subject: &str) -> Option<String> {
    let trimmed = trim(subject);
    (!trimmed.is_empty()).then(|| trimmed.to_lowercase())
}

/// Whether two subjects are equal as SQLite's NOCASE sees them: ASCII letters fold, no others.
pub fn equal_nocase(left: &str, right: &str) -> bool {
    left.eq_ignore_ascii_case(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_are_normalised_as_cortex_does_it() {
        for (subject, expected) in [
            ("Retry Ceiling", Some("retry ceiling")),
            ("\u{feff}\u{a0} X\u{3000}", Some("x")),
            ("ÉTÉ", Some("été")),
            ("retry  ceiling", Some("retry  ceiling")),
            ("retry\u{200b}ceiling", Some("retry\u{200b}ceiling")),
            (" \t\u{2003}", None),
            ("", None),
        ] {
            assert_eq!(normalise(subject).as_deref(), expected, "{subject:?}");
        }
    }

    #[test]
    fn nocase_folds_ascii_only() {
        assert!(equal_nocase("Retry", "rETRY"));
        assert!(!equal_nocase("été", "ÉTÉ"));
    }
}
