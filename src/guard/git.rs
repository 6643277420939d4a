//! git commands that take files away which git does not track, and those that name a file.

use super::case::Case;
use super::change::{Change, NewText};
use super::options::Options;
use super::paths::{self, Reach};
use super::{Protected, ProtectedKind};
use crate::shell::{self, Invocation, Word};

/// Options before the subcommand that take the next word.
const GLOBAL: [&str; 6] = ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"];

/// The protected files that a git command would take away or overwrite, each with how.
pub(super) fn losses(case: &mut Case, invocation: &Invocation) -> Vec<(Protected, &'static str)> {
    let Some(call) = Call::read(case, invocation) else { return Vec::new() };
    match call.verb.as_str() {
        "clean" => clean(case, &call),
        "stash" => stash(case, &call),
        "worktree" => worktree(case, &call),
        "checkout" | "restore" => named(case, &call, "overwrite"),
        "rm" if !call.options.has("--cached") && !call.options.has("--dry-run") => {
            named(case, &call, "remove")
        }
        "mv" => named(case, &call, "move away"),
        _ => Vec::new(),
    }
}

struct Call {
    verb: String,
    options: Options,
    operands: Vec<Word>,
    /// Where it works; `None` if only run time knows.
    cwd: Option<String>,
    /// `-c clean.requireForce=false`.
    unforced: bool,
}

impl Call {
    fn read(case: &Case, invocation: &Invocation) -> Option<Self> {
        let mut cwd = invocation.cwd.clone();
        let mut unforced = false;
        let mut rest = invocation.argv.get(1..)?;
        loop {
            let (word, after) = rest.split_first()?;
            let text = word.literal()?;
            if GLOBAL.contains(&text) {
                let value = after.first().and_then(Word::literal);
                match (text, value) {
                    ("-C" | "--work-tree", Some(folder)) => {
                        cwd = cwd.map(|cwd| case.resolve(&cwd, folder));
                    }
                    ("-C", None) => cwd = None,
                    ("-c", Some(setting)) => {
                        unforced |= setting.eq_ignore_ascii_case("clean.requireForce=false");
                    }
                    _ => {}
                }
                rest = after.get(1..).unwrap_or(&[]);
            } else if text.starts_with('-') {
                if let Some(folder) = text.strip_prefix("--work-tree=") {
                    cwd = cwd.map(|cwd| case.resolve(&cwd, folder));
                }
                rest = after;
            } else {
                let with_value =
                    ["-e", "--exclude", "-m", "--message", "-b", "-B", "--source", "-s"];
                let operands = operands(after, &with_value);
                return Some(Self {
                    verb: text.to_owned(),
                    options: Options::read(after, &with_value),
                    operands,
                    cwd,
                    unforced,
                });
            }
        }
    }
}

fn operands(args: &[Word], with_value: &[&str]) -> Vec<Word> {
    let mut found = Vec::new();
    let mut words = args.iter();
    while let Some(word) = words.next() {
        match word.literal() {
            Some(text) if with_value.contains(&text) => drop(words.next()),
            Some(text) if text.starts_with('-') => {}
            Some(_) | None => found.push(word.clone()),
        }
    }
    found
}

fn clean(case: &mut Case, call: &Call) -> Vec<(Protected, &'static str)> {
    let options = &call.options;
    let forced = options.has_letter('f') || options.has("--force") || call.unforced;
    if !forced || options.has_letter('n') || options.has("--dry-run") || options.has_letter('i') {
        return Vec::new();
    }
    let takes = if options.has_letter('x') {
        Takes::All
    } else if options.has_letter('X') {
        Takes::Ignored
    } else {
        Takes::Untracked
    };
    let excluded: Vec<String> =
        options.literals("-e").chain(options.literals("--exclude")).collect();
    let mut lost = below(case, call, &call.operands, takes);
    lost.retain(|protected| {
        let name = protected.path.rsplit('/').next().unwrap_or_default();
        !excluded.iter().any(|glob| shell::matches(glob, name))
    });
    lost.into_iter().map(|protected| (protected, "remove")).collect()
}

fn stash(case: &mut Case, call: &Call) -> Vec<(Protected, &'static str)> {
    let options = &call.options;
    let verb = call.operands.first().and_then(Word::literal);
    let (pushes, paths) = match verb {
        None => (true, &call.operands),
        Some("push" | "save") => (true, &call.operands),
        Some(_) => (false, &call.operands),
    };
    let takes = if options.has_letter('a') || options.has("--all") {
        Takes::All
    } else if options.has_letter('u') || options.has("--include-untracked") {
        Takes::Untracked
    } else {
        return Vec::new();
    };
    if !pushes {
        return Vec::new();
    }
    let paths = if verb == Some("push") { paths.get(1..).unwrap_or(&[]) } else { &[] };
    let lost = below(case, call, paths, takes);
    lost.into_iter().map(|protected| (protected, "move away")).collect()
}

fn worktree(case: &mut Case, call: &Call) -> Vec<(Protected, &'static str)> {
    if call.operands.first().and_then(Word::literal) != Some("remove") {
        return Vec::new();
    }
    let trees = call.operands.get(1..).unwrap_or(&[]);
    let mut lost = Vec::new();
    for tree in trees {
        lost.extend(stores_below(case, call.cwd.as_deref(), tree));
        // The store of the tree itself may be known only from there.
        if let (Some(path), Some(cwd)) = (tree.literal(), call.cwd.as_deref()) {
            let there = case.resolve(cwd, path);
            lost.extend(stores_below(case, Some(&there), &Word::Literal(".".into())));
        }
    }
    lost.into_iter().map(|protected| (protected, "remove")).collect()
}

fn named(case: &mut Case, call: &Call, how: &'static str) -> Vec<(Protected, &'static str)> {
    let cwd = call.cwd.as_deref();
    let mut lost = Vec::new();
    for word in &call.operands {
        let found = paths::hits(case, cwd, word, Reach::This);
        lost.extend(found.into_iter().filter(|protected| protected.kind == ProtectedKind::Store));
    }
    lost.into_iter().map(|protected| (protected, how)).collect()
}

/// Which files that git does not track a command takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    All,
    Ignored,
    Untracked,
}

/// The stores below the operands, or below where the command works.
fn below(case: &mut Case, call: &Call, operands: &[Word], takes: Takes) -> Vec<Protected> {
    let here = [Word::Literal(".".to_owned())];
    let roots = if operands.is_empty() { &here } else { operands };
    let mut found = Vec::new();
    for root in roots {
        found.extend(stores_below(case, call.cwd.as_deref(), root));
    }
    found.retain(|protected| match (takes, is_ignored(case, &protected.path)) {
        (Takes::All, _) | (_, None) => true,
        (Takes::Ignored, Some(ignored)) => ignored,
        (Takes::Untracked, Some(ignored)) => !ignored,
    });
    found
}

fn stores_below(case: &mut Case, cwd: Option<&str>, root: &Word) -> Vec<Protected> {
    let mut found = paths::hits(case, cwd, root, Reach::Below);
    found.retain(|protected| protected.kind == ProtectedKind::Store);
    found
}

/// Whether git's ignore files from the file's folder upwards list it; `None` = there are none, so
/// the rules may be elsewhere.
fn is_ignored(case: &Case, path: &str) -> Option<bool> {
    let (mut folder, name) = path.rsplit_once('/')?;
    let mut seen = None;
    loop {
        let below = path.get(folder.len() + 1..).unwrap_or(name);
        for file in [".gitignore", ".git/info/exclude"] {
            if let Some(text) = case.facts.text(&format!("{folder}/{file}")) {
                if lists(&text, below, name) {
                    return Some(true);
                }
                seen = Some(false);
            }
        }
        match folder.rsplit_once('/') {
            Some((parent, _)) if !parent.is_empty() => folder = parent,
            Some(_) | None => return seen,
        }
    }
}

fn lists(text: &str, below: &str, name: &str) -> bool {
    let mut listed = false;
    for line in text.lines().map(str::trim) {
        let (line, keeps) = match line.strip_prefix('!') {
            Some(rest) => (rest, true),
            None => (line, false),
        };
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let pattern = line.trim_start_matches("**/");
        let fits = match pattern.strip_prefix('/') {
            Some(anchored) => {
                shell::matches(anchored, below) || starts_with_folder(below, anchored)
            }
            None => {
                let folder = pattern.trim_end_matches('/');
                shell::matches(pattern, name)
                    || below.split('/').any(|part| shell::matches(folder, part) && part != name)
            }
        };
        if fits {
            listed = !keeps;
        }
    }
    listed
}

fn starts_with_folder(below: &str, anchored: &str) -> bool {
    below.starts_with(&format!("{}/", anchored.trim_end_matches('/')))
}

/// A loss as a change of the file itself.
pub(super) fn as_change(protected: &Protected, how: &'static str) -> Change {
    let text = NewText::Gone;
    Change { word: Word::Literal(protected.path.clone()), reach: Reach::This, how, text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignore_files_are_read_as_far_as_they_are_simple() {
        for (text, below, expected) in [
            (".cortex.db\n", ".cortex.db", true),
            ("*.db", "a/memory.db", true),
            ("/.cortex.db", ".cortex.db", true),
            ("/.cortex.db", "a/.cortex.db", false),
            ("# .cortex.db", ".cortex.db", false),
            ("*.db\n!.cortex.db", ".cortex.db", false),
            ("data/", "data/memory.db", true),
            ("node_modules", ".cortex.db", false),
        ] {
            let name = below.rsplit('/').next().unwrap();
            assert_eq!(lists(text, below, name), expected, "{text:?} {below}");
        }
    }
}
