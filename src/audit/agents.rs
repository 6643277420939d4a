//! The cause of lost memory that lies in agents' own files: to be told to remember, with no tool for it.

use super::gather::Question;
use super::probe::{Outcome, fails, well};
use crate::facts::front_matter;
use crate::sys::file;

/// Agents that are to remember and have no tool to write with.
pub(super) fn agents(question: &Question<'_>) -> (Outcome, String) {
    let dirs =
        [question.places.client.join("agents"), question.places.project.join(".claude/agents")];
    let mut lacking = Vec::new();
    for dir in &dirs {
        for name in file::names(dir).into_iter().filter(|name| name.ends_with(".md")).take(500) {
            let text = file::read_head(&dir.join(&name), 16 << 10).unwrap_or_default();
            if remembers_without_tools(&String::from_utf8_lossy(&text)) {
                lacking.push(dir.join(name).display().to_string());
            }
        }
    }
    lacking.sort();
    match lacking.first() {
        None => well("no agent with a memory lacks the tools for it"),
        Some(first) => {
            fails(format!("{first} has `memory:`, but its `tools:` hold neither Write nor Edit"))
        }
    }
}

fn remembers_without_tools(text: &str) -> bool {
    let lines = front_matter(text);
    let after = |key: &str| lines.iter().position(|line| line.starts_with(key));
    let (Some(_), Some(at)) = (after("memory:"), after("tools:")) else { return false };
    let first = lines.get(at).and_then(|line| line.strip_prefix("tools:")).unwrap_or_default();
    let more = lines.iter().skip(at + 1).take_while(|line| line.trim_start().starts_with('-'));
    let named: Vec<&str> = std::iter::once(first)
        .chain(more.copied())
        .flat_map(|line| line.split([',', '[', ']', '"', '\'', ' ', '-']))
        .filter(|word| !word.is_empty())
        .collect();
    !named.is_empty() && !named.iter().any(|tool| matches!(*tool, "Write" | "Edit" | "*"))
}
