//! What one command does: a function, a builtin, a launcher, a shell, or just a program.

use std::rc::Rc;

use super::eval::{Printed, Reader};
use super::scope::{Scope, Standing};
use super::types::{Redirect, Stdin, What, Word};

/// How often a function is followed within itself.
const MAX_RECURSION: usize = 4;

/// One command with everything it was given.
pub(super) struct Call<'c> {
    pub(super) argv: &'c [Word],
    pub(super) redirects: &'c [Redirect],
    pub(super) input: &'c Stdin,
    pub(super) env: &'c [(String, Word)],
}

impl Call<'_> {
    /// The literal argument at `index`.
    pub(super) fn arg(&self, index: usize) -> Option<&str> {
        self.argv.get(index).and_then(Word::literal)
    }

    /// All arguments after the first `skip` words, when all are known.
    pub(super) fn known(&self, skip: usize) -> Option<Vec<String>> {
        self.argv.iter().skip(skip).map(|word| word.literal().map(str::to_owned)).collect()
    }
}

impl Reader<'_> {
    /// Runs one command.
    pub(super) fn run(
        &mut self,
        argv: Vec<Word>,
        scope: &mut Scope,
        redirects: Vec<Redirect>,
        input: &Stdin,
        env: &[(String, Word)],
    ) -> Printed {
        let copied = argv.iter().map(Word::cost).sum::<usize>();
        if !self.spend(argv.len() + 1 + copied) {
            return None;
        }
        let argv: Vec<Word> = argv.into_iter().map(Word::with_holes).collect();
        let program = argv.first().cloned().unwrap_or(Word::empty());
        match &program {
            Word::Literal(_) => {
                let call = Call { argv: &argv, redirects: &redirects, input, env };
                self.dispatch(&call, scope)
            }
            Word::OneOf(all) => {
                let mut printed = None;
                for value in all.clone() {
                    let mut own = argv.clone();
                    if let Some(first) = own.first_mut() {
                        *first = Word::Literal(value);
                    }
                    printed = self.run(own, scope, redirects.clone(), input, env);
                }
                printed
            }
            Word::Partial(_) => {
                let detail = super::types::spell(&argv);
                self.unknown_word(What::Program, &program, &detail);
                self.invocation(argv.clone(), scope, redirects, input.clone(), env);
                super::guess::started(self, &argv, scope, input, env);
                None
            }
        }
    }

    fn dispatch(&mut self, call: &Call<'_>, scope: &mut Scope) -> Printed {
        let program = call.arg(0).unwrap_or("").to_owned();
        let Some(function) = scope.functions.get(program.as_str()).cloned() else {
            return self.not_a_function(call, scope);
        };
        match function.standing {
            Standing::Certain => self.function(&program, &function.bodies, call, scope),
            Standing::Inherited => self.not_a_function(call, scope),
            Standing::Perhaps => {
                let mut own = scope.clone();
                let printed = self.function(&program, &function.bodies, call, &mut own);
                let more = self.not_a_function(call, scope);
                scope.join(own);
                printed.filter(|text| Some(text) == more.as_ref())
            }
        }
    }

    fn not_a_function(&mut self, call: &Call<'_>, scope: &mut Scope) -> Printed {
        if let Some(printed) = super::builtins::run(self, call, scope) {
            return printed;
        }
        let paths = super::lookup::paths_of(self, call, scope);
        if paths.is_empty() {
            return self.program(call, scope);
        }
        let mut printed = None;
        for argv in paths {
            printed = self.program(&Call { argv: &argv, ..*call }, scope);
        }
        printed
    }

    /// Records a call as it stands.
    pub(super) fn record(&mut self, call: &Call<'_>, scope: &Scope) {
        let (redirects, input) = (call.redirects.to_vec(), call.input.clone());
        self.invocation(call.argv.to_vec(), scope, redirects, input, call.env);
    }

    /// Starts a program that is neither function nor builtin of the shell at hand.
    pub(super) fn program(&mut self, call: &Call<'_>, scope: &mut Scope) -> Printed {
        self.record(call, scope);
        if let Some(script) = self.startup_file(call, scope) {
            self.script_file(&script, "BASH_ENV", &[], scope);
        }
        if is_help(call) {
            return None;
        }
        if let Some(printed) = super::launch::run(self, call, scope) {
            return printed;
        }
        super::output::printed(self, call, scope)
    }

    /// Calls a function: its body with the caller's arguments.
    fn function(
        &mut self,
        name: &str,
        bodies: &[Rc<super::tree::Node>],
        call: &Call<'_>,
        scope: &mut Scope,
    ) -> Printed {
        // A function that calls itself is followed a few times only.
        if self.calling.iter().filter(|known| *known == name).count() > MAX_RECURSION {
            self.note(What::Bound, "recursion");
            return None;
        }
        self.calling.push(name.to_owned());
        let rest = call.argv.get(1..).unwrap_or(&[]);
        let args = super::scope::positional(Word::Literal(name.to_owned()), rest);
        let outer = std::mem::replace(&mut scope.args, args);
        self.locals.push(Vec::new());
        for (name, value) in call.env {
            self.hide(name, scope);
            scope.set(name, super::scope::Value::Scalar(value.clone()));
        }
        let before = (bodies.len() > 1).then(|| scope.clone());
        let mut printed = None;
        for (index, body) in bodies.iter().enumerate() {
            let first = before
                .as_ref()
                .filter(|_| index > 0)
                .map(|before| std::mem::replace(scope, before.clone()));
            let more = self.inside("function", |reader| {
                reader.returning(scope, |reader, scope| reader.eval(body, scope, call.input))
            });
            match first {
                None => printed = more,
                Some(others) => {
                    scope.join(others);
                    printed = printed.filter(|text| Some(text) == more.as_ref());
                }
            }
        }
        self.calling.pop();
        let hidden = self.locals.pop().unwrap_or_default();
        super::declare::restore(hidden, scope);
        scope.args = outer;
        printed
    }

    /// `BASH_ENV=file bash …`: a file that a shell reads first.
    fn startup_file(&self, call: &Call<'_>, scope: &Scope) -> Option<Word> {
        let program = super::program::base_name(call.arg(0)?);
        if !super::shells::is_shell(program) {
            return None;
        }
        call.env
            .iter()
            .find(|(name, _)| name == "BASH_ENV" || name == "ENV")
            .map(|(_, value)| value.clone())
            .or_else(|| {
                let exported = scope.exported.iter().any(|name| name == "BASH_ENV");
                exported.then(|| scope.scalar("BASH_ENV")).flatten()
            })
    }

    /// Reads a script file as code; a file that cannot be read is noted.
    pub(super) fn script_file(
        &mut self,
        file: &Word,
        label: &'static str,
        args: &[Word],
        scope: &mut Scope,
    ) -> Printed {
        let Some(path) = file.literal() else {
            self.note(What::Script, &super::types::spell(std::slice::from_ref(file)));
            return None;
        };
        match self.file_text(path, scope) {
            Some(text) => {
                let mut own = vec![file.clone()];
                own.extend(args.iter().cloned());
                let outer = std::mem::replace(&mut scope.args, Rc::new(own));
                let printed = self.code(label, &text, scope, &Stdin::Inherited);
                if label != "source" {
                    self.finish(scope);
                }
                scope.args = outer;
                printed
            }
            None => {
                self.note(What::Script, path);
                None
            }
        }
    }

    /// A file's text: what this text wrote, else what is there.
    pub(super) fn file_text(&mut self, path: &str, scope: &Scope) -> Option<String> {
        if let Some(text) = self.known_text(path, scope) {
            return Some(text);
        }
        let path = super::directory::absolute(scope.cwd.as_deref(), path)?;
        // Devices and pipes are never opened.
        if path.starts_with("/dev/") || path.starts_with("/proc/") {
            return None;
        }
        self.spend(64).then(|| self.files.text(&path)).flatten()
    }

    /// Starts a command found inside another one's arguments, as a process of its own.
    pub(super) fn launched(
        &mut self,
        label: &'static str,
        argv: &[Word],
        scope: &Scope,
        input: &Stdin,
        env: &[(String, Word)],
    ) -> Printed {
        if argv.is_empty() {
            return None;
        }
        let mut own = scope.child();
        if !own.functions.is_empty() {
            // Only a shell knows functions.
            own.functions_mut().values_mut().for_each(|known| known.standing = Standing::Inherited);
        }
        self.inside(label, |reader| reader.run(argv.to_vec(), &mut own, Vec::new(), input, env))
    }

    /// Reads a word as code in a process of its own.
    pub(super) fn launched_code(
        &mut self,
        label: &'static str,
        code: &Word,
        args: &[Word],
        scope: &Scope,
        input: &Stdin,
    ) -> Printed {
        let Some(texts) = code.as_code() else {
            let detail = super::types::spell(std::slice::from_ref(code));
            self.unknown_word(What::Code, code, &detail);
            return None;
        };
        let mut printed = None;
        for text in texts {
            let mut own = scope.child();
            own.args = Rc::new(if args.is_empty() {
                vec![Word::Literal("sh".into())]
            } else {
                args.to_vec()
            });
            printed = self.code(label, &text, &mut own, input);
            self.finish(&mut own);
        }
        printed
    }
}

/// Whether a program is only asked what it is.
fn is_help(call: &Call<'_>) -> bool {
    call.argv.len() == 2 && matches!(call.arg(1), Some("--help" | "--version"))
}
