//! One hook entry of ours in a settings file: how it is written and how it is recognised.
//!
//! Ours is what has exactly our argument list: a command whose base name is our program's or our
//! shim's, then `hook`, an event that we know, and nothing but flags of the hook. Never a part of a
//! text: `ringfence audit`, `echo ringfence hook` and `ringfence hook pre-tool-use || true` are a
//! person's own. Pure.

#![forbid(unsafe_code)]

use super::document::Node;

/// The events that we register, the client's name and ours.
pub const EVENTS: &[(&str, &str)] = &[
    ("PreToolUse", "pre-tool-use"),
    ("PostToolUse", "post-tool-use"),
    ("PostToolUseFailure", "post-tool-use-failure"),
    ("SessionStart", "session-start"),
    ("SessionEnd", "session-end"),
    ("SubagentStart", "subagent-start"),
    ("SubagentStop", "subagent-stop"),
    ("ConfigChange", "config-change"),
];

/// The file name of the shim.
pub const SHIM: &str = "ringfence.sh";

/// The flags of the hook; each takes a value. Install writes them, the hook reads them.
pub const FLAGS: &[&str] = &[
    "--with",
    "--store",
    "--config",
    "--state",
    "--data",
    "--client",
    "--host",
    "--cortex-home",
    "--log",
];

/// One entry to register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The client's name of the event.
    pub event: &'static str,
    /// Which tools it is asked for; `None` for events without tools.
    pub matcher: Option<String>,
    /// The program, absolute.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// How it is spelled.
    pub form: Form,
    /// Seconds after which the client goes on without it.
    pub timeout: u32,
}

/// How a registered handler spells its command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `command` and `args`: no shell in between.
    Exec,
    /// One text for `/bin/sh -c`.
    Shell,
}

/// A handler of ours as found in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Registered {
    /// The client's name of the event it stands under.
    pub event: String,
    /// The group's matcher, if it has one.
    pub matcher: Option<String>,
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// How it is spelled.
    pub form: Form,
    /// Its timeout in seconds.
    pub timeout: Option<f64>,
    /// Whether `onFailure` is `block`.
    pub blocks_on_failure: bool,
    /// Whether the client does not wait for it.
    pub is_async: bool,
    /// Its `if` condition, which makes the client skip calls.
    pub condition: Option<String>,
    /// The shell that is to start it, if that is not `sh`; without a shell this means nothing.
    pub other_shell: Option<String>,
}

/// Recognises a handler of ours. `own` is the path of the running binary, whatever its name.
pub fn recognise(event: &str, group: &Node, handler: &Node, own: &str) -> Option<Registered> {
    let command = handler.get("command")?.text()?;
    if handler.get("type").and_then(Node::text) != Some("command") {
        return None;
    }
    let (argv, form) = match handler.get("args") {
        Some(args) => {
            let mut argv = vec![command.to_owned()];
            for arg in args.items() {
                argv.push(arg.text()?.to_owned());
            }
            (argv, Form::Exec)
        }
        None => (shell_words::split(command).ok()?, Form::Shell),
    };
    is_ours(&argv, own).then(|| Registered {
        event: event.to_owned(),
        matcher: group.get("matcher").and_then(Node::text).map(str::to_owned),
        argv,
        form,
        timeout: handler.get("timeout").and_then(Node::number),
        blocks_on_failure: handler.get("onFailure").and_then(Node::text) == Some("block"),
        is_async: ["async", "asyncRewake"]
            .iter()
            .any(|key| handler.get(key).and_then(Node::truth) == Some(true)),
        condition: handler.get("if").and_then(Node::text).map(str::to_owned),
        other_shell: handler
            .get("shell")
            .and_then(Node::text)
            .filter(|shell| form == Form::Shell && *shell != "bash")
            .map(str::to_owned),
    })
}

/// Whether an argument list is one that some version of `install` writes.
pub fn is_ours(argv: &[String], own: &str) -> bool {
    let [program, hook, rest @ ..] = argv else { return false };
    let name = program.rsplit('/').next().unwrap_or_default();
    if hook != "hook" || !(program == own || name == "ringfence" || name == SHIM) {
        return false;
    }
    let Some((event, flags)) = rest.split_first() else { return false };
    let mut flags = flags.iter();
    let mut only_flags = true;
    while let Some(flag) = flags.next() {
        let joined = FLAGS
            .iter()
            .any(|known| flag.strip_prefix(known).is_some_and(|rest| rest.starts_with('=')));
        only_flags &= joined || (FLAGS.contains(&flag.as_str()) && flags.next().is_some());
    }
    only_flags && EVENTS.iter().any(|(_, word)| word == event)
}

impl Entry {
    /// Whether `found` is this entry in every part that we write.
    pub fn matches(&self, found: &Registered) -> bool {
        found.event == self.event
            && found.matcher == self.matcher
            && found.form == self.form
            && found.argv.split_first().is_some_and(|(program, args)| {
                *program == self.command && args == self.args.as_slice()
            })
            && found.timeout == Some(f64::from(self.timeout))
            && !found.blocks_on_failure
            && !found.is_async
            && found.condition.is_none()
            && found.other_shell.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_argument_lists_are_ours() {
        let ours = |line: &str| is_ours(&shell_words::split(line).unwrap(), "/opt/rf");
        for line in [
            "/opt/ringfence/bin/ringfence hook pre-tool-use",
            "ringfence hook session-start --with guard --state /s",
            "'/with space/ringfence' hook pre-tool-use --with=guard",
            "/opt/rf hook pre-tool-use",
            "~/bin/ringfence.sh hook pre-tool-use --with guard",
        ] {
            assert!(ours(line), "{line}");
        }
        for line in [
            "",
            "ringfence",
            "ringfence hook",
            "ringfence audit --json",
            "ringfence hook pre-tool-uze",
            "ringfence hook pre-tool-use || true",
            "ringfence hook pre-tool-use --with",
            "ringfence.sh pre-tool-use",
            "echo ringfence hook pre-tool-use",
            "my-ringfence hook pre-tool-use",
            "/opt/rf/other hook pre-tool-use",
            "sh -c 'ringfence hook pre-tool-use'",
        ] {
            assert!(!ours(line), "{line}");
        }
    }
}
