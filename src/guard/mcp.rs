//! Any other MCP tool whose arguments hold a protected path or a guarded command.

use super::case::{Case, Effect};
use super::change::NewText;
use super::files::{Done, change_settings, tamper};
use super::owner::{Aim, weigh_item, weigh_note};
use super::paths::{self, Reach};
use super::{ProtectedKind, command, json};
use crate::memory::Family;
use crate::request::{Argument, MemoryGuardRequest};
use crate::shell::Dialect;

/// Arguments that servers run as a command.
const COMMAND_KEYS: [&str; 10] = [
    "command",
    "cmd",
    "commands",
    "script",
    "shell",
    "shell_command",
    "commandline",
    "command_line",
    "bash",
    "code",
];

/// Arguments that terminals type.
const TYPED_KEYS: [&str; 4] = ["input", "keys", "text", "data"];

/// How names of tools that only read begin or end.
const READING: [&str; 16] = [
    "read",
    "get",
    "list",
    "search",
    "view",
    "stat",
    "info",
    "show",
    "find",
    "fetch",
    "describe",
    "recall",
    "grep",
    "tree",
    "exists",
    "query_readonly",
];

/// Judges a call.
pub(super) fn judge_tool(case: &mut Case) {
    let request: &MemoryGuardRequest = case.request;
    let name = request.tool.to_ascii_lowercase();
    let tool = name.rsplit("__").next().unwrap_or(&name).to_owned();
    let found: Vec<json::Found> = request
        .input
        .iter()
        .flat_map(|(key, argument)| match argument {
            Argument::Text(text) => vec![json::Found { key: key.into(), text: text.clone() }],
            Argument::Other(raw) => {
                let mut found = json::strings(raw);
                for value in found.iter_mut().filter(|value| value.key.is_empty()) {
                    value.key = key.into();
                }
                found
            }
            Argument::Null => Vec::new(),
        })
        .collect();
    judge_commands(case, &name, &found);
    if !tool.split(['_', '-']).any(|word| READING.contains(&word)) {
        judge_paths(case, &request.tool, &tool, &found);
    }
}

fn judge_commands(case: &mut Case, name: &str, found: &[json::Found]) {
    let types = ["terminal", "shell", "tmux", "pty", "ssh", "exec", "keys", "process"]
        .iter()
        .any(|word| name.contains(word));
    let is_command = |key: &str| {
        let key = key.to_ascii_lowercase();
        COMMAND_KEYS.contains(&key.as_str()) || (types && TYPED_KEYS.contains(&key.as_str()))
    };
    let (mut program, mut args) = (Vec::new(), Vec::new());
    for value in found {
        if is_command(&value.key) {
            case.deeper(|case| command::judge_text(case, &value.text, Dialect::Posix, &[]));
            program.push(value.text.clone());
        } else if matches!(&*value.key.to_ascii_lowercase(), "args" | "argv" | "arguments") {
            args.push(command::quote(&value.text));
        }
    }
    // `{"command": "cortex", "args": ["delete-memory", …]}`, in whatever order the keys come.
    if !args.is_empty() {
        let line = [program.join(" "), args.join(" ")].join(" ");
        case.deeper(|case| command::judge_text(case, &line, Dialect::Posix, &[]));
    }
}

fn judge_paths(case: &mut Case, full_name: &str, tool: &str, found: &[json::Found]) {
    let removes =
        ["delete", "remove", "unlink", "move", "rename"].iter().any(|verb| tool.contains(verb));
    let cwd = case.request.cwd.clone();
    for value in found {
        let path = value.text.strip_prefix("file://").unwrap_or(&value.text);
        let is_path = path.len() <= 4096
            && !path.contains('\n')
            && (path.contains('/') || path.contains(".db") || path.contains(".json"));
        if !is_path {
            continue;
        }
        let reach = if removes { Reach::Below } else { Reach::This };
        for protected in paths::hits_path(case, Some(&cwd), path, reach) {
            match protected.kind {
                ProtectedKind::Store | ProtectedKind::Own => {
                    if !only_reads_sql(found) {
                        tamper(case, &protected, Done::new("write to", full_name));
                    }
                }
                ProtectedKind::Settings => {
                    let text = if removes { NewText::Gone } else { content(found) };
                    change_settings(
                        case,
                        &protected,
                        &text,
                        Some(&cwd),
                        Done::new("write to", full_name),
                    );
                }
            }
        }
    }
}

/// Whether the call carries SQL, and all of it reads.
fn only_reads_sql(found: &[json::Found]) -> bool {
    let mut sql = found
        .iter()
        .filter(|value| {
            matches!(value.key.to_ascii_lowercase().as_str(), "sql" | "query" | "statement")
        })
        .peekable();
    sql.peek().is_some() && sql.all(|value| super::sql::only_reads(&value.text))
}

fn content(found: &[json::Found]) -> NewText {
    let key = |value: &&json::Found| {
        matches!(
            &*value.key,
            "content" | "contents" | "text" | "data" | "newText" | "new_string" | "file_text"
        )
    };
    match found.iter().find(key) {
        Some(value) => NewText::Known(value.text.clone()),
        None => NewText::Unknown,
    }
}

/// In a prompt for later: a memory tool or verb by name, and ids of foreign memories.
pub(super) fn judge_named_ids(case: &mut Case, prompt: &str) {
    let effect = if prompt.contains("delete-memory") {
        Effect::Delete
    } else if prompt.contains("edit-memory") {
        Effect::Rewrite
    } else if prompt.contains("note-resolve") || prompt.contains("cortex_resolve") {
        Effect::Resolve
    } else {
        return;
    };
    let place = case.place_of_call();
    let words =
        prompt.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':')));
    let ids: Vec<&str> = words.filter(|word| word.len() >= 6).take(256).collect();
    for family in [Family::Cortex, Family::Native] {
        for store in case.stores(family, &place).iter() {
            for id in &ids {
                if let Ok(Some(note)) = store.reached.memory.note(id) {
                    weigh_note(case, store, &note, Aim::Named(id), effect);
                } else if let Ok(Some(item)) = store.reached.memory.item(id) {
                    weigh_item(case, store, &item, Aim::Named(id), effect);
                }
            }
        }
    }
}
