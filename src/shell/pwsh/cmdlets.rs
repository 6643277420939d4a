//! Cmdlets that run code, start programs, or change what later commands mean.

use crate::shell::eval::Reader;
use crate::shell::scope::Scope;
use crate::shell::types::{What, Word};

use super::command::{self, Argument, Command};
use super::function;
use super::statement;
use super::value::{self, Value};
use super::{keeping, starting};

/// Short names of the cmdlets below.
const ALIASES: &[(&str, &str)] = &[
    ("iex", "invoke-expression"),
    ("icm", "invoke-command"),
    ("saps", "start-process"),
    ("start", "start-process"),
    ("sajb", "start-job"),
    ("%", "foreach-object"),
    ("foreach", "foreach-object"),
    ("?", "where-object"),
    ("where", "where-object"),
    ("sal", "set-alias"),
    ("nal", "set-alias"),
    ("new-alias", "set-alias"),
    ("sv", "set-variable"),
    ("nv", "set-variable"),
    ("set", "set-variable"),
    ("new-variable", "set-variable"),
    ("gv", "get-variable"),
    ("cd", "set-location"),
    ("chdir", "set-location"),
    ("sl", "set-location"),
    ("pushd", "set-location"),
    ("push-location", "set-location"),
    ("popd", "pop-location"),
    ("echo", "write-output"),
    ("write", "write-output"),
    ("cat", "get-content"),
    ("gc", "get-content"),
    ("type", "get-content"),
    ("sc", "set-content"),
    ("ac", "add-content"),
    ("tee", "tee-object"),
    ("gcm", "get-command"),
    ("gal", "get-command"),
    ("get-alias", "get-command"),
    ("select", "select-object"),
    ("sort", "select-object"),
    ("sort-object", "select-object"),
    ("out-string", "select-object"),
    ("get-unique", "select-object"),
    ("iwmi", "invoke-wmimethod"),
    ("icim", "invoke-cimmethod"),
    ("ni", "new-item"),
    ("si", "new-item"),
    ("set-item", "new-item"),
    ("ipmo", "import-module"),
];

/// Parameters whose value is not the first positional one.
const VALUED: &[&str] = &[
    "computername",
    "cn",
    "workingdirectory",
    "verb",
    "credential",
    "windowstyle",
    "scope",
    "option",
    "erroraction",
    "ea",
    "erroraction",
    "throttlelimit",
    "session",
    "name",
    "encoding",
    "redirectstandardoutput",
    "redirectstandarderror",
    "redirectstandardinput",
    "timeoutsec",
];

impl Command {
    /// The value of a parameter, known by any beginning of one of `names` of two letters or more.
    pub(super) fn named(&self, names: &[&str]) -> Option<Value> {
        let at = self.arguments.iter().position(|own| {
            own.parameter.as_deref().is_some_and(|given| {
                names
                    .iter()
                    .any(|name| *name == given || given.len() > 1 && name.starts_with(given))
            })
        })?;
        let own = self.arguments.get(at)?;
        own.attached.clone().or_else(|| self.arguments.get(at + 1).map(|own| own.value.clone()))
    }

    /// The values that no parameter takes; `taken` are parameters that take one.
    pub(super) fn positional(&self, taken: &[&str]) -> Vec<Value> {
        let mut out = Vec::new();
        let mut skip = false;
        for own in &self.arguments {
            if std::mem::take(&mut skip) {
                continue;
            }
            match &own.parameter {
                Some(given) => {
                    let takes = taken.iter().chain(VALUED).any(|name| {
                        *name == given || given.len() > 1 && name.starts_with(given.as_str())
                    });
                    skip = takes && own.attached.is_none();
                }
                None => out.push(own.value.clone()),
            }
        }
        out
    }

    fn blocks(&self) -> Vec<String> {
        self.arguments
            .iter()
            .flat_map(|own| [Some(&own.value), own.attached.as_ref()])
            .filter_map(|value| match value {
                Some(Value::Block(text)) => Some(text.clone()),
                _ => None,
            })
            .collect()
    }
}

/// Runs a cmdlet; `None` when the name is none of these.
pub(super) fn run(
    reader: &mut Reader<'_>,
    name: &str,
    made: &Command,
    scope: &mut Scope,
) -> Option<Value> {
    let lower = name.to_ascii_lowercase();
    let lower = lower.rsplit('\\').next().filter(|_| lower.contains('-')).unwrap_or(&lower);
    let full = ALIASES.iter().find(|(short, _)| *short == lower).map_or(lower, |(_, full)| full);
    let is_cmdlet = full.split_once('-').is_some_and(|(verb, noun)| {
        !verb.is_empty()
            && !noun.is_empty()
            && VERBS.contains(&verb)
            && noun.bytes().all(|b| b.is_ascii_alphanumeric())
    });
    if !is_cmdlet {
        return None;
    }
    record(reader, name, made, scope);
    Some(running(reader, full, made, scope).unwrap_or_else(|| kept(reader, full, made, scope)))
}

/// Cmdlets that run code or start programs.
fn running(
    reader: &mut Reader<'_>,
    full: &str,
    made: &Command,
    scope: &mut Scope,
) -> Option<Value> {
    Some(match full {
        "invoke-expression" => invoke_expression(reader, made, scope),
        "foreach-object" => for_each(reader, made, scope),
        "invoke-command" | "start-job" | "start-threadjob" => invoke_command(reader, made, scope),
        "start-process" => starting::start_process(reader, made, scope),
        "where-object" => {
            run_blocks(reader, made, scope);
            made.feed.clone().unwrap_or_else(Value::none)
        }
        "new-scheduledtaskaction" => {
            let program = made.named(&["execute"]).unwrap_or_else(Value::none);
            let args = made.named(&["argument"]).unwrap_or_else(Value::none);
            starting::launch(reader, &program, &args, scope, "scheduled task");
            Value::none()
        }
        "invoke-wmimethod" | "invoke-cimmethod" => starting::wmi(reader, made, scope),
        "new-object" => starting::new_object(reader, made, scope),
        _ => return None,
    })
}

/// Cmdlets that keep, find or pass on values; others run the blocks they are given.
fn kept(reader: &mut Reader<'_>, full: &str, made: &Command, scope: &mut Scope) -> Value {
    match full {
        "set-alias" => keeping::set_alias(made, scope),
        "set-variable" => keeping::set_variable(made, scope),
        "get-variable" => match made.positional(&[]).first().and_then(Value::literal) {
            Some(name) => value::get(scope, &name),
            None => Value::unknown("variable"),
        },
        "set-location" => keeping::set_location(made, scope),
        "pop-location" => {
            scope.cwd = None;
            Value::none()
        }
        "write-output" => Value::List(made.positional(&[]).iter().flat_map(Value::words).collect()),
        "get-command" | "resolve-path" | "convert-path" => made
            .named(&["name"])
            .or_else(|| made.positional(&[]).first().cloned())
            .unwrap_or_else(|| Value::unknown("command")),
        "select-object" | "tee-object" => keeping::passed(reader, made, scope),
        "get-content" => keeping::content(reader, made, scope),
        "set-content" | "add-content" | "out-file" => {
            keeping::set_content(reader, made, full == "add-content", scope)
        }
        "new-item" => keeping::new_item(made, scope),
        "join-path" => {
            let parts = made.positional(&[]);
            Value::word(Value::List(parts.iter().flat_map(Value::words).collect()).joined("/"))
        }
        "write-host" | "write-verbose" | "write-warning" | "write-error" | "write-debug"
        | "write-information" | "out-null" | "out-host" | "start-sleep" | "remove-item" => {
            Value::none()
        }
        _ => {
            run_blocks(reader, made, scope);
            Value::unknown("output")
        }
    }
}

/// Approved verbs, and the few others in use: a hyphen alone makes no cmdlet (`cargo-watch`).
const VERBS: &[&str] = &[
    "add",
    "clear",
    "close",
    "copy",
    "enter",
    "exit",
    "find",
    "format",
    "get",
    "hide",
    "join",
    "lock",
    "move",
    "new",
    "open",
    "optimize",
    "pop",
    "push",
    "redo",
    "remove",
    "rename",
    "reset",
    "resize",
    "search",
    "select",
    "set",
    "show",
    "skip",
    "split",
    "step",
    "switch",
    "undo",
    "unlock",
    "watch",
    "connect",
    "disconnect",
    "read",
    "receive",
    "send",
    "write",
    "backup",
    "checkpoint",
    "compare",
    "compress",
    "convert",
    "convertfrom",
    "convertto",
    "expand",
    "export",
    "group",
    "import",
    "initialize",
    "limit",
    "merge",
    "out",
    "publish",
    "restore",
    "save",
    "sync",
    "unpublish",
    "update",
    "debug",
    "measure",
    "ping",
    "repair",
    "resolve",
    "test",
    "trace",
    "approve",
    "assert",
    "complete",
    "confirm",
    "deny",
    "disable",
    "enable",
    "install",
    "invoke",
    "register",
    "request",
    "restart",
    "resume",
    "start",
    "stop",
    "submit",
    "suspend",
    "uninstall",
    "unregister",
    "wait",
    "use",
    "where",
    "foreach",
    "sort",
    "tee",
];

fn record(reader: &mut Reader<'_>, name: &str, made: &Command, scope: &Scope) {
    let mut argv = vec![Word::Literal(name.to_owned())];
    for Argument { value, attached, .. } in &made.arguments {
        if !matches!(value, Value::Block(_)) {
            argv.extend(value.words());
        }
        argv.extend(attached.iter().flat_map(Value::words));
    }
    let input = command::stdin(made.feed.as_ref());
    reader.invocation(argv, scope, made.redirects.clone(), input, &[]);
}

pub(super) fn run_blocks(reader: &mut Reader<'_>, made: &Command, scope: &mut Scope) -> Value {
    let mut out = Value::none();
    let feed = made.feed.clone().unwrap_or_else(|| Value::unknown("$_"));
    for block in made.blocks() {
        value::set(scope, "_", &feed);
        out = out.and(super::inside(reader, "{…}", &block, scope));
    }
    out
}

fn invoke_expression(reader: &mut Reader<'_>, made: &Command, scope: &mut Scope) -> Value {
    let given = made.positional(&["command"]);
    let code = made
        .named(&["command"])
        .or_else(|| given.first().cloned())
        .or_else(|| made.feed.clone())
        .unwrap_or_else(Value::none);
    let joined = code.joined("\n");
    let Some(texts) = joined.as_code() else {
        reader.note(What::Code, "Invoke-Expression");
        return Value::unknown("output");
    };
    let mut out = Value::none();
    for text in texts {
        out = out.and(super::inside(reader, "Invoke-Expression", &text, scope));
    }
    out
}

fn for_each(reader: &mut Reader<'_>, made: &Command, scope: &mut Scope) -> Value {
    let feed = made.feed.clone().unwrap_or_else(|| Value::unknown("$_"));
    let blocks = made.blocks();
    let mut out = Value::none();
    for block in &blocks {
        out = out.and(statement::each(reader, "ForEach-Object", "_", block, &feed, scope));
    }
    if blocks.is_empty() { Value::unknown("output") } else { out }
}

fn invoke_command(reader: &mut Reader<'_>, made: &Command, scope: &mut Scope) -> Value {
    let far =
        ["computername", "cn", "session", "hostname", "vmname", "containerid", "sshconnection"];
    let outer = reader.remote;
    reader.remote |= made.named(&far).is_some();
    let args = made.named(&["argumentlist", "args"]).map_or_else(Vec::new, |args| args.words());
    let mut out = Value::none();
    for block in made.blocks() {
        let mut own = scope.clone();
        out = out.and(function::with_arguments(reader, "Invoke-Command", &block, &args, &mut own));
    }
    if let Some(file) = made.named(&["filepath"]) {
        let mut own = scope.clone();
        out = super::script(reader, &file.joined(" "), &args, &mut own);
    } else if made.blocks().is_empty() {
        reader.note(What::Code, "Invoke-Command");
    }
    reader.remote = outer;
    out
}
