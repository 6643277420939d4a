//! Changes of protected files: by shell commands, by redirections, by the file tools.

use super::case::{Case, Tamper};
use super::change::{Change, NewText, printed};
use super::edits::{edited, edits};
use super::label::{one_line, quoted_path};
use super::paths::{self, Reach};
use super::writers;
use super::{Protected, ProtectedKind, code, command, find, git, links, settings, sql, stream};
use crate::decision::Code;
use crate::request::{Argument, MemoryGuardRequest};
use crate::shell::{Invocation, Piece, Word, absolute};
pub(super) use find::judge_pipelines;

/// What is done to a file, and by which program.
#[derive(Clone, Copy, Debug)]
pub(super) struct Done<'a> {
    how: &'static str,
    by: &'a str,
}

impl<'a> Done<'a> {
    pub(super) fn new(how: &'static str, by: &'a str) -> Self {
        Self { how, by }
    }
}

/// Judges what one program start does to files.
pub(super) fn judge(case: &mut Case, invocation: &Invocation, windows: bool) {
    let cwd = invocation.cwd.as_deref();
    let Some(program) = command::program_of(invocation, windows) else {
        redirected(case, invocation, "a redirection");
        return;
    };
    redirected(case, invocation, &program);
    links::note(case, invocation, &program);
    match program.as_str() {
        "sqlite3" | "sqlite" => sql::judge(case, invocation),
        "git" => {
            for (protected, change) in git::changes(case, invocation) {
                judge_hit(case, &protected, &change, cwd, "git");
            }
        }
        "find" | "gfind" => find::judge(case, invocation, &program),
        _ if code::is_interpreter(&program) => code::judge(case, invocation, &program),
        _ => {}
    }
    let changes = writers::changes(case, &program, invocation);
    if changes.is_empty() && !is_known(case, &program) {
        handed_over(case, invocation, &program);
    }
    for change in changes {
        apply(case, cwd, &change, &program);
    }
}

/// Programs that are judged by their own rules, or only read the files they are given.
const KNOWN: [&str; 57] = [
    "sqlite3",
    "sqlite",
    "git",
    "find",
    "gfind",
    "cortex",
    "ringfence",
    "claude",
    "cat",
    "bat",
    "less",
    "more",
    "head",
    "tail",
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "ag",
    "ls",
    "eza",
    "tree",
    "stat",
    "file",
    "wc",
    "du",
    "df",
    "test",
    "[",
    "[[",
    "md5sum",
    "sha1sum",
    "sha256sum",
    "cksum",
    "b2sum",
    "cmp",
    "diff",
    "od",
    "hexdump",
    "strings",
    "echo",
    "printf",
    "cd",
    "export",
    "basename",
    "dirname",
    "realpath",
    "readlink",
    "lsof",
    "fuser",
    "sync",
    "true",
    "jq",
    "which",
    "type",
    "read",
    "for",
];

fn is_known(case: &Case, program: &str) -> bool {
    case.programs.iter().any(|name| name == program)
        || KNOWN.contains(&program)
        || code::is_interpreter(program)
        || writers::knows(program)
        || crate::shell::memory_program(program, false).is_some()
}

/// A program that nobody knows gets the path of a store: it may change it, and nothing proves it.
fn handed_over(case: &mut Case, invocation: &Invocation, program: &str) {
    let words = invocation.argv.iter().skip(1).filter(|word| paths::names_a_store(word));
    for word in words.take(16) {
        let hit = paths::hits(case, invocation.cwd.as_deref(), word, Reach::This);
        if hit.iter().any(|protected| protected.kind == ProtectedKind::Store) {
            case.doubt_of(Code::ProgramUnknown, program);
        }
    }
}

fn redirected(case: &mut Case, invocation: &Invocation, program: &str) {
    for redirect in &invocation.redirects {
        let appends = matches!(redirect.op, ">>" | "&>>");
        if !appends && !matches!(redirect.op, ">" | ">|" | "&>" | ">&" | "<>") {
            continue;
        }
        let text = match (appends, printed(invocation, program)) {
            (true, Some(text)) => NewText::Appended(text),
            (false, Some(text)) => NewText::Known(text),
            (_, None) => NewText::Unknown,
        };
        let (word, reach) = (redirect.target.clone(), Reach::This);
        let how = if appends { "append to" } else { "overwrite" };
        let change = Change { word, reach, how, text };
        apply(case, invocation.cwd.as_deref(), &change, redirect.op);
    }
}

/// Judges a change of one path.
pub(super) fn apply(case: &mut Case, cwd: Option<&str>, change: &Change, by: &str) {
    if let (NewText::Known(text) | NewText::Appended(text), Some(path)) =
        (&change.text, change.word.literal())
    {
        super::documents::judge_shell_written(case, path, text);
    }
    remember(case, cwd, change);
    for protected in paths::hits(case, cwd, &change.word, change.reach) {
        judge_hit(case, &protected, change, cwd, by);
    }
    if let Some(path) = emptied(cwd, &change.word) {
        for protected in paths::hits_path(case, cwd, &path, change.reach) {
            judge_hit(case, &protected, change, cwd, by);
        }
    }
}

/// A relative path below the directory at hand without what only run time knows, as if it were
/// nothing: an unset variable is. `None` for `"$X"/…`, which nobody means as a path from the root.
fn emptied(cwd: Option<&str>, word: &Word) -> Option<String> {
    let Word::Partial(pieces) = word else { return None };
    let mut path = String::new();
    for piece in pieces {
        match piece {
            Piece::Text(text) => path.push_str(text),
            Piece::Hole { what, .. } if what.starts_with('$') && !what.starts_with("$(") => {}
            // A program that prints nothing, and then another one: `$(git … || pwd)/x`.
            Piece::Hole { what, .. } if what == "output" => {}
            Piece::Glob(_) | Piece::Hole { .. } => return None,
        }
    }
    if let Some(path) = path.strip_prefix('\n').filter(|path| path.starts_with('/')) {
        return Some(path.to_owned());
    }
    let whole = absolute(cwd, &path).filter(|_| !path.starts_with('/'))?;
    let below = whole.strip_prefix(cwd?.trim_end_matches('/'))?;
    (below.len() > 1).then_some(path)
}

/// Keeps what the file holds from now on, for commands that copy it.
fn remember(case: &mut Case, cwd: Option<&str>, change: &Change) {
    let Some(path) = change.word.literal() else { return };
    let text = match &change.text {
        NewText::Known(text) => Some(text.clone()),
        NewText::Appended(text) => {
            let before = case.text_at(cwd, &change.word).flatten().unwrap_or_default();
            Some(format!("{before}{text}"))
        }
        NewText::CopyOf(word) => case.text_at(cwd, word).flatten(),
        NewText::Edited(_) | NewText::Unknown => None,
        NewText::Gone | NewText::Same => return,
    };
    case.wrote(cwd, path, text);
}

fn judge_hit(case: &mut Case, protected: &Protected, change: &Change, cwd: Option<&str>, by: &str) {
    match protected.kind {
        ProtectedKind::Store if change.how == writers::CREATE => {}
        ProtectedKind::Store | ProtectedKind::Own => {
            tamper(case, protected, Done::new(change.how, by));
        }
        ProtectedKind::Settings => {
            change_settings(case, protected, &change.text, cwd, Done::new(change.how, by));
        }
    }
}

/// Notes a change of a store or of a file of ours.
pub(super) fn tamper(case: &mut Case, protected: &Protected, done: Done) {
    let may_not = match protected.kind {
        ProtectedKind::Store => "change the memory store past its own commands",
        ProtectedKind::Own => "change what keeps memory guarded",
        ProtectedKind::Settings => "change what the client runs by itself",
    };
    let shown = quoted_path(&protected.path);
    case.tamper(Tamper {
        may_not,
        would: format!("{} {} {shown} (`{}`)", done.how, protected.what, one_line(done.by, 30)),
        label: shown,
        path: protected.path.clone(),
    });
}

/// Judges what a settings file holds afterwards.
pub(super) fn change_settings(
    case: &mut Case,
    protected: &Protected,
    text: &NewText,
    cwd: Option<&str>,
    done: Done,
) {
    let before = case.facts.text(&protected.path).unwrap_or_default();
    let after = match text {
        NewText::Gone => Some(String::new()),
        NewText::Known(text) => Some(text.clone()),
        NewText::Appended(text) => Some(format!("{before}{text}")),
        NewText::CopyOf(word) => case.text_at(cwd, word).flatten(),
        NewText::Edited(script) if done.how == "edit" => {
            stream::applied(script, &before, done.by == "perl")
        }
        NewText::Edited(_) | NewText::Unknown | NewText::Same => None,
    };
    let harm = match (after, text) {
        (_, NewText::Edited(script)) if settings::speaks_of_hooks(script) => {
            Some("edit the hooks, helpers or servers in")
        }
        (Some(after), _) => settings::harm(&before, &after).map(settings::Harm::would),
        (None, NewText::Same) if done.how != "change the access to" => None,
        // A patch, or code that looked at the file first: the client tells what came of it.
        (None, NewText::Edited(_)) if done.how != "edit" || done.by == "apply_patch" => {
            case.doubt_of(Code::TargetRuntime, &protected.path);
            None
        }
        (None, _) if settings::binds(&before) => {
            Some("put text that cannot be seen beforehand in place of Ringfence's hook in")
        }
        (None, _) => {
            case.doubt_of(Code::TargetRuntime, &protected.path);
            None
        }
    };
    if let Some(would) = harm {
        tamper(case, protected, Done::new(would, done.by));
    }
}

/// Judges a call of a file tool.
pub(super) fn judge_tool(case: &mut Case) {
    let request: &MemoryGuardRequest = case.request;
    if let Some(patch) = request.input.text(&["input", "patch", "command"]) {
        return patched(case, patch);
    }
    let Some(path) = request.input.text(&["file_path", "notebook_path", "path", "filePath"]) else {
        return;
    };
    let cwd = request.cwd.clone();
    let path = &*expanded(case, path);
    for protected in paths::hits_path(case, Some(&cwd), path, Reach::This) {
        let before = case.facts.text(&protected.path);
        let text = tool_text(request, before.as_deref());
        let change = Change {
            word: Word::Literal(path.to_owned()),
            reach: Reach::This,
            how: "write to",
            text,
        };
        judge_hit(case, &protected, &change, Some(&cwd), &request.tool);
    }
    super::documents::judge_written(case, path);
}

/// A path as clients take it: without blanks around it, `~` for the home.
fn expanded(case: &Case, path: &str) -> String {
    let path = path.trim();
    let rest = path.strip_prefix("~/").or((path == "~").then_some(""));
    rest.map_or_else(|| path.to_owned(), |rest| format!("{}/{rest}", case.facts.home()))
}

/// What the file holds after a file tool.
fn tool_text(request: &MemoryGuardRequest, before: Option<&str>) -> NewText {
    if let Some(Argument::Text(content)) = request.input.get("content") {
        return NewText::Known(content.clone());
    }
    let Some(before) = before else { return NewText::Unknown };
    let text = edits(request).and_then(|edits| edited(before, &edits));
    text.map_or(NewText::Unknown, NewText::Known)
}

/// The files of a patch (`*** Update File: PATH`).
fn patched(case: &mut Case, patch: &str) {
    let cwd = case.request.cwd.clone();
    for line in patch.lines() {
        let Some((verb, path)) = line.strip_prefix("*** ").and_then(|line| line.split_once(": "))
        else {
            continue;
        };
        let (how, text) = match verb {
            "Delete File" => ("remove", NewText::Gone),
            "Update File" => ("edit", NewText::Edited(patch.to_owned())),
            "Add File" | "Move to" => ("overwrite", NewText::Edited(patch.to_owned())),
            _ => continue,
        };
        let change =
            Change { word: Word::Literal(path.trim().to_owned()), reach: Reach::This, how, text };
        apply(case, Some(&cwd), &change, "apply_patch");
    }
}
