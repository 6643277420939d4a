//! What a text knows while it runs: variables, functions, aliases, files it wrote, the directory.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use super::tree::Node;
use super::types::{Start, Word};

/// A variable's value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Scalar(Word),
    Array(Vec<Word>),
}

/// The most variables that are kept; others count as not set by the text.
const MAX_NAMES: usize = 512;
/// The most bytes of a value, and the most elements of an array.
pub(super) const MAX_VALUE: usize = 16_384;
const MAX_ELEMENTS: usize = 512;
/// The most functions that are kept.
pub(super) const MAX_FUNCTIONS: usize = 1_024;
/// Bytes that a reading may keep for one step: what bounds its memory.
pub(super) const BYTES_KEPT: usize = 64;

/// The most bodies of one name that are kept apart.
const MAX_BODIES: usize = 8;
/// Stands for an array's element that is not set.
pub(super) const ABSENT: &str = "\u{10fffc}";

/// A value that has grown too large is one that is not known.
fn bounded(name: &str, value: Value) -> Value {
    match &value {
        Value::Scalar(word) if word.size() > MAX_VALUE || word.pieces() > 64 => {
            Value::Scalar(Word::hole(format!("${name}"), true))
        }
        Value::Array(words) if words.len() > MAX_ELEMENTS => {
            Value::Array(vec![Word::hole(format!("${name}[@]"), true)])
        }
        Value::Scalar(_) | Value::Array(_) => value,
    }
}

/// The state of one shell; cloned for a subshell (all parts are shared until changed).
#[derive(Clone)]
pub(super) struct Scope {
    /// Copied with each change that a branch may not have made, so its values are shared.
    pub(super) vars: Rc<HashMap<Rc<str>, Rc<Value>>>,
    pub(super) exported: Rc<Vec<String>>,
    /// `set -a`: what is assigned is exported.
    pub(super) exports_all: bool,
    /// All bodies that a function may have here.
    pub(super) functions: Rc<HashMap<String, Vec<Rc<Node>>>>,
    /// Name → text and the line from which on it is expanded.
    pub(super) aliases: Rc<HashMap<String, (String, usize)>>,
    /// Whether aliases are surely expanded: as the client runs a text, but not in its children.
    pub(super) expands: bool,
    /// `declare -i`, `-l`, `-u`: what assignments do to the value.
    pub(super) attributes: Rc<HashMap<String, char>>,
    /// Code that runs when the shell ends.
    pub(super) traps: Rc<Vec<Word>>,
    /// `$0 $1 …`; a many-word stands for any number.
    pub(super) args: Rc<Vec<Word>>,
    pub(super) cwd: Option<String>,
    /// Files whose whole text this text wrote, by absolute path.
    /// All processes of a text share them.
    pub(super) written: Rc<RefCell<HashMap<String, String>>>,
    /// Text on open descriptors above 2.
    pub(super) descriptors: Rc<HashMap<u32, String>>,
    /// Above zero, an assignment may or may not happen: values add up. For PowerShell and cmd; posix
    /// branches have scopes of their own that are joined.
    pub(super) conditional: usize,
    /// After `break`, `return` or `exit`: what follows is read, but its values reach no one.
    pub(super) gone: bool,
    /// Steps for work done here, which the reader takes up with its next ones.
    owed: Rc<Cell<usize>>,
}

/// `$0` and the words after it; a list that doubles with each command is only known at run time.
pub(super) fn positional(first: Word, rest: &[Word]) -> Rc<Vec<Word>> {
    if rest.len() > MAX_ELEMENTS {
        return Rc::new(vec![first, Word::hole("$@", true)]);
    }
    Rc::new([first].into_iter().chain(rest.iter().cloned()).collect())
}

impl Scope {
    pub(super) fn new(start: &Start, owed: Rc<Cell<usize>>) -> Self {
        let mut args = vec![Word::Literal("bash".into())];
        if !start.args.is_empty() {
            args = start.args.iter().map(|arg| Word::Literal(arg.clone())).collect();
        }
        Self {
            vars: Rc::default(),
            exported: Rc::default(),
            exports_all: false,
            functions: Rc::default(),
            aliases: Rc::default(),
            expands: true,
            attributes: Rc::default(),
            traps: Rc::default(),
            args: Rc::new(args),
            cwd: (!start.cwd.is_empty()).then(|| start.cwd.clone()),
            written: Rc::default(),
            descriptors: Rc::default(),
            conditional: 0,
            gone: false,
            owed,
        }
    }

    /// Says that work was done that no step was spent on.
    pub(super) fn owe(&self, steps: usize) {
        self.owed.set(self.owed.get().saturating_add(steps));
    }

    /// The variables to be changed: a shell that shares them gets its own first.
    pub(super) fn vars_mut(&mut self) -> &mut HashMap<Rc<str>, Rc<Value>> {
        if Rc::strong_count(&self.vars) > 1 {
            self.owe(self.vars.len());
        }
        Rc::make_mut(&mut self.vars)
    }

    /// The functions to be changed.
    pub(super) fn functions_mut(&mut self) -> &mut HashMap<String, Vec<Rc<Node>>> {
        if Rc::strong_count(&self.functions) > 1 {
            self.owe(self.functions.len() * 2);
        }
        Rc::make_mut(&mut self.functions)
    }

    /// Changes the elements of an array in their place; a scalar is its first one.
    pub(super) fn edit_array(&mut self, name: &str, change: impl FnOnce(&mut Vec<Word>)) {
        match self.get(name) {
            Some(Value::Array(_)) => {}
            Some(Value::Scalar(first)) => {
                let first = first.clone();
                self.vars_mut().insert(name.into(), Rc::new(Value::Array(vec![first])));
            }
            None => self.set(name, Value::Array(Vec::new())),
        }
        let Some(slot) = self.vars_mut().get_mut(name) else { return };
        let shared = Rc::strong_count(slot) > 1;
        let Value::Array(words) = Rc::make_mut(slot) else { return };
        let copied = if shared { words.len() } else { 0 };
        change(words);
        if words.len() > MAX_ELEMENTS {
            *words = vec![Word::hole(format!("${name}[@]"), true)];
        }
        self.owe(copied);
    }

    /// The state of a program that is started: of the variables it sees the exported ones.
    pub(super) fn child(&self) -> Self {
        let mut own = self.clone();
        // `export -f`.
        own.functions = if self.exported.iter().any(|name| name.ends_with(" ()")) {
            self.owe(self.functions.len() + self.exported.len());
            let all = self.exported.iter().filter_map(|name| name.strip_suffix(" ()"));
            let all = all.filter_map(|name| self.functions.get_key_value(name));
            Rc::new(all.map(|(name, bodies)| (name.clone(), bodies.clone())).collect())
        } else {
            Rc::default()
        };
        own.attributes = Rc::default();
        own.aliases = Rc::default();
        own.expands = false;
        own.traps = Rc::default();
        own.gone = false;
        own.exports_all = false;
        own.args = Rc::new(vec![Word::Literal("bash".into())]);
        own.conditional = 0;
        if !self.vars.is_empty() {
            // Names with a blank are the reader's own notes.
            let kept =
                |name: &str| name.contains(' ') || self.exported.iter().any(|known| known == name);
            let vars = self.vars.iter().filter(|(name, _)| kept(name));
            own.vars = Rc::new(vars.map(|(name, value)| (name.clone(), value.clone())).collect());
            self.owe(self.vars.len() / 4 + own.vars.len());
        }
        own
    }

    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.vars.get(name).map(Rc::as_ref)
    }

    /// A variable as one word: an array's is its first element.
    pub(super) fn scalar(&self, name: &str) -> Option<Word> {
        match self.get(name)? {
            Value::Scalar(word) => {
                self.owe(word.cost());
                Some(word.clone())
            }
            Value::Array(words) => Some(words.first().cloned().unwrap_or(Word::empty())),
        }
    }

    pub(super) fn set(&mut self, name: &str, value: Value) {
        if self.vars.len() >= MAX_NAMES && !self.vars.contains_key(name) {
            return;
        }
        let value = bounded(name, self.as_declared(name, value));
        let value = match (&value, self.get(name)) {
            (Value::Scalar(new), Some(Value::Scalar(old))) if self.conditional > 0 => {
                Value::Scalar(old.or(new))
            }
            _ => value,
        };
        self.vars_mut().insert(name.into(), Rc::new(value));
        // Names with other characters are the reader's own.
        if self.exports_all && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
            self.export(name);
        }
    }

    /// What holds whether `self` or `other` is what happened.
    pub(super) fn join(&mut self, other: Self) {
        if other.gone {
            return;
        }
        if self.gone {
            *self = other;
            return;
        }
        if !Rc::ptr_eq(&self.vars, &other.vars) {
            self.join_variables(&other);
        }
        if !Rc::ptr_eq(&self.functions, &other.functions) {
            self.owe(other.functions.len());
            let functions = self.functions_mut();
            for (name, bodies) in other.functions.iter() {
                let own = functions.entry(name.clone()).or_default();
                for body in bodies {
                    if own.len() < MAX_BODIES && !own.iter().any(|known| Rc::ptr_eq(known, body)) {
                        own.push(Rc::clone(body));
                    }
                }
            }
        }
        if !Rc::ptr_eq(&self.args, &other.args) && self.args != other.args {
            // What both have in common in front, and then anything.
            let mut args: Vec<Word> =
                self.args.iter().zip(other.args.iter()).map(|(a, b)| a.or(b)).collect();
            if self.args.len() != other.args.len() {
                args.push(Word::hole("$@", true));
            }
            self.args = Rc::new(args);
        }
        for (name, alias) in other.aliases.iter() {
            if self.aliases.get(name) != Some(alias) {
                // Expanded in one case and not in the other.
                self.expands = false;
                Rc::make_mut(&mut self.aliases).insert(name.clone(), alias.clone());
            }
        }
        self.expands &= other.expands && self.aliases.len() == other.aliases.len();
        self.exports_all |= other.exports_all;
        for name in other.exported.iter() {
            self.export(name);
        }
        if !Rc::ptr_eq(&self.traps, &other.traps) {
            let new = other.traps.iter().filter(|code| !self.traps.contains(code));
            let new: Vec<Word> = new.cloned().collect();
            Rc::make_mut(&mut self.traps).extend(new);
        }
        if self.cwd != other.cwd {
            self.cwd = None;
        }
    }

    fn join_variables(&mut self, other: &Self) {
        self.owe(self.vars.len() + other.vars.len() / 4);
        let unset = Rc::new(Value::Scalar(Word::empty()));
        let mut joined = HashMap::with_capacity(self.vars.len());
        let only_there = other.vars.keys().filter(|name| !self.vars.contains_key(*name));
        for name in self.vars.keys().chain(only_there) {
            let own = self.vars.get(name).unwrap_or(&unset);
            let others = other.vars.get(name).unwrap_or(&unset);
            let value = match (own.as_ref(), others.as_ref()) {
                _ if Rc::ptr_eq(own, others) => Rc::clone(own),
                (left, right) if left == right => Rc::clone(own),
                (Value::Scalar(left), Value::Scalar(right)) => {
                    Rc::new(Value::Scalar(left.or(right)))
                }
                _ => Rc::new(Value::Array(vec![Word::hole(format!("${name}[@]"), true)])),
            };
            joined.insert(Rc::clone(name), value);
        }
        self.vars = Rc::new(joined);
    }

    /// Variables that differ from `before` are only known at run time.
    pub(super) fn forget_changes(&mut self, before: &Self) {
        self.owe(self.vars.len() / 2);
        let vars = self.vars_mut();
        for (name, value) in vars.iter_mut() {
            if before.vars.get(name) == Some(value) {
                continue;
            }
            let word = Word::hole(format!("${name}"), true);
            *value = Rc::new(match value.as_ref() {
                Value::Array(_) => Value::Array(vec![word]),
                Value::Scalar(_) => Value::Scalar(word),
            });
        }
        if self.args != before.args {
            let first = self.args.first().cloned().unwrap_or(Word::empty());
            self.args = Rc::new(vec![first, Word::hole("$@", true)]);
        }
    }

    /// Whether what later commands read is as it was in `before`.
    pub(super) fn same(&self, before: &Self) -> bool {
        (Rc::ptr_eq(&self.vars, &before.vars) || self.vars == before.vars)
            && (Rc::ptr_eq(&self.args, &before.args) || self.args == before.args)
            && Rc::ptr_eq(&self.functions, &before.functions)
    }

    pub(super) fn unset(&mut self, name: &str) {
        self.forget(name, true, true);
    }

    /// The value that `declare -i`, `-l` or `-u` makes of one.
    fn as_declared(&self, name: &str, value: Value) -> Value {
        let Some(attribute) = self.attributes.get(name) else { return value };
        let Value::Scalar(word) = &value else { return value };
        if *attribute == 'r' {
            // Refused by bash, and often the end of the text.
            return Value::Scalar(self.scalar(name).map_or(word.clone(), |old| old.or(word)));
        }
        Value::Scalar(match attribute {
            'l' => word.map(str::to_lowercase),
            'u' => word.map(str::to_uppercase),
            'i' if word.literal().is_none_or(|text| text.parse::<i64>().is_err()) => {
                Word::hole(format!("${name}"), false)
            }
            _ => return value,
        })
    }

    /// Forgets a variable, or else a function; in a branch of PowerShell or cmd neither.
    pub(super) fn forget(&mut self, name: &str, variables: bool, functions: bool) {
        if self.conditional > 0 {
            return;
        }
        let known = variables && self.vars.contains_key(name);
        if known {
            self.vars_mut().remove(name);
        } else if functions && self.functions.contains_key(name) {
            self.functions_mut().remove(name);
        }
    }

    pub(super) fn export(&mut self, name: &str) {
        if self.exported.len() < MAX_NAMES && !self.exported.iter().any(|known| known == name) {
            Rc::make_mut(&mut self.exported).push(name.to_owned());
        }
    }

    /// The exported variables with known names.
    pub(super) fn environment(&self) -> Vec<(String, Word)> {
        self.owe(self.exported.len() * 2);
        self.exported.iter().filter_map(|name| Some((name.clone(), self.scalar(name)?))).collect()
    }

    /// Remembers the text of a file that was written.
    pub(super) fn write(&self, path: String, text: String, append: bool) {
        let mut written = self.written.borrow_mut();
        if append && let Some(known) = written.get_mut(&path) {
            if known.len() + text.len() < 262_144 {
                known.push_str(&text);
            }
            return;
        }
        if written.len() < 256 {
            written.insert(path, text);
        }
    }

    /// Field separators: the default when unset or unknown.
    pub(super) fn separators(&self) -> String {
        match self.get("IFS") {
            Some(Value::Scalar(Word::Literal(text))) => text.clone(),
            _ => " \t\n".to_owned(),
        }
    }
}
