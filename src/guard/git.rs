//! git commands that take files away, put others in their place, or write a file that they name.

mod ignored;

use self::ignored::is_ignored;
use super::arguments::{Arguments, Grammar, distinct};
use super::case::Case;
use super::change::{Change, NewText, stdin_text};
use super::paths::{self, Reach};
use super::scripts::patched_files;
use super::{Protected, ProtectedKind};
use crate::decision::Code;
use crate::shell::{self, Invocation, Stdin, Word};

/// Options before the subcommand that take the next word.
const GLOBAL: [&str; 6] = ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"];

/// Something protected, and what becomes of it. It may be known only where the command works.
pub(super) type Loss = (Protected, Change);

/// What a git command changes of what is protected.
pub(super) fn changes(case: &mut Case, invocation: &Invocation) -> Vec<Loss> {
    let mut found = traced(case, invocation);
    let Some(call) = Call::read(case, invocation) else { return found };
    found.extend(call.written(case));
    found.extend(match call.verb.as_str() {
        "add" | "stage" => call.added(case),
        "config" => call.configured(case),
        "clean" => call.cleaned(case),
        "stash" => call.stashed(case),
        "worktree" => call.worktree_removed(case),
        "reset" if call.has_any(&["--hard", "--merge", "--keep"]) => call.replaced(case),
        "read-tree" if call.words.has_letter('u') => call.replaced(case),
        "switch" => call.replaced(case),
        "checkout" | "restore" => {
            let mut found = call.named(case, "overwrite", &NewText::Unknown, true);
            let makes = ['b', 'B'].iter().any(|letter| call.words.has_letter(*letter));
            if call.verb == "checkout" && !makes && found.is_empty() {
                found.extend(call.replaced(case));
            }
            found
        }
        "rm" if !call.has_any(&["--cached", "--dry-run"]) && !call.words.has_letter('n') => {
            let deep = call.words.has_letter('r');
            call.named(case, "remove", &NewText::Gone, deep)
        }
        "mv" if !call.words.has_letter('n') => call.named(case, "move away", &NewText::Gone, true),
        "apply" | "am" => call.patched(case, invocation),
        _ => Vec::new(),
    });
    found
}

/// `GIT_TRACE=/file git …` writes into that file.
fn traced(case: &mut Case, invocation: &Invocation) -> Vec<Loss> {
    let mut found = Vec::new();
    for (name, value) in &invocation.env {
        if name.starts_with("GIT_TRACE")
            && value.literal().is_some_and(|path| path.starts_with('/'))
        {
            let hit = paths::hits(case, invocation.cwd.as_deref(), value, Reach::This);
            found.extend(hit.iter().map(|one| change(one, "append to", NewText::Unknown)));
        }
    }
    found
}

fn change(protected: &Protected, how: &'static str, text: NewText) -> Loss {
    let change = Change::new(&Word::Literal(protected.path.clone()), Reach::This, how, text);
    (protected.clone(), change)
}

/// The options of a subcommand that take a value.
fn grammar(verb: &str) -> Grammar {
    let letters = match verb {
        "clean" => "e",
        "checkout" | "worktree" => "bB",
        "switch" => "cC",
        "restore" => "s",
        "archive" | "format-patch" => "o",
        "apply" | "am" => "pC",
        "config" => "f",
        _ => "m",
    };
    let names = &[
        "--exclude",
        "--message",
        "--source",
        "--output",
        "--export-marks",
        "--directory",
        "--file",
    ];
    Grammar { letters, names, ..Grammar::default() }
}

struct Call {
    verb: String,
    words: Arguments,
    /// Where it works; `None` if only run time knows.
    cwd: Option<String>,
    /// `-c clean.requireForce=false`.
    unforced: bool,
}

impl Call {
    fn read(case: &Case, invocation: &Invocation) -> Option<Self> {
        let mut cwd = invocation.cwd.clone();
        let tree = invocation.env.iter().rev().find(|(name, _)| name == "GIT_WORK_TREE");
        if let Some(folder) = tree.and_then(|(_, value)| value.literal()) {
            cwd = cwd.map(|cwd| case.resolve(&cwd, folder));
        }
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
                let mut words = Arguments::read(after, &grammar(text), &[]);
                words.operands = distinct(words.operands);
                return Some(Self { verb: text.to_owned(), words, cwd, unforced });
            }
        }
    }

    fn has_any(&self, names: &[&str]) -> bool {
        self.words.has_any(names)
    }

    /// The files that any command writes because an option or its place says so.
    fn written(&self, case: &mut Case) -> Vec<Loss> {
        let mut files: Vec<&Word> = self.words.values(&["--output", "--export-marks"]).collect();
        if self.verb == "archive" {
            files.extend(self.words.values(&["-o"]));
        }
        if self.verb == "config" && self.words.operands.len() > 1 {
            files.extend(self.words.values(&["-f", "--file"]));
        }
        let is_bundle = self.verb == "bundle"
            && self.words.operands.first().and_then(Word::literal) == Some("create");
        files.extend(self.words.operands.get(1).filter(|_| is_bundle));
        let mut found = Vec::new();
        for file in files {
            let hit = paths::hits(case, self.cwd.as_deref(), file, Reach::This);
            found.extend(hit.iter().map(|one| change(one, "overwrite", NewText::Unknown)));
        }
        found
    }

    /// `git add`: what is tracked from now on goes with the next reset.
    fn added(&self, case: &mut Case) -> Vec<Loss> {
        let forced = self.words.has_letter('f') || self.has_any(&["--force"]);
        let all = self.words.has_letter('A') || self.has_any(&["--all"]);
        let here = [Word::Literal(".".to_owned())];
        let roots = if all { &here } else { self.words.operands.as_slice() };
        for root in roots {
            for protected in paths::hits(case, self.cwd.as_deref(), root, Reach::Below) {
                if forced || is_ignored(case, &protected.path) != Some(true) {
                    case.tracked.push(protected.path);
                }
            }
        }
        Vec::new()
    }

    /// `git config clean.requireForce false`: for commands after it.
    fn configured(&self, case: &mut Case) -> Vec<Loss> {
        let words: Vec<&str> = self.words.operands.iter().filter_map(Word::literal).collect();
        let is_key = |word: &str| word.eq_ignore_ascii_case("clean.requireForce");
        if let Some([_, value]) =
            words.windows(2).find(|pair| pair.iter().take(1).any(|w| is_key(w)))
        {
            case.cleans_unforced = matches!(*value, "false" | "no" | "off" | "0");
        }
        Vec::new()
    }

    fn cleaned(&self, case: &mut Case) -> Vec<Loss> {
        let words = &self.words;
        let forced = words.has_letter('f')
            || words.has("--force")
            || self.unforced
            || case.cleans_unforced
            || self.is_configured_unforced(case);
        if !forced || words.has_letter('n') || words.has("--dry-run") || words.has_letter('i') {
            return Vec::new();
        }
        let takes = if words.has_letter('x') {
            Takes::All
        } else if words.has_letter('X') {
            Takes::Ignored
        } else {
            Takes::Untracked
        };
        let excluded: Vec<&str> = words.literals(&["-e", "--exclude"]).collect();
        let mut lost = self.below(case, &words.operands, takes);
        lost.retain(|protected| {
            let name = protected.path.rsplit('/').next().unwrap_or_default();
            !excluded.iter().any(|glob| shell::matches(glob, name))
        });
        lost.iter().map(|protected| change(protected, "remove", NewText::Gone)).collect()
    }

    fn is_configured_unforced(&self, case: &Case) -> bool {
        let repository = self.cwd.as_ref().map(|cwd| format!("{cwd}/.git/config"));
        let files = [repository, Some(format!("{}/.gitconfig", case.facts.home()))];
        files.into_iter().flatten().any(|file| {
            let text = case.text_at(None, &Word::Literal(file)).flatten().unwrap_or_default();
            let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
            text.to_ascii_lowercase().contains("requireforce=false")
        })
    }

    fn stashed(&self, case: &mut Case) -> Vec<Loss> {
        let words = &self.words;
        let verb = words.operands.first().and_then(Word::literal);
        let others = ["list", "show", "drop", "pop", "apply", "branch", "clear", "create", "store"];
        if verb.is_some_and(|verb| others.contains(&verb)) {
            return Vec::new();
        }
        let takes = if words.has_letter('a') || words.has("--all") {
            Takes::All
        } else if words.has_letter('u') || words.has("--include-untracked") {
            Takes::Untracked
        } else {
            return self.replaced(case);
        };
        let paths = match verb {
            Some("push") => words.after(1),
            Some("save") => &[],
            Some(_) | None => words.after(0),
        };
        let lost = self.below(case, paths, takes);
        lost.iter().map(|protected| change(protected, "move away", NewText::Gone)).collect()
    }

    fn worktree_removed(&self, case: &mut Case) -> Vec<Loss> {
        if self.words.operands.first().and_then(Word::literal) != Some("remove") {
            return Vec::new();
        }
        let mut lost = Vec::new();
        for tree in self.words.after(1) {
            lost.extend(stores_below(case, self.cwd.as_deref(), tree));
            // The store of the tree itself may be known only from there.
            if let (Some(path), Some(cwd)) = (tree.literal(), self.cwd.as_deref()) {
                let there = case.resolve(cwd, path);
                lost.extend(stores_below(case, Some(&there), &Word::Literal(".".into())));
            }
        }
        lost.iter().map(|protected| change(protected, "remove", NewText::Gone)).collect()
    }

    /// The files that the operands name; `deep`: those in folders as well, unless git passes them over.
    fn named(&self, case: &mut Case, how: &'static str, text: &NewText, deep: bool) -> Vec<Loss> {
        let cwd = self.cwd.as_deref();
        let mut found: Vec<Loss> = Vec::new();
        for word in &self.words.operands {
            let exact = paths::hits(case, cwd, word, Reach::This);
            found.extend(exact.iter().map(|one| change(one, how, text.clone())));
            let mut more =
                if deep { paths::hits(case, cwd, word, Reach::Below) } else { Vec::new() };
            more.extend(self.matched(case, word));
            let is_all = self.is_whole(case, word);
            for protected in more {
                if exact.contains(&protected) {
                    continue;
                }
                let ignored = is_ignored(case, &protected.path) == Some(true);
                let tracked = case.tracked.contains(&protected.path);
                if tracked || (!ignored && !is_all) {
                    found.push(change(&protected, how, text.clone()));
                } else if !ignored {
                    case.doubt_of(Code::TargetRuntime, &protected.path);
                }
            }
        }
        found
    }

    /// What a quoted `'*.db'` means: git matches it against whole paths.
    fn matched(&self, case: &mut Case, word: &Word) -> Vec<Protected> {
        let Some(glob) = word.literal().filter(|text| text.contains(['*', '?', '['])) else {
            return Vec::new();
        };
        let Some(cwd) = self.cwd.as_deref() else { return Vec::new() };
        let real = case.resolve(cwd, ".");
        let all = case.protected(Some(cwd));
        let fits = |protected: &&Protected| {
            let rest = protected.path.strip_prefix(real.trim_end_matches('/'));
            rest.and_then(|rest| rest.strip_prefix('/'))
                .is_some_and(|rest| shell::matches(glob, rest))
        };
        all.iter().filter(fits).cloned().collect()
    }

    /// Whether an operand is the directory of the call, or one above it.
    fn is_whole(&self, case: &Case, word: &Word) -> bool {
        let Some((path, cwd)) = word.literal().zip(self.cwd.as_deref()) else { return false };
        let real = case.resolve(cwd, path);
        let here = case.resolve(&case.request.cwd, ".");
        real == here || here.starts_with(&format!("{}/", real.trim_end_matches('/')))
    }

    /// A command that puts another state into the work tree: what is tracked goes or changes.
    fn replaced(&self, case: &mut Case) -> Vec<Loss> {
        let mut found = Vec::new();
        for protected in stores_below(case, self.cwd.as_deref(), &Word::Literal(".".into())) {
            if case.tracked.contains(&protected.path) {
                found.push(change(&protected, "remove or overwrite", NewText::Unknown));
            } else if is_ignored(case, &protected.path) != Some(true) {
                case.doubt_of(Code::TargetRuntime, &protected.path);
            }
        }
        found
    }

    /// `git apply`, `git am`: the files that the patch names.
    fn patched(&self, case: &mut Case, invocation: &Invocation) -> Vec<Loss> {
        if self.has_any(&["--check", "--stat", "--numstat", "--summary", "--cached"]) {
            return Vec::new();
        }
        let cwd = self.cwd.as_deref();
        let typed = match &invocation.stdin {
            Stdin::File(file) => case.text_at(cwd, file).flatten(),
            Stdin::Inherited | Stdin::Text(_) | Stdin::Unknown => stdin_text(invocation),
        };
        let files = self.words.operands.iter();
        let texts: Vec<String> =
            files.filter_map(|file| case.text_at(cwd, file).flatten()).chain(typed).collect();
        let strip = self.words.literals(&["-p"]).find_map(|text| text.parse().ok()).unwrap_or(1);
        let folder = self.words.literals(&["--directory"]).last().map(|path| format!("{path}/"));
        let folder = folder.unwrap_or_default();
        let mut found = Vec::new();
        for text in texts {
            let gone = text.contains("\nrename from ") || text.contains("\ndeleted file mode");
            let after = if gone { NewText::Gone } else { NewText::Edited(text.clone()) };
            // Names of renames have no folder in front that would be stripped.
            for name in patched_files(&text, &[0, strip]) {
                let word = Word::Literal(format!("{folder}{name}"));
                for protected in paths::hits(case, cwd, &word, Reach::This) {
                    found.push(change(&protected, "edit", after.clone()));
                }
            }
        }
        found
    }

    /// What lies below the operands, or below where the command works, and is taken.
    fn below(&self, case: &mut Case, operands: &[Word], takes: Takes) -> Vec<Protected> {
        let here = [Word::Literal(".".to_owned())];
        let roots = if operands.is_empty() { &here } else { operands };
        let mut found = Vec::new();
        for root in roots {
            let is_all = self.is_whole(case, root);
            let mut below = paths::hits(case, self.cwd.as_deref(), root, Reach::Below);
            // Settings are mostly tracked, and then they stay.
            below.retain(|one| one.kind != ProtectedKind::Settings || !is_all);
            found.extend(below);
        }
        found.retain(|protected| match (takes, is_ignored(case, &protected.path)) {
            (Takes::All, _) | (_, None) => true,
            (Takes::Ignored, Some(ignored)) => ignored,
            (Takes::Untracked, Some(ignored)) => !ignored,
        });
        found
    }
}

/// Which files that git does not track a command takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    All,
    Ignored,
    Untracked,
}

fn stores_below(case: &mut Case, cwd: Option<&str>, root: &Word) -> Vec<Protected> {
    let mut found = paths::hits(case, cwd, root, Reach::Below);
    found.retain(|protected| protected.kind == ProtectedKind::Store);
    found
}
