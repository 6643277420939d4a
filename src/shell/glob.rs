//! Unquoted text: its globs stand for files that are not known.

use super::types::{Piece, Word};
use super::values::LISTED;

/// What a shell's globs match besides the names that begin as they are spelled.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Globbing {
    /// Names with a leading dot: `dotglob`, `GLOBIGNORE`, zsh's `globdots`.
    pub(super) hidden: bool,
    /// `**` any number of folders: `globstar`, zsh.
    pub(super) deep: bool,
    /// Letters in either case: `nocaseglob`.
    pub(super) any_case: bool,
}

/// The glob that `text` begins with (`**`, `?`, `[ab]`, else one character), and what follows it.
pub(super) fn first(text: &str) -> (&str, &str) {
    let length = match text.chars().next() {
        Some('*' | '?') => text.find(|c| !matches!(c, '*' | '?')).unwrap_or(text.len()),
        Some('[') => text.find(']').map_or(text.len(), |end| end + 1),
        Some(other) => other.len_utf8(),
        None => 0,
    };
    text.split_at(length)
}

/// Unquoted text: its globs are unknown. Returns the number of its pieces.
pub(super) fn push_bare(word: &mut Word, text: &str, globbing: Globbing) -> usize {
    let group = ["?(", "*(", "+(", "@(", "!("].iter().any(|mark| text.contains(mark));
    let is_glob = group
        || text
            .find('[')
            .is_some_and(|open| text.get(open + 1..).is_some_and(|rest| rest.contains(']')));
    if !is_glob && !text.contains(['*', '?']) {
        word.push_text(text);
        return 0;
    }
    let mut plain = String::new();
    let mut pieces = 0;
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        let mut glob = match character {
            // An extended glob's group: any text.
            '?' | '*' | '+' | '@' | '!' if rest.peek() == Some(&'(') => {
                skip_group(&mut rest);
                String::from('*')
            }
            '*' | '?' => {
                let mut group = String::from(character);
                while let Some(next @ ('*' | '?')) = rest.peek().copied() {
                    group.push(next);
                    rest.next();
                }
                group
            }
            '[' if rest.clone().any(|c| c == ']') => class(&mut rest),
            other if globbing.any_case && other.is_ascii_alphabetic() => {
                let (lower, upper) = (other.to_ascii_lowercase(), other.to_ascii_uppercase());
                format!("[{lower}{upper}]")
            }
            other => {
                plain.push(other);
                continue;
            }
        };
        if !plain.is_empty() {
            word.push_text(&std::mem::take(&mut plain));
        }
        if globbing.hidden || globbing.deep && glob.starts_with("**") {
            glob.insert(0, LISTED);
        }
        word.push_piece(Piece::Glob(glob));
        pieces += 1;
    }
    if !plain.is_empty() {
        word.push_text(&plain);
    }
    pieces
}

/// `[…]`, of which the first letter is read.
fn class(rest: &mut impl Iterator<Item = char>) -> String {
    let mut class = String::from('[');
    for next in rest.by_ref() {
        class.push(next);
        if next == ']' && class.len() > 2 {
            break;
        }
    }
    class
}

/// Skips `( … )` with what is nested in it.
fn skip_group(rest: &mut impl Iterator<Item = char>) {
    let mut depth = 0_usize;
    for next in rest.by_ref() {
        match next {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return;
        }
    }
}

/// Options of `shopt`, `bash -O` and `setopt` that widen what globs match.
pub(super) fn option<'w>(globbing: &mut Globbing, words: impl IntoIterator<Item = &'w Word>) {
    for text in words.into_iter().filter_map(Word::literal) {
        match text.to_ascii_lowercase().replace('_', "").as_str() {
            "dotglob" | "globdots" | "-4" => globbing.hidden = true,
            "globstar" | "globstarshort" => globbing.deep = true,
            "nocaseglob" => globbing.any_case = true,
            _ => {}
        }
    }
}

/// zsh's code without its glob qualifiers for hidden names: `*(D)`; `None` when there are none.
pub(super) fn unqualified(code: &str) -> Option<String> {
    let mut plain = String::new();
    let mut rest = code;
    let mut found = false;
    while let Some(at) = rest.find('(') {
        let (before, tail) = rest.split_at(at);
        plain.push_str(before);
        let end = tail.find(')').map_or(tail.len(), |end| end + 1);
        let (group, after) = tail.split_at(end);
        let letters = group.trim_matches(['(', ')']);
        let qualifies = before.ends_with(['*', '?', ']', '/'])
            && letters.contains('D')
            && letters.bytes().all(|b| b.is_ascii_alphanumeric() || b"./@=%^-+:#".contains(&b));
        if qualifies {
            found = true;
            rest = after;
        } else {
            plain.push('(');
            rest = tail.get(1..).unwrap_or("");
        }
    }
    plain.push_str(rest);
    found.then_some(plain)
}
