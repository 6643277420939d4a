//! Pipelines and commands: their words, and who runs them.

use crate::shell::eval::Reader;
use crate::shell::run::Call;
use crate::shell::scope::Scope;
use crate::shell::types::{Redirect, Stdin, What, Word, spell};

use super::cmdlets;
use super::cursor::{Cursor, ends_word, is_dash, is_double, is_single};
use super::expression;
use super::function;
use super::value::{self, Value};
use super::words::{argument, bare_word, parameter_name, redirect, verbatim};

/// One argument: a value, with the parameter's name when it is one.
#[derive(Clone, Debug)]
pub(super) struct Argument {
    pub(super) value: Value,
    /// `-Name`, lower case, without the dash.
    pub(super) parameter: Option<String>,
    /// The value glued to a parameter: `-Name:value`.
    pub(super) attached: Option<Value>,
}

/// A command with all it was given.
pub(super) struct Command {
    pub(super) name: Value,
    pub(super) arguments: Vec<Argument>,
    pub(super) redirects: Vec<Redirect>,
    /// What the pipeline feeds it; `None` at the beginning of one.
    pub(super) feed: Option<Value>,
    /// Called by `.`: in the caller's scope.
    pub(super) dotted: bool,
}

/// Commands and expressions joined by `|`.
pub(super) fn pipeline(
    reader: &mut Reader<'_>,
    cursor: &mut Cursor<'_>,
    scope: &mut Scope,
) -> Value {
    let mut feed: Option<Value> = None;
    loop {
        cursor.gap();
        let value = expression::deeper(reader, cursor, scope, |reader, cursor, scope| {
            element(reader, cursor, scope, feed.take())
        });
        cursor.blanks();
        let piped = cursor.is('|') && cursor.ahead(1) != Some('|');
        if !piped || !reader.spend(1) {
            return value;
        }
        cursor.bump();
        feed = Some(value);
    }
}

fn element(
    reader: &mut Reader<'_>,
    cursor: &mut Cursor<'_>,
    scope: &mut Scope,
    feed: Option<Value>,
) -> Value {
    let Some(first) = cursor.peek() else { return Value::none() };
    let next = cursor.ahead(1);
    let called = first == '&' && next != Some('&')
        || first == '.' && next.is_some_and(|c| c.is_whitespace() || "$'\"({".contains(c));
    if called {
        cursor.bump();
        cursor.blanks();
        return command(reader, cursor, scope, feed, Some(first));
    }
    let is_expression = matches!(first, '$' | '(' | '@' | '[' | '{' | '!' | ',')
        || is_single(first)
        || is_double(first)
        || first.is_ascii_digit() && number(cursor)
        || is_dash(first) && next.is_some_and(|c| c.is_ascii_digit() || "( ".contains(c))
        || is_dash(first) && unary_word(cursor)
        || first == '+';
    if !is_expression {
        return command(reader, cursor, scope, feed, None);
    }
    let mut value = expression::expression(reader, cursor, scope);
    cursor.blanks();
    // `$x++`.
    if cursor.starts("++") || cursor.starts("--") {
        cursor.at += 2;
    }
    let mut redirects = Vec::new();
    while let Some(redirect) = redirect(reader, cursor, scope) {
        redirects.push(redirect);
        cursor.blanks();
    }
    if !redirects.is_empty() {
        let argv = vec![Word::Literal("Out-File".into())];
        reader.invocation(argv, scope, redirects.clone(), Stdin::Inherited, &[]);
        reader.routed(value.printed(), &redirects, scope);
        value = Value::none();
    }
    value
}

/// Whether the word here is a number and not the name of a program such as `7z`.
fn number(cursor: &Cursor<'_>) -> bool {
    let rest = cursor.rest();
    let word: String = rest.chars().take_while(|c| !ends_word(*c)).take(40).collect();
    word.chars().all(|c| c.is_ascii_digit() || ".xXabcdefABCDEF*+/%-".contains(c))
}

fn unary_word(cursor: &Cursor<'_>) -> bool {
    let rest: String = cursor.rest().chars().skip(1).take(8).collect();
    let rest = rest.to_ascii_lowercase();
    ["not ", "not(", "join ", "join(", "split ", "split(", "bnot "]
        .iter()
        .any(|op| rest.starts_with(op))
}

/// A command: its name, its arguments, its redirections.
fn command(
    reader: &mut Reader<'_>,
    cursor: &mut Cursor<'_>,
    scope: &mut Scope,
    feed: Option<Value>,
    operator: Option<char>,
) -> Value {
    let name = match operator {
        Some(_) => argument(reader, cursor, scope).map_or_else(Value::none, |own| own.value),
        None => bare_word(reader, cursor, scope),
    };
    let mut made = Command {
        name,
        arguments: Vec::new(),
        redirects: Vec::new(),
        feed,
        dotted: operator == Some('.'),
    };
    arguments(reader, cursor, scope, &mut made);
    let redirects = made.redirects.clone();
    let value = run(reader, made, scope, 0);
    if redirects.iter().any(|redirect| redirect.op.starts_with('>')) {
        let printed = reader.routed(value.printed(), &redirects, scope);
        return Value::lines(printed);
    }
    value
}

fn arguments(
    reader: &mut Reader<'_>,
    cursor: &mut Cursor<'_>,
    scope: &mut Scope,
    made: &mut Command,
) {
    loop {
        cursor.blanks();
        if !reader.spend(1) || made.arguments.len() > 16_384 {
            return;
        }
        match cursor.peek() {
            None | Some('\n' | ';' | '|' | ')' | '}') => return,
            Some('&') => return,
            _ => {}
        }
        if cursor.starts("--%") {
            cursor.at += 3;
            verbatim(cursor, made, scope);
            continue;
        }
        if let Some(redirect) = redirect(reader, cursor, scope) {
            made.redirects.push(redirect);
            continue;
        }
        let splat =
            cursor.is('@') && cursor.ahead(1).is_some_and(|c| c.is_alphabetic() || c == '_');
        let before = cursor.at;
        let Some(own) = argument(reader, cursor, scope) else {
            if cursor.at == before {
                cursor.bump();
            }
            continue;
        };
        if splat && let Value::List(words) = &own.value {
            for word in words {
                made.arguments.push(plain_argument(word.clone()));
            }
            continue;
        }
        made.arguments.push(own);
    }
}

/// A known word as an argument; `-Name` is a parameter.
fn plain_argument(word: Word) -> Argument {
    let parameter = word.literal().and_then(parameter_name).map(|(name, _)| name);
    Argument { value: Value::word(word), parameter, attached: None }
}

/// Runs a command by what its name is.
pub(super) fn run(
    reader: &mut Reader<'_>,
    made: Command,
    scope: &mut Scope,
    aliased: usize,
) -> Value {
    let words = |made: &Command| {
        made.arguments.iter().flat_map(|own| own.value.words()).collect::<Vec<_>>()
    };
    if let Value::Block(text) = &made.name {
        let args = words(&made);
        return function::with_arguments(reader, "& {…}", text, &args, scope);
    }
    let names = made.name.words();
    let Some(name) = names.first() else { return Value::none() };
    let name = match name {
        Word::Literal(name) => name.clone(),
        Word::OneOf(all) => {
            let mut out = Value::none();
            for own in all.clone() {
                let made = Command {
                    name: Value::text(own),
                    arguments: made.arguments.clone(),
                    redirects: made.redirects.clone(),
                    feed: made.feed.clone(),
                    ..made
                };
                out = out.and(run(reader, made, scope, aliased));
            }
            return out;
        }
        Word::Partial(_) => {
            let mut argv = vec![name.clone()];
            argv.extend(words(&made));
            reader.note(What::Program, &spell(&argv));
            reader.invocation(argv, scope, made.redirects, stdin(made.feed.as_ref()), &[]);
            return Value::unknown("output");
        }
    };
    if let Some(text) = value::named(scope, "alias:", &name)
        && aliased < 8
    {
        return run(reader, Command { name: Value::text(text), ..made }, scope, aliased + 1);
    }
    if let Some(text) = value::named(scope, "function:", &name) {
        let args = words(&made);
        if let Some(feed) = &made.feed {
            value::set(scope, "input", feed);
            value::set(scope, "_", feed);
        }
        return function::with_arguments(reader, "function", &text, &args, scope);
    }
    if let Some(value) = cmdlets::run(reader, &name, &made, scope) {
        return value;
    }
    native(reader, name, &made, scope)
}

/// A program.
pub(super) fn native(
    reader: &mut Reader<'_>,
    name: String,
    made: &Command,
    scope: &mut Scope,
) -> Value {
    let lower = name.to_ascii_lowercase();
    let args: Vec<Word> = made.arguments.iter().flat_map(native_words).collect();
    if lower.ends_with(".ps1") && crate::shell::memory_program(&lower, true).is_none() {
        let mut argv = vec![Word::Literal(name.clone())];
        argv.extend(args.iter().cloned());
        reader.invocation(argv, scope, made.redirects.clone(), Stdin::Inherited, &[]);
        let mut own = scope.clone();
        let target = if made.dotted { scope } else { &mut own };
        return super::script(reader, &Word::Literal(name), &args, target);
    }
    let is_powershell = matches!(
        crate::shell::base_name(&lower).trim_end_matches(".exe"),
        "pwsh" | "powershell" | "powershell_ise"
    );
    if is_powershell {
        for own in &made.arguments {
            if let Value::Block(text) = &own.value {
                let mut inner = scope.clone();
                super::inside(reader, "pwsh {…}", text, &mut inner);
            }
        }
    }
    let mut argv = vec![Word::Literal(name)];
    argv.extend(args);
    crate::shell::cmd::fold_program(&mut argv);
    if !reader.spend(argv.len() + 1) {
        return Value::unknown("steps");
    }
    let input = stdin(made.feed.as_ref());
    let call = Call { argv: &argv, redirects: &made.redirects, input: &input, env: &[] };
    if let Some(printed) = crate::shell::cmd::batch(reader, &call, scope) {
        return Value::lines(printed);
    }
    Value::lines(reader.program(&call, scope))
}

/// An argument as a program gets it.
fn native_words(own: &Argument) -> Vec<Word> {
    let mut words = own.value.words();
    if let Some(attached) = &own.attached
        && own.value.literal().is_some_and(|text| text.ends_with(':'))
        && let Some(last) = words.last_mut()
    {
        last.push_word(&attached.joined(" "));
    }
    words
}

/// What a pipeline's value is on a program's standard input.
pub(super) fn stdin(feed: Option<&Value>) -> Stdin {
    match feed {
        None => Stdin::Inherited,
        Some(value) => value.printed().map_or(Stdin::Unknown, Stdin::Text),
    }
}
