//! `[posture]` and `[contain]`: what the owner says about runs that nobody watches.

use toml::{Table, Value};

use crate::posture::{HOSTED_OWNER_TERMINAL_GUARD, OwnerTerminalGuard, PostureRule};

/// Whose file a table stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// The user's, or the one named on the hook's line.
    Owner,
    /// Root's.
    Managed,
    /// The project's: it can only tighten.
    Project,
}

/// When a run counts as hosted, beside `RINGFENCE_HOSTED=1` in the client's own first environment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum HostedWhen {
    /// Only then.
    #[default]
    Told,
    /// Also when the client runs without a terminal of its own (`-p`, the SDK).
    Headless,
    /// Always: root says so.
    Always,
}

/// What holds for hosted runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hosted {
    /// When a run is hosted.
    pub when: HostedWhen,
    /// The rules, root's first.
    pub rules: Vec<PostureRule>,
    /// The program that decides where no rule does.
    pub decide: Option<String>,
    /// Which terminal sessions are a run's own.
    pub terminal: OwnerTerminalGuard,
    /// The boundary: `auto`, `bwrap`, `landlock`, or `off`.
    pub backend: String,
    /// More that a contained command may change.
    pub write: Vec<String>,
    /// The network stays.
    pub net: bool,
}

impl Default for Hosted {
    fn default() -> Self {
        Self {
            when: HostedWhen::Told,
            rules: Vec::new(),
            decide: None,
            terminal: HOSTED_OWNER_TERMINAL_GUARD,
            backend: "auto".to_owned(),
            write: Vec::new(),
            net: false,
        }
    }
}

const BACKENDS: [&str; 4] = ["auto", "bwrap", "landlock", "off"];
const MILDER: &str = "cannot stand in a project's file: it can only tighten";
const STRINGS: &str = "must be a list of strings";

/// Takes `[posture]`; each key that cannot be taken is told with what it should be.
pub(super) fn posture(
    hosted: &mut Hosted,
    table: &Table,
    origin: Origin,
) -> Vec<(String, &'static str)> {
    let mut rules = Vec::new();
    let mut wrong = Vec::new();
    for (key, value) in table {
        let taken = match (key.as_str(), value) {
            ("rule", Value::Array(all)) => take_rules(&mut rules, all, origin),
            ("rule", _) => Err("must be tables: [[posture.rule]]"),
            _ if origin == Origin::Project => Err(MILDER),
            ("hosted", Value::Boolean(true)) if origin == Origin::Managed => {
                hosted.when = HostedWhen::Always;
                Ok(())
            }
            ("hosted", Value::Boolean(true)) => Err("may be true in root's file only"),
            ("hosted", Value::String(word)) if word == "headless" => {
                hosted.when = hosted.when.max(HostedWhen::Headless);
                Ok(())
            }
            ("hosted", Value::Boolean(false)) if origin == Origin::Managed => {
                hosted.when = HostedWhen::Told;
                Ok(())
            }
            ("hosted", _) => Err("must be \"headless\", or true in root's file"),
            ("terminal_prefix", Value::String(prefix)) => {
                hosted.terminal.prefix = prefix.clone().into();
                Ok(())
            }
            ("terminal_prefix", _) => Err("must be a string"),
            ("terminal_names", value) => {
                strings(value).map(|names| hosted.terminal.names = names).ok_or(STRINGS)
            }
            ("decide", Value::String(path)) if path.starts_with('/') => {
                hosted.decide = Some(path.clone());
                Ok(())
            }
            ("decide", _) => Err("must be the absolute path of a program"),
            _ => Err("is not known"),
        };
        if let Err(wanted) = taken {
            wrong.push((key.clone(), wanted));
        }
    }
    // A project's rules are the strictest word there is, and root's come before the user's.
    rules.append(&mut hosted.rules);
    hosted.rules = rules;
    wrong
}

/// A project may hold itself to `conversational`, whatever directory its rule names.
fn take_rules(
    rules: &mut Vec<PostureRule>,
    all: &[Value],
    origin: Origin,
) -> Result<(), &'static str> {
    for rule in all {
        let table = rule.as_table().ok_or("must be tables: [[posture.rule]]")?;
        let text = |key: &str| table.get(key).and_then(Value::as_str).map(str::to_owned);
        let rule = PostureRule {
            workspace: text("workspace"),
            session: text("session"),
            posture: text("posture").unwrap_or_default(),
        };
        if origin == Origin::Project && rule.posture == "workstream" {
            return Err(MILDER);
        }
        if rule.workspace.as_ref().is_some_and(|path| !path.starts_with('/')) {
            return Err("needs an absolute `workspace`");
        }
        if rule.workspace.is_none() && rule.session.is_none() {
            return Err("needs a `workspace` or a `session`");
        }
        if !matches!(rule.posture.as_str(), "workstream" | "conversational") {
            return Err("needs `posture = \"workstream\"` or `\"conversational\"`");
        }
        rules.push(rule);
    }
    Ok(())
}

/// Takes `[contain]`.
pub(super) fn contain(
    hosted: &mut Hosted,
    table: &Table,
    origin: Origin,
) -> Vec<(String, &'static str)> {
    let project = origin == Origin::Project;
    let mut wrong = Vec::new();
    for (key, value) in table {
        let taken = match (key.as_str(), value) {
            ("net", Value::Boolean(true)) if project && !hosted.net => Err(MILDER),
            ("net", Value::Boolean(net)) => {
                hosted.net = *net;
                Ok(())
            }
            ("net", _) => Err("must be true or false"),
            _ if project => Err(MILDER),
            ("backend", Value::String(word)) if BACKENDS.contains(&word.as_str()) => {
                hosted.backend.clone_from(word);
                Ok(())
            }
            ("backend", _) => Err("must be \"auto\", \"bwrap\", \"landlock\" or \"off\""),
            ("write", value) => strings(value).map(|paths| hosted.write = paths).ok_or(STRINGS),
            _ => Err("is not known"),
        };
        if let Err(wanted) = taken {
            wrong.push((key.clone(), wanted));
        }
    }
    wrong
}

fn strings(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|item| item.as_str().map(str::to_owned)).collect()
}
