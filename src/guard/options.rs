//! The words after a program, sorted into options and operands.

use crate::shell::{Piece, Word};

/// The fewest letters, dashes included, that a long option is cut to.
const SHORTEST: usize = 4;

/// Sorted words.
#[derive(Debug, Default)]
pub(super) struct Options {
    options: Vec<(String, Option<Value>)>,
    operands: Vec<Value>,
    /// How many operands may be values of options that we do not know, from the front.
    maybe_values: usize,
    /// Some word stands for any number of words.
    open: bool,
}

/// What a word says.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// One of these.
    Known(Vec<String>),
    /// Only known at run time.
    Unknown,
}

impl Value {
    pub(super) fn of(word: &Word) -> Self {
        word.values().map_or(Self::Unknown, |all| Self::Known(all.to_vec()))
    }

    pub(super) fn literal(&self) -> Option<&str> {
        match self {
            Self::Known(all) => match all.as_slice() {
                [only] => Some(only),
                _ => None,
            },
            Self::Unknown => None,
        }
    }
}

impl Options {
    /// Sorts `args`; the options `with_value` take the next word unless they have a `=`.
    pub(super) fn read(args: &[Word], with_value: &[&str]) -> Self {
        let mut sorted = Self::default();
        let mut words = args.iter();
        let mut only_operands = false;
        let mut after_unknown_option = false;
        while let Some(word) = words.next() {
            sorted.open |= is_many(word);
            let text = beginning(word);
            if only_operands || !text.starts_with('-') || text == "-" {
                if after_unknown_option && sorted.operands.len() == sorted.maybe_values {
                    sorted.maybe_values += 1;
                }
                after_unknown_option = false;
                sorted.operands.push(Value::of(word));
            } else if text == "--" {
                only_operands = true;
            } else if let Some((name, value)) = text.split_once('=') {
                let value = match word.literal() {
                    Some(_) => Value::Known(vec![value.to_owned()]),
                    None => Value::Unknown,
                };
                sorted.options.push((name.to_owned(), Some(value)));
                after_unknown_option = false;
            } else if with_value.contains(&text) {
                let value = words.next();
                sorted.open |= value.is_some_and(is_many);
                sorted.options.push((text.to_owned(), value.map(Value::of)));
                after_unknown_option = false;
            } else {
                sorted.options.push((text.to_owned(), None));
                after_unknown_option = text.len() > 2 && sorted.operands.is_empty();
            }
        }
        sorted
    }

    /// The subcommand: the first operand, unless that may be the value of an unknown option and a
    /// later one is a verb that reaches memory.
    pub(super) fn verb(&self) -> Option<String> {
        self.verb_at()
            .and_then(|at| self.operands.get(at))
            .and_then(Value::literal)
            .map(str::to_owned)
    }

    fn verb_at(&self) -> Option<usize> {
        let doubtful = self.operands.iter().take(self.maybe_values + 1);
        let memory = doubtful.clone().position(|value| {
            value.literal().is_some_and(super::tools::shell_command_targets_memory)
        });
        memory.or((!self.operands.is_empty()).then_some(0))
    }

    /// Whether there is a word for the subcommand, but only run time knows which.
    pub(super) fn verb_is_unknown(&self) -> bool {
        self.operands.first() == Some(&Value::Unknown)
    }

    /// The operands after the subcommand.
    pub(super) fn operands(&self) -> Vec<Value> {
        let skipped = self.verb_at().map_or(0, |at| at + 1);
        self.operands.iter().skip(skipped).cloned().collect()
    }

    /// All operands, for programs without subcommands.
    pub(super) fn all_operands(&self) -> &[Value] {
        &self.operands
    }

    /// Whether the option is given, or a long one's beginning that says which one is meant.
    pub(super) fn has(&self, name: &str) -> bool {
        self.options.iter().any(|(known, _)| {
            known == name
                || known.len() >= SHORTEST && name.starts_with("--") && name.starts_with(known)
        })
    }

    /// Whether the option is given, and without a value.
    pub(super) fn is_flagged(&self, name: &str) -> bool {
        self.options.iter().any(|(known, value)| known == name && value.is_none())
    }

    /// Whether the option is given, or may be through a word that is only known at run time.
    pub(super) fn may_have(&self, name: &str) -> bool {
        self.is_flagged(name) || self.open || self.operands.contains(&Value::Unknown)
    }

    /// The first value of an option; `None` when it is not given or without a value.
    pub(super) fn value(&self, name: &str) -> Option<Value> {
        self.options.iter().find(|(known, _)| known == name).and_then(|(_, value)| value.clone())
    }

    /// All known values of an option.
    pub(super) fn literals(&self, name: &str) -> impl Iterator<Item = String> {
        self.options
            .iter()
            .filter(move |(known, _)| known == name)
            .filter_map(|(_, value)| match value {
                Some(Value::Known(all)) => Some(all.clone()),
                Some(Value::Unknown) | None => None,
            })
            .flatten()
            .collect::<Vec<_>>()
            .into_iter()
    }

    /// Whether some word stands for any number of words.
    pub(super) fn is_open(&self) -> bool {
        self.open || self.operands.contains(&Value::Unknown)
    }
}

/// What is known of a word's beginning, to tell an option from an operand.
pub(super) fn beginning(word: &Word) -> &str {
    match word {
        Word::Literal(text) => text,
        Word::OneOf(all) => all.first().map_or("", String::as_str),
        Word::Partial(pieces) => match pieces.first() {
            Some(Piece::Text(text)) => text,
            Some(Piece::Glob(_) | Piece::Hole { .. }) | None => "",
        },
    }
}

/// Whether a word can stand for any number of words.
pub(super) fn is_many(word: &Word) -> bool {
    match word {
        Word::Partial(pieces) => {
            pieces.iter().any(|piece| matches!(piece, Piece::Hole { many: true, .. }))
        }
        Word::Literal(_) | Word::OneOf(_) => false,
    }
}
