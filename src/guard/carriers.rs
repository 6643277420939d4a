//! Programs that carry files from one place to another: `mv`, `cp`, `ln`, `rsync`, `tar`, `gzip`.

use super::change::{Change, NewText, Words, below, each};
use super::options::Value;
use super::paths::{self, Reach};
use crate::shell::{self, Word};

/// The sources and the destinations of `mv`, `cp` and the like.
fn ends(words: &Words) -> Option<(Vec<Word>, Word)> {
    let named = ["-t", "--target-directory"].iter().find_map(|name| words.options.value(name));
    match named {
        Some(Value::Known(all)) => Some((words.operands.clone(), Word::OneOf(all))),
        Some(Value::Unknown) => None,
        None => {
            let (destination, sources) = words.operands.split_last()?;
            (!sources.is_empty()).then(|| (sources.to_vec(), destination.clone()))
        }
    }
}

pub(super) fn moved(words: &Words) -> Vec<Change> {
    let Some((sources, destination)) = ends(words) else {
        return each(&words.operands, Reach::Below, "move away", &NewText::Gone);
    };
    let mut changes = each(&sources, Reach::Below, "move away", &NewText::Gone);
    if !words.options.has_letter('n') && !words.options.has("--no-clobber") {
        changes.extend(landed(&sources, &destination));
    }
    changes
}

pub(super) fn copied(program: &str, words: &Words) -> Vec<Change> {
    let keeps = words.options.has_letter('n') || words.options.has("--no-clobber");
    if program == "install" && (words.options.has_letter('d') || words.options.has("--directory")) {
        return Vec::new();
    }
    let Some((sources, destination)) = ends(words).filter(|_| !keeps || program == "scp") else {
        return Vec::new();
    };
    let mut changes = landed(&sources, &destination);
    if program == "cp" && (words.options.has_letter('l') || words.options.has("--link")) {
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

pub(super) fn linked(words: &Words) -> Vec<Change> {
    let symbolic = words.options.has_letter('s') || words.options.has("--symbolic");
    let forced = words.options.has_letter('f') || words.options.has("--force");
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

pub(super) fn packed(words: &Words) -> Vec<Change> {
    let options = &words.options;
    let keeps = ['k', 'c', 'l', 't'].iter().any(|letter| options.has_letter(*letter))
        || ["--keep", "--stdout", "--list", "--test"].iter().any(|name| options.has(name));
    if keeps { Vec::new() } else { each(&words.operands, Reach::This, "replace", &NewText::Gone) }
}

pub(super) fn synchronised(words: &Words) -> Vec<Change> {
    let options = &words.options;
    if options.has_letter('n') || options.has("--dry-run") {
        return Vec::new();
    }
    let Some((destination, sources)) = words.operands.split_last() else { return Vec::new() };
    let is_remote = destination.literal().is_some_and(|path| {
        path.find(':').is_some_and(|colon| !path.get(..colon).unwrap_or_default().contains('/'))
    });
    let mut changes = Vec::new();
    if options.has("--remove-source-files") {
        changes.extend(each(sources, Reach::Below, "move away", &NewText::Gone));
    }
    if is_remote {
        return changes;
    }
    changes.extend(landed(sources, destination));
    let spares = options.literals("--exclude").any(|pattern| {
        paths::STORE_NAMES.iter().any(|name| {
            shell::matches(&pattern, name) || shell::matches(&pattern, &format!(".{name}"))
        })
    });
    if options.names().any(|name| name.starts_with("--del")) && !spares {
        changes.push(Change::new(destination, Reach::Below, "remove", NewText::Gone));
    }
    changes
}

pub(super) fn written_by_option(program: &str, words: &Words) -> Vec<Change> {
    let names: &[&str] = match program {
        "wget" => &["-O", "--output-document"],
        _ => &["-o", "--output"],
    };
    let mut changes: Vec<Change> = names
        .iter()
        .flat_map(|name| words.options.literals(name))
        .map(|path| Change::new(&Word::Literal(path), Reach::This, "overwrite", NewText::Unknown))
        .collect();
    if program == "xxd" && words.options.has_letter('r') {
        changes.extend(each(words.after(1), Reach::This, "overwrite", &NewText::Unknown));
    }
    changes
}

pub(super) fn unpacked(words: &Words, args: &[Word]) -> Vec<Change> {
    let options = &words.options;
    if options.has("--remove-files") {
        return each(&words.operands, Reach::Below, "remove", &NewText::Gone);
    }
    let bundle = args.first().and_then(Word::literal).unwrap_or_default();
    let extracts = options.has_letter('x')
        || options.has("--extract")
        || (!bundle.starts_with('-')
            && bundle.contains('x')
            && !bundle.contains('/')
            && !bundle.contains('.'));
    if !extracts {
        return Vec::new();
    }
    let folder = ["-C", "--directory"].iter().find_map(|name| options.value(name));
    let folder = match folder {
        Some(Value::Known(all)) => all.into_iter().next(),
        Some(Value::Unknown) => return Vec::new(),
        None => None,
    };
    let members = words.operands.iter().map(|member| match (&folder, member.literal()) {
        (Some(folder), Some(name)) => Word::Literal(format!("{folder}/{name}")),
        _ => member.clone(),
    });
    members.map(|member| Change::new(&member, Reach::This, "overwrite", NewText::Unknown)).collect()
}
