//! Programs that carry files from one place to another: `mv`, `cp`, `ln`, `rsync`, `gzip`, downloads.

use super::arguments::Arguments;
use super::change::{Change, NewText, below, each};
use super::landing::Arrival;
use super::paths::{self, Reach};
use crate::shell::{self, Piece, Word};

const TARGET: &[&str] = &["-t", "--target-directory"];

/// The sources and the destinations of `mv`, `cp` and the like.
fn ends(words: &Arguments) -> Option<(Vec<Word>, Word)> {
    if let Some(folder) = words.values(TARGET).last() {
        return Some((words.operands.clone(), folder.clone()));
    }
    let (destination, sources) = words.operands.split_last()?;
    (!sources.is_empty()).then(|| (sources.to_vec(), destination.clone()))
}

fn backs_up(words: &Arguments) -> bool {
    words.has_letter('b') || words.has("--backup")
}

fn keeps(words: &Arguments) -> bool {
    words.has_letter('n') || words.has("--no-clobber")
}

pub(super) fn moved(words: &Arguments) -> Vec<Change> {
    let Some((sources, destination)) = ends(words) else {
        return each(&words.operands, Reach::Below, "move away", &NewText::Gone);
    };
    let mut changes = each(&sources, Reach::Below, "move away", &NewText::Gone);
    if !keeps(words) {
        changes.extend(landed(&sources, &destination));
    }
    if backs_up(words) {
        changes.extend(displaced(&sources, &destination));
    }
    if words.has("--exchange") {
        changes.extend(each(&[destination], Reach::Below, "move away", &NewText::Gone));
    }
    changes
}

/// What a backup moves out of the way: the destination itself, or what lies there by that name.
fn displaced(sources: &[Word], destination: &Word) -> Vec<Change> {
    let there = sources.iter().filter_map(last_name).map(|name| below(destination, &name));
    let mut all: Vec<Word> = there.collect();
    if let [_] = sources {
        all.push(destination.clone());
    }
    each(&all, Reach::Below, "move away", &NewText::Gone)
}

pub(super) fn copied(program: &str, words: &Arguments) -> Vec<Change> {
    if program == "install" && (words.has_letter('d') || words.has("--directory")) {
        return Vec::new();
    }
    let spared = keeps(words) && program != "scp";
    let Some((sources, destination)) = ends(words).filter(|_| !spared) else {
        return Vec::new();
    };
    let mut changes = landed(&sources, &destination);
    if program == "cp" && (words.has_letter('l') || words.has("--link")) {
        changes.extend(each(&sources, Reach::This, "give a second name to", &NewText::Same));
    }
    changes
}

/// What arrives at `destination`: it may be the file, or the folder of files with those names.
fn landed(sources: &[Word], destination: &Word) -> Vec<Change> {
    let text = match sources {
        [only] => NewText::CopyOf(only.clone()),
        _ => NewText::Unknown,
    };
    let mut changes = vec![Change::new(destination, Reach::This, "overwrite", text)];
    for source in sources {
        for name in super::program::names(source) {
            let name = name.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
            if !matches!(name.as_str(), "" | "." | "..") {
                let below = below(destination, &name);
                changes.push(Change::new(
                    &below,
                    Reach::This,
                    "overwrite",
                    NewText::CopyOf(source.clone()),
                ));
            }
        }
    }
    changes
}

/// The last name of a path, where it is one.
fn last_name(word: &Word) -> Option<String> {
    let name = word.literal()?.trim_end_matches('/').rsplit('/').next()?;
    (!matches!(name, "" | "." | "..")).then(|| name.to_owned())
}

/// What arrives under names that are not spelled: by a glob, or in a folder that comes as a whole.
pub(super) fn arrivals(program: &str, words: &Arguments) -> Vec<Arrival> {
    let recursive = match program {
        "mv" | "move" | "move-item" | "mi" => true,
        "cp" => words.has_any(&["-r", "-R", "-a", "--recursive", "--archive"]),
        "scp" => words.has_letter('r'),
        "rsync" => words.has_any(&["-a", "-r", "--archive", "--recursive"]),
        _ => false,
    };
    let mut found = Vec::new();
    let Some((sources, destination)) = ends(words).filter(|_| !keeps(words)) else { return found };
    let into = words.has_letter('T') || words.has("--no-target-directory");
    for source in &sources {
        found.extend(arrival(program, source, &destination, recursive, into));
    }
    found
}

fn arrival(
    program: &str,
    source: &Word,
    destination: &Word,
    recursive: bool,
    into: bool,
) -> Option<Arrival> {
    let how = "copy other files over";
    if let Word::Partial(pieces) = source {
        // `d/*`: the folder before the glob, the names after it.
        let (folder, names) = globbed(pieces)?;
        let from = Some(Word::Literal(folder));
        return Some(Arrival { folder: destination.clone(), names, deep: recursive, from, how });
    }
    let path = source.literal()?;
    let whole = into
        || path.ends_with("/.")
        || matches!(path, "." | "..")
        || (program == "rsync" && path.ends_with('/'));
    if !recursive || (program == "mv" && !into) {
        return None;
    }
    let folder = match last_name(source) {
        Some(name) if !whole => below(destination, &name),
        _ => destination.clone(),
    };
    let from = Some(Word::Literal(path.trim_end_matches("/.").to_owned()));
    Some(Arrival { folder, names: None, deep: true, from, how })
}

/// The folder and the last name of a path with a glob only in that name.
fn globbed(pieces: &[Piece]) -> Option<(String, Option<String>)> {
    let mut text = String::new();
    for piece in pieces {
        match piece {
            Piece::Text(known) => text.push_str(known),
            Piece::Glob(glob) => text.push_str(glob),
            Piece::Hole { .. } => return None,
        }
    }
    let (folder, names) = text.rsplit_once('/').unwrap_or((".", &text));
    let folder = if folder.is_empty() { "/" } else { folder };
    (!folder.contains(['*', '?', '['])).then(|| (folder.to_owned(), Some(names.to_owned())))
}

pub(super) fn linked(words: &Arguments) -> Vec<Change> {
    let symbolic = words.has_letter('s') || words.has("--symbolic");
    let forced = words.has_letter('f') || words.has("--force") || backs_up(words);
    let (sources, destination) = match ends(words) {
        Some((sources, destination)) => (sources, Some(destination)),
        None => (words.operands.clone(), None),
    };
    let mut changes = Vec::new();
    if let Some(destination) = destination.filter(|_| forced) {
        let mut arrived = landed(&sources, &destination);
        arrived.iter_mut().for_each(|change| change.how = "replace by a link");
        changes.extend(arrived);
    }
    if !symbolic {
        changes.extend(each(&sources, Reach::This, "give a second name to", &NewText::Same));
    }
    changes
}

pub(super) fn packed(program: &str, words: &Arguments) -> Vec<Change> {
    let kept = ['k', 'c', 'l', 't'].iter().any(|letter| words.has_letter(*letter))
        || words.has_any(&["--keep", "--stdout", "--to-stdout", "--list", "--test"]);
    if kept {
        return Vec::new();
    }
    let deep = program != "bzip2" && (words.has_letter('r') || words.has("--recursive"));
    let reach = if deep { Reach::Below } else { Reach::This };
    each(&words.operands, reach, "replace", &NewText::Gone)
}

pub(super) fn synchronised(words: &Arguments) -> Vec<Change> {
    if words.has_letter('n') || words.has("--dry-run") {
        return Vec::new();
    }
    let mut changes: Vec<Change> = words
        .values(&["--log-file", "--write-batch"])
        .map(|path| Change::new(path, Reach::This, "overwrite", NewText::Unknown))
        .collect();
    let Some((destination, sources)) = words.operands.split_last() else { return changes };
    let is_remote = destination.literal().is_some_and(|path| {
        path.find(':').is_some_and(|colon| !path.get(..colon).unwrap_or_default().contains('/'))
    });
    if words.has("--remove-source-files") {
        changes.extend(each(sources, Reach::Below, "move away", &NewText::Gone));
    }
    if is_remote {
        return changes;
    }
    changes.extend(landed(sources, destination));
    let spares = words.literals(&["--exclude"]).any(|pattern| {
        paths::STORE_NAMES.iter().any(|name| {
            shell::matches(pattern, name) || shell::matches(pattern, &format!(".{name}"))
        })
    });
    if words.options().any(|(name, _)| name.starts_with("--del")) && !spares {
        changes.push(Change::new(destination, Reach::Below, "remove", NewText::Gone));
    }
    changes
}

/// Downloads named after their address: `curl -O`, `wget`.
pub(super) fn downloaded(program: &str, words: &Arguments) -> Vec<Change> {
    let (folders, named): (&[&str], bool) = match program {
        "curl" => {
            let names = ["--remote-name", "--remote-name-all"];
            (&["--output-dir"], words.has_letter('O') || words.has_any(&names))
        }
        _ => (&["-P", "--directory-prefix"], !words.has_any(&["-O", "--output-document"])),
    };
    let folder = words.values(folders).last().cloned().unwrap_or(Word::Literal(".".into()));
    let mut written: Vec<Word> = Vec::new();
    if named {
        let names = words.operands.iter().filter_map(Word::literal).filter_map(address_name);
        written.extend(names.map(|name| below(&folder, name)));
    } else {
        written.extend(words.literals(&["-o", "--output"]).map(|name| below(&folder, name)));
    }
    for format in words.literals(&["-w", "--write-out"]).filter(|_| program == "curl") {
        let files = format.split("%output{").skip(1).filter_map(|rest| rest.split_once('}'));
        written.extend(files.map(|(path, _)| Word::Literal(path.trim_start_matches('>').into())));
    }
    each(&written, Reach::This, "overwrite", &NewText::Unknown)
}

fn address_name(address: &str) -> Option<&str> {
    let address = address.split(['?', '#']).next()?;
    address.rsplit('/').next().filter(|name| !name.is_empty())
}
