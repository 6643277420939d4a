//! Runs a tree in thought: every command that could run leaves an invocation.
//!
//! Branches all run, loops over known values run once per value, and what a command prints is kept
//! when it can be known, because it may become code further on.

use std::cell::Cell;
use std::rc::Rc;

use super::choice::Choices;
use super::flow::Jump;
use super::scan::{MAX_DEPTH, parse};
use super::scope::{Function, MAX_FUNCTIONS, Scope, Standing, Value};
use super::tree::{Node, Simple};
use super::types::{Dialect, Files, Reading, Redirect, Source, Stdin, Unclear, What, Word};
use super::values::{BYTES_COPIED, LISTED, UNKNOWN_PART};

/// What a command prints: known text, or `None`.
pub(super) type Printed = Option<String>;

/// The most text a command may print and still be known.
pub(super) const MAX_PRINTED: usize = 262_144;

/// One reading in progress.
pub(super) struct Reader<'f> {
    pub(super) files: &'f dyn Files,
    pub(super) reading: Reading,
    pub(super) steps: usize,
    /// Steps for work that the scope did.
    pub(super) owed: Rc<Cell<usize>>,
    /// It was said that the steps are used up.
    pub(super) exhausted: bool,
    /// The last commands are run on steps of their own.
    pub(super) tail: bool,
    pub(super) depth: usize,
    pub(super) via: Vec<&'static str>,
    pub(super) at: usize,
    pub(super) end: usize,
    /// The number of the command at hand, of the one around it, and of the last one begun.
    pub(super) command: usize,
    pub(super) within: usize,
    pub(super) commands: usize,
    /// The line of the command at hand in its own text.
    pub(super) line: usize,
    pub(super) remote: bool,
    pub(super) typed: bool,
    pub(super) home: Option<String>,
    /// Output process substitutions of the command at hand, to be run once its output is known.
    pub(super) waiting: Vec<(String, Rc<Node>)>,
    pub(super) counter: usize,
    /// What was decided for words with several values in the command at hand.
    pub(super) choices: Choices,
    /// Loops around the command at hand, in its own function.
    pub(super) loops: usize,
    /// Scopes that left loops and functions early.
    pub(super) jumps: Vec<Jump>,
    /// Variables that `read` set since the loop at hand began.
    pub(super) read_names: Vec<String>,
    /// For each function that runs, its local variables and what they hide.
    pub(super) locals: Vec<Vec<(String, Option<Value>)>>,
    /// Directories that the text makes.
    pub(super) made: Vec<String>,
    /// The functions that run, outermost first.
    pub(super) calling: Vec<String>,
    /// The first invocation of the pipeline at hand: it may feed what follows it.
    pub(super) feeding: Option<usize>,
    /// What globs match; once wider it stays so.
    pub(super) globbing: super::glob::Globbing,
    /// The invocations of substitutions whose output is not known.
    pub(super) printed_by: Vec<std::ops::Range<usize>>,
}

impl Reader<'_> {
    /// Spends steps; `false` when none are left.
    pub(super) fn spend(&mut self, count: usize) -> bool {
        let count = count.saturating_add(self.owed.take());
        if self.steps < count {
            if !self.exhausted && !out_of_steps(&self.reading.unclear) {
                self.note(What::Bound, "steps");
            }
            self.exhausted = true;
            self.steps = 0;
            return false;
        }
        self.steps -= count;
        true
    }

    /// Notes what is unclear; code that only run time knows may be made of anything in the text.
    pub(super) fn note(&mut self, what: What, detail: &str) {
        if matches!(what, What::Code | What::Script | What::Program) {
            self.source(Source::Text);
        }
        self.remark(what, detail);
    }

    /// Notes what is unclear, and nothing about where it comes from.
    pub(super) fn remark(&mut self, what: What, detail: &str) {
        let detail: String = detail.chars().take(80).collect();
        let unclear = Unclear { what, at: self.at, detail };
        push_unclear(&mut self.reading.unclear, unclear);
    }

    /// Runs `work` one level deeper with `label` on the path; `None` over the bound.
    pub(super) fn inside<T>(
        &mut self,
        label: &'static str,
        work: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<T> {
        if self.depth >= MAX_DEPTH {
            self.note(What::Bound, "depth");
            return None;
        }
        self.depth += 1;
        self.via.push(label);
        let result = work(self);
        self.via.pop();
        self.depth -= 1;
        result
    }

    /// Reads `text` as code in `scope` (cloned by the caller where it is another process).
    pub(super) fn code(
        &mut self,
        label: &'static str,
        text: &str,
        scope: &mut Scope,
        input: &Stdin,
    ) -> Printed {
        if !self.spend(text.len() / BYTES_COPIED) {
            return None;
        }
        let outer = (self.at, self.end);
        let marked;
        let mut text = text;
        if text.contains([UNKNOWN_PART, LISTED]) {
            marked = text.replace(UNKNOWN_PART, "${__unknown}").replace(LISTED, "");
            text = &marked;
        }
        let (aliases, line) = (super::alias::enter(scope), self.line);
        let printed = self.inside(label, |reader| {
            let unclear = &mut reader.reading.unclear;
            let node = parse(text, reader.depth, Some(outer.0), 0, &mut reader.steps, unclear);
            let printed = reader.eval(&node, scope, input);
            reader.leave(Dialect::Posix, text);
            (reader.at, reader.end) = outer;
            printed
        });
        self.line = line;
        super::alias::leave(scope, aliases, line);
        printed
    }

    /// The end of a shell: what its traps say runs.
    pub(super) fn finish(&mut self, scope: &mut Scope) {
        // One may set another.
        for _ in 0..3 {
            for code in std::mem::take(&mut scope.traps).iter() {
                for text in code.as_code().unwrap_or_default() {
                    self.code("trap", &text, scope, &Stdin::Inherited);
                }
            }
        }
    }

    /// Runs a node in a process of its own.
    pub(super) fn apart(&mut self, node: &Node, scope: &Scope, input: &Stdin) -> Printed {
        let mut own = scope.clone();
        own.traps = Rc::default();
        own.gone = false;
        let printed = self.eval(node, &mut own, input);
        self.finish(&mut own);
        printed
    }

    /// Runs a node.
    pub(super) fn eval(&mut self, node: &Node, scope: &mut Scope, input: &Stdin) -> Printed {
        if !self.spend(1) {
            return None;
        }
        match node {
            Node::Simple(simple) => self.simple(simple, scope, input),
            Node::List(items) => self.sequence(items, scope, input),
            Node::Pipeline(stages) => self.pipeline(stages, scope, input),
            Node::Subshell(inner) => self.apart(inner, scope, input),
            Node::If { arms, otherwise } => self.if_chain(arms, otherwise.as_deref(), scope, input),
            Node::Loop { condition, body } => self.repeated(condition, body, scope, input),
            Node::For { name, words, body } => {
                self.for_loop(name, words.as_deref(), body, scope, input)
            }
            Node::Case { subject, arms } => self.case(subject, arms, scope, input),
            Node::Function { name, body } => {
                // `alias f=g; f() { … }` on a later line defines `g`.
                let other = super::alias::renamed(name, scope);
                let standing = if other.is_some() { Standing::Perhaps } else { Standing::Certain };
                for name in other.into_iter().chain([name.clone()]) {
                    if scope.functions.len() < MAX_FUNCTIONS {
                        let bodies = vec![Rc::clone(body)];
                        scope.functions_mut().insert(name, Function { bodies, standing });
                    }
                }
                Some(String::new())
            }
            Node::Test(words) => {
                let words: Vec<Word> = words.iter().map(|word| self.single(word, scope)).collect();
                super::subscript::test(self, &words, scope);
                Some(String::new())
            }
            Node::Arithmetic { text, repeats } => {
                self.arithmetic(text, scope);
                if *repeats {
                    super::arithmetic::forget_assigned(text, scope);
                }
                Some(String::new())
            }
            Node::Coproc(inner) => {
                self.inside("coproc", |reader| reader.apart(inner, scope, &Stdin::Unknown));
                Some(String::new())
            }
            Node::Redirected(inner, redirects) => self.redirected(inner, redirects, scope, input),
        }
    }

    fn pipeline(&mut self, stages: &[Node], scope: &mut Scope, input: &Stdin) -> Printed {
        let mut feed = input.clone();
        let mut printed = None;
        let outer = self.feeding.replace(self.reading.invocations.len());
        for stage in stages {
            printed = self.apart(stage, scope, &feed);
            scope.owe(printed.as_ref().map_or(0, String::len) / BYTES_COPIED);
            feed = printed.clone().map_or(Stdin::Unknown, Stdin::Text);
        }
        self.feeding = outer;
        printed
    }

    pub(super) fn simple(
        &mut self,
        simple: &Rc<Simple>,
        scope: &mut Scope,
        input: &Stdin,
    ) -> Printed {
        let outer = self.begin_command();
        if simple.end > simple.at {
            (self.at, self.end) = (simple.at, simple.end);
        }
        let printed = self.one_command(simple, scope, input);
        self.end_command(outer);
        printed
    }

    fn one_command(&mut self, simple: &Rc<Simple>, scope: &mut Scope, input: &Stdin) -> Printed {
        self.line = simple.line;
        if let Some(printed) = self.aliased(simple, scope, input) {
            return printed;
        }
        self.each_choice(scope, |reader, scope| reader.once(simple, scope, input))
    }

    /// A simple command with one set of decisions.
    pub(super) fn once(
        &mut self,
        simple: &Rc<Simple>,
        scope: &mut Scope,
        input: &Stdin,
    ) -> Printed {
        let outer = std::mem::take(&mut self.waiting);
        let mut argv = self.words(&simple.words, scope);
        self.chosen(scope);
        let mut own_env = Vec::new();
        for assign in &simple.assigns {
            self.assign(assign, argv.is_empty(), scope, &mut own_env);
        }
        let (redirects, own) = self.redirects(&simple.redirects, scope);
        let input = own.unwrap_or_else(|| input.clone());
        if argv.first().and_then(Word::literal) == Some("")
            && argv.len() == 1
            && simple.words.is_empty()
        {
            argv.clear();
        }
        let printed = if argv.is_empty() {
            self.nothing_run(simple, scope, &redirects, &input)
        } else {
            self.run(argv, scope, redirects.clone(), &input, &own_env)
        };
        let printed = self.routed(printed, &redirects, scope);
        self.drain(printed.as_deref(), scope);
        self.waiting = outer;
        printed
    }

    /// A command of assignments and redirections only.
    fn nothing_run(
        &mut self,
        simple: &Simple,
        scope: &Scope,
        redirects: &[Redirect],
        input: &Stdin,
    ) -> Printed {
        if !redirects.is_empty() {
            let argv = vec![Word::Literal(":".into())];
            self.invocation(argv, scope, redirects.to_vec(), input.clone(), &[]);
        }
        // `$(< file)` is the file's text.
        let is_text = redirects.iter().any(|redirect| redirect.op == "<");
        match input {
            Stdin::Text(text) if is_text && simple.assigns.is_empty() => Some(text.clone()),
            Stdin::File(_) | Stdin::Unknown if is_text => None,
            Stdin::Text(_) | Stdin::File(_) | Stdin::Unknown | Stdin::Inherited => {
                Some(String::new())
            }
        }
    }
}

/// An unknown part of an output, on a line of its own.
const MARK: &str = "\u{10fffd}\n";

/// Whether it was said that the steps are used up.
pub(super) fn out_of_steps(unclear: &[Unclear]) -> bool {
    unclear.iter().any(|known| known.what == What::Bound && known.detail == "steps")
}

/// One output after the other; a part that is not known leaves its mark between the known ones.
pub(super) fn joined(first: Printed, second: Printed) -> Printed {
    let known = |text: &String| !text.is_empty();
    match (first, second) {
        (Some(text), Some(more)) if text.len() + more.len() <= MAX_PRINTED => Some(text + &more),
        (Some(_), Some(_)) | (None, None) => None,
        (Some(mut text), None) => {
            // A second mark beside the first one says nothing more.
            if known(&text) && !text.ends_with(MARK) {
                text.push_str(MARK);
            }
            (known(&text) && text.len() <= MAX_PRINTED).then_some(text)
        }
        (None, Some(text)) => known(&text).then(|| format!("{UNKNOWN_PART}\n{text}")),
    }
}

/// Keeps what is unclear, at most 64 places; that a bound was reached is always kept.
pub(super) fn push_unclear(all: &mut Vec<Unclear>, unclear: Unclear) {
    let bound = unclear.what == What::Bound;
    let is_known = |known: &Unclear| {
        *known == unclear || (bound && known.what == What::Bound && known.detail == unclear.detail)
    };
    if (all.len() < 64 || bound) && !all.iter().any(is_known) {
        all.push(unclear);
    }
}
