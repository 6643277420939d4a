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

/// What a name stands for as a function.
#[derive(Clone)]
pub(super) struct Function {
    /// All bodies that it may have here.
    pub(super) bodies: Vec<Rc<Node>>,
    pub(super) standing: Standing,
}

/// How sure it is that a name is a function, the surest last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Standing {
    /// It lies in the environment of a program, for the shells that this one starts.
    Inherited,
    /// It is one or the program, as a branch went.
    Perhaps,
    Certain,
}

/// The state of one shell; cloned for a subshell (all parts are shared until changed).
#[derive(Clone)]
pub(super) struct Scope {
    /// Copied with each change that a branch may not have made, so its values are shared.
    pub(super) vars: Rc<HashMap<Rc<str>, Rc<Value>>>,
    pub(super) exported: Rc<Vec<String>>,
    /// `set -a`: what is assigned is exported.
    pub(super) exports_all: bool,
    pub(super) functions: Rc<HashMap<String, Function>>,
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
    /// Directories besides `cwd` that are as possible.
    pub(super) elsewhere: Rc<Vec<String>>,
    /// The same, if the `cd` that was the last command failed.
    pub(super) if_failed: Rc<Vec<String>>,
    /// Files whose whole text this text wrote, by absolute path.
    /// All processes of a text share them.
    pub(super) written: Rc<RefCell<HashMap<String, String>>>,
    /// How many branches, which may not be taken, are being read; shared like the files.
    pub(super) branches: Rc<Cell<usize>>,
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
            elsewhere: Rc::default(),
            if_failed: Rc::default(),
            written: Rc::default(),
            branches: Rc::default(),
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
    pub(super) fn functions_mut(&mut self) -> &mut HashMap<String, Function> {
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
            // Not every shell takes functions from its environment.
            let perhaps =
                |known: &Function| Function { standing: Standing::Perhaps, ..known.clone() };
            Rc::new(all.map(|(name, known)| (name.clone(), perhaps(known))).collect())
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

    pub(super) fn unset(&mut self, name: &str) {
        self.forget(name, true, true);
    }

    /// What a variable's attributes make of a word.
    pub(super) fn as_given(&self, name: &str, word: Word) -> Word {
        match self.as_declared(name, Value::Scalar(word.clone())) {
            Value::Scalar(word) => word,
            Value::Array(_) => word,
        }
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

    /// Remembers the text of a file that was written: in a branch besides the one that it had.
    pub(super) fn write(&self, path: String, text: String, append: bool) {
        let mut written = self.written.borrow_mut();
        let perhaps = self.branches.get() > 0 || self.conditional > 0;
        if (append || perhaps)
            && let Some(known) = written.get_mut(&path)
        {
            let is_there = !append && known.ends_with(&text);
            if !is_there && known.len() + text.len() < 262_144 {
                if !append {
                    known.push('\n');
                }
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
