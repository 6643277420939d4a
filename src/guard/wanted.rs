//! What a call wants to write: kept when it is refused, so that the work is not lost.

use super::tools::Route;
use crate::request::{Argument, MemoryGuardRequest};
use crate::shell::{self, Dialect, MemoryCall, NoFiles, Start, Word, memory_call};

/// The most writes of one call that are kept.
const MOST: usize = 8;

/// The longest text that is kept, in bytes.
const LONGEST: usize = 64 * 1024;

/// A write that a call wants to make.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// `note`, `edit`, `resolve`.
    pub action: &'static str,
    /// The memory that is named by its id.
    pub target: Option<String>,
    /// For a note its kind.
    pub kind: Option<String>,
    /// What it is about; for a resolve without an id, what names the memory.
    pub subject: Option<String>,
    /// The new text; a resolve may have one, its replacement.
    pub text: Option<String>,
    /// What was considered and left.
    pub alternatives: Vec<String>,
    /// For a resolve: `resolved` or `superseded`.
    pub status: Option<String>,
}

/// The notes and changes of notes that a call wants to write, as far as its words say them. Of a
/// deletion nothing would be lost.
pub fn wanted(request: &MemoryGuardRequest) -> Vec<Wanted> {
    let mut found = match Route::of(&request.tool) {
        Route::Note(_) => vec![note(request)],
        Route::Resolve(_) => vec![resolve(request)],
        Route::Shell(Dialect::Posix) => in_shell(request),
        Route::Shell(_)
        | Route::Disengage
        | Route::File
        | Route::Skill
        | Route::Later
        | Route::Mcp
        | Route::Other => Vec::new(),
    };
    let short = |text: &Option<String>| text.as_ref().is_none_or(|text| text.len() <= LONGEST);
    found.retain(|one| one.says_something() && short(&one.text) && short(&one.subject));
    found.truncate(MOST);
    found
}

impl Wanted {
    fn says_something(&self) -> bool {
        match self.action {
            "note" => self.kind.is_some() && self.text.is_some(),
            "edit" => self.target.is_some() && self.text.is_some(),
            _ => self.target.is_some() || self.subject.is_some(),
        }
    }
}

fn note(request: &MemoryGuardRequest) -> Wanted {
    let text = |keys: &[&str]| request.input.text(keys).map(str::to_owned);
    let alternatives = match request.input.get("alternatives") {
        Some(Argument::Other(raw)) => super::json::strings(raw),
        Some(Argument::Text(_) | Argument::Null) | None => Vec::new(),
    };
    Wanted {
        action: "note",
        kind: text(&["kind"]),
        subject: text(&["subject"]),
        text: text(&["content"]),
        alternatives: alternatives.into_iter().map(|one| one.text).take(MOST).collect(),
        ..Wanted::default()
    }
}

fn resolve(request: &MemoryGuardRequest) -> Wanted {
    let text = |keys: &[&str]| request.input.text(keys).map(str::to_owned);
    Wanted {
        action: "resolve",
        target: text(&["note_id", "noteId"]),
        subject: text(&["subject"]),
        text: text(&["replacement"]),
        status: text(&["status"]),
        ..Wanted::default()
    }
}

fn in_shell(request: &MemoryGuardRequest) -> Vec<Wanted> {
    let Some(text) = request.input.text(&["command", "cmd"]) else { return Vec::new() };
    // What is longer is no note that somebody would miss, and reading it once was enough.
    if text.len() > 2 * LONGEST {
        return Vec::new();
    }
    // Not read a second time for a deletion, of which nothing is kept.
    if !["edit-memory", "note-resolve", "ringfence note"].iter().any(|verb| text.contains(verb)) {
        return Vec::new();
    }
    let start = Start { cwd: request.cwd.clone(), ..Start::default() };
    let reading = shell::read(text, Dialect::Posix, &start, &NoFiles);
    let calls = reading.invocations.iter().filter(|invocation| !invocation.remote);
    calls.filter_map(|invocation| of_command(&memory_call(invocation, false)?)).collect()
}

/// The write of one command of a memory's command line.
fn of_command(call: &MemoryCall<'_>) -> Option<Wanted> {
    // A word that only run time knows leaves it unclear what would be written.
    let words: Option<Vec<&str>> = call.args.iter().map(Word::literal).collect();
    let (options, operands) = sorted(&words?);
    let option = |name: &str| {
        let found = options.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    let operand = |at: usize| operands.get(at).map(|word| (*word).to_owned());
    Some(match call.subcommand.and_then(Word::literal)? {
        "note" => Wanted {
            action: "note",
            kind: operand(0),
            text: operand(1),
            subject: option("--subject"),
            alternatives: options
                .iter()
                .filter(|(name, _)| *name == "--alternative")
                .map(|(_, value)| (*value).to_owned())
                .collect(),
            ..Wanted::default()
        },
        "edit-memory" => Wanted {
            action: "edit",
            target: operand(0),
            text: option("--text"),
            ..Wanted::default()
        },
        "note-resolve" => Wanted {
            action: "resolve",
            target: option("--id"),
            subject: option("--subject"),
            status: option("--status"),
            ..Wanted::default()
        },
        _ => return None,
    })
}

/// The options with their values, and the other words.
fn sorted<'w>(words: &[&'w str]) -> (Vec<(&'w str, &'w str)>, Vec<&'w str>) {
    const WITH_VALUE: [&str; 7] =
        ["--id", "--subject", "--status", "--text", "--file", "--session", "--alternative"];
    let (mut options, mut operands) = (Vec::new(), Vec::new());
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.split_once('=') {
            Some((name, value)) if WITH_VALUE.contains(&name) => options.push((name, value)),
            _ if WITH_VALUE.contains(word) => {
                options.extend(words.next().map(|value| (*word, *value)));
            }
            _ if word.starts_with("--") => {}
            _ => operands.push(*word),
        }
    }
    (options, operands)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Arguments;

    fn of(tool: &str, input: &[(&str, &str)]) -> Vec<Wanted> {
        let pairs = input
            .iter()
            .map(|(key, value)| {
                let value = match value.strip_prefix("json:") {
                    Some(raw) => Argument::Other(raw.to_owned()),
                    None => Argument::Text((*value).to_owned()),
                };
                ((*key).to_owned(), value)
            })
            .collect();
        wanted(&MemoryGuardRequest {
            tool: tool.to_owned(),
            input: Arguments::new(pairs),
            cwd: "/".to_owned(),
            ..MemoryGuardRequest::default()
        })
    }

    fn shown(all: &[Wanted]) -> String {
        let word = |text: &Option<String>| text.clone().unwrap_or("-".to_owned());
        let line = |one: &Wanted| {
            format!(
                "{} {} {} {} {} {} {}",
                one.action,
                word(&one.target),
                word(&one.kind),
                word(&one.subject),
                word(&one.text),
                one.alternatives.join("+"),
                word(&one.status)
            )
        };
        all.iter().map(line).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn what_a_call_wants_to_write_is_read_from_its_words() {
        for (command, expected) in [
            ("ringfence edit-memory F --text 'a b'", "edit F - - a b  -"),
            ("cortex edit-memory --text=x F", "edit F - - x  -"),
            ("cortex edit-memory F --file x", ""),
            ("cortex edit-memory \"$ID\" --text x", ""),
            (
                "ringfence note decision 'no more' --subject s --alternative a --alternative b",
                "note - decision s no more a+b -",
            ),
            (
                "cortex note-resolve --id F --status superseded && ringfence note insight x",
                "resolve F - - -  superseded; note - insight - x  -",
            ),
            ("cortex delete-memory F --yes", ""),
            ("echo ringfence note insight x", ""),
            ("ringfence note-resolve", ""),
            ("ls", ""),
        ] {
            assert_eq!(shown(&of("Bash", &[("command", command)])), expected, "{command}");
        }
        let tool = "mcp__cortex__cortex_note";
        let note = [
            ("kind", "decision"),
            ("subject", "s"),
            ("content", "t"),
            ("alternatives", r#"json:["a","b"]"#),
        ];
        assert_eq!(shown(&of(tool, &note)), "note - decision s t a+b -");
        assert_eq!(shown(&of(tool, &[("kind", "decision")])), "");
        assert_eq!(
            shown(&of(tool, &[("kind", "insight"), ("content", &"x".repeat(LONGEST + 1))])),
            ""
        );
        let tool = "mcp__cortex__cortex_resolve";
        assert_eq!(
            shown(&of(tool, &[("note_id", "F"), ("replacement", "r")])),
            "resolve F - - r  -"
        );
        assert_eq!(shown(&of("Write", &[("content", "x")])), "");
    }
}
