//! Which tools a registered matcher means, as the client evaluates it. Pure.
//!
//! Nothing, empty and `*` are every tool. Plain words are exact names, a list of them is split at
//! `|` and `,`. Everything else is a regular expression, not anchored; one that cannot be compiled
//! matches nothing, and the client says so nowhere.

#![forbid(unsafe_code)]

use regex::bytes::{Regex, RegexBuilder};

/// A matcher, read.
#[derive(Clone, Debug)]
pub enum Matcher {
    /// Every tool.
    All,
    /// These names.
    Names(Vec<String>),
    /// What this expression finds.
    Expression(Regex),
    /// Nothing: it cannot be compiled.
    Nothing,
}

impl Matcher {
    /// Reads a matcher.
    pub fn read(text: Option<&str>) -> Self {
        let Some(text) = text.filter(|text| !text.is_empty() && *text != "*") else {
            return Self::All;
        };
        let is_plain = |one: char| one.is_ascii_alphanumeric() || "_|, -".contains(one);
        if text.chars().all(is_plain) {
            let names = text.split(['|', ',']).map(|name| canonical(name.trim()).to_owned());
            return Self::Names(names.collect());
        }
        if is_foreign_syntax(text) {
            return Self::Nothing;
        }
        // The client's classes are ASCII's, and so are the names of tools.
        let expression = RegexBuilder::new(text).unicode(false).build();
        expression.map_or(Self::Nothing, Self::Expression)
    }

    /// Whether the client would ask the hook about `tool`.
    pub fn hits(&self, tool: &str) -> bool {
        match self {
            Self::All => true,
            Self::Names(names) => names.iter().any(|name| name == canonical(tool)),
            Self::Expression(expression) => expression.is_match(tool.as_bytes()),
            Self::Nothing => false,
        }
    }
}

/// Group syntax that this engine takes and the client's does not: `(?i)`, `(?P<name>…)`.
fn is_foreign_syntax(text: &str) -> bool {
    text.split("(?").skip(1).any(|rest| {
        let flags = rest.trim_start_matches(|one: char| one.is_ascii_lowercase() || one == '-');
        rest.starts_with('P') || (flags.len() < rest.len() && flags.starts_with(')'))
    })
}

/// Older names of tools mean the new ones.
fn canonical(name: &str) -> &str {
    match name {
        "Task" => "Agent",
        "KillShell" | "KillBash" => "TaskStop",
        "Brief" => "SendUserMessage",
        name => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matchers_mean_what_they_mean_to_the_client() {
        let bash = |text: &str| Matcher::read(Some(text)).hits("Bash");
        for hit in
            ["", "*", "Bash", "Bash|PowerShell", "Edit, Bash", ".*", "^Ba", "B.sh", "(Bash|Edit)+"]
        {
            assert!(bash(hit), "{hit}");
        }
        for miss in
            ["bash", "Bas", "[", "Bash(", "Bash(echo *)", "(?i)bash", "(?P<a>Bash)", "^ash$"]
        {
            assert!(!bash(miss), "{miss}");
        }
        assert!(Matcher::read(None).hits("anything"));
        let tool = |text: &str, tool: &str| Matcher::read(Some(text)).hits(tool);
        assert!(!tool("mcp__cortex", "mcp__cortex__cortex_note"));
        assert!(!tool("mcp__cortex__", "mcp__cortex__cortex_note"));
        assert!(tool("mcp__cortex__.*", "mcp__cortex__cortex_note"));
        assert!(tool("mcp__cortex*", "mcp__cortex__cortex_note"));
        assert!(!tool("mcp__cortex__.*", "mcp__plugin_memo_cortex__cortex_note"));
        assert!(tool("mcp__(plugin_.+_)?cortex__.*", "mcp__plugin_memo_cortex__cortex_note"));
        assert!(tool("Task", "Agent"));
    }
}
