//! `find` with an action, alone or before `xargs`: what it selects is handed to the program it starts,
//! and that program is judged like any other.

use super::arguments::distinct;
use super::case::Case;
use super::change::{Change, NewText};
use super::command::{self, quote};
use super::expression::{Action, Expression, Visit};
use super::paths::{self, Reach};
use super::{Protected, ProtectedKind, files};
use crate::shell::{self, Dialect, Invocation, Piece, Start, Stdin, Word};

/// How many words of a program's command line are looked at besides those that get the path.
const MOST_WORDS: usize = 128;

/// The steps that judging a program takes besides those of reading it.
const STEPS_EACH: usize = 300;

/// What SQLite keeps beside a store.
const SIDES: [&str; 3] = ["-wal", "-shm", "-journal"];

/// A search: where, and for what.
struct Search {
    roots: Vec<Word>,
    expression: Expression,
}

impl Search {
    fn read(args: &[Word]) -> Self {
        fn literal(word: &Word) -> &str {
            word.literal().unwrap_or_default()
        }
        let leading = |word: &&Word| {
            matches!(literal(word), "-H" | "-L" | "-P") || literal(word).starts_with("-O")
        };
        let skipped = args.iter().take_while(leading).count();
        let args = args.get(skipped..).unwrap_or(&[]);
        let begins = |word: &Word| {
            let text = literal(word);
            (text.starts_with('-') && text.len() > 1) || matches!(text, "(" | ")" | "!" | ",")
        };
        let start = args.iter().position(begins).unwrap_or(args.len());
        let (roots, tests) = args.split_at(start);
        Self { roots: distinct(roots.to_vec()), expression: Expression::read(tests) }
    }
}

/// Judges a search by itself.
pub(super) fn judge(case: &mut Case, invocation: &Invocation, program: &str) {
    let search = Search::read(invocation.argv.get(1..).unwrap_or(&[]));
    let cwd = invocation.cwd.as_deref();
    for file in &search.expression.written {
        let change = Change::new(file, Reach::This, "overwrite", NewText::Unknown);
        files::apply(case, cwd, &change, program);
    }
    each_found(case, invocation, &search, &mut |case, protected, visit, action| match action {
        Action::Delete => {
            // A folder goes only when it is empty, and then what is protected has gone before.
            let is_it = visit.real.starts_with(&protected.path);
            if is_it {
                let path = Word::Literal(visit.real.clone());
                let change = Change::new(&path, Reach::This, "remove or change", NewText::Gone);
                files::apply(case, cwd, &change, program);
            }
        }
        Action::Run { argv, beside } => run(case, cwd, argv, *beside, visit),
        Action::Print | Action::Prune => {}
    });
}

/// Calls `judge` for each action that may be taken on what is protected, or on a folder that holds it.
fn each_found(
    case: &mut Case,
    invocation: &Invocation,
    search: &Search,
    judge: &mut dyn FnMut(&mut Case, &Protected, &Visit, &Action),
) {
    let cwd = invocation.cwd.as_deref();
    let here = [Word::Literal(".".to_owned())];
    let roots = if search.roots.is_empty() { here.as_slice() } else { search.roots.as_slice() };
    for root in roots {
        for protected in paths::hits(case, cwd, root, Reach::Below) {
            for visit in visits(case, cwd, root, &protected) {
                let is_done = case.found.tampers.iter().any(|known| known.path == protected.path);
                if is_done {
                    break;
                }
                let (actions, prunes) = search.expression.taken(&visit);
                for action in actions {
                    judge(case, &protected, &visit, action);
                }
                if prunes {
                    break;
                }
            }
        }
    }
}

/// The paths that a search from `root` visits on its way to what is protected: folders first, then the
/// file and what SQLite keeps beside it.
fn visits(case: &Case, cwd: Option<&str>, root: &Word, protected: &Protected) -> Vec<Visit> {
    let path = protected.path.as_str();
    let is_folder = (protected.kind != ProtectedKind::Own).then_some(false);
    let mut found = match (root.literal(), cwd) {
        (Some(spelled), Some(cwd)) => {
            let real = case.resolve(cwd, spelled);
            match path.strip_prefix(real.trim_end_matches('/')) {
                Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                    way_down(&real, spelled, rest)
                }
                // In a protected folder: which names there are is not known.
                Some(_) | None => return vec![Visit { real, ..Visit::default() }],
            }
        }
        _ => way_up(case, path),
    };
    if let Some(last) = found.last_mut() {
        last.is_folder = is_folder;
        if protected.kind == ProtectedKind::Store {
            let side = |side: &&str| Visit {
                real: format!("{}{side}", last.real),
                printed: last.printed.as_ref().map(|path| format!("{path}{side}")),
                name: last.name.as_ref().map(|name| format!("{name}{side}")),
                ..last.clone()
            };
            let sides: Vec<Visit> = SIDES.iter().map(side).collect();
            found.extend(sides);
        } else {
            let last = last.clone();
            found.extend(own_files(protected).iter().map(|name| step(&last, name)));
        }
    }
    found
}

/// From the root of a search down to what lies `rest` below it.
fn way_down(real: &str, spelled: &str, rest: &str) -> Vec<Visit> {
    let name = spelled.trim_end_matches('/').rsplit('/').next().unwrap_or(spelled);
    let mut visit = Visit {
        real: real.to_owned(),
        printed: Some(spelled.to_owned()),
        name: Some(name.to_owned()),
        is_folder: Some(true),
        depth: Some(0),
    };
    let mut found = vec![visit.clone()];
    for name in rest.split('/').filter(|name| !name.is_empty()) {
        visit = step(&visit, name);
        found.push(visit.clone());
    }
    found
}

/// What lies by that name in a folder.
fn step(folder: &Visit, name: &str) -> Visit {
    let join = |path: &str| format!("{}/{name}", path.strip_suffix('/').unwrap_or(path));
    Visit {
        real: join(&folder.real),
        printed: folder.printed.as_deref().map(join),
        name: Some(name.to_owned()),
        is_folder: folder.is_folder,
        depth: folder.depth.map(|depth| depth + 1),
    }
}

/// What lies in a folder of ours, where a search by name may find it.
fn own_files(protected: &Protected) -> &'static [&'static str] {
    match (protected.kind, protected.path.rsplit('/').next()) {
        (ProtectedKind::Own, Some("ringfence")) if protected.what.contains("state") => {
            &["log.jsonl", "calls.jsonl", "ledger.jsonl", "probe.json", "sessions", "grants"]
        }
        (ProtectedKind::Own, Some("ringfence")) if protected.what.contains("configuration") => {
            &["config.toml", "profiles"]
        }
        _ => &[],
    }
}

/// The folders that hold `path` but not the call's directory, then itself: the root is a glob.
fn way_up(case: &Case, path: &str) -> Vec<Visit> {
    let ends = path.match_indices('/').map(|(at, _)| at).filter(|at| *at > 0);
    let folders = ends.filter_map(|at| path.get(..at));
    let below = folders.filter(|folder| !case.request.cwd.starts_with(folder));
    let visit = |path: &str, is_folder: bool| Visit {
        real: path.to_owned(),
        printed: None,
        name: path.rsplit('/').next().map(str::to_owned),
        is_folder: Some(is_folder),
        depth: None,
    };
    below.map(|folder| visit(folder, true)).chain([visit(path, false)]).collect()
}

/// Judges a program that is given what was found, where its words have `{}`.
fn run(case: &mut Case, cwd: Option<&str>, argv: &[Word], beside: bool, visit: &Visit) {
    let folder = visit.real.rsplit_once('/').map(|(folder, _)| folder);
    let (cwd, path) = match folder.zip(visit.real.rsplit('/').next()).filter(|_| beside) {
        Some((folder, name)) => (Some(folder), format!("./{name}")),
        None => (cwd, visit.real.clone()),
    };
    let takes = |word: &Word| word.literal().is_some_and(|text| text.contains("{}"));
    if argv.iter().any(takes) {
        // Of a very long command line the beginning, and the words that get the path.
        let counts = |(at, word): &(usize, &Word)| *at < MOST_WORDS || takes(word);
        let words = argv.iter().enumerate().filter(counts).take(2 * MOST_WORDS);
        let words = words.map(|(_, word)| spelled(word, Some(&path)));
        judge_words(case, cwd, &words.collect::<Vec<_>>().join(" "));
    }
}

/// Programs that are looked at when all others have used the steps up.
const REMOVERS: [&str; 8] = ["rm", "unlink", "shred", "truncate", "mv", "cp", "sh", "bash"];

/// Judges a command line that a search leads to.
fn judge_words(case: &mut Case, cwd: Option<&str>, words: &str) {
    let program = words.split(' ').next().unwrap_or("").trim_matches('\'');
    // A crowd of readers must not hide the one that removes.
    let removes = REMOVERS.contains(&crate::shell::base_name(program));
    if !case.is_new_search(cwd, words) || !case.may_search(removes) {
        return;
    }
    let text = match cwd {
        Some(cwd) => format!("cd {} && {words}", quote(cwd)),
        None => words.to_owned(),
    };
    let start = Start {
        cwd: case.request.cwd.clone(),
        home: case.facts.home().to_owned(),
        args: Vec::new(),
    };
    let reading = shell::read(&text, Dialect::Posix, &start, case.facts);
    // A text costs as much as it is long, besides its steps.
    case.searched(STEPS_EACH + reading.steps + text.len() / 16);
    case.deeper(|case| command::judge_reading(case, &reading, Dialect::Posix, &text));
}

/// A word as shell text, with a path in place of each `{}`.
fn spelled(word: &Word, path: Option<&str>) -> String {
    let filled = |text: &str| match path {
        Some(path) => quote(&text.replace("{}", path)),
        None => quote(text),
    };
    match word {
        Word::Literal(text) => filled(text),
        Word::OneOf(all) => all.first().map(|text| filled(text)).unwrap_or_default(),
        Word::Partial(pieces) => pieces
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => filled(text),
                Piece::Glob(glob) => glob.clone(),
                Piece::Hole { many: true, .. } => "$unknown".to_owned(),
                Piece::Hole { many: false, .. } => "\"$unknown\"".to_owned(),
            })
            .collect(),
    }
}

/// `find … | xargs rm`: the input is what the search prints.
pub(super) fn judge_pipelines(case: &mut Case, invocations: &[Invocation]) {
    let mut search: Option<&Invocation> = None;
    let mut left_out: Vec<&str> = Vec::new();
    for invocation in invocations {
        let program = command::program_of(invocation, false);
        match program.as_deref() {
            Some("find" | "gfind") => {
                search = Some(invocation);
                left_out.clear();
            }
            Some("grep" | "egrep") => left_out.extend(inverted(invocation)),
            Some("xargs" | "gxargs") if !invocation.remote => {
                if let Some(search) = search.filter(|search| feeds(search, invocation)) {
                    given(case, search, invocation, &left_out);
                }
            }
            Some(_) | None => {}
        }
    }
}

/// Whether `xargs` may read what the search prints: from a pipe, or from the file it went into.
fn feeds(search: &Invocation, xargs: &Invocation) -> bool {
    match &xargs.stdin {
        Stdin::Unknown => true,
        Stdin::File(file) => search.redirects.iter().any(|redirect| redirect.target == *file),
        Stdin::Inherited | Stdin::Text(_) => false,
    }
}

/// The text of `grep -v text`.
fn inverted(invocation: &Invocation) -> Option<&str> {
    let mut words = invocation.argv.iter().skip(1).filter_map(Word::literal);
    let is_option = |text: &str| text.starts_with('-');
    let inverts = words.clone().any(|text| is_option(text) && text.contains('v'));
    words.find(|text| !is_option(text)).filter(|text| inverts && !text.is_empty())
}

fn given(case: &mut Case, search: &Invocation, xargs: &Invocation, left_out: &[&str]) {
    let read = Search::read(search.argv.get(1..).unwrap_or(&[]));
    let words: Vec<String> = xargs
        .argv
        .iter()
        .skip(1)
        .take(MOST_WORDS)
        .map(|word| match word.literal() {
            Some(text) => quote(&with_lines(text)),
            None => spelled(word, None),
        })
        .collect();
    let words = words.iter().filter(|word| *word != "''").cloned().collect::<Vec<_>>().join(" ");
    each_found(case, search, &read, &mut |case, _, visit, action| {
        let is_left_out = left_out.iter().any(|text| visit.real.contains(text));
        if *action == Action::Print && !is_left_out {
            let line = format!("xargs -d '\\n' {words} <<< {}", quote(&visit.real));
            judge_words(case, xargs.cwd.as_deref(), &line);
        }
    });
}

/// An option of `xargs` without the `0` that says how its input ends.
fn with_lines(option: &str) -> String {
    if option == "--null" {
        return String::new();
    }
    let is_bundle = option.starts_with('-') && !option.starts_with("--");
    let ends = option.find(|letter| "IJanLPsdEile".contains(letter)).unwrap_or(option.len());
    match option.split_at_checked(ends) {
        Some((letters, rest)) if is_bundle && letters.contains('0') => {
            let option = format!("{}{rest}", letters.replace('0', ""));
            if option == "-" { String::new() } else { option }
        }
        Some(_) | None => option.to_owned(),
    }
}
