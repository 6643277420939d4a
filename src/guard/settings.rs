//! A client's settings text: whether our entries bind, and which entries of others run something.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::Value;

/// What a change of a settings file would do that a subagent may not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Harm {
    /// Our entries were there and would not bind any more.
    Unbinds,
    /// All hooks would be off.
    DisablesHooks,
    /// A hook would be added.
    AddsHook,
    /// A status line or helper command would be added.
    AddsHelper,
    /// An MCP server would be added.
    AddsServer,
}

impl Harm {
    /// What the call would do, after "would".
    pub(super) fn would(self) -> &'static str {
        match self {
            Self::Unbinds => "take Ringfence's hook out of",
            Self::DisablesHooks => "switch all hooks off in",
            Self::AddsHook => "add a hook to",
            Self::AddsHelper => "add a command that the client runs by itself to",
            Self::AddsServer => "add an MCP server to",
        }
    }
}

/// Compares the text of a settings file before and after; the gravest harm, if any.
pub(super) fn harm(before: &str, after: &str) -> Option<Harm> {
    let (old, new) = (Wiring::read(before), Wiring::read(after));
    if !old.ours.is_subset(&new.ours) || !new.plugins_off.is_subset(&old.plugins_off) {
        return Some(Harm::Unbinds);
    }
    if new.disabled && !old.disabled {
        return Some(Harm::DisablesHooks);
    }
    if new.hooks.difference(&old.hooks).any(|hook| !new.ours.contains(hook)) {
        return Some(Harm::AddsHook);
    }
    if !new.helpers.is_subset(&old.helpers) {
        return Some(Harm::AddsHelper);
    }
    (!new.servers.is_subset(&old.servers)).then_some(Harm::AddsServer)
}

/// Whether our entries bind in this text.
pub(super) fn binds(text: &str) -> bool {
    !Wiring::read(text).ours.is_empty()
}

/// Whether a text that is no settings file (a script, a filter) speaks of what makes hooks run.
pub(super) fn speaks_of_hooks(text: &str) -> bool {
    let words = [
        "hooks",
        "disableAllHooks",
        "enabledPlugins",
        "ringfence",
        "statusLine",
        "mcpServers",
        "Helper",
        "PreToolUse",
        "CLAUDE_CODE_SIMPLE",
        "CLAUDE_CODE_SAFE_MODE",
    ];
    words.iter().any(|word| text.contains(word))
}

/// What a settings file makes the client run. Each entry is its canonical text.
#[derive(Debug, Default)]
struct Wiring {
    hooks: BTreeSet<String>,
    /// Those of `hooks` that are ours and cover every tool.
    ours: BTreeSet<String>,
    helpers: BTreeSet<String>,
    servers: BTreeSet<String>,
    /// Our plugins that it says are not to be loaded: it may be the last file that says.
    plugins_off: BTreeSet<String>,
    disabled: bool,
}

impl Wiring {
    /// Reads a text as the client does: what is no strict JSON object holds nothing.
    fn read(text: &str) -> Self {
        let mut wiring = Self::default();
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        let text = as_the_client_reads(&from_utf16(text));
        let Ok(Value::Object(settings)) = serde_json::from_str(&text) else { return wiring };
        for (key, value) in &settings {
            match key.as_str() {
                "hooks" => wiring.read_hooks(value),
                "mcpServers" => {
                    for (name, server) in value.as_object().into_iter().flatten() {
                        wiring.servers.insert(format!("{name} {server}"));
                    }
                }
                "enabledPlugins" => wiring.read_plugins(value),
                "disableAllHooks" => wiring.disabled |= *value == Value::Bool(true),
                "env" => wiring.disabled |= switches_hooks_off(value),
                "statusLine"
                | "subagentStatusLine"
                | "awsAuthRefresh"
                | "awsCredentialExport"
                | "gcpAuthRefresh"
                | "fileSuggestion" => wiring.add_helper(key, value),
                _ if key.ends_with("Helper") => wiring.add_helper(key, value),
                _ => {}
            }
        }
        if wiring.disabled {
            wiring.ours.clear();
        }
        wiring
    }

    /// `{"ringfence@MARKETPLACE": true}`: our entries may come with a plugin.
    fn read_plugins(&mut self, plugins: &Value) {
        for (id, value) in plugins.as_object().into_iter().flatten() {
            if id.split('@').next() != Some("ringfence") {
                continue;
            }
            if *value == Value::Bool(true) {
                self.ours.insert(format!("plugin {id}"));
            } else {
                self.plugins_off.insert(id.clone());
            }
        }
    }

    fn add_helper(&mut self, key: &str, value: &Value) {
        if !value.is_null() {
            self.helpers.insert(format!("{key} {value}"));
        }
    }

    fn read_hooks(&mut self, hooks: &Value) {
        // One malformed entry under this event voids the whole file.
        let void = hooks.get("PreToolUse").is_some_and(|groups| !is_well_formed(groups));
        for (event, groups) in hooks.as_object().into_iter().flatten() {
            for group in groups.as_array().into_iter().flatten() {
                let matcher = group.get("matcher").and_then(Value::as_str).unwrap_or_default();
                for handler in group.get("hooks").and_then(Value::as_array).into_iter().flatten() {
                    let entry = format!("{event} {matcher:?} {handler}");
                    let covers = matches!(matcher, "" | "*" | ".*");
                    if covers && !void && is_ours(handler) {
                        self.ours.insert(entry.clone());
                    }
                    self.hooks.insert(entry);
                }
            }
        }
    }
}

/// A text in UTF-16 as it looks when its bytes were taken for UTF-8: its mark, then a NUL after each
/// letter. What is not ASCII is lost, and holds no name that we look for.
fn from_utf16(text: &str) -> Cow<'_, str> {
    let marks = ["\u{FFFD}\u{FFFD}", "\u{FF}\u{FE}"];
    match marks.iter().find_map(|mark| text.strip_prefix(mark)) {
        Some(units) => Cow::Owned(units.replace('\0', "")),
        None => Cow::Borrowed(text),
    }
}

/// How deep the client looks into a value.
const CLIENT_DEPTH: usize = 64;

/// `text` without what the client passes over and a strict parser stumbles on: values beyond its
/// depth, and halves of surrogate pairs.
fn as_the_client_reads(text: &str) -> String {
    let mut read = String::with_capacity(text.len());
    let mut depth = 0usize;
    let mut letters = text.chars();
    let mut in_string = false;
    while let Some(letter) = letters.next() {
        let shown = depth <= CLIENT_DEPTH;
        match letter {
            '"' => in_string = !in_string,
            '\\' if in_string => {
                let pair: String = letters.by_ref().take(1).collect();
                // A pair is halved with it: what it spells is no name that we look for.
                let surrogate = pair == "u" && {
                    let mut ahead = letters.clone();
                    matches!(ahead.next(), Some('d' | 'D'))
                        && matches!(ahead.next(), Some('8' | '9' | 'a'..='f' | 'A'..='F'))
                };
                if surrogate {
                    letters.by_ref().take(4).for_each(drop);
                }
                if surrogate && shown {
                    read.push('\u{FFFD}');
                } else if shown {
                    read.push(letter);
                    read.push_str(&pair);
                }
                continue;
            }
            '[' | '{' if !in_string => {
                depth += 1;
                if depth == CLIENT_DEPTH + 1 {
                    read.push_str("null");
                }
            }
            ']' | '}' if !in_string => {
                depth = depth.saturating_sub(1);
                if depth >= CLIENT_DEPTH {
                    continue;
                }
            }
            _ => {}
        }
        if depth <= CLIENT_DEPTH {
            read.push(letter);
        }
    }
    read
}

fn is_well_formed(groups: &Value) -> bool {
    let is_handler = |handler: &Value| handler.get("type").is_some_and(Value::is_string);
    groups.as_array().is_some_and(|groups| {
        groups.iter().all(|group| {
            let handlers = group.get("hooks").and_then(Value::as_array);
            handlers.is_some_and(|handlers| handlers.iter().all(is_handler))
        })
    })
}

/// Whether a handler starts our hook: the binary with `hook …`, or the shim.
fn is_ours(handler: &Value) -> bool {
    let Some(command) = handler.get("command").and_then(Value::as_str) else { return false };
    let args = handler.get("args").and_then(Value::as_array);
    let first = args.and_then(|args| args.first()).and_then(Value::as_str);
    let program = command.split_whitespace().next().unwrap_or_default().trim_matches(['"', '\'']);
    let name = program.rsplit('/').next().unwrap_or(program);
    (name == "ringfence" && (first == Some("hook") || command.contains(" hook ")))
        || command.contains("ringfence.sh")
}

fn switches_hooks_off(env: &Value) -> bool {
    ["CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"].iter().any(|name| match env.get(name) {
        Some(Value::String(text)) => is_on(text),
        Some(Value::Number(number)) => number.as_i64() != Some(0),
        Some(Value::Bool(on)) => *on,
        Some(Value::Null | Value::Array(_) | Value::Object(_)) | None => false,
    })
}

/// Whether a variable's value switches something on.
pub(super) fn is_on(value: &str) -> bool {
    !matches!(value.to_ascii_lowercase().as_str(), "" | "0" | "false" | "no" | "off")
}

/// Whether a settings text of a client's command line switches all hooks off.
pub(super) fn disables(text: &str) -> bool {
    Wiring::read(text).disabled
}

#[cfg(test)]
mod tests {
    use super::*;

    const OURS: &str = r#"{"hooks":{"PreToolUse":[{"matcher":"*","hooks":[{"type":"command",
        "command":"/home/u/.local/bin/ringfence","args":["hook","pre-tool-use"],"timeout":5}]}]},
        "model":"a"}"#;

    #[test]
    fn depth_hides_nothing() {
        let deep = format!("{}{}", "[".repeat(300), "]".repeat(300));
        let text = format!(r#"{{"x":{deep},"y":"]}}[{{","disableAllHooks":true}}"#);
        assert_eq!(harm("{}", &text), Some(Harm::DisablesHooks));
        assert_eq!(harm("{}", &text.replace("true", "false")), None);
        let at_the_limit = format!(r#"{{"x":{}{}}}"#, "[".repeat(63), "]".repeat(63));
        assert_eq!(as_the_client_reads(&at_the_limit), at_the_limit);
    }

    #[test]
    fn our_entries_must_stay_as_they_are() {
        for (before, after, expected) in [
            (OURS, OURS.replace("\"model\":\"a\"", "\"model\":\"b\""), None),
            (OURS, OURS.replace("\"*\"", "\"Read\""), Some(Harm::Unbinds)),
            (OURS, OURS.replace("\"timeout\":5", "\"timeout\":0.001"), Some(Harm::Unbinds)),
            (
                OURS,
                OURS.replace("\"model\"", "\"disableAllHooks\":true,\"model\""),
                Some(Harm::Unbinds),
            ),
            (OURS, OURS.replace("{\"hooks\"", "// x\n{\"hooks\""), Some(Harm::Unbinds)),
            (OURS, String::new(), Some(Harm::Unbinds)),
            (
                OURS,
                OURS.replace("[{\"matcher\"", "[{\"hooks\":3},{\"matcher\""),
                Some(Harm::Unbinds),
            ),
            (
                OURS,
                OURS.replace("\"model\":\"a\"", "\"env\":{\"CLAUDE_CODE_SIMPLE\":\"1\"}"),
                Some(Harm::Unbinds),
            ),
        ] {
            assert_eq!(harm(before, &after), expected, "{after}");
        }
    }

    #[test]
    fn our_plugin_must_stay_enabled() {
        let on = r#"{"enabledPlugins":{"ringfence@ringfence":true,"other@x":true}}"#;
        for (before, after, expected) in [
            (on, on.replace("other", "another"), None),
            (on, on.replace("e\":true", "e\":false"), Some(Harm::Unbinds)),
            (on, "{}".to_owned(), Some(Harm::Unbinds)),
            (on, on.replace("{\"e", "{\"disableAllHooks\":true,\"e"), Some(Harm::Unbinds)),
            ("{}", on.replace("true", "false"), Some(Harm::Unbinds)),
            ("{}", r#"{"enabledPlugins":{"other@x":false}}"#.to_owned(), None),
        ] {
            assert_eq!(harm(before, &after), expected, "{after}");
        }
    }

    #[test]
    fn what_the_client_would_run_may_not_be_added() {
        let hook = r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}"#;
        for (before, after, expected) in [
            ("{}", hook, Some(Harm::AddsHook)),
            (hook, hook, None),
            (hook, "{}", None),
            ("", r#"{"permissions":{"allow":["Bash(ls)"]}}"#, None),
            ("{}", r#"{"statusLine":{"type":"command","command":"x"}}"#, Some(Harm::AddsHelper)),
            ("{}", r#"{"apiKeyHelper":"x"}"#, Some(Harm::AddsHelper)),
            ("{}", r#"{"mcpServers":{"a":{"command":"x"}}}"#, Some(Harm::AddsServer)),
            (r#"{"mcpServers":{"a":{"command":"x"}}}"#, r#"{"mcpServers":{}}"#, None),
            ("{}", r#"{"disableAllHooks":true}"#, Some(Harm::DisablesHooks)),
            ("{}", r#"{"disableAllHooks":false}"#, None),
            ("{}", r#"{"env":{"CLAUDE_CODE_SAFE_MODE":"1"}}"#, Some(Harm::DisablesHooks)),
            ("{}", r#"{"env":{"A":"1"}}"#, None),
            ("{}", "not json", None),
            ("{}", r#"{"x":"\ud800","disableAllHooks":true}"#, Some(Harm::DisablesHooks)),
            ("{}", "\u{FFFD}\u{FFFD}{\0\"disableAllHooks\":t\0rue}\0", Some(Harm::DisablesHooks)),
        ] {
            assert_eq!(harm(before, after), expected, "{after}");
        }
    }
}
