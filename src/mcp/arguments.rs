//! The arguments of a tool, checked: the client checks none of them. Pure.

#![forbid(unsafe_code)]

use serde_json::value::RawValue;

use crate::guard::label;
use crate::memory::note::LONGEST_TEXT;
use crate::memory::subject;
use crate::payload;
use crate::request::{Argument, Arguments};

/// The arguments of one call. Every refusal is a sentence for a model, with what would be right.
pub(super) struct Given<'a> {
    arguments: &'a Arguments,
}

impl<'a> Given<'a> {
    /// Takes the arguments of `tool`, which knows only those in `known`: a misspelled one must not be
    /// passed over, because without it the call would mean something else.
    pub(super) fn new(
        tool: &str,
        arguments: &'a Arguments,
        known: &[&str],
    ) -> Result<Self, String> {
        match arguments.iter().find(|(name, _)| !known.contains(name)) {
            None => Ok(Self { arguments }),
            Some((name, _)) => Err(format!(
                "{tool} has no argument {}; it takes {}",
                label::quoted(name, 40),
                known.join(", ")
            )),
        }
    }

    /// A text; none when it is missing, null or empty.
    pub(super) fn text(&self, name: &str) -> Result<Option<&'a str>, String> {
        match self.arguments.get(name) {
            None | Some(Argument::Null) => Ok(None),
            Some(Argument::Text(text)) if text.is_empty() => Ok(None),
            Some(Argument::Text(text)) if subject::trim(text).trim().is_empty() => {
                Err(format!("{name} is blank"))
            }
            Some(Argument::Text(text)) if text.len() > LONGEST_TEXT => {
                Err(format!("{name} is longer than {LONGEST_TEXT} bytes"))
            }
            Some(Argument::Text(text)) => Ok(Some(text)),
            Some(Argument::Other(_)) => Err(format!("{name} must be a text")),
        }
    }

    /// A text that has to be there.
    pub(super) fn required(&self, name: &str) -> Result<&'a str, String> {
        self.text(name)?.ok_or_else(|| format!("{name} is missing"))
    }

    /// A text of at most `longest` characters.
    pub(super) fn short(&self, name: &str, longest: usize) -> Result<Option<&'a str>, String> {
        match self.text(name)? {
            Some(text) if text.chars().count() > longest => {
                Err(format!("{name} is longer than {longest} characters"))
            }
            text => Ok(text),
        }
    }

    /// One of `all`.
    pub(super) fn one_of(&self, name: &str, all: &[&str]) -> Result<Option<&'a str>, String> {
        self.text(name)?.map(|word| among(name, word, all).map(|()| word)).transpose()
    }

    /// Some of `all`: a list, or a single one.
    pub(super) fn some_of(&self, name: &str, all: &[&str]) -> Result<Vec<String>, String> {
        let words = self.texts(name)?;
        words.iter().try_for_each(|word| among(name, word, all))?;
        Ok(words)
    }

    /// A list of texts; a single text is a list of one.
    pub(super) fn texts(&self, name: &str) -> Result<Vec<String>, String> {
        let wrong = || format!("{name} must be a list of texts");
        let raw = match self.arguments.get(name) {
            Some(Argument::Other(raw)) => raw,
            None | Some(Argument::Null | Argument::Text(_)) => {
                return Ok(self.text(name)?.map(str::to_owned).into_iter().collect());
            }
        };
        let items: Vec<&RawValue> = serde_json::from_str(raw).map_err(|_| wrong())?;
        if items.len() > MOST_ITEMS {
            return Err(format!("{name} has more than {MOST_ITEMS} items"));
        }
        let texts: Option<Vec<String>> =
            items.iter().map(|item| payload::string(item.get().as_bytes())).collect();
        let texts = texts.ok_or_else(wrong)?;
        match texts.iter().find(|text| text.trim().is_empty() || text.len() > LONGEST_ITEM) {
            None => Ok(texts),
            Some(text) if text.len() > LONGEST_ITEM => {
                Err(format!("an item of {name} is longer than {LONGEST_ITEM} bytes"))
            }
            Some(_) => Err(format!("an item of {name} is blank")),
        }
    }

    /// A whole number from `least` to `most`; `usual` when it is not given.
    pub(super) fn number(
        &self,
        name: &str,
        (least, most): (usize, usize),
        usual: usize,
    ) -> Result<usize, String> {
        let wrong = || format!("{name} must be a whole number from {least} to {most}");
        match self.arguments.get(name) {
            None | Some(Argument::Null) => Ok(usual),
            Some(Argument::Text(_)) => Err(wrong()),
            Some(Argument::Other(raw)) => {
                // `5.0` is five to a language without whole numbers.
                let raw = raw.strip_suffix(".0").unwrap_or(raw);
                let number = raw.parse::<usize>().map_err(|_| wrong())?;
                (least..=most).contains(&number).then_some(number).ok_or_else(wrong)
            }
        }
    }

    /// Yes or no; no when it is not given.
    pub(super) fn truth(&self, name: &str) -> Result<bool, String> {
        match self.arguments.get(name) {
            None | Some(Argument::Null) => Ok(false),
            Some(Argument::Other(raw)) if raw == "true" => Ok(true),
            Some(Argument::Other(raw)) if raw == "false" => Ok(false),
            Some(Argument::Text(_) | Argument::Other(_)) => {
                Err(format!("{name} must be true or false"))
            }
        }
    }
}

/// The most items of a list.
const MOST_ITEMS: usize = 50;

/// The longest item of a list, in bytes.
const LONGEST_ITEM: usize = 16 * 1024;

fn among(name: &str, word: &str, all: &[&str]) -> Result<(), String> {
    if all.contains(&word) {
        return Ok(());
    }
    Err(format!("{name} is {}, which is none of {}", label::quoted(word, 40), all.join(", ")))
}
