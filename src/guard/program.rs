//! Which program an invocation starts, as far as memory is concerned.

use crate::memory::Family;
use crate::shell::{MemoryProgram, Piece, Word, base_name, memory_program};

/// A memory's own command line: whose store it works on, and the words after the program.
#[derive(Debug, PartialEq)]
pub(super) struct MemoryCli<'a> {
    pub(super) families: Vec<Family>,
    pub(super) args: &'a [Word],
    /// Whether the program word itself is only known at run time.
    pub(super) guessed: bool,
}

/// Reads `argv` as a call of Cortex's or our own command line; launchers are unwrapped by the reader.
///
/// `windows`: program names have no case there.
pub(super) fn memory_cli(argv: &[Word], windows: bool) -> Option<MemoryCli<'_>> {
    let (first, args) = argv.split_first()?;
    let names = names(first);
    if names.is_empty() {
        return guess(first).map(|families| MemoryCli { families, args, guessed: true });
    }
    let mut families: Vec<Family> = names
        .iter()
        .filter_map(|name| memory_program(name, windows))
        .map(|program| match program {
            MemoryProgram::Cortex => Family::Cortex,
            MemoryProgram::Ringfence => Family::Native,
        })
        .collect();
    families.sort_unstable();
    families.dedup();
    (!families.is_empty()).then_some(MemoryCli { families, args, guessed: false })
}

/// The last component of a program word, without the endings that Windows adds.
pub(super) fn program_name(word: &str, windows: bool) -> String {
    let last = base_name(word);
    let lower = last.to_ascii_lowercase();
    for ending in [".exe", ".cmd", ".bat", ".ps1"] {
        if let Some(stem) = lower.strip_suffix(ending) {
            return stem.to_owned();
        }
    }
    if windows { lower } else { last.to_owned() }
}

/// The values of a word; of one whose end is known (`"$BIN/cortex"`) that end.
pub(super) fn names(word: &Word) -> Vec<String> {
    match word {
        Word::Literal(name) => vec![name.clone()],
        Word::OneOf(all) => all.clone(),
        Word::Partial(pieces) => match pieces.last() {
            Some(Piece::Text(end)) if end.contains('/') => vec![end.clone()],
            Some(Piece::Text(_) | Piece::Glob(_) | Piece::Hole { .. }) | None => Vec::new(),
        },
    }
}

/// Whose command line an unknown program word can be.
fn guess(word: &Word) -> Option<Vec<Family>> {
    let mut families = Vec::new();
    if word.can_be("cortex") || word.can_be("cortex-memory") {
        families.push(Family::Cortex);
    }
    if word.can_be("ringfence") {
        families.push(Family::Native);
    }
    (!families.is_empty()).then_some(families)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hole(what: &str) -> Piece {
        Piece::Hole { what: what.into(), many: false }
    }

    #[test]
    fn a_program_that_is_only_known_at_run_time_is_guessed() {
        let whole = [Word::Partial(vec![hole("$X")]), Word::Literal("gc".into())];
        let cli = memory_cli(&whole, false).unwrap();
        assert_eq!((cli.families, cli.guessed), (vec![Family::Cortex, Family::Native], true));
        let end = [Word::Partial(vec![hole("$B"), Piece::Text("/cortex".into())])];
        let cli = memory_cli(&end, false).unwrap();
        assert_eq!((cli.families, cli.guessed), (vec![Family::Cortex], false));
        let other = [Word::Partial(vec![hole("$B"), Piece::Text("/eslint".into())])];
        assert_eq!(memory_cli(&other, false), None);
        let named = [Word::OneOf(vec!["cortex".into(), "ringfence".into()])];
        assert_eq!(memory_cli(&named, false).unwrap().families.len(), 2);
    }
}
