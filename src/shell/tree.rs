//! The tree of a posix text: what the scanner finds, before any value is known.

use std::cell::OnceCell;
use std::rc::Rc;

/// A command of any shape.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// Assignments, words, redirections: a program, a builtin, or nothing but assignments.
    Simple(Rc<Simple>),
    /// Commands one after the other.
    List(Vec<(Self, Join)>),
    /// Commands joined by `|`.
    Pipeline(Vec<Self>),
    /// `( … )`: its own variables and directory.
    Subshell(Box<Self>),
    /// `if`: conditions with their branches, and `else`.
    If { arms: Vec<(Self, Self)>, otherwise: Option<Box<Self>> },
    /// `while`, `until` and `for ((…))`: a condition and a body, any number of times.
    Loop { condition: Box<Self>, body: Box<Self> },
    /// `for` and `select`; no words means `"$@"`.
    For { name: String, words: Option<Vec<Raw>>, body: Box<Self> },
    /// `case`: patterns, a body, and whether the next arm may run after it (`;&`, `;;&`).
    Case { subject: Raw, arms: Vec<(Vec<Raw>, Self, bool)> },
    /// A function's definition.
    Function { name: String, body: Rc<Self> },
    /// `[[ … ]]`: only what is substituted in it runs.
    Test(Vec<Raw>),
    /// `(( … ))`: what is substituted in it runs, and it may assign; `for ((…))` does so for each round.
    Arithmetic { text: Raw, repeats: bool },
    /// `coproc`.
    Coproc(Box<Self>),
    /// A compound command with redirections.
    Redirected(Box<Self>, Vec<RawRedirect>),
}

/// How a command is joined to the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Join {
    /// The first, or after `;`, `&` or a line end.
    Then,
    /// After `&&`.
    And,
    /// After `||`.
    Or,
}

/// A simple command.
#[derive(Clone, Debug, Default)]
pub(super) struct Simple {
    pub(super) assigns: Vec<Assign>,
    pub(super) words: Vec<Raw>,
    pub(super) redirects: Vec<RawRedirect>,
    pub(super) at: usize,
    /// Where it ends; equal to `at` for a text inside a text, which has no place of its own.
    pub(super) end: usize,
    /// The line it begins on: an alias is expanded from the next line on.
    pub(super) line: usize,
}

/// One assignment.
#[derive(Clone, Debug)]
pub(super) struct Assign {
    pub(super) name: String,
    pub(super) append: bool,
    /// `a[…]=`: the subscript.
    pub(super) index: Option<Raw>,
    pub(super) value: AssignValue,
}

/// The right side of an assignment.
#[derive(Clone, Debug)]
pub(super) enum AssignValue {
    Word(Raw),
    Array(Vec<Raw>),
}

/// A redirection.
#[derive(Clone, Debug)]
pub(super) struct RawRedirect {
    pub(super) fd: Option<u32>,
    pub(super) op: &'static str,
    pub(super) target: RedirectTarget,
}

/// Where a redirection leads.
#[derive(Clone, Debug)]
pub(super) enum RedirectTarget {
    Word(Raw),
    /// The body of a here-doc, set when the scanner reaches it.
    Here(Rc<OnceCell<Raw>>),
}

/// A word before expansion.
#[derive(Clone, Debug, Default)]
pub(super) struct Raw {
    pub(super) parts: Vec<Part>,
}

/// A part of a word.
#[derive(Clone, Debug)]
pub(super) enum Part {
    /// Unquoted text: subject to braces, tilde, globs.
    Bare(String),
    /// Quoted text.
    Quoted(String),
    /// `$name`, `${name…}`.
    Variable { name: String, index: Option<Rc<Raw>>, change: Change, quoted: bool },
    /// `$( … )` and backticks.
    Command { node: Rc<Node>, quoted: bool },
    /// `<( … )` and `>( … )`.
    Process { node: Rc<Node>, reads: bool },
    /// `$(( … ))`: what is substituted in it.
    Arithmetic { text: Rc<Raw> },
}

/// What `${name…}` does to the value.
#[derive(Clone, Debug)]
pub(super) enum Change {
    Plain,
    /// `:-` `-` `:=` `=`: the value when unset; `assign` for the latter two.
    /// With a colon an empty value counts as unset.
    Default {
        word: Rc<Raw>,
        assign: bool,
        colon: bool,
    },
    /// `:+` `+`.
    Alternative {
        word: Rc<Raw>,
        colon: bool,
    },
    /// `:?` `?`.
    Require(Rc<Raw>),
    /// `#` and `##`, `%` and `%%`.
    Trim {
        prefix: bool,
        longest: bool,
        pattern: Rc<Raw>,
    },
    /// `/` and `//`, with `#` and `%` anchors as the pattern's first character.
    Replace {
        all: bool,
        pattern: Rc<Raw>,
        with: Rc<Raw>,
    },
    /// `^ ^^ , ,,`.
    Case {
        upper: bool,
        all: bool,
    },
    /// `:offset:length`.
    Slice(Rc<Raw>),
    /// `${#name}`.
    Length,
    /// `${!name}`.
    Indirect,
    /// `@Q` and the like.
    Other,
}

/// The last commands that `&&` and `||` join, as a process of their own.
pub(super) fn in_background(items: &mut Vec<(Node, Join)>) {
    let first = items.iter().rposition(|(_, join)| *join == Join::Then).unwrap_or(0);
    let own = items.split_off(first);
    items.push((Node::Subshell(Box::new(Node::List(own))), Join::Then));
}

impl Raw {
    /// The text, when nothing in it needs a value.
    pub(super) fn plain(&self) -> Option<String> {
        let mut text = String::new();
        for part in &self.parts {
            match part {
                Part::Bare(piece) | Part::Quoted(piece) => text.push_str(piece),
                Part::Variable { .. }
                | Part::Command { .. }
                | Part::Process { .. }
                | Part::Arithmetic { .. } => return None,
            }
        }
        Some(text)
    }

    /// The text, when it is wholly unquoted: what a keyword must be.
    pub(super) fn bare(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [Part::Bare(text)] => Some(text),
            _ => None,
        }
    }

    /// A quoted word of known text.
    pub(super) fn quoted(text: impl Into<String>) -> Self {
        Self { parts: vec![Part::Quoted(text.into())] }
    }
}
