//! Decides a session's posture from the owner's configuration and the machine, when it starts.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::boundary::ground::{self, Wish};
use super::boundary::{Backend, probe};
use super::{Because, HostedSessionExecPosture as Posture, PostureInput, resolve};
use crate::config::{Hosted, HostedWhen};
use crate::state::PostureRecord;
use crate::sys::child::{self, Run};
use crate::sys::dirs::Dirs;
use crate::sys::{env, file, process};

/// How long the owner's decider may take.
const DECIDER_LIMIT: Duration = Duration::from_secs(2);

/// Says in the client's own first environment that nobody watches it.
pub const HOSTED_VARIABLE: &str = "RINGFENCE_HOSTED";

/// Why a run is hosted; `None` for a person's terminal. `client` is the client's process.
///
/// A project's settings reach the hook's environment, so only the environment that the client itself
/// was started with counts, and its arguments.
pub fn hosted_because(hosted: &Hosted, client: Option<u32>) -> Option<&'static str> {
    if hosted.when == HostedWhen::Always {
        return Some("root's configuration says so");
    }
    let client = client?;
    if process::variable(client, HOSTED_VARIABLE).as_deref() == Some("1") {
        return Some("RINGFENCE_HOSTED=1 in the client's first environment");
    }
    let headless = || {
        env::var("CLAUDE_CODE_ENTRYPOINT").is_some_and(|entry| entry.starts_with("sdk"))
            || process::arguments(client)
                .iter()
                .skip(1)
                .any(|word| word == "-p" || word == "--print")
    };
    (hosted.when == HostedWhen::Headless && headless())
        .then_some("the client runs without a terminal of its own")
}

/// Decides everything about a hosted session that starts in `cwd`.
pub fn decide(dirs: &Dirs, hosted: &Hosted, session: &str, cwd: &str) -> PostureRecord {
    let workspace = file::canonical(Path::new(cwd)).unwrap_or_else(|| PathBuf::from(cwd));
    let root = workspace.to_string_lossy().into_owned();
    let input = PostureInput { session_id: session, workspace_root: &root };
    let ask = |input: PostureInput<'_>| run_decider(hosted.decide.as_deref().unwrap_or(""), input);
    let found = resolve(&hosted.rules, hosted.decide.as_ref().map(|_| &ask as _), input);
    let (boundary, lack) = match boundary(dirs, hosted, &workspace) {
        Ok(backend) => (backend.as_str().to_owned(), String::new()),
        Err(lack) => (String::new(), lack),
    };
    let prefix_words = prefix(hosted, &root);
    PostureRecord {
        hosted: true,
        hosted_because: String::new(),
        skills_run_nothing: false,
        posture: found.posture.as_str().to_owned(),
        because: words(&found.because),
        prefix: prefix_file(dirs, &prefix_words).to_string_lossy().into_owned(),
        prefix_words,
        workspace: root,
        boundary,
        lack,
        terminal_prefix: hosted.terminal.prefix.clone().into_owned(),
        terminal_names: hosted.terminal.names.clone(),
        write: hosted.write.clone(),
        net: hosted.net,
    }
}

/// Where a posture comes from, in words.
pub fn words(because: &Because) -> String {
    match because {
        Because::Rule(number) => format!("rule {number} of the configuration"),
        Because::Decider => "the decider".to_owned(),
        Because::DeciderFailed(why) => format!("the decider gave no answer: {why}"),
        Because::Default => "nothing grants more".to_owned(),
    }
}

/// The shell prefix that contains every command: a file of its own, because the client takes all of
/// a prefix up to its last option for the program's name.
///
/// It is named after what it holds, so the same settings give the same file.
pub fn prefix_file(dirs: &Dirs, words: &[String]) -> PathBuf {
    let text = prefix_text(words);
    dirs.state.join("prefix").join(format!("{}.sh", crate::state::digest(&text)))
}

/// Makes sure that the file is there and holds what its name says.
///
/// # Errors
/// As the system says.
pub fn write_prefix(dirs: &Dirs, words: &[String]) -> std::io::Result<PathBuf> {
    let path = prefix_file(dirs, words);
    let text = prefix_text(words);
    if file::read_bounded(&path, 64 << 10).is_ok_and(|known| known == text.as_bytes()) {
        return Ok(path);
    }
    file::private_dir(&dirs.state.join("prefix"))?;
    file::write_atomic(&path, text.as_bytes(), 0o700)?;
    Ok(path)
}

fn prefix_text(words: &[String]) -> String {
    format!("#!/bin/sh\nexec {} \"$@\"\n", shell_words::join(words))
}

/// The words that stand before a command's text.
pub fn prefix(hosted: &Hosted, workspace: &str) -> Vec<String> {
    let binary = env::current_exe().unwrap_or_else(|| PathBuf::from("ringfence"));
    let mut words = vec![binary.to_string_lossy().into_owned(), "contain".to_owned()];
    words.extend(options(hosted, workspace));
    words.push("-c".to_owned());
    words
}

/// `ringfence contain`'s options for a run in `workspace`.
pub fn options(hosted: &Hosted, workspace: &str) -> Vec<String> {
    let mut words = vec!["--workspace".to_owned(), workspace.to_owned()];
    if hosted.backend != "auto" {
        words.extend(["--backend".to_owned(), hosted.backend.clone()]);
    }
    if hosted.net {
        words.push("--net".to_owned());
    }
    for path in &hosted.write {
        words.extend(["--write".to_owned(), path.clone()]);
    }
    words
}

/// The boundary that holds for a workspace, or why none does.
pub fn boundary(dirs: &Dirs, hosted: &Hosted, workspace: &Path) -> Result<Backend, String> {
    if hosted.backend == "off" {
        return Err("the boundary is not enabled".to_owned());
    }
    let wish = Wish {
        workspace: Some(workspace.to_path_buf()),
        write: hosted.write.iter().map(PathBuf::from).collect(),
        read: Vec::new(),
        net: hosted.net,
    };
    let ground = ground::look(dirs, &wish)?;
    if let Some(why) = super::boundary::layout::refuse(&ground) {
        return Err(why);
    }
    let found = match Backend::ALL.into_iter().find(|backend| backend.as_str() == hosted.backend) {
        Some(only) => probe::prove(&[only], &ground),
        None => probe::choose(dirs, &ground),
    };
    found.map_err(|tried| probe::lack(&tried))
}

fn run_decider(program: &str, input: PostureInput<'_>) -> Result<Posture, String> {
    let question = serde_json::json!({
        "sessionId": input.session_id,
        "workspaceRoot": input.workspace_root,
    });
    let argv = [program.to_owned()];
    let question = question.to_string();
    let run = Run {
        argv: &argv,
        cwd: Path::new("/"),
        env: &[],
        input: question.as_bytes(),
        limit: DECIDER_LIMIT,
    };
    let ended = child::run(&run).map_err(|error| format!("it did not start: {error}"))?;
    if ended.too_late {
        return Err("it took longer than 2 s".to_owned());
    }
    if ended.status != Some(0) {
        return Err("it failed".to_owned());
    }
    match String::from_utf8_lossy(&ended.output).trim_end_matches(['\n', '\r']) {
        "workstream" => Ok(Posture::Workstream),
        "conversational" => Ok(Posture::Conversational),
        _ => Err("it printed neither `workstream` nor `conversational`".to_owned()),
    }
}
