//! What a text knows while it runs: variables, functions, aliases, files it wrote, the directory.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::tree::Node;
use super::types::{Start, Word};

/// A variable's value.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Scalar(Word),
    Array(Vec<Word>),
}

/// The most variables that are kept; others count as not set by the text.
const MAX_NAMES: usize = 512;
/// The most bytes of a value, and the most elements of an array.
pub(super) const MAX_VALUE: usize = 16_384;
const MAX_ELEMENTS: usize = 512;

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
    pub(super) vars: Rc<HashMap<String, Value>>,
    pub(super) exported: Rc<Vec<String>>,
    pub(super) functions: Rc<HashMap<String, Rc<Node>>>,
    /// Name → text and the line after which it is expanded.
    pub(super) aliases: Rc<HashMap<String, (String, usize)>>,
    /// `$0 $1 …`; a many-word stands for any number.
    pub(super) args: Rc<Vec<Word>>,
    pub(super) cwd: Option<String>,
    /// Files whose whole text this text wrote, by absolute path.
    /// All processes of a text share them.
    pub(super) written: Rc<RefCell<HashMap<String, String>>>,
    /// Text on open descriptors above 2.
    pub(super) descriptors: Rc<HashMap<u32, String>>,
    /// Above zero, an assignment may or may not happen: values add up.
    pub(super) conditional: usize,
}

/// `$0` and the words after it; a list that doubles with each command is only known at run time.
pub(super) fn positional(first: Word, rest: &[Word]) -> Rc<Vec<Word>> {
    if rest.len() > MAX_ELEMENTS {
        return Rc::new(vec![first, Word::hole("$@", true)]);
    }
    Rc::new([first].into_iter().chain(rest.iter().cloned()).collect())
}

impl Scope {
    pub(super) fn new(start: &Start) -> Self {
        let mut args = vec![Word::Literal("bash".into())];
        if !start.args.is_empty() {
            args = start.args.iter().map(|arg| Word::Literal(arg.clone())).collect();
        }
        Self {
            vars: Rc::default(),
            exported: Rc::default(),
            functions: Rc::default(),
            aliases: Rc::default(),
            args: Rc::new(args),
            cwd: (!start.cwd.is_empty()).then(|| start.cwd.clone()),
            written: Rc::default(),
            descriptors: Rc::default(),
            conditional: 0,
        }
    }

    /// The state of a program that is started: of the variables it sees the exported ones.
    pub(super) fn child(&self) -> Self {
        let mut own = self.clone();
        own.functions = Rc::default();
        if !self.vars.is_empty() {
            // Names with a blank are the reader's own notes.
            let kept = |name: &String| name.contains(' ') || self.exported.contains(name);
            let vars = self.vars.iter().filter(|(name, _)| kept(name));
            own.vars = Rc::new(vars.map(|(name, value)| (name.clone(), value.clone())).collect());
        }
        own
    }

    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.vars.get(name)
    }

    /// A variable as one word: an array's is its first element.
    pub(super) fn scalar(&self, name: &str) -> Option<Word> {
        match self.vars.get(name)? {
            Value::Scalar(word) => Some(word.clone()),
            Value::Array(words) => Some(words.first().cloned().unwrap_or(Word::empty())),
        }
    }

    pub(super) fn set(&mut self, name: &str, value: Value) {
        if self.vars.len() >= MAX_NAMES && !self.vars.contains_key(name) {
            return;
        }
        let value = bounded(name, value);
        let value = match (&value, self.vars.get(name)) {
            (Value::Scalar(new), Some(Value::Scalar(old))) if self.conditional > 0 => {
                Value::Scalar(old.or(new))
            }
            _ => value,
        };
        Rc::make_mut(&mut self.vars).insert(name.to_owned(), value);
    }

    pub(super) fn unset(&mut self, name: &str) {
        if self.conditional == 0 {
            Rc::make_mut(&mut self.vars).remove(name);
            Rc::make_mut(&mut self.functions).remove(name);
        }
    }

    pub(super) fn export(&mut self, name: &str) {
        if self.exported.len() < MAX_NAMES && !self.exported.iter().any(|known| known == name) {
            Rc::make_mut(&mut self.exported).push(name.to_owned());
        }
    }

    /// The exported variables with known names.
    pub(super) fn environment(&self) -> Vec<(String, Word)> {
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
        match self.vars.get("IFS") {
            Some(Value::Scalar(Word::Literal(text))) => text.clone(),
            _ => " \t\n".to_owned(),
        }
    }
}
