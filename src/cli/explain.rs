//! `ringfence explain`: what the guard sees in a command or a recorded payload, and its verdict.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::args::ExplainArgs;
use super::explained::Explained;
use super::failure::Failure;
use super::{Answer, output};
use crate::config;
use crate::decision::{Code, Doubt, GuardedAction, Verdict};
use crate::facts::{Machine, Setup};
use crate::guard::{Definer, Facts, Place, Protected, Reached, evaluate_memory_guard};
use crate::memory::Family;
use crate::payload::Payload;
use crate::request::{Argument, Arguments, Caller, MemoryGuardRequest};
use crate::shell::{self, Dialect, Files, Reading, Start};
use crate::state::State;
use crate::sys::dirs::Dirs;
use crate::sys::{env, file};

/// The largest payload that is read.
const PAYLOAD_LIMIT: u64 = 16 << 20;

pub(crate) fn run(args: &ExplainArgs) -> anyhow::Result<Answer> {
    if args.codes {
        codes(args.json);
        return Ok(Answer::Yes);
    }
    let explained = explain(args)?;
    if args.json {
        output::json(&explained.to_json());
    } else {
        output::data(&explained.to_text());
    }
    Ok(if explained.verdict.denial.is_some() { Answer::No } else { Answer::Yes })
}

fn codes(as_json: bool) {
    if as_json {
        let codes: Vec<Value> = Code::ALL
            .iter()
            .map(|code| json!({"code": code.as_str(), "meaning": code.meaning()}))
            .collect();
        output::json(&json!({"version": 1, "codes": codes}));
        return;
    }
    let width = Code::ALL.iter().map(|code| code.as_str().len()).max().unwrap_or(0);
    let mut text = String::new();
    for code in Code::ALL {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{:width$}  {}", code.as_str(), code.meaning());
    }
    output::data(&text);
}

fn explain(args: &ExplainArgs) -> anyhow::Result<Explained> {
    let cwd = env::current_dir()
        .ok_or_else(|| Failure::no("the current directory is gone").hint("cd ~"))?;
    let request = request(args, &cwd)?;
    let judged = request.caller.agent.is_some();
    let (machine, policy) = machine(&request, &cwd)?;
    let facts = LookOnly(&machine);
    let reading = reading(&facts, &request);
    let (stores, missing) = stores(&facts, &request, &reading);
    let verdict =
        if judged { evaluate_memory_guard(&facts, &request, &policy) } else { Verdict::default() };
    Ok(Explained { tool: request.tool, judged, reading, stores, missing, verdict })
}

/// The call to explain: a shell command as a subagent's, or a recorded payload.
fn request(args: &ExplainArgs, cwd: &Path) -> anyhow::Result<MemoryGuardRequest> {
    let here = cwd.to_string_lossy().into_owned();
    if let Some(command) = &args.command {
        return Ok(MemoryGuardRequest {
            tool: "Bash".into(),
            input: Arguments::new(vec![("command".into(), Argument::Text(command.clone()))]),
            caller: Caller {
                session: args.session.clone().unwrap_or_else(|| "explain".into()),
                agent: Some(args.agent.clone()),
                ..Caller::default()
            },
            cwd: here,
            ..MemoryGuardRequest::default()
        });
    }
    let Some(path) = &args.payload else {
        return Err(Failure::usage("there is nothing to explain")
            .hint("ringfence explain 'cortex delete-memory ID --yes'")
            .into());
    };
    let bytes = if path.as_os_str() == "-" {
        file::read_input(PAYLOAD_LIMIT)
    } else {
        file::read_bounded(path, PAYLOAD_LIMIT)
    };
    let bytes = bytes.map_err(|error| {
        anyhow::Error::from(error)
            .context(Failure::no(format!("`{}` cannot be read", path.display())))
    })?;
    let Some(mut payload) = Payload::read(&bytes) else {
        return Err(Failure::no(format!("`{}` is no JSON object", path.display())).into());
    };
    if payload.cwd.is_empty() {
        payload.cwd = here;
    }
    Ok(payload.request(None, env::var("CLAUDE_PROJECT_DIR")))
}

fn machine(
    request: &MemoryGuardRequest,
    cwd: &Path,
) -> anyhow::Result<(Machine, crate::guard::Policy)> {
    let mut dirs = Dirs::from_env()
        .ok_or_else(|| Failure::no("`HOME` is not set").hint("export HOME=/home/you"))?;
    if let Some(state) = env::var("RINGFENCE_STATE") {
        dirs.state = cwd.join(state);
    }
    let named = env::var("RINGFENCE_CONFIG").map(|named| cwd.join(named));
    let config = config::load_for(&dirs, named.as_deref(), Path::new(&request.cwd));
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
        client: env::var("CLAUDE_CONFIG_DIR").map(PathBuf::from),
        caller: request.caller.clone(),
        cwd: request.cwd.clone(),
        project: request.project.clone(),
        call_id: request.call_id.clone(),
    });
    Ok((machine, config.policy))
}

/// The machine's facts, but for grants: explaining a call must not use one up.
struct LookOnly<'m>(&'m Machine);

impl Files for LookOnly<'_> {
    fn text(&self, path: &str) -> Option<String> {
        self.0.text(path)
    }
}

impl Facts for LookOnly<'_> {
    fn stores(&self, family: Family, place: &Place) -> (Vec<Reached>, Vec<Doubt>) {
        self.0.stores(family, place)
    }

    fn protected(&self) -> Vec<Protected> {
        self.0.protected()
    }

    fn resolve(&self, cwd: &str, path: &str) -> String {
        self.0.resolve(cwd, path)
    }

    fn home(&self) -> &str {
        self.0.home()
    }

    fn definer(&self, agent_type: &str) -> Option<Definer> {
        self.0.definer(agent_type)
    }

    fn has_grant(&self, store: &str, id: &str, action: GuardedAction) -> bool {
        self.0.has_grant(store, id, action)
    }

    fn take_grant(&self, store: &str, id: &str, action: GuardedAction) -> bool {
        self.0.has_grant(store, id, action)
    }
}

/// What the reader sees, when the call is a shell's.
fn reading(facts: &LookOnly, request: &MemoryGuardRequest) -> Reading {
    if !crate::guard::is_shell_tool(&request.tool) {
        return Reading::default();
    }
    let Some(text) = request.input.text(&["command", "cmd"]) else { return Reading::default() };
    let start =
        Start { cwd: request.cwd.clone(), home: facts.home().to_owned(), ..Start::default() };
    let lower = request.tool.to_ascii_lowercase();
    let dialect = if matches!(lower.as_str(), "powershell" | "pwsh") {
        Dialect::PowerShell
    } else {
        Dialect::Posix
    };
    shell::read(text, dialect, &start, facts)
}

type Stores = Vec<(String, Family, bool)>;

/// The stores that the call and each of its programs reach, and why others could not be read.
fn stores(
    facts: &LookOnly,
    request: &MemoryGuardRequest,
    reading: &Reading,
) -> (Stores, Vec<Doubt>) {
    let mut directories = vec![Some(request.cwd.clone())];
    directories.extend(reading.invocations.iter().map(|invocation| invocation.cwd.clone()));
    directories.sort();
    directories.dedup();
    let mut found = Vec::new();
    let mut missing = Vec::new();
    for cwd in directories {
        let place = Place { cwd, ..Place::default() };
        for family in [Family::Cortex, Family::Native] {
            let (reached, doubts) = facts.stores(family, &place);
            for store in reached {
                let row = (store.memory.path().to_owned(), family, store.own_project);
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
