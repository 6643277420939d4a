//! Which program an invocation starts, as far as memory is concerned.

use crate::memory::Family;
use crate::shell::{MemoryProgram, Piece, Word, base_name, last_component, memory_program};

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
/// `windows`: program names have no case there. `further`: other names of Cortex's.
pub(super) fn memory_cli<'a>(
    argv: &'a [Word],
    windows: bool,
    further: &[String],
) -> Option<MemoryCli<'a>> {
    let (first, args) = argv.split_first()?;
    let names = names(first);
    if names.is_empty() {
        return guess(first, further).map(|families| MemoryCli { families, args, guessed: true });
    }
    if !further.is_empty()
        && let Some(args) = further_cli(argv, &names, windows, further)
    {
        return Some(MemoryCli { families: vec![Family::Cortex], args, guessed: false });
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

/// The words after a program that has one of the `further` names, or after a script of such a name
/// that an interpreter runs.
fn further_cli<'a>(
    argv: &'a [Word],
    names: &[String],
    windows: bool,
    further: &[String],
) -> Option<&'a [Word]> {
    let is_further = |word: &str| {
        let full = base_name(word);
        let name = program_name(word, windows);
        further.iter().any(|one| {
            *one == name || *one == full || (windows && one.to_ascii_lowercase() == name)
        })
    };
    if names.iter().any(|name| is_further(name)) {
        return argv.get(1..);
    }
    let interprets = |name: &String| super::code::is_interpreter(&program_name(name, windows));
    if !names.iter().any(interprets) {
        return None;
    }
    // Before the script stand the interpreter's own options, with or without a value, and `run`.
    let literal = |at: usize| argv.get(at).and_then(Word::literal).unwrap_or_default();
    let at = (1..argv.len().min(12)).find(|at| is_further(literal(*at)))?;
    let is_own = |at: usize| {
        literal(at).starts_with('-') || literal(at - 1).starts_with('-') || literal(at) == "run"
    };
    if (1..at).all(is_own) { argv.get(at + 1..) } else { None }
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
fn guess(word: &Word, further: &[String]) -> Option<Vec<Family>> {
    let mut families = Vec::new();
    let last = match word {
        Word::Partial(pieces) => Word::Partial(last_component(pieces)),
        Word::Literal(_) | Word::OneOf(_) => word.clone(),
    };
    let word = &last;
    let can_be_further = || further.iter().any(|name| word.can_be(name));
    if word.can_be("cortex") || word.can_be("cortex-memory") || can_be_further() {
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
        let cli = memory_cli(&whole, false, &[]).unwrap();
        assert_eq!((cli.families, cli.guessed), (vec![Family::Cortex, Family::Native], true));
        let end = [Word::Partial(vec![hole("$B"), Piece::Text("/cortex".into())])];
        let cli = memory_cli(&end, false, &[]).unwrap();
        assert_eq!((cli.families, cli.guessed), (vec![Family::Cortex], false));
        let other = [Word::Partial(vec![hole("$B"), Piece::Text("/eslint".into())])];
        assert_eq!(memory_cli(&other, false, &[]), None);
        let named = [Word::OneOf(vec!["cortex".into(), "ringfence".into()])];
        assert_eq!(memory_cli(&named, false, &[]).unwrap().families.len(), 2);
    }

    #[test]
    fn a_further_name_is_a_program_by_itself_by_path_and_as_a_script() {
        let further = ["mem".to_owned(), "notes.py".to_owned()];
        let args = |line: &str, windows| {
            let argv: Vec<Word> = line.split(' ').map(|word| Word::Literal(word.into())).collect();
            let cli = memory_cli(&argv, windows, &further)?;
            assert_eq!(cli.families, [Family::Cortex], "{line}");
            Some(cli.args.iter().filter_map(Word::literal).collect::<Vec<_>>().join(" "))
        };
        for (line, windows, expected) in [
            ("mem delete-memory 1", false, Some("delete-memory 1")),
            ("/opt/bin/mem delete-memory 1", false, Some("delete-memory 1")),
            ("mem.cmd gc", false, Some("gc")),
            ("MEM gc", true, Some("gc")),
            ("MEM gc", false, None),
            ("notes.py gc", false, Some("gc")),
            ("python3 -u ./notes.py gc --apply", false, Some("gc --apply")),
            ("python3 -m mem gc", false, Some("gc")),
            ("deno run -A notes.py gc", false, Some("gc")),
            ("node server.js mem gc", false, None),
            ("mems gc", false, None),
            ("amem gc", false, None),
            ("notes gc", false, None),
            ("grep mem gc", false, None),
        ] {
            assert_eq!(args(line, windows).as_deref(), expected, "{line}");
        }
    }
}
