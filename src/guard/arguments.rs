//! A program's words, sorted as getopt sorts them: bundles of letters, values attached or in the next
//! word, long names cut short.

use std::collections::HashSet;

use super::options::beginning;
use crate::shell::{Piece, Word};

/// Which options of a program take a value.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Grammar {
    /// Letters whose value is the rest of the word, or else the next word.
    pub(super) letters: &'static str,
    /// Letters whose value, if any, is the rest of the word.
    pub(super) attached: &'static str,
    /// Long names, with their dashes, whose value stands after `=` or in the next word.
    pub(super) names: &'static [&'static str],
    pub(super) style: Style,
}

/// How a program reads its options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Style {
    /// Letters in bundles, options anywhere.
    #[default]
    Bundled,
    /// The same up to the first operand: what follows is another program's.
    Leading,
    /// One letter a word: `-Wall` is no bundle, `-ofile` has a value.
    Single,
    /// Long names behind one dash: `-out file`.
    OneDash,
}

/// Sorted words.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    options: Vec<(String, Option<Word>)>,
    pub(super) operands: Vec<Word>,
}

impl Arguments {
    /// Sorts `args`; the long names in `more` take a value as well.
    pub(super) fn read(args: &[Word], grammar: &Grammar, more: &[&str]) -> Self {
        let mut sorted = Self::default();
        let mut words = args.iter();
        while let Some(word) = words.next() {
            let text = beginning(word);
            if word.literal() == Some("--") {
                break;
            }
            let Some(rest) = text.strip_prefix('-').filter(|rest| !rest.is_empty()) else {
                sorted.operands.push(word.clone());
                if grammar.style == Style::Leading {
                    break;
                }
                continue;
            };
            if rest.starts_with('-') || grammar.style == Style::OneDash {
                sorted.long(word, grammar, more, &mut words);
            } else {
                sorted.bundle(word, rest, grammar, &mut words);
            }
        }
        sorted.operands.extend(words.cloned());
        sorted
    }

    fn long<'w>(
        &mut self,
        word: &Word,
        grammar: &Grammar,
        more: &[&str],
        words: &mut impl Iterator<Item = &'w Word>,
    ) {
        let text = beginning(word);
        let (name, value) = match text.split_once('=') {
            Some((name, _)) => (name, Some(without(word, name.len() + 1))),
            None => (text, None),
        };
        let names = || grammar.names.iter().chain(more).copied();
        let whole = names().find(|known| *known == name);
        let cut = || names().find(|known| name.len() > 3 && known.starts_with(name));
        let known = whole.or_else(|| (grammar.style != Style::OneDash).then(cut).flatten());
        let value = match known {
            Some(_) if value.is_none() => words.next().cloned(),
            Some(_) | None => value,
        };
        self.options.push((known.unwrap_or(name).to_owned(), value));
    }

    fn bundle<'w>(
        &mut self,
        word: &Word,
        letters: &str,
        grammar: &Grammar,
        words: &mut impl Iterator<Item = &'w Word>,
    ) {
        for (at, letter) in letters.char_indices() {
            let name = format!("-{letter}");
            let rest = || without(word, 1 + at + letter.len_utf8());
            if grammar.letters.contains(letter) {
                let rest = Some(rest()).filter(|rest| rest.literal() != Some(""));
                self.options.push((name, rest.or_else(|| words.next().cloned())));
                return;
            }
            if grammar.attached.contains(letter) {
                self.options.push((name, Some(rest())));
                return;
            }
            self.options.push((name, None));
            if grammar.style == Style::Single {
                return;
            }
        }
    }

    /// Whether a letter is given, alone or in a bundle.
    pub(super) fn has_letter(&self, letter: char) -> bool {
        self.options.iter().any(|(name, _)| {
            name.strip_prefix('-').is_some_and(|rest| {
                let mut rest = rest.chars();
                rest.next() == Some(letter) && rest.next().is_none()
            })
        })
    }

    /// Whether the option is given; a long name may be cut short.
    pub(super) fn has(&self, name: &str) -> bool {
        let cut =
            |known: &str| known.starts_with("--") && known.len() > 3 && name.starts_with(known);
        self.options.iter().any(|(known, _)| known == name || cut(known))
    }

    /// Whether one of the options is given.
    pub(super) fn has_any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.has(name))
    }

    /// The values of these options, in order.
    pub(super) fn values(&self, names: &'static [&'static str]) -> impl Iterator<Item = &Word> {
        self.options
            .iter()
            .filter(move |(known, _)| names.contains(&known.as_str()))
            .filter_map(|(_, value)| value.as_ref())
    }

    /// The literal values of these options.
    pub(super) fn literals(&self, names: &'static [&'static str]) -> impl Iterator<Item = &str> {
        self.values(names).filter_map(Word::literal)
    }

    /// All options in order, each with its value.
    pub(super) fn options(&self) -> impl Iterator<Item = (&str, Option<&Word>)> {
        self.options.iter().map(|(name, value)| (name.as_str(), value.as_ref()))
    }

    /// The operands after the first `count`.
    pub(super) fn after(&self, count: usize) -> &[Word] {
        self.operands.get(count..).unwrap_or(&[])
    }
}

/// The words without those that are spelled like one before: a crowd of them costs as much as one.
pub(super) fn distinct(mut words: Vec<Word>) -> Vec<Word> {
    let mut seen: HashSet<String> = HashSet::new();
    let is_new = |word: &Word| word.literal().is_none_or(|text| seen.insert(text.to_owned()));
    words.retain(is_new);
    words
}

/// A word without its first `length` bytes, all of them known.
pub(super) fn without(word: &Word, length: usize) -> Word {
    let cut = |text: &str| text.get(length..).unwrap_or_default().to_owned();
    match word {
        Word::Literal(text) => Word::Literal(cut(text)),
        Word::OneOf(all) => Word::OneOf(all.iter().map(|text| cut(text)).collect()),
        Word::Partial(pieces) => match pieces.split_first() {
            Some((Piece::Text(text), rest)) => {
                let first = Some(cut(text)).filter(|text| !text.is_empty()).map(Piece::Text);
                Word::Partial(first.into_iter().chain(rest.iter().cloned()).collect())
            }
            Some(_) | None => word.clone(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_sorted_as_getopt_sorts_them() {
        let bundled =
            Grammar { letters: "ot", attached: "i", names: &["--output"], ..Grammar::default() };
        let single = Grammar { style: Style::Single, ..bundled };
        let leading = Grammar { style: Style::Leading, ..bundled };
        let dash = Grammar { names: &["-out"], style: Style::OneDash, ..Grammar::default() };
        for (grammar, line, expected) in [
            (bundled, "-so f u", "-s -o=f | u"),
            (bundled, "-of u -v", "-o=f -v | u"),
            (bundled, "--output=f", "--output=f | "),
            (bundled, "--out f u", "--output=f | u"),
            (bundled, "-pi.bak x", "-p -i=.bak | x"),
            (bundled, "-v -- -o f", "-v | -o f"),
            (bundled, "- x", " | - x"),
            (single, "-Wno -of", "-W -o=f | "),
            (leading, "-o f true -o g", "-o=f | true -o g"),
            (dash, "rand -out f 10", "-out=f | rand 10"),
        ] {
            let words: Vec<Word> = line.split(' ').map(|word| Word::Literal(word.into())).collect();
            let sorted = Arguments::read(&words, &grammar, &[]);
            let options: Vec<String> = sorted
                .options()
                .map(|(name, value)| match value.and_then(Word::literal) {
                    Some(value) => format!("{name}={value}"),
                    None => name.to_owned(),
                })
                .collect();
            let operands: Vec<&str> = sorted.operands.iter().filter_map(Word::literal).collect();
            let found = format!("{} | {}", options.join(" "), operands.join(" "));
            assert_eq!(found, expected, "{line}");
        }
    }

    #[test]
    fn a_value_attached_to_a_letter_may_be_half_known() {
        let grammar = Grammar { letters: "o", ..Grammar::default() };
        let hole = Piece::Hole { what: "$D".into(), many: false };
        let word = Word::Partial(vec![Piece::Text("-o".into()), hole.clone()]);
        let sorted = Arguments::read(&[word], &grammar, &[]);
        assert_eq!(sorted.values(&["-o"]).next(), Some(&Word::Partial(vec![hole])));
    }
}
