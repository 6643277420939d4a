//! Shell text → the programs it would run, with which arguments, where.
//!
//! One pass, linear, bounded, never failing and never panicking: what cannot be read is a value
//! ([`Unclear`]). It over-approximates on purpose: a dead branch counts as run, an invalid text is
//! read as far as it goes. Pure: files come in through [`Files`].

#![forbid(unsafe_code)]

mod alias;
mod arithmetic;
mod assign;
mod binding;
mod brace;
mod builtins;
mod calls;
mod changes;
mod choice;
mod cmd;
mod compound;
mod declare;
mod decode;
mod defaults;
mod directory;
mod editors;
mod elsewhere;
mod env;
mod eval;
mod expand;
mod fields;
mod filled;
mod flow;
mod git;
mod git_config;
mod glob;
mod guess;
mod heredoc;
mod hosted;
mod input;
mod interpreters;
mod launch;
mod launchers;
mod listing;
mod lists;
mod literals;
mod lookup;
mod meeting;
mod operands;
mod ordinary;
mod output;
mod parameter;
mod pathnames;
mod program;
mod pwsh;
mod recipes;
mod record;
mod redirect;
mod run;
mod scan;
mod scope;
mod sed;
mod shells;
mod snippets;
mod sources;
mod special;
mod streams;
mod subscript;
mod terminal;
mod tree;
mod types;
mod unread;
mod values;
mod word;
mod xargs;

use std::rc::Rc;

pub use directory::absolute;
pub use expand::SHELL_PID;
pub use guess::last_component;
pub use program::{MemoryCall, MemoryProgram, base_name, memory_call, memory_program};
pub use sources::name_of;
pub use types::*;
pub use unread::Unread;
pub use values::{LISTED, matches};

/// The longest text that is read; beyond it the answer is [`Unclear`].
pub const MAX_TEXT: usize = 4 * 1024 * 1024;

/// Steps for one reading, over all texts in it. A word takes about six, a run of plain or quoted text
/// of any length next to none; measured at 0.05 to 0.25 µs each, so that the worst text stays under
/// 100 ms. What is copied or kept is paid for as well: the steps bound time and memory alike.
const BASE_STEPS: usize = 150_000;
/// One more step for each so many bytes.
const BYTES_PER_STEP: usize = 64;

/// Reads `text` as `dialect` would run it, starting in `start`.
///
/// Bounds: [`MAX_TEXT`], nesting depth 40, a step budget; over a bound the answer holds an
/// [`Unclear`], never silence. A text with NUL bytes is read without them and marked unclear.
pub fn read(text: &str, dialect: Dialect, start: &Start, files: &dyn Files) -> Reading {
    let mut budget = BASE_STEPS + text.len().min(MAX_TEXT) / BYTES_PER_STEP;
    let mut reader = eval::Reader {
        files,
        reading: Reading::default(),
        steps: budget,
        owed: Rc::default(),
        exhausted: false,
        tail: false,
        depth: 0,
        via: Vec::new(),
        at: 0,
        end: 0,
        command: 0,
        within: 0,
        commands: 0,
        line: 0,
        remote: false,
        typed: false,
        home: (!start.home.is_empty()).then(|| start.home.clone()),
        waiting: Vec::new(),
        counter: 0,
        choices: choice::Choices::default(),
        loops: 0,
        jumps: Vec::new(),
        read_names: Vec::new(),
        locals: Vec::new(),
        made: Vec::new(),
        calling: Vec::new(),
        feeding: None,
        globbing: glob::Globbing::default(),
        printed_by: Vec::new(),
    };
    if text.len() > MAX_TEXT {
        reader.note(What::Bound, "size");
        reader.leave(dialect, text);
        return reader.reading;
    }
    let cleaned;
    let mut text = text;
    if text.contains('\0') {
        reader.note(What::Nul, "");
        cleaned = text.replace('\0', "");
        text = &cleaned;
    }
    let mut scope = scope::Scope::new(start, Rc::clone(&reader.owed));
    match dialect {
        Dialect::Posix => {
            budget += reader.posix(text, &mut scope);
            None
        }
        Dialect::PowerShell => pwsh::text(&mut reader, text, &mut scope),
        Dialect::Cmd => cmd::text(&mut reader, text, &mut scope),
    };
    reader.leave(dialect, text);
    reader.reading.steps = budget - reader.steps.min(budget);
    reader.reading
}
