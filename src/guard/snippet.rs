//! The paths that code of another language names, and how far a change of each reaches.

use std::collections::HashSet;

use super::case::Case;
use super::paths::Reach;
use crate::shell::{Invocation, LISTED, Piece, Word, absolute};

/// The most paths that one piece of code is taken to name; more than fit into any code by hand, so
/// that a crowd of made-up ones hides nothing.
const MAX_PATHS: usize = 16_384;

/// What a piece of code does with the paths that it names, as far as its words tell.
struct Hints {
    /// It removes or moves folders.
    removes: bool,
    /// It goes through folders.
    walks: bool,
    /// It takes paths from its arguments, from its environment.
    arguments: bool,
    environment: bool,
    /// It looks from the home.
    home: bool,
}

impl Hints {
    fn read(code: &str) -> Self {
        let has = |words: &[&str]| words.iter().any(|word| code.contains(word));
        Self {
            removes: REMOVERS.iter().any(|name| calls(code, name)),
            walks: has(&WALKERS),
            arguments: has(&["argv", "ARGV", "process.argv", "$1", "shift"]),
            environment: has(&["environ", "ENV", "getenv"]),
            home: has(&["HOME", "expanduser", "homedir", "home()", "Dir.home", "~/"]),
        }
    }
}

/// The paths that `code` may change, with their reach.
pub(super) fn paths(case: &Case, invocation: &Invocation, code: &str) -> Vec<(Word, Reach)> {
    let hints = Hints::read(code);
    let cwd = invocation.cwd.as_deref();
    let home = case.facts.home().to_owned();
    let mut found = Vec::new();
    let mut bases: Vec<String> = cwd.map(str::to_owned).into_iter().collect();
    if hints.home {
        bases.push(home.clone());
    }
    let mut seen = HashSet::new();
    let literals: Vec<(&str, &str)> = literals(code)
        .into_iter()
        .filter(|(before, path)| seen.insert((removes(before), *path)))
        .collect();
    bases.extend(
        literals
            .iter()
            .filter(|(before, _)| enters(before))
            .filter_map(|(_, path)| absolute(cwd, path)),
    );
    for (before, path) in &literals {
        if found.len() > MAX_PATHS {
            break;
        }
        let Some(path) = cleaned(path) else { continue };
        let direct = removes(before);
        push(&mut found, &hints, cwd, &expanded(&home, &path), direct);
        for base in bases.iter().skip(1) {
            let below = format!("{base}/{}", path.trim_start_matches('/'));
            push(&mut found, &hints, cwd, &below, direct);
        }
        if hints.walks && !path.contains('/') && path.contains(['.', '*']) {
            let folders = literals.iter().filter(|(_, other)| *other != path);
            let folders = folders.filter_map(|(_, other)| absolute(cwd, &cleaned(other)?));
            for base in bases.iter().cloned().chain(folders).take(16) {
                found.push((deep(&base, &path), Reach::This));
            }
        }
    }
    found.extend(given(&hints, invocation));
    found.truncate(MAX_PATHS);
    found
}

fn push(
    found: &mut Vec<(Word, Reach)>,
    hints: &Hints,
    cwd: Option<&str>,
    path: &str,
    direct: bool,
) {
    // Where it works is named by most code; what is removed there has a name of its own.
    let around = absolute(cwd, path).is_none_or(|path| {
        cwd.is_some_and(|cwd| {
            format!("{cwd}/").starts_with(&format!("{}/", path.trim_end_matches('/')))
        })
    });
    let below = direct || (hints.removes || hints.walks) && !around;
    let reach = if below { Reach::Below } else { Reach::This };
    found.push((pattern(path), reach));
}

/// Arguments and variables that the code is given.
fn given(hints: &Hints, invocation: &Invocation) -> Vec<(Word, Reach)> {
    let reach = if hints.removes || hints.walks { Reach::Below } else { Reach::This };
    let mut found = Vec::new();
    if hints.arguments {
        let words = invocation.argv.iter().skip(1).filter(|word| {
            word.literal()
                .is_none_or(|text| !text.starts_with('-') && !text.contains(['(', ';', '\n']))
        });
        found.extend(words.cloned().map(|word| (word, reach)));
    }
    if hints.environment {
        let own = invocation.env.iter().filter(|(name, _)| name != "HOME" && name != "PWD");
        found.extend(own.map(|(_, value)| (value.clone(), reach)));
    }
    found
}

/// A quoted text as a path: without the mark of a URI, of a mode, or of what stands before it in a
/// template. `None` for what is none.
fn cleaned(text: &str) -> Option<String> {
    let text = text.trim_end_matches('\\');
    let text = text.trim_start_matches(['>', '+', '<', ' ']);
    let text =
        text.strip_prefix("file:").map_or(text, |rest| rest.split('?').next().unwrap_or(rest));
    // `${HOME}/x`, `{home}/x`: what follows; `x/${name}`: what stands before.
    let text = match text.split_once('}') {
        Some((before, after)) if !before.contains('/') => after,
        _ => text,
    };
    let text = text.split(['$', '{']).next().unwrap_or(text);
    (!text.is_empty() && text.len() <= 4096 && !text.contains('\n')).then(|| text.to_owned())
}

fn expanded(home: &str, path: &str) -> String {
    match path.strip_prefix("~/") {
        Some(rest) => format!("{home}/{rest}"),
        None => path.to_owned(),
    }
}

/// Whether the text before a quotation goes to a directory.
fn enters(before: &str) -> bool {
    ["chdir(", "chdir", "cwd=", "cwd:", "cwd =", "cwd: "]
        .iter()
        .any(|end| before.trim_end().ends_with(end.trim_end()))
}

/// Files called `name` anywhere below `base`.
fn deep(base: &str, name: &str) -> Word {
    let mut pieces = vec![
        Piece::Text(format!("{}/", base.trim_end_matches('/'))),
        Piece::Glob(format!("{LISTED}**")),
        Piece::Text("/".to_owned()),
    ];
    match pattern(name) {
        Word::Partial(own) => pieces.extend(own.into_iter().map(|piece| match piece {
            Piece::Glob(glob) => Piece::Glob(format!("{LISTED}{glob}")),
            other @ Piece::Text(_) | other @ Piece::Hole { .. } => other,
        })),
        Word::Literal(_) | Word::OneOf(_) => pieces.push(Piece::Text(name.to_owned())),
    }
    Word::Partial(pieces)
}

/// Calls that go through folders.
const WALKERS: [&str; 14] = [
    "rglob",
    "walk",
    "scandir",
    "readdir",
    "iterdir",
    "listdir",
    "glob",
    "Dir[",
    "children",
    "find(",
    "File::Find",
    "<.",
    "</",
    "entries(",
];

/// Whether a name is called in the code.
fn calls(code: &str, name: &str) -> bool {
    code.match_indices(name).any(|(at, _)| {
        let before = code.get(..at).and_then(|before| before.chars().next_back());
        let after = code.get(at + name.len()..).and_then(|after| after.chars().next());
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

/// What stands between quotes in `code`, each after what stands before it.
fn literals(code: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    // perl's `<pattern>`.
    found.extend(code.split('<').skip(1).filter_map(|rest| {
        let (path, _) = rest.split_once('>')?;
        (path.contains('/') && !path.contains([' ', '\n'])).then_some(("", path))
    }));
    for quote in ['\'', '"', '`'] {
        // Both readings of where a quotation begins: an apostrophe in a comment shifts one.
        found.extend(code.split(quote).zip(code.split(quote).skip(1)));
    }
    found
}

/// Calls whose first argument is removed or moved with all that lies below it.
const REMOVERS: [&str; 21] = [
    "rmtree",
    "rmSync",
    "rm",
    "rm_rf",
    "rm_r",
    "remove_tree",
    "remove_dir",
    "remove_entry",
    "remove_entry_secure",
    "rmdir",
    "rmdirSync",
    "rimraf",
    "removedirs",
    "rename",
    "renames",
    "renameSync",
    "move",
    "moveSync",
    "mv",
    "removeSync",
    "extractall",
];

/// Whether the text before a quotation ends with such a call, `Path(` and the like left out.
fn removes(before: &str) -> bool {
    let mut rest = before.trim_end();
    // Ruby and Perl call without a bracket.
    let mut open = rest.trim_end_matches(['(', '[']).trim_end();
    for _ in 0..3 {
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let name = open.rfind(|c: char| !is_part(c)).map_or(0, |at| at + 1);
        let (above, call) = open.split_at(name);
        if call.rsplit('.').next().is_some_and(|call| REMOVERS.contains(&call)) {
            return true;
        }
        rest = above.trim_end();
        open = rest.trim_end_matches(['(', '[']).trim_end();
        if call.is_empty() || open.len() == rest.len() {
            return false;
        }
    }
    false
}

/// A quoted path, which `glob` and its like take for a pattern.
fn pattern(path: &str) -> Word {
    if !path.contains(['*', '?']) {
        return Word::Literal(path.to_owned());
    }
    let mut pieces = Vec::new();
    let mut rest = path;
    while let Some(at) = rest.find(['*', '?']) {
        let (text, tail) = rest.split_at(at);
        if !text.is_empty() {
            pieces.push(Piece::Text(text.to_owned()));
        }
        let deep = tail.starts_with("**");
        let (glob, tail) = tail.split_at(if deep { 2 } else { 1 });
        pieces.push(Piece::Glob(if deep { format!("{LISTED}{glob}") } else { glob.to_owned() }));
        rest = tail;
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest.to_owned()));
    }
    Word::Partial(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_call_removes_is_told_from_what_it_names() {
        for (before, expected) in [
            ("shutil.rmtree(", true),
            ("fs.rmSync( ", true),
            ("shutil.rmtree(pathlib.Path(", true),
            ("FileUtils.rm_rf ", true),
            ("os.rename(", true),
            ("p.split(", false),
            ("name.replace(", false),
            ("shutil.copy(shutil.rmtree(x), ", false),
            ("os.rename(x, ", false),
            ("open(", false),
            ("", false),
            ("x = ", false),
        ] {
            assert_eq!(removes(before), expected, "{before}");
        }
    }
}
