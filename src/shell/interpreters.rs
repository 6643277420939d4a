//! Shells and other interpreters: the code in their arguments, on their input, in their files.

use super::eval::{Printed, Reader};
use super::operands::{Given, Names, UNKNOWN};
use super::run::Call;
use super::scope::Scope;
use super::snippets::{Started, prints, started_with};
use super::types::{Piece, Stdin, What, Word};

/// Runs an interpreter; `None` when the program is none.
pub(super) fn run(
    reader: &mut Reader<'_>,
    name: &str,
    call: &Call<'_>,
    scope: &mut Scope,
) -> Option<Printed> {
    if super::shells::is_shell(name) {
        super::subscript::traced(reader, call, scope);
        return Some(super::shells::shell(reader, call, scope));
    }
    match name {
        "pwsh" | "powershell" => {
            return Some(super::pwsh::program(reader, call, scope));
        }
        "cmd" | "cmd.exe" => return Some(super::cmd::program(reader, call, scope)),
        _ => {}
    }
    let language = LANGUAGES.iter().find(|language| language.is(name))?;
    Some(interpreter(reader, language, call, scope))
}

/// A language whose code may start programs.
struct Language {
    names: &'static [&'static str],
    /// Options whose value is code.
    code: &'static [&'static str],
    /// Options that take the next word.
    valued: &'static [&'static str],
    /// Words that stand before the script's file (`bun run FILE`).
    verbs: &'static [&'static str],
    /// The first operand is code itself (`awk 'program'`).
    operand_is_code: bool,
    /// Reads code from standard input when it gets none.
    reads_input: bool,
}

impl Language {
    fn is(&self, name: &str) -> bool {
        self.names.iter().any(|own| {
            name == *own
                || name.strip_prefix(own).is_some_and(|rest| {
                    !rest.is_empty()
                        && rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
                })
        })
    }
}

const LANGUAGES: &[Language] = &[
    Language {
        names: &["python", "pypy", "python3", "ipython"],
        code: &["-c"],
        valued: &["-W", "-X", "-Q"],
        verbs: &[],
        operand_is_code: false,
        reads_input: true,
    },
    Language {
        names: &["node", "nodejs", "bun", "tsx", "ts-node", "deno", "jiti", "esno", "swc-node"],
        code: &["-e", "--eval", "-p", "--print", "-pe", "eval"],
        valued: &[
            "-r",
            "--require",
            "--import",
            "--loader",
            "--experimental-loader",
            "-C",
            "--conditions",
            "--tsconfig",
            "--env-file",
            "--config",
            "-c",
        ],
        verbs: &["run", "x", "watch"],
        operand_is_code: false,
        reads_input: true,
    },
    Language {
        names: &["perl", "ruby", "jruby"],
        code: &["-e", "-E"],
        valued: &["-I", "-r", "-M", "-F", "-C"],
        verbs: &[],
        operand_is_code: false,
        reads_input: true,
    },
    Language {
        names: &["php"],
        code: &["-r", "--run", "-B", "-E", "-R"],
        valued: &["-d", "-c", "-S", "-t"],
        verbs: &[],
        operand_is_code: false,
        reads_input: true,
    },
    Language {
        names: &["awk", "gawk", "mawk", "nawk"],
        code: &["-e", "--source"],
        valued: &["-v", "-F", "-i", "--assign", "--field-separator"],
        verbs: &[],
        operand_is_code: true,
        reads_input: false,
    },
    Language {
        names: &[
            "lua",
            "luajit",
            "tclsh",
            "guile",
            "Rscript",
            "julia",
            "elixir",
            "osascript",
            "expect",
            "groovy",
            "scala",
            "racket",
            "m4",
            "octave",
        ],
        code: &["-e", "-c", "--eval", "-l"],
        valued: &[],
        verbs: &[],
        operand_is_code: false,
        reads_input: true,
    },
];

fn interpreter(
    reader: &mut Reader<'_>,
    language: &Language,
    call: &Call<'_>,
    scope: &mut Scope,
) -> Printed {
    let mut index = 1;
    let mut ran = false;
    let mut printed = None;
    let mut names = Names::new();
    while let Some(word) = call.argv.get(index) {
        let Some(text) = word.literal() else { break };
        if language.code.contains(&text) {
            if let Some(code) = call.argv.get(index + 1).cloned() {
                printed = code.literal().and_then(prints);
                snippet(reader, &code, scope);
            }
            ran = true;
            index += 2;
            continue;
        }
        if let Some(code) = attached(language, text) {
            snippet(reader, &Word::Literal(code), scope);
            ran = true;
        } else if text == "-m" {
            // `python -m module`: a file beside, or a program by another name.
            if let Some(module) = call.arg(index + 1).and_then(|name| module(reader, name, scope)) {
                text_of(reader, language, module, call, scope);
                return None;
            }
            let rest = call.argv.get(index + 1..).unwrap_or(&[]).to_vec();
            return reader.launched("-m", &rest, scope, call.input, call.env);
        } else if language.valued.contains(&text) {
            index += 1;
            if matches!(text, "-r" | "--require" | "--import")
                && let Some(file) = call.argv.get(index).cloned()
                && file.literal().is_some_and(|path| path.contains(['/', '.']))
            {
                script(reader, language, &file, call, index + 1, scope);
            }
            if let Some((name, value)) = call.arg(index).and_then(|text| text.split_once('=')) {
                names.insert(name.to_owned(), Given::Text(value.to_owned()));
            }
        } else if matches!(text, "-f" | "--file") && language.operand_is_code {
            if let Some(file) = call.argv.get(index + 1).cloned() {
                script(reader, language, &file, call, index + 2, scope);
            }
            return None;
        } else if !(text.starts_with('-') && text.len() > 1
            || index == 1 && language.verbs.contains(&text))
        {
            break;
        }
        index += 1;
    }
    if ran {
        return printed;
    }
    operand(reader, language, call, index, &names, scope)
}

/// `-e'code'` in one word, and bundles such as `-lane 'code'`.
fn attached(language: &Language, text: &str) -> Option<String> {
    let long = language
        .code
        .iter()
        .filter(|option| option.starts_with("--"))
        .find_map(|option| text.strip_prefix(option).and_then(|rest| rest.strip_prefix('=')));
    let short = language
        .code
        .iter()
        .filter(|option| option.len() == 2 && !text.starts_with("--"))
        .find_map(|option| {
            text.strip_prefix(option).filter(|rest| rest.contains(['(', ' ', ';', '`', '"', '\'']))
        });
    long.or(short).map(str::to_owned)
}

fn operand(
    reader: &mut Reader<'_>,
    language: &Language,
    call: &Call<'_>,
    index: usize,
    names: &Names,
    scope: &mut Scope,
) -> Printed {
    let Some(first) = call.argv.get(index).cloned() else {
        if language.reads_input {
            input(reader, call.input, scope);
        }
        return None;
    };
    if language.operand_is_code {
        snippet_with(reader, &first, names, scope);
        return first.literal().and_then(prints);
    }
    if first.literal() == Some("-") {
        input(reader, call.input, scope);
        return None;
    }
    // Bundled letters ending in the code letter: `perl -lane CODE` leaves CODE as the operand.
    let bundled = call.arg(index.saturating_sub(1)).is_some_and(|option| {
        option.starts_with('-')
            && !option.starts_with("--")
            && option.len() > 2
            && language
                .code
                .iter()
                .any(|code| code.len() == 2 && option.ends_with(code.trim_start_matches('-')))
    });
    if bundled && first.literal().is_some_and(|text| text.contains([' ', '(', ';', '"', '\'', '`']))
    {
        snippet(reader, &first, scope);
        return None;
    }
    script(reader, language, &first, call, index + 1, scope);
    None
}

/// The text of python's module `name`, when it lies beside the work.
fn module(reader: &mut Reader<'_>, name: &str, scope: &Scope) -> Option<String> {
    let path = name.replace('.', "/");
    let files =
        [format!("{path}.py"), format!("{path}/__main__.py"), format!("{path}/__init__.py")];
    files.iter().find_map(|file| reader.file_text(file, scope))
}

/// The most code of a file that is looked at as if it stood on the command line.
const MAX_SHOWN: usize = 65_536;

/// Runs the code of a file; what it does to files is judged as if it stood on the command line.
fn text_of(
    reader: &mut Reader<'_>,
    language: &Language,
    text: String,
    call: &Call<'_>,
    scope: &mut Scope,
) {
    if text.len() <= MAX_SHOWN && WORTH.iter().any(|word| text.contains(word)) {
        let option = language.code.first().filter(|_| !language.operand_is_code);
        let mut argv: Vec<Word> = call.argv.first().cloned().into_iter().collect();
        argv.extend(option.map(|option| Word::Literal((*option).to_owned())));
        argv.push(Word::Literal(text.clone()));
        reader.invocation(argv, scope, Vec::new(), Stdin::Inherited, call.env);
    }
    snippet(reader, &Word::Literal(text), scope);
}

/// What the paths of memory, and of what guards it, are called.
const WORTH: [&str; 6] = [".local", "ringfence", "cortex", "memory.db", "claude", ".mcp"];

/// A script file of the language: a memory's own program by its path, or a text to look into.
fn script(
    reader: &mut Reader<'_>,
    language: &Language,
    file: &Word,
    call: &Call<'_>,
    after: usize,
    scope: &mut Scope,
) {
    let memory = file.literal().and_then(|path| super::program::memory_program(path, false));
    if memory.is_some() {
        let mut argv = vec![file.clone()];
        argv.extend(call.argv.get(after..).unwrap_or(&[]).iter().cloned());
        reader.launched("script", &argv, scope, call.input, call.env);
        return;
    }
    let text = file.literal().and_then(|path| reader.file_text(path, scope));
    match text {
        Some(text) => text_of(reader, language, text, call, scope),
        None => reader.note(What::Script, &super::types::spell(std::slice::from_ref(file))),
    }
}

fn input(reader: &mut Reader<'_>, input: &Stdin, scope: &mut Scope) {
    match input {
        Stdin::Text(text) => snippet(reader, &Word::Literal(text.clone()), scope),
        Stdin::File(file) => {
            let text = file.literal().and_then(|path| reader.file_text(path, scope));
            match text {
                Some(text) => snippet(reader, &Word::Literal(text), scope),
                None => reader.note(What::Script, &super::types::spell(std::slice::from_ref(file))),
            }
        }
        Stdin::Unknown => reader.unknown_input("standard input of an interpreter"),
        Stdin::Inherited => {}
    }
}

/// Runs what a snippet of another language starts.
pub(super) fn snippet(reader: &mut Reader<'_>, code: &Word, scope: &Scope) {
    snippet_with(reader, code, &Names::new(), scope);
}

fn snippet_with(reader: &mut Reader<'_>, code: &Word, names: &Names, scope: &Scope) {
    let Some(texts) = code.as_code() else {
        reader.unknown_word(What::Code, code, "code of an interpreter");
        return;
    };
    for text in texts {
        if !reader.spend(1 + text.len() / 2) {
            return;
        }
        let all = started_with(&text, names.clone(), 0);
        let mut own = scope.clone();
        own.may_be_in(directories(&text, scope));
        let scope = &own;
        if super::snippets::hides(&text, &all) {
            reader.source(super::types::Source::Text);
        }
        for found in all {
            match found {
                Started::Code(code) => {
                    let code = Word::Literal(code);
                    reader.launched_code("interpreter", &code, &[], scope, &Stdin::Inherited);
                }
                Started::Argv(argv) => {
                    let argv: Vec<Word> = argv
                        .into_iter()
                        .map(|word| {
                            word.map_or_else(
                                || Word::hole("value", false),
                                |text| with_holes(&text),
                            )
                        })
                        .collect();
                    reader.launched("interpreter", &argv, scope, &Stdin::Inherited, &[]);
                }
                Started::Unknown => reader.note(What::Code, "a command built by an interpreter"),
            }
        }
    }
}

/// The directories that a snippet goes to, or starts its programs in.
fn directories(code: &str, scope: &Scope) -> Vec<String> {
    let mut found = Vec::new();
    for mark in ["chdir(", "cwd=", "cwd:", "chdir "] {
        for (at, _) in code.match_indices(mark).take(8) {
            let rest = code.get(at + mark.len()..).unwrap_or("").trim_start();
            let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'' | '`')) else {
                continue;
            };
            let path = rest.get(1..).and_then(|rest| rest.split(quote).next()).unwrap_or("");
            found.extend(super::directory::absolute(scope.cwd.as_deref(), path));
        }
    }
    found
}

/// A text whose unknown parts are spelled in it.
fn with_holes(text: &str) -> Word {
    let mut word = Word::empty();
    for (index, piece) in text.split(UNKNOWN).enumerate() {
        if index > 0 {
            word.push_piece(Piece::Hole { what: "value".into(), many: false });
        }
        word.push_text(piece);
    }
    word
}
