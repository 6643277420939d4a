//! What the common programs do to the files that they are given.

use super::carriers::{copied, linked, moved, packed, synchronised, unpacked, written_by_option};
use super::change::{Change, NewText, Words, each, first_is, is, last, stdin_text, value_options};
use super::paths::Reach;
use crate::shell::{Invocation, Piece, Word};

/// The programs that [`changes`] knows.
pub(super) const PROGRAMS: [&str; 71] = [
    "add-content",
    "attrib",
    "awk",
    "bsdtar",
    "bzip2",
    "chattr",
    "chgrp",
    "chmod",
    "chown",
    "clear-content",
    "compress",
    "copy",
    "copy-item",
    "cp",
    "curl",
    "dd",
    "del",
    "ed",
    "erase",
    "ex",
    "fallocate",
    "gawk",
    "gio",
    "gsed",
    "gzip",
    "icacls",
    "iconv",
    "install",
    "ln",
    "lzma",
    "mi",
    "mkdir",
    "mkfifo",
    "mknod",
    "mount",
    "move",
    "move-item",
    "mv",
    "nvim",
    "out-file",
    "patch",
    "perl",
    "rd",
    "remove-item",
    "ren",
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
    "sort",
    "sponge",
    "srm",
    "tar",
    "tee",
    "tee-object",
    "touch",
    "trash",
    "trash-put",
    "truncate",
    "unlink",
    "vi",
    "vim",
    "wget",
    "xxd",
    "xz",
];

/// The one change that a store takes no harm from.
pub(super) const CREATE: &str = "create or touch";

/// What `program` with these words changes; nothing for programs that only read, and for those
/// we do not know.
pub(super) fn changes(program: &str, invocation: &Invocation) -> Vec<Change> {
    if !PROGRAMS.contains(&program) {
        return Vec::new();
    }
    let args = invocation.argv.get(1..).unwrap_or(&[]);
    let words = Words::read(args, value_options(program));
    let options = &words.options;
    match program {
        "rm" | "del" | "erase" | "ri" | "remove-item" | "rd" | "trash" | "trash-put" | "srm" => {
            removed(program, &words)
        }
        "unlink" | "shred" => each(&words.operands, Reach::This, "remove", &NewText::Gone),
        "gio" if first_is(&words.operands, &["trash", "remove"]) => {
            each(words.after(1), Reach::Below, "remove", &NewText::Gone)
        }
        "mv" | "move" | "move-item" | "mi" | "ren" | "rename-item" => moved(&words),
        "cp" | "copy" | "copy-item" | "install" | "scp" => copied(program, &words),
        "ln" => linked(&words),
        "dd" => assigned(args, "of="),
        "tee" | "tee-object" => teed(&words, invocation),
        "truncate" | "fallocate" => each(&words.operands, Reach::This, "truncate", &NewText::Gone),
        "sponge" | "set-content" | "out-file" | "clear-content" | "add-content" => {
            each(words.after(0), Reach::This, "overwrite", &NewText::Unknown)
        }
        "sed" | "gsed" | "perl" | "ruby" => edited_in_place(program, args, &words),
        "awk" | "gawk" if args.windows(2).any(|pair| is(pair, &["-i", "inplace"])) => {
            each(words.after(1), Reach::This, "edit", &NewText::Unknown)
        }
        "ed" | "ex" => {
            let script = stdin_text(invocation).map(Word::Literal);
            each(&words.operands, Reach::This, "edit", &edited(&words, script.as_ref()))
        }
        "vi" | "vim" | "nvim"
            if options.has_letter('c') || options.has_letter('e') || options.has_letter('s') =>
        {
            each(&words.operands, Reach::This, "edit", &edited(&words, None))
        }
        "patch" => {
            each(words.operands.get(..1).unwrap_or(&[]), Reach::This, "edit", &NewText::Unknown)
        }
        "chmod" | "chown" | "chgrp" | "chattr" | "setfacl" | "icacls" | "attrib" => {
            access(program, &words)
        }
        "gzip" | "bzip2" | "xz" | "lzma" | "compress" => packed(&words),
        "rsync" => synchronised(&words),
        "curl" | "wget" | "sort" | "iconv" | "xxd" => written_by_option(program, &words),
        "tar" | "bsdtar" => unpacked(&words, args),
        // They leave a store as it is, but can make a file of ours.
        "touch" | "mkdir" | "mkfifo" | "mknod" => {
            each(&words.operands, Reach::This, CREATE, &NewText::Same)
        }
        "mount" => last(&words.operands, Reach::Below, "mount over", &NewText::Unknown),
        _ => Vec::new(),
    }
}

fn removed(program: &str, words: &Words) -> Vec<Change> {
    let options = &words.options;
    let deep = options.has_letter('r')
        || options.has_letter('R')
        || ["--recursive", "-Recurse"].iter().any(|name| options.has(name))
        || program.starts_with("trash")
        || program == "rd";
    let reach = if deep { Reach::Below } else { Reach::This };
    each(&words.operands, reach, "remove", &NewText::Gone)
}

fn teed(words: &Words, invocation: &Invocation) -> Vec<Change> {
    let appends = words.options.has_letter('a') || words.options.has("--append");
    let text = match (appends, stdin_text(invocation)) {
        (true, Some(text)) => NewText::Appended(text),
        (false, Some(text)) => NewText::Known(text),
        (_, None) => NewText::Unknown,
    };
    each(&words.operands, Reach::This, "overwrite", &text)
}

/// `of=PATH` and the like.
fn assigned(args: &[Word], key: &str) -> Vec<Change> {
    let mut changes = Vec::new();
    for word in args {
        let path = match word {
            Word::Literal(text) => {
                text.strip_prefix(key).map(|path| Word::Literal(path.to_owned()))
            }
            Word::OneOf(all) => {
                let paths: Vec<String> = all
                    .iter()
                    .filter_map(|text| text.strip_prefix(key))
                    .map(str::to_owned)
                    .collect();
                (!paths.is_empty()).then_some(Word::OneOf(paths))
            }
            Word::Partial(pieces) => match pieces.split_first() {
                Some((Piece::Text(text), rest)) => text.strip_prefix(key).map(|path| {
                    let first = Piece::Text(path.to_owned());
                    Word::Partial(std::iter::once(first).chain(rest.iter().cloned()).collect())
                }),
                Some((Piece::Glob(_) | Piece::Hole { .. }, _)) | None => None,
            },
        };
        changes.extend(
            path.map(|path| Change::new(&path, Reach::This, "overwrite", NewText::Unknown)),
        );
    }
    changes
}

fn edited_in_place(program: &str, args: &[Word], words: &Words) -> Vec<Change> {
    if !words.options.names().any(|name| is_in_place(program, name)) {
        return Vec::new();
    }
    let carries_script = |word: &Word| {
        word.literal().is_some_and(|text| {
            ["-e", "-f", "--expression", "--file", "-pe", "-pi", "-ni", "-E"]
                .iter()
                .any(|option| text.starts_with(option))
        })
    };
    let (script, files) = match words.operands.split_first() {
        Some((script, files)) if program.ends_with("sed") && !args.iter().any(carries_script) => {
            (Some(script), files)
        }
        // An unread script among the files names no file, so it does no harm there.
        Some(_) | None => (None, words.after(0)),
    };
    each(files, Reach::This, "edit", &edited(words, script))
}

/// Whether an option, or a bundle of them, asks for editing in place.
fn is_in_place(program: &str, name: &str) -> bool {
    if name == "--in-place" {
        return true;
    }
    let Some(bundle) = name.strip_prefix('-').filter(|rest| !rest.starts_with('-')) else {
        return false;
    };
    // From these letters on the bundle is the letter's own value.
    let ends: &[char] = if program.ends_with("sed") {
        &['e', 'f', 'l']
    } else {
        &['e', 'E', 'I', 'M', 'm', 'x', 'F', 'C', 'r']
    };
    bundle.chars().take_while(|letter| !ends.contains(letter)).any(|letter| letter == 'i')
}

/// What an edit does, as far as the command's own words say it.
fn edited(words: &Words, script: Option<&Word>) -> NewText {
    let mut texts: Vec<String> = Vec::new();
    for name in ["-e", "--expression", "-E", "-c"] {
        texts.extend(words.options.literals(name));
    }
    texts.extend(script.and_then(Word::literal).map(str::to_owned));
    let script = texts.join("\n");
    // A script that drops lines by their numbers says nothing of what they hold.
    if script.split(['\n', ';']).any(drops_lines) {
        return NewText::Unknown;
    }
    NewText::Edited(script)
}

/// `d`, `1,$d`, `%d`, `3c`: sed's, ed's and vi's commands for lines by number.
fn drops_lines(command: &str) -> bool {
    let is_address = |c: char| c.is_ascii_digit() || c.is_whitespace() || ",$%.+-~!{}".contains(c);
    let rest = command.trim_start_matches(is_address);
    rest.strip_prefix(['d', 'D', 'c'])
        .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '}', '\\']))
}

fn access(program: &str, words: &Words) -> Vec<Change> {
    let deep = words.options.has_letter('R') || words.options.has("--recursive");
    // Everyday: `chmod -R u+w .`. It harms a store below only if it takes the owner's access away; a
    // directory that its owner cannot enter shuts in all that lies below.
    let mode = || words.operands.first().and_then(Word::literal);
    let takes_away = match program {
        "chmod" if deep => mode().is_some_and(locks_out),
        "chmod" => mode().is_some_and(|mode| locks_out(mode) || shuts(mode)),
        "chattr" => true,
        _ => false,
    };
    let reach = if takes_away { Reach::Below } else { Reach::This };
    each(&words.operands, reach, "change the access to", &NewText::Same)
}

/// Whether a mode keeps a directory's owner from entering it.
fn shuts(mode: &str) -> bool {
    if mode.chars().all(|digit| digit.is_digit(8)) {
        let owner = mode.chars().rev().nth(2).and_then(|digit| digit.to_digit(8)).unwrap_or(0);
        return owner & 1 == 0;
    }
    mode.split(',').any(|part| part.contains("-x") && !part.starts_with(['g', 'o']))
}

/// Whether a mode takes reading or writing from the owner.
fn locks_out(mode: &str) -> bool {
    if mode.chars().all(|digit| digit.is_digit(8)) {
        let owner = mode.chars().rev().nth(2).and_then(|digit| digit.to_digit(8)).unwrap_or(0);
        return owner & 0o6 != 0o6;
    }
    mode.split(',').any(|part| {
        let (who, rest) = part.split_at(part.find(['+', '-', '=']).unwrap_or(part.len()));
        let owner = who.is_empty() || who.contains('u') || who.contains('a');
        owner
            && (rest.starts_with('-') && rest.contains(['r', 'w'])
                || rest.starts_with('=') && !(rest.contains('r') && rest.contains('w')))
    })
}
