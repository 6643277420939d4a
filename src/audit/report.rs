//! What an audit says: facts with where each comes from, and warnings. Pure.

#![forbid(unsafe_code)]

use super::client::Told;

/// One fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// What it is.
    pub name: String,
    /// Its value, for a person.
    pub value: String,
    /// Where it was taken from.
    pub source: String,
}

/// Everything that one audit found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// What was judged.
    pub facts: Vec<Fact>,
    /// What is no warning but worth a line.
    pub info: Vec<String>,
    /// The warnings.
    pub warnings: Vec<Told>,
}

impl Report {
    /// Adds a fact.
    pub fn fact(
        &mut self,
        name: impl Into<String>,
        value: impl Into<String>,
        source: impl Into<String>,
    ) {
        self.facts.push(Fact { name: name.into(), value: value.into(), source: source.into() });
    }

    /// The sentence for a person who did not ask; `None` when all is well.
    pub fn sentence(&self) -> Option<String> {
        let (first, rest) = self.warnings.split_first()?;
        Some(match rest.len() {
            0 => first.detail.clone(),
            more => format!("{} ({more} more: `ringfence audit`)", first.detail),
        })
    }
}
