//! `ringfence explain`: what the guard sees in a command or a recorded payload, and its verdict.

mod document;
mod given;
mod source;
mod text;
mod tree;
mod watched;
mod words;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use serde_json::{Value, json};

use super::args::ExplainArgs;
use super::failure::Failure;
use super::{Answer, output, screen};
use crate::config;
use crate::decision::{Code, Doubt, Verdict};
use crate::facts::{Machine, Setup};
use crate::guard::inspect::{Inspection, evaluate_text, inspect};
use crate::guard::{Facts, Place, Policy, evaluate_memory_guard, is_guarded_tool};
use crate::memory::Family;
use crate::request::MemoryGuardRequest;
use crate::shell::{self, Dialect, Reading, Start};
use crate::state::State;
use crate::sys::dirs::Dirs;
use crate::sys::env;
use given::Given;
use watched::{LookOnly, Watch};

/// A call with all that was seen of it.
struct Explained {
    /// The user's home, which paths are shown relative to.
    home: String,
    request: MemoryGuardRequest,
    /// Where the call was found, when it was.
    whence: Option<String>,
    looked_at: LookedAt,
    /// The shell text of the call and its language.
    text: Option<(String, Dialect)>,
    reading: Reading,
    /// Which program start starts which, and the number of each.
    parents: Vec<Option<usize>>,
    numbers: Vec<usize>,
    /// What each program start means by itself.
    inspections: Vec<Inspection>,
    stores: Vec<StoreRow>,
    /// Why others could not be read.
    missing: Vec<Doubt>,
    watch: Rc<Watch>,
    verdict: Verdict,
}

/// How far the hook goes with a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LookedAt {
    /// It is judged.
    Judged,
    /// The parent's calls are not.
    Parent,
    /// No call of this tool is.
    OtherTool,
}

/// A store: its file, whose format it has, and whether it is this project's.
#[derive(Clone, Debug, PartialEq, Eq)]
struct StoreRow {
    path: String,
    family: Family,
    own_project: bool,
}

pub(crate) fn run(args: &ExplainArgs) -> anyhow::Result<Answer> {
    if args.codes {
        codes(args.json);
        return Ok(Answer::Yes);
    }
    let explained = explain(args)?;
    if args.json {
        output::json(&explained.to_json());
    } else {
        output::data(&explained.to_text(screen::width()));
    }
    Ok(if explained.verdict.denial.is_some() { Answer::No } else { Answer::Yes })
}

fn codes(as_json: bool) {
    if as_json {
        let codes: Vec<Value> = Code::ALL
            .iter()
            .map(|code| {
                let outcome = code.weight().as_str();
                json!({"code": code.as_str(), "outcome": outcome, "meaning": code.meaning()})
            })
            .collect();
        output::json(&json!({"version": 1, "codes": codes}));
        return;
    }
    let width = Code::ALL.iter().map(|code| code.as_str().len()).max().unwrap_or(0);
    let mut text = String::new();
    for code in Code::ALL {
        let style = screen::style(code.weight());
        let word = screen::painted(&format!("{:width$}", code.as_str()), style);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{word}  {:8}  {}", code.weight().as_str(), code.meaning());
    }
    output::data(&text);
}

fn explain(args: &ExplainArgs) -> anyhow::Result<Explained> {
    let cwd = env::current_dir()
        .ok_or_else(|| Failure::no("the current directory is gone").hint("cd ~"))?;
    let dirs = super::named_dirs(&cwd)?;
    let Given { request, whence, dialect } = given::given(args, &cwd, &State::at(&dirs.state))?;
    let (machine, policy) = machine(&request, &cwd, dirs);
    let watch = Rc::new(Watch::default());
    let facts = LookOnly { machine, watch: Rc::clone(&watch) };
    let dialect = dialect.or_else(|| crate::guard::dialect_of(&request.tool));
    let text = dialect
        .and_then(|dialect| Some((request.input.text(&["command", "cmd"])?.to_owned(), dialect)));
    let reading = text.as_ref().map_or_else(Reading::default, |(text, dialect)| {
        let start =
            Start { cwd: request.cwd.clone(), home: facts.home().to_owned(), ..Start::default() };
        shell::read(text, *dialect, &start, &facts)
    });
    let looked_at = if text.is_none() && !is_guarded_tool(&request.tool) {
        LookedAt::OtherTool
    } else if request.caller.agent.is_none() && request.caller.child_of.is_none() {
        LookedAt::Parent
    } else {
        LookedAt::Judged
    };
    let verdict = match (looked_at, &text) {
        (LookedAt::Parent | LookedAt::OtherTool, _) => Verdict::default(),
        (LookedAt::Judged, Some((text, Dialect::Cmd))) => {
            evaluate_text(&facts, &request, text, Dialect::Cmd, &policy)
        }
        (LookedAt::Judged, _) => evaluate_memory_guard(&facts, &request, &policy),
    };
    let inspections = text.as_ref().map_or_else(Vec::new, |(_, dialect)| {
        let one = |invocation| inspect(&facts, &request, invocation, *dialect, &policy);
        reading.invocations.iter().map(one).collect()
    });
    let (stores, missing) = stores(&facts, &request, &reading);
    let parents = tree::parents(&reading.invocations);
    Ok(Explained {
        home: facts.home().to_owned(),
        request,
        whence,
        looked_at,
        text,
        numbers: tree::numbers(&parents),
        parents,
        reading,
        inspections,
        stores,
        missing,
        watch,
        verdict,
    })
}

fn machine(request: &MemoryGuardRequest, cwd: &Path, dirs: Dirs) -> (Machine, Policy) {
    let named = env::var("RINGFENCE_CONFIG").map(|named| cwd.join(named));
    let config = config::load_for(&dirs, named.as_deref(), Path::new(&request.cwd));
    let client = env::var("CLAUDE_CONFIG_DIR").map(PathBuf::from);
    for warning in &config.warnings {
        output::warning(warning);
    }
    let stores: Vec<PathBuf> =
        env::var("RINGFENCE_STORE").map(|store| cwd.join(store)).into_iter().collect();
    let machine = Machine::new(Setup {
        state: State::at(&dirs.state),
        dirs,
        stores,
        cortex_homes: Vec::new(),
        config: named,
        client,
        caller: request.caller.clone(),
        cwd: request.cwd.clone(),
        project: request.project.clone(),
        call_id: request.call_id.clone(),
    });
    (machine, config.policy)
}

/// The stores that the call and each of its programs reach, and why others could not be read.
fn stores(
    facts: &LookOnly,
    request: &MemoryGuardRequest,
    reading: &Reading,
) -> (Vec<StoreRow>, Vec<Doubt>) {
    let mut directories = vec![Some(request.cwd.clone())];
    directories.extend(reading.invocations.iter().map(|invocation| invocation.cwd.clone()));
    directories.sort();
    directories.dedup();
    let mut found = Vec::new();
    let mut missing = Vec::new();
    for cwd in directories.into_iter().take(MOST_DIRECTORIES) {
        let place = Place { cwd, ..Place::default() };
        for family in [Family::Cortex, Family::Native] {
            let (reached, doubts) = facts.stores(family, &place);
            for store in reached {
                let own_project = store.own_project;
                let row = StoreRow { path: store.memory.path().to_owned(), family, own_project };
                if !found.contains(&row) {
                    found.push(row);
                }
            }
            missing.extend(doubts.into_iter().filter(|doubt| doubt.code != Code::StoreMissing));
        }
    }
    missing.dedup();
    (found, missing)
}

/// In how many directories of a text stores are looked for.
const MOST_DIRECTORIES: usize = 32;

/// The word for a family of stores.
fn family_word(family: Family) -> &'static str {
    match family {
        Family::Cortex => "cortex",
        Family::Native => "ringfence",
    }
}

/// The word for a shell's language, as `--shell` takes it.
fn dialect_word(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Posix => "bash",
        Dialect::PowerShell => "pwsh",
        Dialect::Cmd => "cmd",
    }
}

/// The word for what the reader could not settle.
fn unclear_word(what: shell::What) -> &'static str {
    match what {
        shell::What::Bound => "bound",
        shell::What::Nul => "nul",
        shell::What::Program => "program",
        shell::What::Code => "code",
        shell::What::Script => "script",
        shell::What::Launcher => "launcher",
        shell::What::Syntax => "syntax",
    }
}
