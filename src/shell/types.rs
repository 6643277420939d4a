//! The values of a reading.

/// The language of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// bash, dash, zsh and their kin; read as bash.
    Posix,
    /// Windows PowerShell and pwsh.
    PowerShell,
    /// cmd.exe.
    Cmd,
}

/// Where a text starts: what the reader may assume before the first word.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Start {
    /// The directory, absolute.
    pub cwd: String,
    /// The user's home, for `~` and `$HOME`.
    pub home: String,
    /// Words of `$0 $1 …`, when the text is a script that gets arguments.
    pub args: Vec<String>,
}

/// The files a text may name (`sh f`, `. f`, `make`, `npm run`), read by whoever may touch them.
pub trait Files {
    /// The text of the regular file at the absolute `path`, if it is small and readable.
    fn text(&self, path: &str) -> Option<String>;
}

/// No files at all.
pub struct NoFiles;

impl Files for NoFiles {
    fn text(&self, _path: &str) -> Option<String> {
        None
    }
}

/// All that a text would run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// In the order of the text; launchers come before what they launch.
    pub invocations: Vec<Invocation>,
    /// What could not be read or is only known at run time.
    pub unclear: Vec<Unclear>,
    /// The texts that were not read to their end, when a bound was reached: inner ones first.
    pub unread: Vec<super::Unread>,
    /// For code that only run time knows: which of the invocations it is made by.
    pub sources: Vec<Source>,
    /// The work it took, in the reader's own count; the same for the same text everywhere.
    pub steps: usize,
}

/// What code that only run time knows is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// What these invocations print.
    Printed(std::ops::Range<usize>),
    /// Anything in the text: a variable, a file that a program wrote, a value of another language.
    Text,
}

/// One program that would be started (or shell builtin that would run).
#[derive(Clone, Debug, PartialEq)]
pub struct Invocation {
    /// The program word and its arguments. Never empty.
    pub argv: Vec<Word>,
    /// The directory it runs in: absolute if known.
    pub cwd: Option<String>,
    /// Directories besides `cwd` that it may run in as well: a `cd` may fail, a branch not be taken.
    pub elsewhere: Vec<String>,
    /// Variables that the text gives it (`A=b cmd`, `export A=b`, `env A=b cmd`), last one wins.
    pub env: Vec<(String, Word)>,
    /// Its redirections, in order.
    pub redirects: Vec<Redirect>,
    /// What it reads on standard input.
    pub stdin: Stdin,
    /// How it was found, outermost first: `["bash -c", "$(…)"]`; empty at the top of the text.
    pub via: Vec<&'static str>,
    /// Byte offset in the outermost text: of the command itself, or, when that stands in a text of
    /// its own (`bash -c '…'`, a script, backticks), of the command in the outermost text around it.
    pub at: usize,
    /// The byte offset after it; not above `at` when it is not known.
    pub end: usize,
    /// The number of the command in the text that starts it, from 1; what a launcher starts has the
    /// launcher's. 0 for a text without commands.
    pub command: usize,
    /// The number of the command around it (`echo $(x)`, `bash -c x`); 0 at the top.
    pub within: usize,
    /// Runs in another machine or container (`ssh`, `docker exec`): paths and stores are not ours.
    pub remote: bool,
    /// Types into a terminal that someone else may own (`tmux send-keys`, `screen stuff`).
    pub typed: bool,
}

impl Invocation {
    /// The invocation with each value of words that can be several things: which of them are options,
    /// and which is the subcommand, differs. Empty where there is only one way; words over the bound
    /// stay as they are.
    pub fn ways(&self) -> Vec<Self> {
        let mut ways = vec![Vec::with_capacity(self.argv.len())];
        for (index, word) in self.argv.iter().enumerate() {
            match word {
                Word::OneOf(all) if index > 0 && ways.len() * all.len() <= MAX_WAYS => {
                    let with = |way: &Vec<Word>, text: &String| {
                        way.iter().cloned().chain([Word::Literal(text.clone())]).collect()
                    };
                    let all = |way| all.iter().map(move |text| with(way, text));
                    ways = ways.iter().flat_map(all).collect();
                }
                Word::Literal(_) | Word::OneOf(_) | Word::Partial(_) => {
                    ways.iter_mut().for_each(|way| way.push(word.clone()));
                }
            }
        }
        if ways.len() < 2 {
            return Vec::new();
        }
        ways.into_iter().map(|argv| Self { argv, ..self.clone() }).collect()
    }
}

impl Invocation {
    /// The invocation if everything that only run time knows were nothing, as an unset variable is;
    /// `None` where nothing is unknown in that way.
    pub fn emptied(&self) -> Option<Self> {
        let is_hole = |piece: &Piece| matches!(piece, Piece::Hole { .. });
        let mut argv = Vec::with_capacity(self.argv.len());
        let mut any = false;
        for word in &self.argv {
            let Word::Partial(pieces) = word else {
                argv.push(word.clone());
                continue;
            };
            if !pieces.iter().any(is_hole) || pieces.iter().any(|p| matches!(p, Piece::Glob(_))) {
                argv.push(word.clone());
                continue;
            }
            any = true;
            let text: String = pieces
                .iter()
                .map(|piece| if let Piece::Text(text) = piece { text.as_str() } else { "" })
                .collect();
            let vanishes = pieces.iter().all(|p| matches!(p, Piece::Hole { many: true, .. }));
            if !vanishes {
                argv.push(Word::Literal(text));
            }
        }
        (any && !argv.is_empty()).then(|| Self { argv, ..self.clone() })
    }
}

/// The most ways in which one command's words are read.
const MAX_WAYS: usize = 32;

/// One redirection.
#[derive(Clone, Debug, PartialEq)]
pub struct Redirect {
    /// The descriptor, where written; else the operator's own.
    pub fd: Option<u32>,
    /// `<`, `>`, `>>`, `>|`, `<>`, `&>`, `>&`, …
    pub op: &'static str,
    /// The file, or the descriptor of a duplication.
    pub target: Word,
}

/// What a program reads on standard input.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Stdin {
    /// What the text itself got.
    #[default]
    Inherited,
    /// A known text (here-doc, here-string, `echo … |`).
    Text(String),
    /// A file.
    File(Word),
    /// The output of something that is only known at run time.
    Unknown,
}

/// A word as a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Word {
    /// Exactly this.
    Literal(String),
    /// One of these (at most 16), all known.
    OneOf(Vec<String>),
    /// Partly or wholly unknown.
    Partial(Vec<Piece>),
}

/// A piece of a word that is not wholly known.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// Known text.
    Text(String),
    /// An unquoted glob: its text (`*`, `?`, `[ab]`); behind [`super::LISTED`] one that matches names
    /// with a leading dot as well.
    Glob(String),
    /// A value that is only known at run time; `many` if it may be any number of words.
    Hole { what: String, many: bool },
}

impl Piece {
    /// Its text, when it is known.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Glob(_) | Self::Hole { .. } => None,
        }
    }
}

impl Word {
    /// The value, when there is exactly one.
    pub fn literal(&self) -> Option<&str> {
        match self {
            Self::Literal(text) => Some(text),
            Self::OneOf(_) | Self::Partial(_) => None,
        }
    }

    /// All values, when all are known.
    pub fn values(&self) -> Option<&[String]> {
        match self {
            Self::Literal(text) => Some(std::slice::from_ref(text)),
            Self::OneOf(all) => Some(all),
            Self::Partial(_) => None,
        }
    }

    /// Whether the word can be exactly `text`: `true` for an unknown word whose known pieces fit.
    pub fn can_be(&self, text: &str) -> bool {
        match self {
            Self::Literal(known) => known == text,
            Self::OneOf(all) => all.iter().any(|known| known == text),
            Self::Partial(pieces) => pieces_fit(pieces, text),
        }
    }
}

/// Whether `pieces` with every hole and glob taken as "anything" can spell `text`.
fn pieces_fit(pieces: &[Piece], text: &str) -> bool {
    let mut rest = text;
    let mut open = false;
    for (index, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Text(known) => {
                let found = if !open {
                    rest.starts_with(known.as_str()).then_some(0)
                } else if index + 1 == pieces.len() {
                    rest.ends_with(known.as_str()).then(|| rest.len() - known.len())
                } else {
                    rest.find(known.as_str())
                };
                let Some(found) = found else { return false };
                rest = rest.get(found + known.len()..).unwrap_or("");
                open = false;
            }
            Piece::Glob(_) | Piece::Hole { .. } => open = true,
        }
    }
    open || rest.is_empty()
}

/// Something the reader could not settle, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unclear {
    /// What is unclear.
    pub what: What,
    /// Byte offset in the outermost text.
    pub at: usize,
    /// A few words of the text, or the name of the bound.
    pub detail: String,
}

/// What is unclear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A bound was reached (size, depth, steps, set size).
    Bound,
    /// A NUL byte.
    Nul,
    /// The program word is only known at run time.
    Program,
    /// A text that will be run as code is only known at run time.
    Code,
    /// A script file that is run could not be read.
    Script,
    /// A launcher that we do not know has a tail that looks like a command.
    Launcher,
    /// Syntax that could not be followed (unterminated quote, here-doc without end).
    Syntax,
}

/// The words of a command for a person: unknown parts as `…`.
pub fn spell(argv: &[Word]) -> String {
    let mut text = String::new();
    for (index, word) in argv.iter().enumerate().take(12) {
        if index > 0 {
            text.push(' ');
        }
        match word {
            Word::Literal(known) => text.push_str(known),
            Word::OneOf(all) => text.push_str(&all.join("|")),
            Word::Partial(pieces) => {
                for piece in pieces {
                    text.push_str(match piece {
                        Piece::Text(known) => known,
                        Piece::Glob(known) => known.trim_start_matches(super::values::LISTED),
                        Piece::Hole { .. } => "…",
                    });
                }
            }
        }
    }
    text
}
