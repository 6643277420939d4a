//! Which memory program a command is, if any, and which of its subcommands it runs.

use super::types::{Invocation, Piece, Word};

/// A memory's own command-line program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryProgram {
    /// Cortex's.
    Cortex,
    /// Ours.
    Ringfence,
}

/// The subcommands of Cortex's program.
const CORTEX_COMMANDS: &[&str] = &[
    "log",
    "inject-header",
    "route",
    "reflect",
    "status",
    "stats",
    "consolidate",
    "evaluate",
    "eval-gate",
    "flush-spool",
    "note-resolve",
    "gc",
    "substitution",
    "install",
    "install-hooks",
    "doctor",
    "store",
    "adopt",
    "suggest-notes",
    "validate-memory",
    "read-ledger",
    "search-ledger",
    "list-memory",
    "inspect-memory",
    "edit-memory",
    "delete-memory",
    "serve",
    "help",
];

/// A call of a memory program.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryCall<'i> {
    /// Which program.
    pub program: MemoryProgram,
    /// Words before the subcommand (global options).
    pub globals: &'i [Word],
    /// The subcommand; `None` when it is missing.
    pub subcommand: Option<&'i Word>,
    /// The words after it.
    pub args: &'i [Word],
}

/// The last component of a path, either kind of slash.
pub fn base_name(path: &str) -> &str {
    path.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Which memory program `program` names; on Windows letters' case does not count.
pub fn memory_program(program: &str, windows: bool) -> Option<MemoryProgram> {
    // deno's `npm:cortex-memory`.
    let base = base_name(program.strip_prefix("npm:").unwrap_or(program));
    let folded = base.to_ascii_lowercase();
    let script = [".cmd", ".exe", ".ps1", ".bat"].iter().find_map(|end| folded.strip_suffix(end));
    // `cortex.cmd` is a Windows name wherever it stands.
    let name = script.unwrap_or(if windows { &folded } else { base });
    let name = name.split_once('@').map_or(name, |(name, _)| name);
    match name {
        "cortex" | "cortex-memory" => return Some(MemoryProgram::Cortex),
        "ringfence" => return Some(MemoryProgram::Ringfence),
        _ => {}
    }
    let stem = ["js", "mjs", "cjs", "ts", "mts", "cts"]
        .iter()
        .find_map(|end| name.strip_suffix(end).and_then(|rest| rest.strip_suffix('.')))?;
    (stem == "cli" || stem.starts_with("cortex")).then_some(MemoryProgram::Cortex)
}

/// Reads an invocation as a call of a memory program.
pub fn memory_call(invocation: &Invocation, windows: bool) -> Option<MemoryCall<'_>> {
    let (first, rest) = invocation.argv.split_first()?;
    let program = match first {
        Word::Literal(name) => memory_program(name, windows)?,
        Word::OneOf(names) => names.iter().find_map(|name| memory_program(name, windows))?,
        // `$DIR/cortex`: the name is known although the directory is not.
        Word::Partial(pieces) => match pieces.last()? {
            Piece::Text(tail) if tail.contains(['/', '\\']) => memory_program(tail, windows)?,
            Piece::Text(_) | Piece::Glob(_) | Piece::Hole { .. } => return None,
        },
    };
    let mut index = 0;
    let mut after_option = false;
    while let Some(word) = rest.get(index) {
        let Some(text) = word.literal() else { break };
        if text == "--" && index == 0 || text.starts_with('-') {
            after_option =
                text.starts_with('-') && !text.contains('=') && text != "--%" && text != "--";
            index += 1;
            continue;
        }
        // The value of a global option that we do not know: `cortex --db FILE delete-memory`.
        if after_option && !is_command(program, text) {
            after_option = false;
            index += 1;
            continue;
        }
        break;
    }
    Some(MemoryCall {
        program,
        globals: rest.get(..index).unwrap_or(&[]),
        subcommand: rest.get(index),
        args: rest.get(index + 1..).unwrap_or(&[]),
    })
}

fn is_command(program: MemoryProgram, text: &str) -> bool {
    match program {
        MemoryProgram::Cortex => CORTEX_COMMANDS.contains(&text),
        // Ours has no global option with a value.
        MemoryProgram::Ringfence => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_told_by_their_own_name_and_not_by_a_part_of_it() {
        for (name, windows, expected) in [
            ("cortex", false, Some(MemoryProgram::Cortex)),
            ("/usr/bin/../bin/cortex", false, Some(MemoryProgram::Cortex)),
            (r"C:\bin\cortex.cmd", false, Some(MemoryProgram::Cortex)),
            ("CORTEX", true, Some(MemoryProgram::Cortex)),
            ("CORTEX", false, None),
            ("cortex-memory@latest", false, Some(MemoryProgram::Cortex)),
            ("dist/transports/cli.js", false, Some(MemoryProgram::Cortex)),
            ("cli.mjs", false, Some(MemoryProgram::Cortex)),
            ("ringfence", false, Some(MemoryProgram::Ringfence)),
            ("mycortex", false, None),
            ("cortexd", false, None),
            ("anything.js", false, None),
        ] {
            assert_eq!(memory_program(name, windows), expected, "{name}");
        }
    }
}
