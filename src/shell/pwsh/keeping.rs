//! Cmdlets that keep something for later: files, aliases, variables, the directory.

use crate::shell::eval::Reader;
use crate::shell::scope::Scope;
use crate::shell::types::{Stdin, Word};

use super::cmdlets::run_blocks;
use super::command::Command;
use super::value::{self, Value};

pub(super) fn set_location(made: &Command, scope: &mut Scope) -> Value {
    let path = made
        .named(&["path", "literalpath"])
        .or_else(|| made.positional(&["path", "literalpath"]).first().cloned());
    let next = path
        .and_then(|path| path.literal())
        .and_then(|path| crate::shell::directory::windows_absolute(scope.cwd.as_deref(), &path));
    scope.cwd = if scope.conditional > 0 && next != scope.cwd { None } else { next };
    Value::none()
}

/// Cmdlets that hand on what they are fed.
pub(super) fn passed(reader: &mut Reader<'_>, made: &Command, scope: &mut Scope) -> Value {
    run_blocks(reader, made, scope);
    let feed = made.feed.clone().unwrap_or_else(Value::none);
    let path = made.positional(&["filepath"]).first().and_then(Value::literal);
    if made.arguments.iter().all(|own| own.parameter.is_none()) && path.is_some() {
        store(reader, path.as_deref(), Some(&feed), false, scope);
    }
    feed
}

pub(super) fn content(reader: &mut Reader<'_>, made: &Command, scope: &mut Scope) -> Value {
    let path = made
        .named(&["path", "literalpath"])
        .or_else(|| made.positional(&["path", "literalpath", "encoding"]).first().cloned())
        .and_then(|path| path.literal());
    match path.and_then(|path| reader.known_text(&path.replace('\\', "/"), scope)) {
        Some(text) => Value::lines(Some(text)),
        None => Value::unknown("file"),
    }
}

/// Remembers what is written to a file.
fn store(
    reader: &mut Reader<'_>,
    path: Option<&str>,
    text: Option<&Value>,
    append: bool,
    scope: &mut Scope,
) {
    let spelled = path.map(|path| path.replace('\\', "/"));
    let absolute =
        spelled.and_then(|path| crate::shell::directory::absolute(scope.cwd.as_deref(), &path));
    if let (Some(path), Some(text)) = (absolute, text.and_then(Value::printed)) {
        reader.feed(&path, Some(&text), scope);
        scope.write(path, text, append);
    }
}

/// `[IO.File]::WriteAllText(path, text)`.
pub(super) fn written(reader: &mut Reader<'_>, scope: &mut Scope, name: &str, args: &[Word]) {
    let mut argv = vec![Word::Literal(name.to_owned())];
    argv.extend(args.iter().cloned());
    reader.invocation(argv, scope, Vec::new(), Stdin::Inherited, &[]);
    let text = args.get(1).cloned().map(Value::word);
    store(reader, args.first().and_then(Word::literal), text.as_ref(), false, scope);
}

/// `New-Item function:name -Value { … }`, `New-Item file -Value text`.
pub(super) fn new_item(made: &Command, scope: &mut Scope) -> Value {
    let given = made.positional(&["path", "value", "itemtype"]);
    let path = made.named(&["path"]).or_else(|| given.first().cloned()).and_then(|p| p.literal());
    let own = made.named(&["value"]).or_else(|| given.get(1).cloned());
    let Some(path) = path else { return Value::none() };
    let lower = path.to_ascii_lowercase();
    let Some(own) = own else { return Value::none() };
    if let Some(name) = lower.strip_prefix("function:") {
        if let Some(text) = own.literal() {
            value::define(scope, "function:", name.trim_start_matches('\\'), &text);
        }
    } else if let Some(name) = lower.strip_prefix("alias:") {
        if let Some(text) = own.literal() {
            value::define(scope, "alias:", name.trim_start_matches('\\'), &text);
        }
    } else if let Some(name) = lower.strip_prefix("env:") {
        value::set(scope, &format!("env:{}", name.trim_start_matches('\\')), &own);
    } else if let Some(name) = lower.strip_prefix("variable:") {
        value::set(scope, name.trim_start_matches('\\'), &own);
    }
    Value::none()
}

/// `Set-Alias name target`.
pub(super) fn set_alias(made: &Command, scope: &mut Scope) -> Value {
    let mut given = made.positional(&["name", "value"]).into_iter();
    let name = made.named(&["name"]).or_else(|| given.next());
    let target = made.named(&["value"]).or_else(|| given.next());
    if let (Some(name), Some(target)) =
        (name.and_then(|name| name.literal()), target.and_then(|target| target.literal()))
    {
        value::define(scope, "alias:", &name, &target);
    }
    Value::none()
}

/// `Set-Variable name value`.
pub(super) fn set_variable(made: &Command, scope: &mut Scope) -> Value {
    let mut given = made.positional(&["name", "value"]).into_iter();
    let name = made.named(&["name"]).or_else(|| given.next());
    let own = made.named(&["value"]).or_else(|| given.next()).unwrap_or_else(Value::none);
    if let Some(name) = name.and_then(|name| name.literal()) {
        value::set(scope, &name, &own);
    }
    Value::none()
}

/// `Set-Content path text`, `text | Out-File path`.
pub(super) fn set_content(
    reader: &mut Reader<'_>,
    made: &Command,
    append: bool,
    scope: &mut Scope,
) -> Value {
    let taken = ["path", "value", "filepath", "literalpath", "inputobject"];
    let mut given = made.positional(&taken).into_iter();
    let path = made.named(&["path", "filepath", "literalpath"]).or_else(|| given.next());
    let text = made
        .named(&["value", "inputobject"])
        .or_else(|| given.next())
        .or_else(|| made.feed.clone());
    let path = path.and_then(|path| path.literal());
    store(reader, path.as_deref(), text.as_ref(), append, scope);
    Value::none()
}
