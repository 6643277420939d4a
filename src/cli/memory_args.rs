//! The argument structs of the commands that work on notes; nothing else.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Write a note
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ringfence note insight 'The queue is bounded at 500.'
  ringfence note decision 'The ceiling is sixty seconds.' --subject 'retry ceiling'
  ringfence note decision 'We keep SQLite.' --subject storage --alternative Postgres --json")]
pub(crate) struct NoteArgs {
    /// insight, decision, intent, blocker or focus
    pub(crate) kind: String,
    /// The text
    pub(crate) text: String,
    /// What it is about; needed for all kinds but insight
    #[arg(long)]
    pub(crate) subject: Option<String>,
    /// What was considered and left; may be given several times
    #[arg(long = "alternative", value_name = "TEXT")]
    pub(crate) alternatives: Vec<String>,
    /// The session it belongs to
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// Mark a note as resolved or superseded
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ringfence note-resolve --subject 'retry ceiling'
  ringfence note-resolve --id ID --status superseded")]
pub(crate) struct NoteResolveArgs {
    /// The note's id
    #[arg(long)]
    pub(crate) id: Option<String>,
    /// Its subject, instead of the id
    #[arg(long)]
    pub(crate) subject: Option<String>,
    /// resolved or superseded
    #[arg(long, default_value = "resolved")]
    pub(crate) status: String,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// Change a note's text
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ringfence edit-memory ID            in your editor ($VISUAL or $EDITOR)
  ringfence edit-memory ID --text 'The ceiling is thirty seconds.'
  ringfence edit-memory ID --file note.txt
  git log -1 --format=%B | ringfence edit-memory ID --file -")]
pub(crate) struct EditMemoryArgs {
    /// The note's id
    pub(crate) id: String,
    /// The new text
    #[arg(long, conflicts_with = "file")]
    pub(crate) text: Option<String>,
    /// A file with the new text (`-` for standard input)
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// Delete a note; without --yes only shows it
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ringfence delete-memory ID        show what would be deleted
  ringfence delete-memory ID --yes  delete it; its text stays in the history")]
pub(crate) struct DeleteMemoryArgs {
    /// The note's id
    pub(crate) id: String,
    /// Really delete it
    #[arg(long)]
    pub(crate) yes: bool,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// Which notes are meant
#[derive(Debug, Default, Args)]
pub(crate) struct FilterArgs {
    /// Only these kinds, separated by commas
    #[arg(long, value_delimiter = ',')]
    pub(crate) kind: Vec<String>,
    /// Only these statuses, separated by commas: active, superseded, resolved
    #[arg(long, value_delimiter = ',')]
    pub(crate) status: Vec<String>,
    /// Only notes on this subject
    #[arg(long)]
    pub(crate) subject: Option<String>,
    /// Only notes that this session wrote
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Only notes that this subagent wrote
    #[arg(long, value_name = "ID")]
    pub(crate) agent: Option<String>,
    /// Only notes of this scope, such as branch:main
    #[arg(long)]
    pub(crate) scope: Option<String>,
    /// Only notes written since then: 2d (ago), 2026-12-01, 2026-12-01T08:00:00Z
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// Only contested notes
    #[arg(long)]
    pub(crate) contested: bool,
}

/// Which part of the notes, and how it is printed.
#[derive(Debug, Args)]
pub(crate) struct PageArgs {
    /// How many
    #[arg(long, default_value_t = 20)]
    pub(crate) limit: usize,
    /// Skip so many first
    #[arg(long, default_value_t = 0)]
    pub(crate) offset: usize,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// List notes, newest first
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ringfence list-memory --kind decision,intent --status active
  ringfence list-memory --since 2d --scope branch:main
  ringfence list-memory --limit 100 --offset 100
  ringfence list-memory --json")]
pub(crate) struct ListMemoryArgs {
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    #[command(flatten)]
    pub(crate) page: PageArgs,
}

/// Show one note
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ringfence show-memory ID
  ringfence show-memory ID --history  with all its changes, also of a deleted note")]
pub(crate) struct ShowMemoryArgs {
    /// The note's id
    pub(crate) id: String,
    /// With all its changes
    #[arg(long)]
    pub(crate) history: bool,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// Find notes by their words, best first
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ringfence search-memory retry ceiling       all words, in any of their forms
  ringfence search-memory '\"retry ceiling\"'  these words together
  ringfence search-memory 'retr*' --kind decision --json")]
pub(crate) struct SearchMemoryArgs {
    /// The words
    #[arg(required = true)]
    pub(crate) words: Vec<String>,
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    #[command(flatten)]
    pub(crate) page: PageArgs,
}

/// Bring a note back to what it was, also a deleted one
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ringfence restore-memory ID                  take its last change back
  ringfence restore-memory ID --at 2h          what it was two hours ago
  ringfence restore-memory ID --at 2026-12-01  what it was when that day began
  ringfence restore-memory ID --from NAME --yes  as a snapshot has it, also in Cortex's store")]
pub(crate) struct RestoreMemoryArgs {
    /// The note's id
    pub(crate) id: String,
    /// As it was then: 2h (ago), 2026-12-01, 2026-12-01T08:00:00Z
    #[arg(long, value_name = "TIME", conflicts_with = "from")]
    pub(crate) at: Option<String>,
    /// As this snapshot has it; without --yes only shows it
    #[arg(long, value_name = "SNAPSHOT")]
    pub(crate) from: Option<String>,
    /// Really put it back from the snapshot
    #[arg(long, requires = "from")]
    pub(crate) yes: bool,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show what happened to notes, newest last
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ringfence log-memory                   the last 20 changes
  ringfence log-memory -n 100 --session ID
  ringfence log-memory --json")]
pub(crate) struct LogMemoryArgs {
    /// How many changes
    #[arg(short = 'n', long, default_value_t = 20)]
    pub(crate) lines: usize,
    /// Only what this session did
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// Print all notes with their sessions and their history, one JSON document a line
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ringfence export > memory.jsonl
  ringfence export memory.jsonl    a new file that only you can read")]
pub(crate) struct ExportArgs {
    /// A new file to write to, instead of standard output
    pub(crate) file: Option<PathBuf>,
}

/// Take in notes of an export, or of this project's Cortex store
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ringfence import memory.jsonl --dry-run  say what would be taken in
  ringfence import - < memory.jsonl
  ringfence import --cortex                copy the notes that Cortex keeps for this project")]
pub(crate) struct ImportArgs {
    /// The export (`-` for standard input); with --cortex, a Cortex store
    #[arg(required_unless_present = "cortex")]
    pub(crate) file: Option<PathBuf>,
    /// Copy the notes of a Cortex store with their sessions; it is only read
    #[arg(long)]
    pub(crate) cortex: bool,
    /// Say what would be taken in and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// Copy this project's memory stores now; list, compare and bring back copies
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ringfence snapshot                        copy what was changed since the last copy
  ringfence snapshot list
  ringfence snapshot diff NAME              what was changed since
  ringfence snapshot restore NAME           to a new file in this directory
  ringfence snapshot restore NAME --in-place --yes")]
pub(crate) struct SnapshotArgs {
    #[command(subcommand)]
    pub(crate) command: Option<SnapshotCommand>,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SnapshotCommand {
    List(SnapshotListArgs),
    Diff(SnapshotDiffArgs),
    Restore(SnapshotRestoreArgs),
}

/// List the copies of this project's stores, oldest first
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ringfence snapshot list
  ringfence snapshot list --json")]
pub(crate) struct SnapshotListArgs {
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show which notes differ between a copy and the store, or another copy
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ringfence snapshot diff              since the newest copy
  ringfence snapshot diff NAME         since this one
  ringfence snapshot diff NAME OTHER   between two")]
pub(crate) struct SnapshotDiffArgs {
    /// The earlier copy
    pub(crate) from: Option<String>,
    /// The later one; without it, the store itself
    pub(crate) to: Option<String>,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// Bring a copy back: to a new file, or in the place of its store
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ringfence snapshot restore NAME                    NAME.db in this directory
  ringfence snapshot restore NAME --to /tmp/old.db
  ringfence snapshot restore NAME --in-place         say what would change
  ringfence snapshot restore NAME --in-place --yes   only while no process has the store open")]
pub(crate) struct SnapshotRestoreArgs {
    /// The copy
    pub(crate) name: String,
    /// A new file
    #[arg(long, value_name = "FILE", conflicts_with = "in_place")]
    pub(crate) to: Option<PathBuf>,
    /// In the place of the store, of which another copy is made first
    #[arg(long)]
    pub(crate) in_place: bool,
    /// Really replace the store
    #[arg(long, requires = "in_place")]
    pub(crate) yes: bool,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show what subagents were refused to write in this project
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ringfence pending        each with its number and its text
  ringfence pending --all  of all projects
  ringfence pending --json")]
pub(crate) struct PendingArgs {
    /// Of all projects
    #[arg(long)]
    pub(crate) all: bool,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// Write what a subagent was refused to write
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ringfence accept 3      in the name of the conversation that it comes from
  ringfence accept 3 4 5")]
pub(crate) struct AcceptArgs {
    /// The numbers that `ringfence pending` shows
    #[arg(required = true)]
    pub(crate) numbers: Vec<u64>,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// Throw away what a subagent was refused to write
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ringfence drop 3
  ringfence drop 3 4 5")]
pub(crate) struct DropArgs {
    /// The numbers that `ringfence pending` shows
    #[arg(required = true)]
    pub(crate) numbers: Vec<u64>,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}
