//! Programs that change who may read and write a file.

use super::arguments::Arguments;
use super::change::{Change, NewText, each};
use super::paths::Reach;
use crate::shell::Word;

/// `chmod` and its kin.
pub(super) fn access(program: &str, words: &Arguments) -> Vec<Change> {
    let deep = words.has_letter('R') || words.has("--recursive");
    // Everyday: `chmod -R u+w .`. It harms a store below only if it takes the owner's access away; a
    // directory that its owner cannot enter shuts in all that lies below.
    let mode = || words.operands.first().and_then(Word::literal);
    let takes_away = match program {
        "chmod" if deep => mode().is_some_and(locks_out),
        "chmod" => mode().is_some_and(|mode| locks_out(mode) || shuts(mode)),
        "chattr" => true,
        _ => false,
    };
    let reach = if takes_away { Reach::Below } else { Reach::This };
    each(&words.operands, reach, "change the access to", &NewText::Same)
}

/// Whether a mode keeps a directory's owner from entering it.
fn shuts(mode: &str) -> bool {
    if mode.chars().all(|digit| digit.is_digit(8)) {
        let owner = mode.chars().rev().nth(2).and_then(|digit| digit.to_digit(8)).unwrap_or(0);
        return owner & 1 == 0;
    }
    mode.split(',').any(|part| part.contains("-x") && !part.starts_with(['g', 'o']))
}

/// Whether a mode takes reading or writing from the owner.
fn locks_out(mode: &str) -> bool {
    if mode.chars().all(|digit| digit.is_digit(8)) {
        let owner = mode.chars().rev().nth(2).and_then(|digit| digit.to_digit(8)).unwrap_or(0);
        return owner & 0o6 != 0o6;
    }
    mode.split(',').any(|part| {
        let (who, rest) = part.split_at(part.find(['+', '-', '=']).unwrap_or(part.len()));
        let owner = who.is_empty() || who.contains('u') || who.contains('a');
        owner
            && (rest.starts_with('-') && rest.contains(['r', 'w'])
                || rest.starts_with('=') && !(rest.contains('r') && rest.contains('w')))
    })
}
