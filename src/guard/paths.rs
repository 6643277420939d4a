//! Which protected paths a word of a command can mean.

use super::case::Case;
use super::{Protected, ProtectedKind};
use crate::decision::Code;
use crate::shell::{self, Piece, Word};

/// File names of stores; a word with one of them concerns memory.
pub(super) const STORE_NAMES: [&str; 2] = ["cortex.db", "memory.db"];

/// What SQLite keeps beside a store's file.
const SIDES: [&str; 4] = ["", "-wal", "-shm", "-journal"];

/// How far a change of a path reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// That file only.
    This,
    /// It and all below it.
    Below,
}

/// The protected paths that a change of `word` in directory `cwd` reaches.
///
/// A word that only run time knows reaches nothing; it is a doubt when it names a store's file.
pub(super) fn hits(
    case: &mut Case,
    cwd: Option<&str>,
    word: &Word,
    reach: Reach,
) -> Vec<Protected> {
    if case.is_busy() && !is_striking(word) {
        return Vec::new();
    }
    let Some(patterns) = patterns(case, cwd, word) else {
        if names_a_store(word) {
            case.doubt_of(Code::TargetRuntime, "path");
        } else {
            case.changes_unknown = true;
        }
        return Vec::new();
    };
    let mut found: Vec<Protected> = case
        .protected(cwd)
        .iter()
        .filter(|protected| patterns.iter().any(|pattern| pattern.reaches(protected, reach)))
        .cloned()
        .collect();
    for path in patterns.iter().filter_map(Pattern::as_path) {
        if is_settings_file(path) && !found.iter().any(|known| known.path == path) {
            let (path, what) = (path.to_owned(), "the client's settings");
            found.push(Protected { path, what, kind: ProtectedKind::Settings });
        }
    }
    found
}

/// Whether a word is worth a look when a call has very many: it names what is protected, or a
/// folder that may hold it.
fn is_striking(word: &Word) -> bool {
    let strikes = |text: &str| {
        text.starts_with(['/', '.', '*'])
            || ["cortex", "memory.db", "ringfence", "settings", ".claude", ".mcp", ".."]
                .iter()
                .any(|name| text.contains(name))
    };
    match word {
        Word::Literal(text) => strikes(text),
        Word::OneOf(all) => all.iter().any(|text| strikes(text)),
        Word::Partial(pieces) => pieces.iter().any(|piece| match piece {
            Piece::Text(text) => strikes(text),
            Piece::Glob(_) | Piece::Hole { .. } => false,
        }),
    }
}

/// Whether a client reads its hooks, helpers or servers from a file of that name.
fn is_settings_file(path: &str) -> bool {
    let ends = [
        "/.claude/settings.json",
        "/.claude/settings.local.json",
        "/.mcp.json",
        "/.claude.json",
        "/managed-settings.json",
    ];
    ends.iter().any(|end| path.ends_with(end))
        || (path.contains("/.claude/plugins/") && path.ends_with("/hooks.json"))
}

/// Like [`hits`] for a path that is wholly known.
pub(super) fn hits_path(
    case: &mut Case,
    cwd: Option<&str>,
    path: &str,
    reach: Reach,
) -> Vec<Protected> {
    hits(case, cwd, &Word::Literal(path.to_owned()), reach)
}

/// Whether a word's known text names a store's file.
pub(super) fn names_a_store(word: &Word) -> bool {
    let names = |text: &str| STORE_NAMES.iter().any(|name| text.contains(name));
    match word {
        Word::Literal(text) => names(text),
        Word::OneOf(all) => all.iter().any(|text| names(text)),
        Word::Partial(pieces) => pieces.iter().any(|piece| match piece {
            Piece::Text(text) => names(text),
            Piece::Glob(_) | Piece::Hole { .. } => false,
        }),
    }
}

/// `word` as absolute patterns; `None` if a part is only known at run time.
fn patterns(case: &Case, cwd: Option<&str>, word: &Word) -> Option<Vec<Pattern>> {
    if let Some(listed) = cwd.filter(|cwd| cwd.contains(shell::LISTED)) {
        return below_listed(case, listed, word);
    }
    match word.values() {
        Some(all) => {
            let mut patterns = Vec::new();
            for path in all {
                patterns.extend(literal_patterns(case, cwd, path)?);
            }
            Some(patterns)
        }
        None => match word {
            Word::Partial(pieces) => glob_pattern(case, cwd, pieces).map(|pattern| vec![pattern]),
            Word::Literal(_) | Word::OneOf(_) => None,
        },
    }
}

/// A word in a directory that is known but for its globs: `cd projects/*/`.
fn below_listed(case: &Case, cwd: &str, word: &Word) -> Option<Vec<Pattern>> {
    let joined = |path: &str| {
        let path = shell::absolute(Some(cwd), path)?;
        let Word::Partial(pieces) = Word::Literal(path.clone()).with_holes() else {
            return Some(vec![Pattern::Path(path)]);
        };
        glob_pattern(case, Some("/"), &pieces).map(|pattern| vec![pattern])
    };
    match word {
        Word::Literal(path) => joined(path),
        Word::OneOf(all) => {
            let all: Option<Vec<Vec<Pattern>>> = all.iter().map(|path| joined(path)).collect();
            all.map(|all| all.into_iter().flatten().collect())
        }
        Word::Partial(own) => {
            let Word::Partial(mut pieces) = Word::Literal(format!("{cwd}/")).with_holes() else {
                return None;
            };
            pieces.extend(own.iter().cloned());
            glob_pattern(case, Some("/"), &pieces).map(|pattern| vec![pattern])
        }
    }
}

/// The path itself, and where it leads if it is a link.
fn literal_patterns(case: &Case, cwd: Option<&str>, path: &str) -> Option<Vec<Pattern>> {
    let own = path.strip_prefix("/proc/").and_then(|rest| {
        let rest = rest.strip_prefix("self").or_else(|| rest.strip_prefix(shell::SHELL_PID))?;
        rest.strip_prefix("/cwd").filter(|rest| rest.is_empty() || rest.starts_with('/'))
    });
    // Where the program runs, by the system's own name for it.
    let here = own.map(|rest| format!(".{rest}"));
    let path = here.as_deref().unwrap_or(path);
    let base = base(cwd, path)?;
    let path = path.trim_end_matches('/');
    let resolved = case.resolve(base, if path.is_empty() { "/" } else { path });
    let mut patterns = vec![Pattern::Path(resolved)];
    if let Some((parent, name)) = split_name(path) {
        let parent = case.resolve_folder(base, parent);
        patterns.push(Pattern::Path(format!("{}/{name}", parent.trim_end_matches('/'))));
    }
    Some(patterns)
}

fn base<'a>(cwd: Option<&'a str>, path: &str) -> Option<&'a str> {
    if path.starts_with('/') { Some(cwd.unwrap_or("/")) } else { cwd }
}

fn split_name(path: &str) -> Option<(&str, &str)> {
    let (parent, name) = match path.rsplit_once('/') {
        Some(("", name)) => ("/", name),
        Some(split) => split,
        None => (".", path),
    };
    (!matches!(name, "" | "." | "..")).then_some((parent, name))
}

fn glob_pattern(case: &Case, cwd: Option<&str>, pieces: &[Piece]) -> Option<Pattern> {
    let mut glob = String::new();
    let mut plain = None;
    for piece in pieces {
        match piece {
            Piece::Text(text) => glob.push_str(&escaped(text)),
            Piece::Glob(text) => {
                plain.get_or_insert(glob.len());
                glob.push_str(text);
            }
            Piece::Hole { .. } => return None,
        }
    }
    // The folders before the first glob are resolved; what comes after is matched by name.
    let before = glob.get(..plain.unwrap_or(glob.len()))?;
    let (folder, rest) = match before.rfind('/') {
        Some(0) => ("/", glob.get(1..)?),
        Some(at) => (glob.get(..at)?, glob.get(at + 1..)?),
        None => (".", glob.as_str()),
    };
    let folder = folder.replace('\\', "");
    let folder = case.resolve_folder(base(cwd, &folder)?, &folder);
    let mut parts: Vec<String> =
        folder.split('/').filter(|part| !part.is_empty()).map(escaped).collect();
    parts.extend(rest.split('/').filter(|part| !part.is_empty()).map(str::to_owned));
    Some(Pattern::Globs(parts))
}

/// `text` as a glob that means just that.
fn escaped(text: &str) -> String {
    let mut glob = String::new();
    for letter in text.chars() {
        if matches!(letter, '*' | '?' | '[' | ']' | '\\') {
            glob.push('\\');
        }
        glob.push(letter);
    }
    glob
}

/// An absolute path, or several.
enum Pattern {
    Path(String),
    /// A glob for each name.
    Globs(Vec<String>),
}

impl Pattern {
    fn as_path(&self) -> Option<&str> {
        match self {
            Self::Path(path) => Some(path),
            Self::Globs(_) => None,
        }
    }

    fn reaches(&self, protected: &Protected, reach: Reach) -> bool {
        let own = protected.path.as_str();
        match self {
            Self::Path(path) => {
                let below = own.strip_prefix(path.trim_end_matches('/'));
                (reach == Reach::Below && below.is_some_and(|rest| rest.starts_with('/')))
                    || path.strip_prefix(own).is_some_and(|rest| {
                        rest.starts_with('/') || sides(protected).contains(&rest)
                    })
            }
            Self::Globs(parts) => sides(protected).iter().any(|side| {
                let path = format!("{own}{side}");
                let names: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
                fits(parts, &names, reach)
            }),
        }
    }
}

fn sides(protected: &Protected) -> &'static [&'static str] {
    match protected.kind {
        ProtectedKind::Store => &SIDES,
        ProtectedKind::Own | ProtectedKind::Settings => &[""],
    }
}

/// Whether globs, one for each name, can be the path of these names.
fn fits(parts: &[String], names: &[&str], reach: Reach) -> bool {
    let (Some((part, parts)), Some((name, rest))) = (parts.split_first(), names.split_first())
    else {
        // A longer path lies in a protected folder; a shorter one holds the protected path.
        return names.is_empty() || reach == Reach::Below;
    };
    let is_deep = part.strip_prefix(shell::LISTED).is_some_and(|glob| glob == "**");
    if !is_deep {
        return fits_shown(part, name) && fits(parts, rest, reach);
    }
    if parts.is_empty() {
        return true;
    }
    // What is searched below a protected folder is judged where the folder itself is named.
    (0..names.len()).any(|skipped| fits(parts, names.get(skipped..).unwrap_or(&[]), reach))
}

/// Whether a glob matches a name; it does not begin with a dot that it does not spell.
fn fits_shown(glob: &str, name: &str) -> bool {
    if glob.contains(shell::LISTED) {
        return shell::matches(&glob.replace(shell::LISTED, ""), name);
    }
    let hidden = name.starts_with('.') && glob.starts_with(['*', '?', '[']);
    !hidden && shell::matches(glob, name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_match_names_as_a_shell_matches_them() {
        for (glob, name, expected) in [
            ("*", "memory.db", true),
            ("*.db", ".cortex.db", false),
            (".c*.db", ".cortex.db", true),
            ("[.]cortex.db", ".cortex.db", false),
            (&*escaped("a*[b]"), "a*[b]", true),
            (&*escaped("a*"), "ab", false),
            ("\u{10fffb}*", ".cortex.db", true),
            (".\u{10fffb}*", "cortex.db", false),
        ] {
            assert_eq!(fits_shown(glob, name), expected, "{glob} {name}");
        }
    }
}
