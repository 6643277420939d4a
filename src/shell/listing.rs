//! What lists files prints patterns: `ls -A`, `find . -name x`. Which files there are is not known,
//! what all of them are called like is.

use super::run::Call;
use super::types::{Piece, Word};
use super::values::LISTED;

/// The output of `ls`, one pattern on each line; `None` for formats that are no names.
pub(super) fn ls(call: &Call<'_>) -> Option<String> {
    let (mut hidden, mut itself) = (false, false);
    let mut named = Vec::new();
    for word in call.argv.iter().skip(1) {
        match word.literal() {
            Some(option) if option.starts_with("--") => {
                hidden |= matches!(option, "--all" | "--almost-all");
                itself |= option == "--directory";
            }
            Some(option) if option.len() > 1 && option.starts_with('-') => {
                if option.contains(['l', 'i', 's', 'C', 'm', 'x', 'g', 'o', 'n', 'R', 'Z']) {
                    return None;
                }
                hidden |= option.contains(['a', 'A', 'f']);
                itself |= option.contains('d');
            }
            _ => named.push(word),
        }
    }
    let all = format!("{LISTED}*\n");
    let mut out = String::new();
    for word in &named {
        let spelled = spelled(word)?;
        // A pattern may name files, which are printed as they are.
        let file = is_file(&spelled);
        if itself || file || spelled.contains(LISTED) {
            out.push_str(&spelled);
            out.push('\n');
        }
        if !itself && !file {
            out.push_str(if hidden { &all } else { VISIBLE });
        }
    }
    if named.is_empty() {
        // Without `-a` nothing that begins with a dot.
        out.push_str(if itself {
            ".\n"
        } else if hidden {
            &all
        } else {
            VISIBLE
        });
    }
    (!out.is_empty()).then_some(out)
}

/// A name without a leading dot.
const VISIBLE: &str = "\u{10fffb}[!.]\u{10fffb}*\n";

/// Whether a path is a file's by its name.
fn is_file(path: &str) -> bool {
    super::program::base_name(path).trim_start_matches('.').contains('.')
}

/// A word as a line of a listing: its globs marked. `None` when a part of it is not known.
pub(super) fn spelled(word: &Word) -> Option<String> {
    let Word::Partial(pieces) = word else { return word.literal().map(str::to_owned) };
    let mut text = String::new();
    for piece in pieces {
        match piece {
            Piece::Text(known) => text.push_str(known),
            Piece::Glob(glob) => {
                text.push(LISTED);
                text.push_str(glob.trim_start_matches(LISTED));
            }
            Piece::Hole { .. } => return None,
        }
    }
    Some(text)
}

/// Tests of `find` that do not say how a file is called, and how many words follow them.
const OTHER_TESTS: &[(&str, usize)] = &[
    ("-type", 1),
    ("-maxdepth", 1),
    ("-mindepth", 1),
    ("-mtime", 1),
    ("-mmin", 1),
    ("-atime", 1),
    ("-ctime", 1),
    ("-newer", 1),
    ("-size", 1),
    ("-user", 1),
    ("-group", 1),
    ("-perm", 1),
    ("-regextype", 1),
    ("-print", 0),
    ("-print0", 0),
    ("-xdev", 0),
    ("-mount", 0),
    ("-depth", 0),
    ("-follow", 0),
    ("-readable", 0),
    ("-writable", 0),
];

/// The output of a plain `find`; `None` for one with operators, actions or formats of its own.
pub(super) fn find(call: &Call<'_>) -> Option<String> {
    let words = call.argv.get(1..)?;
    let is_test =
        |word: &Word| word.literal().is_some_and(|text| text.starts_with(['-', '(', '!']));
    let start = words.iter().position(is_test).unwrap_or(words.len());
    let (roots, tests) = words.split_at(start);
    let (mut name, mut end, mut shallow) = (None, '\n', false);
    let mut index = 0;
    while let Some(test) = tests.get(index) {
        let test = test.literal()?;
        let value = tests.get(index + 1);
        if test == "-name" && name.is_none() {
            name = Some(value?.literal()?);
            index += 2;
            continue;
        }
        let (_, more) = OTHER_TESTS.iter().find(|(known, _)| *known == test)?;
        shallow |= test == "-maxdepth" && value.and_then(Word::literal) == Some("1");
        if test == "-print0" {
            end = '\0';
        }
        index += 1 + more;
    }
    let name = name.map_or_else(|| format!("{LISTED}*"), marked);
    let here = [Word::Literal(".".into())];
    let mut out = String::new();
    for root in if roots.is_empty() { &here } else { roots } {
        let root = spelled(root)?;
        let root = root.trim_end_matches('/');
        let below = if shallow { String::new() } else { format!("{LISTED}**/") };
        out.push_str(&format!("{root}/{below}{name}{end}"));
    }
    Some(out)
}

/// A pattern with its globs marked.
fn marked(pattern: &str) -> String {
    let mut out = String::new();
    let mut rest = pattern;
    while let Some(at) = rest.find(['*', '?', '[']) {
        let (before, tail) = rest.split_at(at);
        let (glob, tail) = super::glob::first(tail);
        out.push_str(before);
        out.push(LISTED);
        out.push_str(glob);
        rest = tail;
    }
    out.push_str(rest);
    out
}

/// What a filter of lines leaves of a listing: the same patterns, or those that a plain word of
/// `grep` narrows down. `None` when the input is no listing, or it is not known.
pub(super) fn filtered(program: &str, call: &Call<'_>, input: Option<&str>) -> Option<String> {
    let input = input.filter(|text| text.contains(LISTED))?;
    if !matches!(program, "grep" | "egrep" | "fgrep") {
        return Some(input.to_owned());
    }
    let mut words = call.argv.iter().skip(1);
    let mut word = words.next()?.literal()?;
    if matches!(word, "-E" | "-F" | "-e" | "-w" | "-x") {
        word = words.next()?.literal()?;
    }
    let is_plain =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '\\' | '^' | '$');
    if words.next().is_some() || word.starts_with('-') || !word.chars().all(is_plain) {
        return None;
    }
    let head = if word.starts_with('^') { String::new() } else { format!("{LISTED}*") };
    let tail = if word.ends_with('$') { String::new() } else { format!("{LISTED}*") };
    let plain = word.trim_start_matches('^').trim_end_matches('$').replace('\\', "");
    let all = format!("{LISTED}*");
    let lines = input.lines().map(|line| match line.strip_suffix(&all) {
        Some(folder) => format!("{folder}{head}{plain}{tail}\n"),
        None => format!("{line}\n"),
    });
    Some(lines.collect())
}
