//! Which tools are looked at, and as what. What is judged goes by suffix and in any case; the
//! constants are the seed's names, as data for the shim, `doctor` and the tests.

use crate::memory::Family;
use crate::shell::Dialect;

/// The two memory-writing MCP tools under their usual server key; nothing else of that server.
pub const MEMORY_GUARD_MCP_TOOLS: [&str; 2] =
    ["mcp__cortex__cortex_note", "mcp__cortex__cortex_resolve"];

/// The usual names of tools that run a shell command.
pub const SHELL_TOOL_NAMES: [&str; 3] = ["Bash", "PowerShell", "shell_command"];

/// The usual names of all tools that reach memory.
pub const MEMORY_GUARD_TOOLS: [&str; 5] = [
    "mcp__cortex__cortex_note",
    "mcp__cortex__cortex_resolve",
    "Bash",
    "PowerShell",
    "shell_command",
];

/// The matcher that `install` writes: the hook is asked on every tool call.
pub const MEMORY_GUARD_MATCHER: &str = "*";

/// The shell subcommands that change memory.
pub const SHELL_MEMORY_COMMANDS: [&str; 3] = ["note-resolve", "edit-memory", "delete-memory"];

/// Literals that make a call relevant, looked for in the decoded text. The shim holds the same list.
pub const LITERALS: &[&str] = &[
    "note-resolve",
    "edit-memory",
    "delete-memory",
    "restore-memory",
    "cortex",
    "ringfence",
    "memory.db",
    "claude",
];

/// Whether the tool called `name` runs a shell command.
pub fn is_shell_tool(name: &str) -> bool {
    dialect_of(name).is_some()
}

/// Whether a call of the tool called `name` is looked at: the hook asks before it reads anything.
pub fn is_guarded_tool(name: &str) -> bool {
    Route::of(name) != Route::Other
}

/// Whether the bare text of a command holds one of [`SHELL_MEMORY_COMMANDS`].
///
/// This is the literal screen; quotes and escapes inside a word are the reader's matter.
pub fn shell_command_targets_memory(command: &str) -> bool {
    SHELL_MEMORY_COMMANDS.iter().any(|verb| command.contains(verb))
}

/// What a tool's name says about how its call is judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Route {
    /// Writes a note.
    Note(Vec<Family>),
    /// Resolves a note.
    Resolve(Vec<Family>),
    /// Switches the memory off.
    Disengage,
    /// Runs a shell text.
    Shell(Dialect),
    /// Writes a file.
    File,
    /// Runs a skill or a command file.
    Skill,
    /// Leaves a prompt that runs later, without an agent's mark.
    Later,
    /// Any other MCP tool.
    Mcp,
    /// Nothing that we look at.
    Other,
}

impl Route {
    /// The route of the tool called `name`.
    pub(super) fn of(name: &str) -> Self {
        let lower = name.to_ascii_lowercase();
        let (server, tool) = split(&lower);
        match tool {
            "cortex_note" => return Self::Note(families(server)),
            "cortex_resolve" => return Self::Resolve(families(server)),
            "cortex_disengage" => return Self::Disengage,
            _ => {}
        }
        if let Some(dialect) = dialect_of(&lower) {
            return Self::Shell(dialect);
        }
        match lower.as_str() {
            "write" | "edit" | "multiedit" | "notebookedit" | "apply_patch" => Self::File,
            "skill" => Self::Skill,
            "croncreate" | "schedulewakeup" | "remotetrigger" => Self::Later,
            _ if lower.starts_with("mcp__") => Self::Mcp,
            _ => Self::Other,
        }
    }
}

/// The dialect of a shell tool; `None` for any other tool.
pub fn dialect_of(name: &str) -> Option<Dialect> {
    let lower = name.to_ascii_lowercase();
    let last = lower.rsplit('.').next().unwrap_or(&lower);
    match last {
        "powershell" | "pwsh" if last == lower => Some(Dialect::PowerShell),
        "bash" | "monitor" if last == lower => Some(Dialect::Posix),
        "shell_command" => Some(Dialect::Posix),
        _ => None,
    }
}

/// A lower-case tool name as (server, tool): `mcp__plugin_x_cortex__cortex_note`.
fn split(lower: &str) -> (&str, &str) {
    match lower.rsplit_once("__") {
        Some((server, tool)) => (server, tool),
        None => lower.rsplit_once(['.', '/']).unwrap_or(("", lower)),
    }
}

/// Whose store a memory server writes to: by its key; a key that says neither may be either.
fn families(server: &str) -> Vec<Family> {
    if server.contains("ringfence") {
        vec![Family::Native]
    } else if server.contains("cortex") {
        vec![Family::Cortex]
    } else {
        vec![Family::Cortex, Family::Native]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_of_the_seed_hang_together() {
        let mut all: Vec<&str> = MEMORY_GUARD_MCP_TOOLS.to_vec();
        all.extend(SHELL_TOOL_NAMES);
        assert_eq!(all, MEMORY_GUARD_TOOLS);
        assert!(SHELL_TOOL_NAMES.iter().all(|name| is_shell_tool(name)));
        assert!(!is_shell_tool("BashOutput") && !is_shell_tool("mcp__x__bash"));
    }

    #[test]
    fn tools_are_known_by_suffix_in_any_case() {
        let cortex = || vec![Family::Cortex];
        for (name, route) in [
            ("mcp__cortex__cortex_note", Route::Note(cortex())),
            ("mcp__plugin_x_cortex__cortex_resolve", Route::Resolve(cortex())),
            ("mcp__ringfence__cortex_note", Route::Note(vec![Family::Native])),
            ("mcp__My_Server_v2__cortex_note", Route::Note(vec![Family::Cortex, Family::Native])),
            ("MCP__CORTEX__CORTEX_RESOLVE", Route::Resolve(cortex())),
            ("mcp__cortex__cortex_disengage", Route::Disengage),
            ("mcp__cortex__cortex_recall", Route::Mcp),
            ("mcp__cortex__cortex_note_list", Route::Mcp),
            ("bash", Route::Shell(Dialect::Posix)),
            ("functions.shell_command", Route::Shell(Dialect::Posix)),
            ("Monitor", Route::Shell(Dialect::Posix)),
            ("POWERSHELL", Route::Shell(Dialect::PowerShell)),
            ("NotebookEdit", Route::File),
            ("Skill", Route::Skill),
            ("CronCreate", Route::Later),
            ("Read", Route::Other),
            ("Agent", Route::Other),
        ] {
            assert_eq!(is_guarded_tool(name), route != Route::Other, "{name}");
            assert_eq!(Route::of(name), route, "{name}");
        }
    }
}
