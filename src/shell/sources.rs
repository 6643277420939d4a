//! Code that only run time knows: what it may be made of.
//!
//! `jq -r .x <<< '{"x":"…"}' | sh` runs a text that stands in the command, after a program turned it
//! over. What the program makes of it is not known; that a call of memory is in it can be seen.

use super::eval::Reader;
use super::types::{Piece, Source, What, Word};

/// The most sources that are kept apart; more are the whole text.
const MAX_SOURCES: usize = 16;

/// How the value of a substitution is named, before its number.
const SUBSTITUTION: &str = "$(…)\u{10fffa}";

/// The name of what only run time knows, for a person.
pub fn name_of(hole: &str) -> &str {
    hole.split('\u{10fffa}').next().unwrap_or(hole)
}

/// Names of files that some program reads as its code or configuration, by their end.
const CODE_ENDS: [&str; 18] = [
    ".py", ".js", ".mjs", ".cjs", ".ts", ".pm", ".pl", ".rb", ".lua", ".mk", ".sh", ".bash",
    ".zsh", ".vim", "rc", "config", "profile", "env",
];

/// Programs that read such files unasked.
const READERS: [&str; 14] = [
    "python",
    "pypy",
    "node",
    "perl",
    "ruby",
    "bash",
    "zsh",
    "sh",
    "git",
    "make",
    "vi",
    "ex",
    "run-parts",
    "npm",
];

/// Marks of what bash and zsh expand or run in a way that is not followed.
const PECULIAR: [&str; 31] = [
    "BASH_ALIASES",
    "BASH_CMDS",
    "BASH_ARGV",
    "BASH_REMATCH",
    "OPTARG",
    "compgen -W",
    "nameref",
    "declare -n",
    "local -n",
    "typeset -n",
    "declare -a",
    "declare -i",
    "typeset -i",
    "local -i",
    "@P}",
    "[$(",
    "[`",
    "mapfile",
    "readarray",
    "coproc",
    "fc -s",
    "history -s",
    "${=",
    "${(z",
    "repeat ",
    " always ",
    "foreach ",
    "nocorrect",
    "$_",
    "enable -f",
    "=ringfence",
];

impl Reader<'_> {
    /// What is not followed may put any part of the text together and run it.
    pub(super) fn peculiar(&mut self, text: &str) {
        let shifts = text.contains("shift") && text.contains("\"$@\"");
        let zsh = text.contains("zsh") && (text.contains("for ") || text.contains("=("));
        if shifts || zsh || PECULIAR.iter().any(|mark| text.contains(mark)) {
            self.source(Source::Text);
        }
    }

    /// A file of code that the text writes, and a program that may read it unasked: a module, a
    /// start file, an alias of git.
    pub(super) fn written_code(&mut self, scope: &super::scope::Scope) {
        let is_code = |path: &str, text: &str| {
            let name = super::program::base_name(path);
            CODE_ENDS.iter().any(|end| name.ends_with(end))
                || name.starts_with("git-")
                || name.to_ascii_lowercase().ends_with("makefile")
                || text.starts_with("#!")
        };
        let written = scope.written.borrow();
        let any = written.iter().any(|(path, text)| is_code(path, text));
        drop(written);
        let reads = |invocation: &super::Invocation| {
            let name = invocation.argv.first().and_then(Word::literal).unwrap_or("");
            let name = super::program::base_name(name);
            READERS.iter().any(|reader| name.starts_with(reader))
        };
        if any && self.reading.invocations.iter().any(reads) {
            self.source(Source::Text);
        }
    }

    /// The value of a substitution whose output is not known; its invocations began with `from`.
    pub(super) fn printed_by(&mut self, from: usize, many: bool) -> Word {
        let until = self.reading.invocations.len();
        self.printed_by.push(from..until);
        Word::hole(format!("{SUBSTITUTION}{}", self.printed_by.len() - 1), many)
    }

    /// Notes that standard input is run as code and not known.
    pub(super) fn unknown_input(&mut self, detail: &str) {
        self.remark(What::Code, detail);
        let until = self.reading.invocations.len();
        self.source(self.feeding.map_or(Source::Text, |from| Source::Printed(from..until)));
    }

    /// Notes that a word is run as code, or as a program, and not known.
    pub(super) fn unknown_word(&mut self, what: What, word: &Word, detail: &str) {
        self.remark(what, detail);
        let Word::Partial(pieces) = word else { return };
        for piece in pieces {
            let Piece::Hole { what, .. } = piece else { continue };
            let number = what.strip_prefix(SUBSTITUTION).and_then(|text| text.parse().ok());
            let range = number.and_then(|at: usize| self.printed_by.get(at)).cloned();
            self.source(range.map_or(Source::Text, Source::Printed));
        }
    }

    /// Keeps where unknown code may come from.
    pub(super) fn source(&mut self, source: Source) {
        let sources = &mut self.reading.sources;
        let source =
            if sources.len() < MAX_SOURCES && !self.remote { source } else { Source::Text };
        if !sources.contains(&source) {
            sources.push(source);
        }
    }
}
