//! What an expression or a pipeline yields.

use crate::shell::scope::{Scope, Value as Kept};
use crate::shell::types::Word;
use crate::shell::values::BYTES_COPIED;

/// A value of PowerShell, as far as it can be known.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// Zero, one or more strings or numbers.
    List(Vec<Word>),
    /// A script block's text.
    Block(String),
    Bytes(Vec<u8>),
    Table(Vec<(String, Word)>),
    /// `[name]`.
    Type(String),
}

/// The most elements that are kept of a value that grows.
const MAX_ELEMENTS: usize = 1024;

impl Value {
    pub(super) fn none() -> Self {
        Self::List(Vec::new())
    }

    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::List(vec![Word::Literal(text.into())])
    }

    pub(super) fn unknown(what: &str) -> Self {
        Self::List(vec![Word::hole(what, true)])
    }

    pub(super) fn word(word: Word) -> Self {
        Self::List(vec![word])
    }

    /// One value after the other.
    pub(super) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::List(first), other) if first.is_empty() => other,
            (first, Self::List(second)) if second.is_empty() => first,
            (first, second) if first.len() + second.len() > MAX_ELEMENTS => {
                Self::unknown("many values")
            }
            (Self::List(mut words), Self::List(more)) => {
                words.extend(more);
                Self::List(words)
            }
            (Self::List(mut words), second) => {
                words.extend(second.words());
                Self::List(words)
            }
            (first, second) => {
                let mut words = first.words();
                words.extend(second.words());
                Self::List(words)
            }
        }
    }

    /// How many elements it has.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::List(words) => words.len(),
            Self::Bytes(bytes) => bytes.len().min(4096),
            Self::Table(pairs) => pairs.len(),
            Self::Block(_) | Self::Type(_) => 1,
        }
    }

    /// The words it becomes as arguments.
    pub(super) fn words(&self) -> Vec<Word> {
        match self {
            Self::List(words) => words.clone(),
            Self::Block(text) | Self::Type(text) => vec![Word::Literal(text.clone())],
            Self::Bytes(bytes) => {
                bytes.iter().take(4096).map(|b| Word::Literal(b.to_string())).collect()
            }
            Self::Table(_) => vec![Word::hole("@{…}", false)],
        }
    }

    /// It as one string: elements joined by blanks.
    pub(super) fn joined(&self, separator: &str) -> Word {
        let mut out = Word::empty();
        for (index, word) in self.words().iter().enumerate() {
            if index > 0 {
                out.push_text(separator);
            }
            out.push_word(word);
        }
        out
    }

    /// Its single known text.
    pub(super) fn literal(&self) -> Option<String> {
        match self {
            Self::List(words) => match words.as_slice() {
                [word] => word.literal().map(str::to_owned),
                _ => None,
            },
            Self::Block(text) => Some(text.clone()),
            Self::Bytes(_) | Self::Table(_) | Self::Type(_) => None,
        }
    }

    /// The lines a program would read of it.
    pub(super) fn printed(&self) -> Option<String> {
        let mut text = String::new();
        for word in self.words() {
            text.push_str(word.literal()?);
            text.push('\n');
        }
        (text.len() <= crate::shell::eval::MAX_PRINTED).then_some(text)
    }

    /// Lines of a known output, as a pipeline hands them on.
    pub(super) fn lines(printed: Option<String>) -> Self {
        match printed {
            Some(text) => Self::List(
                text.lines().take(4096).map(|line| Word::Literal(line.to_owned())).collect(),
            ),
            None => Self::unknown("output"),
        }
    }

    /// Whether nothing of it is known.
    pub(super) fn is_unknown(&self) -> bool {
        matches!(self, Self::List(words) if words.iter().any(|word| matches!(word, Word::Partial(_))))
    }
}

/// Marks a variable that holds an array although it has one element.
const LISTED: &str = "[]";

/// Says that a variable holds an array.
pub(super) fn set_listed(scope: &mut Scope, name: &str) {
    define(scope, LISTED, name, "");
}

/// Whether a variable holds an array, so that `+=` adds an element.
pub(super) fn is_listed(scope: &Scope, name: &str) -> bool {
    named(scope, LISTED, name).is_some()
}

/// Gives a variable a value; names know no case.
pub(super) fn set(scope: &mut Scope, name: &str, value: &Value) {
    let lower = name.to_ascii_lowercase();
    let lower = ["global:", "script:", "local:", "private:", "variable:"]
        .iter()
        .find_map(|prefix| lower.strip_prefix(prefix))
        .unwrap_or(&lower)
        .to_owned();
    if let Some(variable) = lower.strip_prefix("env:") {
        let own = environment_name(scope, variable);
        scope.set(&own, Kept::Scalar(value.joined(" ")));
        scope.export(&own);
        return;
    }
    for kind in ["function:", "alias:"] {
        if let (Some(name), Some(text)) = (lower.strip_prefix(kind), value.literal()) {
            define(scope, kind, name, &text);
            return;
        }
    }
    scope.owe(3 + value.len());
    for kind in ["{}", "@", "#", "$", LISTED] {
        scope.unset(&format!("{kind}{lower}"));
    }
    let (kind, kept) = match value {
        Value::List(words) => match words.as_slice() {
            [word] => ("$", Kept::Scalar(word.clone())),
            _ => ("$", Kept::Array(words.clone())),
        },
        Value::Block(text) => ("{}", Kept::Scalar(Word::Literal(text.clone()))),
        Value::Bytes(bytes) => {
            let text: String = bytes.iter().map(|byte| char::from(*byte)).collect();
            ("#", Kept::Scalar(Word::Literal(text)))
        }
        Value::Table(pairs) => {
            let flat = pairs.iter().flat_map(|(k, v)| [Word::Literal(k.clone()), v.clone()]);
            ("@", Kept::Array(flat.collect()))
        }
        Value::Type(name) => ("$", Kept::Scalar(Word::Literal(name.clone()))),
    };
    scope.set(&format!("{kind}{lower}"), kept);
}

/// The environment variable as the text spelled it first.
fn environment_name(scope: &Scope, name: &str) -> String {
    let known = scope.exported.iter().find(|known| known.eq_ignore_ascii_case(name));
    known.cloned().unwrap_or_else(|| name.to_ascii_uppercase())
}

/// A variable's value; unknown when the text did not set it.
pub(super) fn get(scope: &Scope, name: &str) -> Value {
    let lower = name.to_ascii_lowercase();
    let lower = ["global:", "script:", "local:", "private:", "variable:", "using:"]
        .iter()
        .find_map(|prefix| lower.strip_prefix(prefix))
        .unwrap_or(&lower)
        .to_owned();
    match lower.as_str() {
        "null" => return Value::none(),
        "true" => return Value::text("True"),
        "false" => return Value::text("False"),
        "psitem" => return get(scope, "_"),
        _ => {}
    }
    if let Some(variable) = lower.strip_prefix("env:") {
        let own = environment_name(scope, variable);
        return match (scope.scalar(&own), variable) {
            (Some(word), _) => Value::word(word),
            (None, "comspec") => Value::text("cmd.exe"),
            (None, _) => Value::unknown(&format!("$env:{variable}")),
        };
    }
    if let Some(Kept::Scalar(Word::Literal(text))) = scope.get(&format!("{{}}{lower}")) {
        scope.owe(text.len() / BYTES_COPIED);
        return Value::Block(text.clone());
    }
    if let Some(Kept::Scalar(Word::Literal(text))) = scope.get(&format!("#{lower}")) {
        scope.owe(text.len() / 16);
        return Value::Bytes(text.chars().map(|c| u8::try_from(c).unwrap_or(0)).collect());
    }
    if let Some(Kept::Array(flat)) = scope.get(&format!("@{lower}")) {
        scope.owe(flat.len());
        let pairs = flat.chunks_exact(2).filter_map(|pair| match pair {
            [Word::Literal(key), value] => Some((key.clone(), value.clone())),
            _ => None,
        });
        return Value::Table(pairs.collect());
    }
    match scope.get(&format!("${lower}")) {
        Some(Kept::Scalar(word)) => {
            scope.owe(1 + word.cost());
            Value::word(word.clone())
        }
        Some(Kept::Array(words)) => {
            scope.owe(words.len());
            Value::List(words.clone())
        }
        None => {
            scope.owe(5);
            Value::unknown(&format!("${name}"))
        }
    }
}

/// What a name stands for: `function:` or `alias:`.
pub(super) fn named(scope: &Scope, kind: &str, name: &str) -> Option<String> {
    match scope.get(&format!("{kind}{}", name.to_ascii_lowercase()))? {
        Kept::Scalar(Word::Literal(text)) => {
            scope.owe(text.len() / BYTES_COPIED);
            Some(text.clone())
        }
        Kept::Scalar(_) | Kept::Array(_) => None,
    }
}

pub(super) fn define(scope: &mut Scope, kind: &str, name: &str, text: &str) {
    let name = name.to_ascii_lowercase();
    let name = ["global:", "script:", "local:"]
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix))
        .unwrap_or(&name)
        .to_owned();
    scope.set(&format!("{kind}{name}"), Kept::Scalar(Word::Literal(text.to_owned())));
}
