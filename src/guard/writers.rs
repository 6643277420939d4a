//! What the common programs do to the files that they are given.

use super::access::access;
use super::archives;
use super::arguments::{Arguments, distinct, without};
use super::carriers::{self, copied, downloaded, linked, moved, packed, synchronised};
use super::case::Case;
use super::change::{Change, NewText, each, first_is, grammar, last, stdin_text};
use super::landing::{self, Arrival};
use super::outputs;
use super::paths::Reach;
use super::scripts::{awk_writes, editor_writes, patched_files, sed_writes};
use crate::decision::Code;
use crate::shell::{Invocation, Piece, Stdin, Word};

/// The programs that are judged here, besides those with a row in [`outputs`] and the archivers.
const PROGRAMS: [&str; 73] = [
    "add-content",
    "attrib",
    "awk",
    "bunzip2",
    "bzip2",
    "chattr",
    "chgrp",
    "chmod",
    "chown",
    "clear-content",
    "cmake",
    "compress",
    "copy",
    "copy-item",
    "cp",
    "csplit",
    "dd",
    "del",
    "ed",
    "erase",
    "ex",
    "fallocate",
    "gawk",
    "gio",
    "gsed",
    "gunzip",
    "gzip",
    "icacls",
    "install",
    "link",
    "ln",
    "lzma",
    "mawk",
    "mi",
    "mkdir",
    "mkfifo",
    "mknod",
    "mount",
    "move",
    "move-item",
    "mv",
    "nawk",
    "nvim",
    "out-file",
    "perl",
    "pigz",
    "rd",
    "remove-item",
    "ren",
    "rename",
    "rename-item",
    "ri",
    "rm",
    "rsync",
    "ruby",
    "scp",
    "sed",
    "set-content",
    "setfacl",
    "shred",
    "split",
    "sponge",
    "srm",
    "tee",
    "tee-object",
    "touch",
    "trash",
    "trash-put",
    "truncate",
    "unlink",
    "vi",
    "vim",
    "xz",
];

/// Whether what `program` does to its files is known here.
pub(super) fn knows(program: &str) -> bool {
    PROGRAMS.contains(&program) || archives::PROGRAMS.contains(&program) || outputs::knows(program)
}

/// How many folders and globs of one command are followed to where they arrive.
const MAX_ARRIVALS: usize = 256;

/// The one change that a store takes no harm from.
pub(super) const CREATE: &str = "create or touch";

/// What `program` with these words changes; nothing for programs that only read, and for those
/// we do not know.
pub(super) fn changes(case: &mut Case, program: &str, invocation: &Invocation) -> Vec<Change> {
    let is_python = program.starts_with("python");
    if !knows(program) && !is_python {
        return Vec::new();
    }
    let cwd = invocation.cwd.as_deref();
    let args = invocation.argv.get(1..).unwrap_or(&[]);
    let mut found = outputs::changes(program, invocation);
    let work = if is_python { archives::module(args) } else { archives::work(program, args) };
    found.extend(work.changes);
    let mut arrivals = work.arrivals;
    if PROGRAMS.contains(&program) || matches!(program, "patch" | "curl" | "wget") {
        let words = Arguments::read(args, &grammar(program), &[]);
        found.extend(named(case, program, invocation, &words));
        arrivals.extend(unnamed(program, &words));
    }
    if arrivals.len() > MAX_ARRIVALS {
        case.doubt_of(Code::ShellUnclear, "too many sources");
    }
    for arrival in arrivals.iter().take(MAX_ARRIVALS) {
        found.extend(landing::changes(case, cwd, arrival));
    }
    found
}

/// What arrives under names that the words do not spell.
fn unnamed(program: &str, words: &Arguments) -> Vec<Arrival> {
    match program {
        "mv" | "move" | "move-item" | "mi" | "cp" | "copy" | "copy-item" | "install" | "scp"
        | "rsync" => carriers::arrivals(program, words),
        _ => Vec::new(),
    }
}

/// The changes of paths that the words spell.
fn named(
    case: &mut Case,
    program: &str,
    invocation: &Invocation,
    words: &Arguments,
) -> Vec<Change> {
    let operands = &words.operands;
    match program {
        "rm" | "del" | "erase" | "ri" | "remove-item" | "rd" | "trash" | "trash-put" | "srm" => {
            removed(program, words)
        }
        "unlink" | "shred" => each(operands, Reach::This, "remove", &NewText::Gone),
        "gio" if first_is(operands, &["trash", "remove"]) => {
            each(words.after(1), Reach::Below, "remove", &NewText::Gone)
        }
        "mv" | "move" | "move-item" | "mi" | "ren" | "rename-item" => moved(words),
        "rename" => each(words.after(1), Reach::Below, "move away", &NewText::Gone),
        "cp" | "copy" | "copy-item" | "install" | "scp" => copied(program, words),
        "ln" | "link" => linked(words),
        "dd" => assigned(operands, "of="),
        "tee" | "tee-object" => teed(words, invocation),
        "truncate" | "fallocate" => each(operands, Reach::This, "truncate", &NewText::Gone),
        "sponge" | "set-content" | "out-file" | "clear-content" | "add-content" => {
            each(operands, Reach::This, "overwrite", &NewText::Unknown)
        }
        "split" => prefixed(operands.get(1)),
        "csplit" => prefixed(words.values(&["-f", "--prefix"]).last()),
        "sed" | "gsed" | "perl" | "ruby" => edited_in_place(case, program, invocation, words),
        "awk" | "gawk" | "mawk" | "nawk" => awk(words, invocation),
        "ed" | "ex" | "vi" | "vim" | "nvim" => in_editor(case, program, invocation, words),
        "patch" => patched(case, invocation, words),
        "chmod" | "chown" | "chgrp" | "chattr" | "setfacl" | "icacls" | "attrib" => {
            access(program, words)
        }
        "gzip" | "gunzip" | "pigz" | "bzip2" | "bunzip2" | "xz" | "lzma" | "compress" => {
            packed(program, words)
        }
        "rsync" => synchronised(words),
        "curl" | "wget" => downloaded(program, words),
        "cmake" => tooled(case, invocation),
        // They leave a store as it is, but can make a file of ours.
        "touch" | "mkdir" | "mkfifo" | "mknod" => {
            each(operands, Reach::This, CREATE, &NewText::Same)
        }
        "mount" => last(operands, Reach::Below, "mount over", &NewText::Unknown),
        _ => Vec::new(),
    }
}

/// `cmake -E rm -rf x` and the like: the common programs under another name.
fn tooled(case: &mut Case, invocation: &Invocation) -> Vec<Change> {
    let literal = |at: usize| invocation.argv.get(at).and_then(Word::literal);
    if literal(1) != Some("-E") {
        return Vec::new();
    }
    let words: &[&str] = match literal(2).unwrap_or_default() {
        "copy" | "copy_if_different" => &["cp"],
        "copy_directory" => &["cp", "-rT"],
        "rename" => &["mv"],
        "rm" | "remove" | "remove_directory" => &["rm", "-r"],
        "create_symlink" => &["ln", "-sf"],
        "tar" => &["tar"],
        "touch" => &["touch"],
        _ => return Vec::new(),
    };
    let Some(program) = words.first() else { return Vec::new() };
    let words = words.iter().map(|word| Word::Literal((*word).to_owned()));
    let argv = words.chain(invocation.argv.iter().skip(3).cloned()).collect();
    changes(case, program, &Invocation { argv, ..invocation.clone() })
}

/// Files whose names begin with `prefix`.
fn prefixed(prefix: Option<&Word>) -> Vec<Change> {
    let mut pieces = match prefix {
        Some(Word::Literal(text)) => vec![Piece::Text(text.clone())],
        Some(Word::Partial(pieces)) => pieces.clone(),
        Some(Word::OneOf(_)) | None => return Vec::new(),
    };
    pieces.push(Piece::Glob("*".into()));
    each(&[Word::Partial(pieces)], Reach::This, "overwrite", &NewText::Unknown)
}

fn awk(words: &Arguments, invocation: &Invocation) -> Vec<Change> {
    let written = awk_writes(words, invocation);
    let mut found = each(&written, Reach::This, "overwrite", &NewText::Unknown);
    if words.literals(&["-i", "--include"]).any(|name| name == "inplace") {
        found.extend(each(words.after(0), Reach::This, "edit", &NewText::Unknown));
    }
    found
}

/// Files that vi, ex or ed edit, and those that their commands write.
fn in_editor(
    case: &mut Case,
    program: &str,
    invocation: &Invocation,
    words: &Arguments,
) -> Vec<Change> {
    let cwd = invocation.cwd.as_deref();
    let mut scripts: Vec<String> = words.literals(&["-c", "--cmd"]).map(str::to_owned).collect();
    let (plus, files): (Vec<&Word>, Vec<&Word>) = words.operands.iter().partition(|word| {
        word.literal().is_some_and(|text| text.starts_with('+')) && program != "ed"
    });
    scripts.extend(plus.iter().filter_map(|word| Some(word.literal()?.get(1..)?.to_owned())));
    for file in words.values(&["-S", "-u"]) {
        scripts.extend(case.text_at(cwd, file).flatten());
    }
    let typed = input_text(case, invocation);
    let is_silent = program == "ed" || words.has_letter('e') || words.has_letter('s');
    scripts.extend(typed.clone().filter(|_| is_silent || program == "ex"));
    let mut written = Vec::new();
    for script in &scripts {
        editor_writes(script, &mut written, 0);
    }
    let written = distinct(written.into_iter().map(Word::Literal).collect());
    let mut found = each(&written, Reach::Below, "overwrite", &NewText::Unknown);
    let by_itself = matches!(program, "ed" | "ex") || is_silent || !scripts.is_empty();
    if by_itself {
        let script = typed.filter(|_| matches!(program, "ed" | "ex")).map(Word::Literal);
        let text = edited(words, script.as_ref());
        found.extend(files.iter().map(|file| Change::new(file, Reach::This, "edit", text.clone())));
    }
    found
}

/// The text on standard input, also from a file.
fn input_text(case: &Case, invocation: &Invocation) -> Option<String> {
    match &invocation.stdin {
        Stdin::File(file) => case.text_at(invocation.cwd.as_deref(), file).flatten(),
        Stdin::Inherited | Stdin::Text(_) | Stdin::Unknown => stdin_text(invocation),
    }
}

/// `patch`: the files that its input names; those that it is given have a row.
fn patched(case: &mut Case, invocation: &Invocation, words: &Arguments) -> Vec<Change> {
    let cwd = invocation.cwd.as_deref();
    let file = words.values(&["-i", "--input"]).last().or(words.operands.get(1));
    let text = match file {
        Some(file) => case.text_at(cwd, file).flatten(),
        None => input_text(case, invocation),
    };
    let Some(text) = text.filter(|_| words.operands.is_empty()) else { return Vec::new() };
    let strip = words.literals(&["-p", "--strip"]).find_map(|text| text.parse().ok()).unwrap_or(0);
    let files: Vec<Word> = patched_files(&text, &[strip]).into_iter().map(Word::Literal).collect();
    each(&files, Reach::This, "edit", &NewText::Edited(text))
}

fn removed(program: &str, words: &Arguments) -> Vec<Change> {
    let deep = words.has_letter('r')
        || words.has_letter('R')
        || words.has("--recursive")
        || program.starts_with("trash")
        || program == "rd";
    let reach = if deep { Reach::Below } else { Reach::This };
    each(&words.operands, reach, "remove", &NewText::Gone)
}

fn teed(words: &Arguments, invocation: &Invocation) -> Vec<Change> {
    let appends = words.has_letter('a') || words.has("--append");
    let text = match (appends, stdin_text(invocation)) {
        (true, Some(text)) => NewText::Appended(text),
        (false, Some(text)) => NewText::Known(text),
        (_, None) => NewText::Unknown,
    };
    each(&words.operands, Reach::This, "overwrite", &text)
}

/// `of=PATH` and the like.
fn assigned(operands: &[Word], key: &str) -> Vec<Change> {
    let named = operands.iter().filter_map(|word| {
        let word = match word {
            Word::OneOf(all) => {
                Word::OneOf(all.iter().filter(|text| text.starts_with(key)).cloned().collect())
            }
            Word::Literal(_) | Word::Partial(_) => word.clone(),
        };
        super::options::beginning(&word).starts_with(key).then(|| without(&word, key.len()))
    });
    named.map(|path| Change::new(&path, Reach::This, "overwrite", NewText::Unknown)).collect()
}

/// Files that are edited where they are, and those that a sed script writes.
fn edited_in_place(
    case: &mut Case,
    program: &str,
    invocation: &Invocation,
    words: &Arguments,
) -> Vec<Change> {
    const CODES: &[&str] = &["-e", "--expression", "-E"];
    const FILES: &[&str] = &["-f", "--file"];
    let is_sed = program.ends_with("sed");
    let by_option = words.has_any(CODES) || (is_sed && words.has_any(FILES));
    let (script, files) = match words.operands.split_first() {
        Some((script, files)) if is_sed && !by_option => (Some(script), files),
        Some(_) | None => (None, words.after(0)),
    };
    let mut found = Vec::new();
    if is_sed {
        let mut texts: Vec<String> = words.literals(CODES).map(str::to_owned).collect();
        texts.extend(script.and_then(Word::literal).map(str::to_owned));
        for file in words.values(FILES) {
            texts.extend(case.text_at(invocation.cwd.as_deref(), file).flatten());
        }
        let written = sed_writes(&texts.join("\n")).into_iter().map(Word::Literal).collect();
        let written = distinct(written);
        found.extend(each(&written, Reach::This, "overwrite", &NewText::Unknown));
    }
    if words.has_letter('i') || words.has("--in-place") {
        found.extend(each(files, Reach::This, "edit", &edited(words, script)));
    }
    found
}

/// What an edit does, as far as the command's own words say it.
fn edited(words: &Arguments, script: Option<&Word>) -> NewText {
    let scripts = words.literals(&["-e", "--expression", "-E", "-c"]);
    let mut texts: Vec<String> = scripts.map(str::to_owned).collect();
    texts.extend(script.and_then(Word::literal).map(str::to_owned));
    let script = texts.join("\n");
    // perl's -0 reads all lines as one.
    if words.has_letter('0') {
        return NewText::Unknown;
    }
    NewText::Edited(script)
}
