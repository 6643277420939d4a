//! Texts that lead to commands later: skills, command files, prompts that run without a mark.

use super::case::{Case, Tamper};
use super::edits::{edited, edits};
use super::label::quoted_path;
use super::{command, mcp};
use crate::request::{Argument, MemoryGuardRequest};
use crate::shell::Dialect;

/// How much of a skill's arguments is filled in, in characters.
const ARGUMENTS_LIMIT: usize = 4096;

/// How far a command in prose is followed, in bytes.
const PROSE_LIMIT: usize = 2000;

/// Judges a call of a skill or command: the commands in its file run without a call of their own.
pub(super) fn judge_skill(case: &mut Case) {
    let request: &MemoryGuardRequest = case.request;
    let Some(name) = request.input.text(&["skill", "command", "name"]) else { return };
    let args = request.input.text(&["args", "arguments"]).unwrap_or_default();
    let name = name.trim_start_matches('/');
    let (name, inline) = name.split_once(char::is_whitespace).unwrap_or((name, ""));
    if name.split(['/', ':']).any(|part| part == "..") {
        return;
    }
    let args = if args.is_empty() { inline } else { args };
    // Each place of a long skill would hold them again.
    let args: String = args.chars().take(ARGUMENTS_LIMIT).collect();
    for path in skill_files(case, name) {
        if let Some(text) = case.facts.text(&path) {
            judge_embedded(case, &with_arguments(&text, &args));
        }
    }
}

fn skill_files(case: &Case, name: &str) -> Vec<String> {
    let below = name.replace(':', "/");
    let last = name.rsplit(':').next().unwrap_or(name);
    let folders =
        [Some(case.request.cwd.as_str()), case.request.project.as_deref(), Some(case.facts.home())];
    let mut files = Vec::new();
    for folder in folders.into_iter().flatten() {
        for file in [
            format!("{folder}/.claude/skills/{last}/SKILL.md"),
            format!("{folder}/.claude/commands/{below}.md"),
            format!("{folder}/.claude/commands/{last}.md"),
        ] {
            if !files.contains(&file) {
                files.push(file);
            }
        }
    }
    files
}

/// `$ARGUMENTS` and `$1 …` as the client fills them in.
fn with_arguments(text: &str, args: &str) -> String {
    let mut text = text.replace("$ARGUMENTS", args);
    for (index, word) in args.split_whitespace().enumerate().take(9) {
        text = text.replace(&format!("${}", index + 1), word);
    }
    text
}

/// Judges the commands of a skill or command text.
fn judge_embedded(case: &mut Case, text: &str) {
    for shell in embedded(text) {
        case.deeper(|case| command::judge_text(case, &shell, Dialect::Posix, &[]));
    }
}

/// The shell texts in a Markdown text: `` !`command` `` and fenced blocks that begin with ```` ```! ````.
fn embedded(text: &str) -> Vec<String> {
    let mut found: Vec<String> = text
        .split("!`")
        .skip(1)
        .filter_map(|rest| rest.split_once('`'))
        .map(|(shell, _)| shell.to_owned())
        .collect();
    found.extend(
        text.split("```!")
            .skip(1)
            .filter_map(|rest| rest.split_once("```"))
            .map(|(shell, _)| shell.to_owned()),
    );
    found
}

/// Judges what a file tool writes into a skill, command or agent file.
pub(super) fn judge_written(case: &mut Case, path: &str) {
    let request: &MemoryGuardRequest = case.request;
    if !is_instruction_file(path) {
        return;
    }
    let before = case.facts.text(&case.resolve(&request.cwd, path)).unwrap_or_default();
    let after = match (request.input.get("content"), edits(request)) {
        (Some(Argument::Text(content)), _) => content.clone(),
        (_, Some(edits)) => match edited(&before, &edits) {
            Some(text) => text,
            None => return,
        },
        _ => return,
    };
    judge_instructions(case, path, &before, &after);
}

/// Judges the text that a shell command writes into a file.
pub(super) fn judge_shell_written(case: &mut Case, path: &str, text: &str) {
    if is_instruction_file(path) {
        judge_instructions(case, path, "", text);
    }
}

fn judge_instructions(case: &mut Case, path: &str, before: &str, after: &str) {
    judge_embedded(case, after);
    if has_hooks(after) && !has_hooks(before) {
        case.tamper(Tamper {
            may_not: "change what the client runs by itself",
            would: format!("add a hook to {}", quoted_path(path)),
            path: path.to_owned(),
            label: quoted_path(path),
        });
    }
}

fn is_instruction_file(path: &str) -> bool {
    path.ends_with(".md")
        && ["/.claude/skills/", "/.claude/commands/", "/.claude/agents/"]
            .iter()
            .any(|folder| format!("/{path}").contains(folder))
}

/// Whether the front matter has hooks.
fn has_hooks(text: &str) -> bool {
    let Some(rest) = text.trim_start_matches('\u{FEFF}').strip_prefix("---") else { return false };
    let front = rest.split("\n---").next().unwrap_or(rest);
    front.lines().any(|line| line.trim_end().starts_with("hooks:"))
}

/// Judges a prompt that will run later, when nobody knows who left it.
pub(super) fn judge_later(case: &mut Case) {
    let request: &MemoryGuardRequest = case.request;
    for (_, argument) in request.input.iter() {
        match argument {
            Argument::Text(text) => judge_prompt(case, text),
            Argument::Other(raw) => {
                for found in super::json::strings(raw) {
                    judge_prompt(case, &found.text);
                }
            }
            Argument::Null => {}
        }
    }
}

fn beginning(text: &str) -> &str {
    let end = (0..=PROSE_LIMIT.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

/// Words at which a command may begin within prose.
const BEGINNINGS: [&str; 14] = [
    "cortex",
    "ringfence",
    "npx",
    "node",
    "rm",
    "mv",
    "sqlite3",
    "truncate",
    "dd",
    "git",
    "find",
    "claude",
    "sh",
    "bash",
];

/// In a prompt a mention is a call: whoever reads it later is told to make it.
fn judge_prompt(case: &mut Case, prompt: &str) {
    let mut starts = 0;
    for line in prompt.lines() {
        for (at, _) in line.match_indices(|letter: char| letter.is_ascii_alphabetic()) {
            let before = line.get(..at).and_then(|text| text.chars().next_back());
            if before
                .is_some_and(|letter| letter.is_alphanumeric() || matches!(letter, '/' | '-' | '_'))
            {
                continue;
            }
            let rest = line.get(at..).unwrap_or_default();
            let word: &str =
                rest.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
            if BEGINNINGS.contains(&word) && starts < 64 {
                starts += 1;
                let rest = beginning(rest);
                // Up to where prose goes on: the end of a code span, or of a sentence.
                let end = rest.find(['`', '\u{201d}']).or(rest.find(". ")).unwrap_or(rest.len());
                let shell = rest.get(..end).unwrap_or(rest).trim_end_matches(['.', ',']).to_owned();
                case.deeper(|case| command::judge_text(case, &shell, Dialect::Posix, &[]));
            }
        }
    }
    mcp::judge_named_ids(case, prompt);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_found_in_markdown() {
        assert_eq!(
            embedded("a !`one` `not` b !`two\nlines`\n```!\nthree\n```\n```sh\nnot\n```"),
            ["one", "two\nlines", "\nthree\n"]
        );
        assert_eq!(with_arguments("x $ARGUMENTS $2", "a b"), "x a b b");
    }

    #[test]
    fn hooks_in_front_matter_are_seen() {
        assert!(has_hooks("---\nname: a\nhooks:\n  PreToolUse: []\n---\ntext"));
        assert!(!has_hooks("---\nname: a\n---\nhooks: in the text"));
        assert!(!has_hooks("hooks:"));
    }
}
