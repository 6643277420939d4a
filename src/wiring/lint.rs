//! What the client makes of a whole settings file: what voids it, what it drops, what silences
//! every hook. Found by giving files to the client (2.1.328), not from its documentation. Pure.

#![forbid(unsafe_code)]

use std::borrow::Cow;

use super::document::{self, Member, Node, Value};
use super::schema::{self, KNOWN_OTHERWISE};

/// How much a finding costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// The client ignores this one thing.
    Dropped,
    /// No hook of any file runs, although the file is loaded.
    Silences,
    /// Nothing of the file is in effect.
    Voids,
}

/// One thing that the client does not take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What it costs.
    pub effect: Effect,
    /// Where in the settings: `hooks.PreToolUse.0`; empty for the whole file.
    pub path: String,
    /// From 1.
    pub line: usize,
    /// From 1.
    pub column: usize,
    /// What is wrong.
    pub what: String,
}

impl Finding {
    /// The finding as a sentence with its place.
    pub fn sentence(&self) -> String {
        let Self { path, line, column, what, .. } = self;
        if path.is_empty() {
            return format!("{what} at line {line}, column {column}");
        }
        format!("`{path}` {what} at line {line}, column {column}")
    }
}

/// The events that the client knows.
pub const EVENTS: &[&str] = &[
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "Notification",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "SessionStart",
    "SessionEnd",
    "Stop",
    "StopFailure",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "PreModelSwitch",
    "PostModelSwitch",
    "PermissionRequest",
    "PermissionDenied",
    "Setup",
    "TeammateIdle",
    "TaskCreated",
    "TaskCompleted",
    "Elicitation",
    "ElicitationResult",
    "ConfigChange",
    "WorktreeCreate",
    "WorktreeRemove",
    "InstructionsLoaded",
    "CwdChanged",
    "FileChanged",
];

/// A bad entry under these voids the file: it might be what guards the permissions beside it.
const STRICT: &[&str] = &["PreToolUse", "PermissionRequest"];

/// Variables that start the client without hooks.
pub const SILENCERS: &[&str] = &["CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"];

const PERMISSION_MODES: &[&str] =
    &["acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "plan"];

/// The client ignores values nested deeper than this.
const DEEPEST_TAKEN: usize = 64;

/// What the client would not take of a file, in the order of the file; empty = all well.
pub fn lint(bytes: &[u8]) -> Vec<Finding> {
    let text = &*as_decoded(bytes);
    let void = |line, column, what: String| {
        vec![Finding { effect: Effect::Voids, path: String::new(), line, column, what }]
    };
    let root = match document::read(text) {
        Ok(None) => return Vec::new(),
        Ok(Some(root)) if root.is_object() => root,
        Ok(Some(root)) => {
            let (line, column) = document::place(text, root.start);
            return void(line, column, format!("the settings are no object but {}", root.kind()));
        }
        Err(fault) => return void(fault.line, fault.column, fault.what.to_owned()),
    };
    let mut linter = Linter { text, findings: Vec::new() };
    linter.top(&root);
    linter.findings
}

/// Whether the client takes anything of the file.
pub fn is_loaded(findings: &[Finding]) -> bool {
    findings.iter().all(|finding| finding.effect != Effect::Voids)
}

/// Whether the file leaves hooks alive.
pub fn leaves_hooks(findings: &[Finding]) -> bool {
    findings.iter().all(|finding| finding.effect == Effect::Dropped)
}

/// Whether a variable's value switches something on.
pub fn is_on(value: &str) -> bool {
    ["1", "true", "yes", "on"].contains(&value.trim().to_ascii_lowercase().as_str())
}

/// The text that the client decodes: UTF-16 with its mark is UTF-8 then.
pub fn as_decoded(bytes: &[u8]) -> Cow<'_, [u8]> {
    match bytes.strip_prefix(b"\xff\xfe") {
        Some(units) => Cow::Owned(from_utf16(units).into_bytes()),
        None => Cow::Borrowed(bytes),
    }
}

fn from_utf16(units: &[u8]) -> String {
    let units: Vec<u16> = units
        .chunks(2)
        .map(|pair| match pair {
            [low, high] => u16::from_le_bytes([*low, *high]),
            _ => 0xfffd,
        })
        .collect();
    String::from_utf16_lossy(&units)
}

struct Linter<'a> {
    text: &'a [u8],
    findings: Vec<Finding>,
}

impl Linter<'_> {
    fn add(&mut self, effect: Effect, path: String, at: usize, what: impl Into<String>) {
        let (line, column) = document::place(self.text, at);
        self.findings.push(Finding { effect, path, line, column, what: what.into() });
    }

    fn top(&mut self, root: &Node) {
        for Member { key, start, node } in root.counted() {
            if depth(node) >= DEEPEST_TAKEN {
                let what = "holds values more than 64 levels deep, which the client drops";
                self.add(Effect::Dropped, key.clone(), *start, what);
            }
            match schema::shape(key) {
                Some(shape) if !shape.fits(node) => {
                    let what = format!("must be {}, not {}", shape.wanted(), node.kind());
                    self.add(Effect::Voids, key.clone(), *start, what);
                    continue;
                }
                Some(_) => {}
                None if !KNOWN_OTHERWISE.contains(&key.as_str()) => {
                    let declares = STRICT.contains(&key.as_str()) && node.value != Value::Null;
                    if declares || holds_strict(node) {
                        let what = "holds PreToolUse or PermissionRequest hooks outside `hooks`";
                        self.add(Effect::Voids, key.clone(), *start, what);
                    }
                }
                None => {}
            }
            match key.as_str() {
                "hooks" => self.hooks(node),
                "permissions" => self.permissions(node),
                "sandbox" => {
                    if let Some(enabled) = node.get("enabled").filter(|one| one.truth().is_none()) {
                        let what = format!("must be true or false, not {}", enabled.kind());
                        self.add(Effect::Voids, "sandbox.enabled".into(), enabled.start, what);
                    }
                }
                "disableAllHooks" if node.truth() == Some(true) => {
                    self.add(Effect::Silences, key.clone(), *start, "switches every hook off");
                }
                "env" => self.variables(node),
                _ => {}
            }
        }
    }

    fn variables(&mut self, env: &Node) {
        for member in env.counted().filter(|one| SILENCERS.contains(&one.key.as_str())) {
            let on = match &member.node.value {
                Value::Text(text) => is_on(text),
                Value::Bool(on) => *on,
                Value::Number(number) => *number == 1.0,
                Value::Null | Value::List(_) | Value::Object(_) => false,
            };
            if on {
                let path = format!("env.{}", member.key);
                self.add(Effect::Silences, path, member.start, "starts the client without hooks");
            }
        }
    }

    fn permissions(&mut self, permissions: &Node) {
        for Member { key, start, node } in permissions.counted() {
            let path = format!("permissions.{key}");
            match key.as_str() {
                "allow" | "deny" | "ask" | "additionalDirectories" if !node.is_list() => {
                    let what = format!("must be a list, not {}", node.kind());
                    self.add(Effect::Voids, path, *start, what);
                }
                "defaultMode"
                    if !node.text().is_some_and(|mode| PERMISSION_MODES.contains(&mode)) =>
                {
                    let what = format!("must be one of {}", PERMISSION_MODES.join(", "));
                    self.add(Effect::Voids, path, *start, what);
                }
                _ => {}
            }
        }
    }

    fn hooks(&mut self, hooks: &Node) {
        let path = || "hooks".to_owned();
        if !hooks.is_object() {
            let groups = hooks.items().iter().any(|item| item.is_object() || item.is_list());
            let effect = if groups { Effect::Voids } else { Effect::Dropped };
            let what = format!("must be an object of events, not {}", hooks.kind());
            return self.add(effect, path(), hooks.start, what);
        }
        if hooks.get("hooks").is_some_and(Node::is_list) {
            let what = "holds a matcher where events belong";
            return self.add(Effect::Voids, path(), hooks.start, what);
        }
        for Member { key, start, node } in hooks.counted() {
            let path = format!("hooks.{key}");
            if !EVENTS.contains(&key.as_str()) {
                if holds_strict(node) {
                    let what = "is no event, but holds PreToolUse or PermissionRequest hooks";
                    self.add(Effect::Voids, path, *start, what);
                } else {
                    self.add(Effect::Dropped, path, *start, "is no event that the client knows");
                }
                continue;
            }
            let strict = STRICT.contains(&key.as_str());
            let bad = if strict { Effect::Voids } else { Effect::Dropped };
            if !node.is_list() {
                let effect = if node.value == Value::Null { Effect::Dropped } else { bad };
                let what = format!("must be a list of matchers, not {}", node.kind());
                self.add(effect, path, *start, what);
                continue;
            }
            for (at, group) in node.items().iter().enumerate() {
                self.group(&format!("{path}.{at}"), group, bad);
            }
        }
    }

    fn group(&mut self, path: &str, group: &Node, bad: Effect) {
        let start = group.start;
        if !group.is_object() {
            let what = format!("must be an object, not {}", group.kind());
            return self.add(bad, path.to_owned(), start, what);
        }
        if STRICT.iter().any(|event| group.get(event).is_some()) {
            let what = "holds PreToolUse or PermissionRequest hooks where a matcher belongs";
            return self.add(Effect::Voids, path.to_owned(), start, what);
        }
        if let Some(matcher) = group.get("matcher").filter(|one| one.text().is_none()) {
            let what = format!("has a matcher that is no string but {}", matcher.kind());
            return self.add(bad, path.to_owned(), matcher.start, what);
        }
        let Some(handlers) = group.get("hooks").filter(|hooks| hooks.is_list()) else {
            let what = "has no list called `hooks`";
            return self.add(bad, path.to_owned(), start, what);
        };
        for (at, handler) in handlers.items().iter().enumerate() {
            if let Some(what) = handler_fault(handler) {
                self.add(bad, format!("{path}.hooks.{at}"), handler.start, what);
            }
        }
    }
}

/// What is wrong with one handler.
fn handler_fault(handler: &Node) -> Option<String> {
    if !handler.is_object() {
        return Some(format!("must be an object, not {}", handler.kind()));
    }
    let Some(kind) = handler.get("type").and_then(Node::text) else {
        return Some("has no type".to_owned());
    };
    let texts: &[&str] = match kind {
        "command" => &["command"],
        "prompt" | "agent" => &["prompt"],
        "http" => &["url"],
        "mcp_tool" => &["server", "tool"],
        other => return Some(format!("has the type `{other}`, which the client does not know")),
    };
    if let Some(missing) = texts.iter().find(|key| handler.get(key).and_then(Node::text).is_none())
    {
        return Some(format!("has no {missing}"));
    }
    if kind == "http" && !handler.get("url").and_then(Node::text).is_some_and(is_url) {
        return Some("has an url that is none".to_owned());
    }
    let fits = |key: &str, fits: &dyn Fn(&Node) -> bool| handler.get(key).is_none_or(fits);
    let is_texts =
        |node: &Node| node.is_list() && node.items().iter().all(|item| item.text().is_some());
    let positive = |node: &Node| node.number().is_some_and(|one| one > 0.0 && one.is_finite());
    let truth = |node: &Node| node.truth().is_some();
    let on_failure = |node: &Node| matches!(node.text(), Some("continue" | "block"));
    let text = |node: &Node| node.text().is_some();
    let checks: [(&str, bool, &str); 8] = [
        ("args", fits("args", &is_texts), "a list of strings"),
        ("timeout", fits("timeout", &positive), "a number above 0"),
        ("async", fits("async", &truth), "true or false"),
        ("asyncRewake", fits("asyncRewake", &truth), "true or false"),
        ("once", fits("once", &truth), "true or false"),
        ("onFailure", fits("onFailure", &on_failure), "\"continue\" or \"block\""),
        ("statusMessage", fits("statusMessage", &text), "a string"),
        ("if", fits("if", &text), "a string"),
    ];
    let (key, _, wanted) = checks.iter().find(|(_, fits, _)| !fits)?;
    Some(format!("has a {key} that is not {wanted}"))
}

fn is_url(text: &str) -> bool {
    text.split_once(':').is_some_and(|(scheme, rest)| {
        !rest.is_empty()
            && scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.chars().all(|one| one.is_ascii_alphanumeric() || "+-.".contains(one))
    })
}

/// Whether a key called as a strict event stands anywhere in it.
fn holds_strict(node: &Node) -> bool {
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        for member in node.counted() {
            if STRICT.contains(&member.key.as_str()) && member.node.value != Value::Null {
                return true;
            }
            open.push(&member.node);
        }
        open.extend(node.items());
    }
    false
}

/// How many levels of lists and objects lie in it.
fn depth(node: &Node) -> usize {
    let mut deepest = 0;
    let mut open = vec![(node, 0)];
    while let Some((node, level)) = open.pop() {
        deepest = deepest.max(level);
        open.extend(node.members().iter().map(|member| (&member.node, level + 1)));
        open.extend(node.items().iter().map(|item| (item, level + 1)));
    }
    deepest
}
