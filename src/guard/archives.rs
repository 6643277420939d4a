//! Archives: what packing writes and takes away, what unpacking writes over.

use super::arguments::Arguments;
use super::change::{Change, NewText, below, each, grammar};
use super::landing::Arrival;
use super::paths::Reach;
use crate::shell::Word;

/// What an archiver does to files: changes of named ones, and what arrives unnamed.
#[derive(Default)]
pub(super) struct Work {
    pub(super) changes: Vec<Change>,
    pub(super) arrivals: Vec<Arrival>,
}

impl Work {
    fn writes(&mut self, file: &Word) {
        if file.literal() != Some("-") {
            self.changes.push(Change::new(file, Reach::This, "overwrite", NewText::Unknown));
        }
    }

    fn removes(&mut self, files: &[Word]) {
        self.changes.extend(each(files, Reach::Below, "remove", &NewText::Gone));
    }

    /// Everything, or the members that are named, unpacked below `folder`.
    fn unpacks(&mut self, folder: &Word, members: &[Word]) {
        let how = "unpack other files over";
        if members.is_empty() {
            self.arrivals.push(Arrival::of_anything(folder, how));
        }
        for member in members {
            let there = match (folder.literal(), member.literal()) {
                (Some("."), _) | (_, None) => member.clone(),
                (_, Some(name)) => below(folder, name.trim_start_matches('/')),
            };
            self.changes.push(Change::new(&there, Reach::This, "overwrite", NewText::Unknown));
            self.arrivals.push(Arrival::of_anything(&there, how));
        }
    }
}

/// The archivers that [`work`] knows.
pub(super) const PROGRAMS: [&str; 15] = [
    "tar",
    "bsdtar",
    "gtar",
    "unzip",
    "zip",
    "ar",
    "7z",
    "7za",
    "7zz",
    "cpio",
    "jar",
    "unrar",
    "unsquashfs",
    "pax",
    "bsdcpio",
];

/// What a start of an archiver does.
pub(super) fn work(program: &str, args: &[Word]) -> Work {
    let words = || Arguments::read(args, &grammar(program), &[]);
    match program {
        "tar" | "bsdtar" | "gtar" => tar(args),
        "unzip" => unzip(&words()),
        "zip" => zip(&words()),
        "ar" => ar(&words().operands, args),
        "jar" => jar(args),
        "7z" | "7za" | "7zz" => seven(&words()),
        "unrar" => listed(&words().operands, &["x", "e"]),
        "cpio" | "bsdcpio" => copied_in(&words()),
        "pax" if words().has_letter('r') => here(&words().operands),
        "unsquashfs" => {
            let words = words();
            let here = Word::Literal("squashfs-root".into());
            let folder = words.values(&["-d", "-dest"]).last().cloned().unwrap_or(here);
            let mut work = Work::default();
            work.unpacks(&folder, &[]);
            work
        }
        _ => Work::default(),
    }
}

/// `python3 -m zipfile|tarfile|json.tool …`.
pub(super) fn module(args: &[Word]) -> Work {
    let mut work = Work::default();
    let Some(at) = args.iter().position(|word| word.literal() == Some("-m")) else { return work };
    let module = args.get(at + 1).and_then(Word::literal).unwrap_or_default();
    let rest = args.get(at + 2..).unwrap_or(&[]);
    let options = ["-e", "--extract", "-c", "--create"];
    let option =
        rest.iter().position(|word| word.literal().is_some_and(|text| options.contains(&text)));
    let files = || rest.iter().filter(|word| !word.literal().is_some_and(|t| t.starts_with('-')));
    match (module, option) {
        ("zipfile" | "tarfile", Some(at)) => {
            let values = rest.get(at + 1..).unwrap_or(&[]);
            let option = rest.get(at).and_then(Word::literal).unwrap_or_default();
            if option.starts_with("-c") || option.starts_with("--c") {
                values.iter().take(1).for_each(|archive| work.writes(archive));
            } else {
                let folder = values.get(1).cloned().unwrap_or(Word::Literal(".".into()));
                work.unpacks(&folder, &[]);
            }
        }
        ("json.tool", _) => files().skip(1).for_each(|file| work.writes(file)),
        _ => {}
    }
    work
}

/// tar's words with the letters of an old-style first word (`xC folder`) as options.
fn tar_words(args: &[Word]) -> Arguments {
    let grammar = grammar("tar");
    let old = args.first().and_then(Word::literal).filter(|text| {
        !text.starts_with('-') && text.chars().all(|letter| letter.is_ascii_alphanumeric())
    });
    let Some(letters) = old else { return Arguments::read(args, &grammar, &[]) };
    let mut rest = args.iter().skip(1);
    let mut modern: Vec<Word> = Vec::new();
    for letter in letters.chars() {
        modern.push(Word::Literal(format!("-{letter}")));
        if grammar.letters.contains(letter) {
            modern.extend(rest.next().cloned());
        }
    }
    modern.extend(rest.cloned());
    Arguments::read(&modern, &grammar, &[])
}

fn tar(args: &[Word]) -> Work {
    let words = tar_words(args);
    let mut work = Work::default();
    let mode = |letters: &[char], names: &[&str]| {
        letters.iter().any(|letter| words.has_letter(*letter)) || words.has_any(names)
    };
    work.changes.extend(
        words
            .values(&["-g", "--listed-incremental"])
            .map(|file| Change::new(file, Reach::This, "overwrite", NewText::Unknown)),
    );
    if mode(
        &['c', 'r', 'u', 'A'],
        &["--create", "--append", "--update", "--catenate", "--concatenate", "--delete"],
    ) {
        words.values(&["-f", "--file"]).for_each(|file| work.writes(file));
        if words.has("--remove-files") {
            // The members of each folder that it goes to; which of them, the order says.
            let folder = folder_of(&words);
            let inside = words.operands.iter().filter_map(|member| {
                Some(below(&folder, member.literal().filter(|path| !path.starts_with('/'))?))
            });
            let inside: Vec<Word> = inside.filter(|_| folder.literal() != Some(".")).collect();
            work.removes(&inside);
            work.removes(&words.operands);
        }
        return work;
    }
    let spares = mode(&['k', 'O'], &["--keep-old-files", "--skip-old-files", "--to-stdout"]);
    if spares || !mode(&['x'], &["--extract", "--get"]) {
        return work;
    }
    let folder = folder_of(&words);
    let renames = words.has_any(&["--strip-components", "--transform", "--xform", "--strip"]);
    let members = if renames { &[] } else { words.operands.as_slice() };
    work.unpacks(&folder, members);
    work
}

/// Where tar works after all its `-C`, each meant from the one before.
fn folder_of(words: &Arguments) -> Word {
    let mut folder = Word::Literal(".".into());
    for next in words.values(&["-C", "--directory"]) {
        folder = match next.literal() {
            Some(path) if !path.starts_with('/') && folder.literal() != Some(".") => {
                below(&folder, path)
            }
            Some(_) | None => next.clone(),
        };
    }
    folder
}

fn unzip(words: &Arguments) -> Work {
    let mut work = Work::default();
    let looks = ['l', 't', 'p', 'Z', 'z', 'v', 'n', 'c'];
    if looks.iter().any(|letter| words.has_letter(*letter)) {
        return work;
    }
    let here = Word::Literal(".".into());
    let folder = words.values(&["-d"]).last().cloned().unwrap_or(here);
    let members = if words.has_letter('x') { &[] } else { words.after(1) };
    work.unpacks(&folder, members);
    work
}

fn zip(words: &Arguments) -> Work {
    let mut work = Work::default();
    words.operands.iter().take(1).for_each(|archive| work.writes(archive));
    if words.has_letter('m') || words.has("--move") {
        work.removes(words.after(1));
    }
    work
}

/// `ar rc archive members…`, `ar x archive`.
fn ar(operands: &[Word], args: &[Word]) -> Work {
    let mut work = Work::default();
    let key = args.first().and_then(Word::literal).unwrap_or_default();
    // The key may stand behind a dash.
    let archive = operands.get(usize::from(!key.starts_with('-')));
    let key = key.trim_start_matches('-');
    if key.contains('x') {
        work.unpacks(&Word::Literal(".".into()), &[]);
    } else if key.contains(['r', 'q', 'd', 'm', 's']) {
        archive.into_iter().for_each(|archive| work.writes(archive));
    }
    work
}

fn jar(args: &[Word]) -> Work {
    let key = args.first().and_then(Word::literal).unwrap_or_default();
    let mut work = Work::default();
    let key = key.trim_start_matches('-');
    if key.starts_with('x') {
        work.unpacks(&Word::Literal(".".into()), args.get(2..).unwrap_or(&[]));
    } else if key.starts_with(['c', 'u']) && key.contains('f') {
        args.get(1).into_iter().for_each(|archive| work.writes(archive));
    }
    work
}

/// `7z x archive -ofolder`, `7z a archive -sdel files…`.
fn seven(words: &Arguments) -> Work {
    let mut work = Work::default();
    let verb = words.operands.first().and_then(Word::literal).unwrap_or_default();
    match verb {
        "x" | "e" => {
            let here = Word::Literal(".".into());
            let folder = words.values(&["-o"]).last().cloned().unwrap_or(here);
            work.unpacks(&folder, words.after(2));
        }
        "a" | "u" | "d" | "rn" => {
            words.operands.get(1).into_iter().for_each(|archive| work.writes(archive));
            if words.has_letter('s') && words.has_letter('d') {
                work.removes(words.after(2));
            }
        }
        _ => {}
    }
    work
}

fn listed(operands: &[Word], verbs: &[&str]) -> Work {
    let mut work = Work::default();
    if operands.first().and_then(Word::literal).is_some_and(|verb| verbs.contains(&verb)) {
        let folder = operands.get(2..).unwrap_or(&[]).last().cloned();
        work.unpacks(&folder.unwrap_or(Word::Literal(".".into())), &[]);
    }
    work
}

fn here(members: &[Word]) -> Work {
    let mut work = Work::default();
    work.unpacks(&Word::Literal(".".into()), members);
    work
}

/// `cpio -i`, `cpio -p folder`, `cpio -o -O archive`.
fn copied_in(words: &Arguments) -> Work {
    let mut work = Work::default();
    let here = Word::Literal(".".into());
    if words.has_letter('p') || words.has("--pass-through") {
        let folder = words.operands.first().cloned().unwrap_or(here);
        work.unpacks(&folder, &[]);
    } else if words.has_letter('i') || words.has("--extract") {
        let folder = words.values(&["-D", "--directory"]).last().cloned().unwrap_or(here);
        if !words.has_letter('t') {
            work.unpacks(&folder, &[]);
        }
    } else {
        words.values(&["-O", "-F", "--file"]).for_each(|archive| work.writes(archive));
    }
    work
}
