//! The scratchpad's arm: tells the model of the directory, and has it made by a process for which
//! nobody waits. Silent where the owner names no lane; fails open.

use std::path::Path;

use crate::config::{self, Scratchpad};
use crate::payload::Payload;
use crate::scratchpad::adapter::Adapter;
use crate::scratchpad::{flight, remote_scratchpad_dir_for};
use crate::sys::{child, env, process};

use super::lifecycle;
use super::line::Line;

/// The programs of lanes are looked for here: a project can put any PATH into ours.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// What the programs of lanes take from their environment: keys, and which server is meant.
const OF_THE_LANES: [&str; 9] = [
    "SSH_AUTH_SOCK",
    "DOCKER_HOST",
    "DOCKER_CONTEXT",
    "DOCKER_CONFIG",
    "DOCKER_CERT_PATH",
    "DOCKER_TLS_VERIFY",
    "KUBECONFIG",
    "E2B_API_KEY",
    "E2B_DOMAIN",
];

/// A session starts: the line for the model, when it has a directory.
pub(super) fn session_start(session: &str, line: &Line, cwd: &str) -> Option<String> {
    let dirs = line.dirs()?;
    let config = config::load_for(&dirs, line.config.as_deref(), Path::new(cwd)).scratchpad;
    let lane = config.lane.as_deref().filter(|_| is_whole(&config))?;
    let dir = remote_scratchpad_dir_for(Some(session))?;
    flight::begin(&line.state(&dirs), session);
    start(session, line);
    Some(format!(
        "Commands of this session that run on the `{lane}` lane may use the scratch directory {dir} \
         there: it may be created by now, for this session alone."
    ))
}

/// A call, when no start of its session was seen.
pub(super) fn pre_tool_use(raw: &[u8], line: &Line) {
    let Some(payload) = Payload::read(raw) else { return };
    if !crate::guard::is_shell_tool(&payload.tool) {
        return;
    }
    let Some(dirs) = line.dirs() else { return };
    if remote_scratchpad_dir_for(Some(&payload.session)).is_none() {
        return;
    }
    let state = line.state(&dirs);
    if flight::has_begun(&state, &payload.session) {
        return;
    }
    let config = config::load_for(&dirs, line.config.as_deref(), Path::new(&payload.cwd));
    if is_whole(&config.scratchpad) && flight::begin(&state, &payload.session) {
        start(&payload.session, line);
    }
}

/// Whether the configuration says all that a command takes to get there: what can never be made is not
/// told of.
fn is_whole(config: &Scratchpad) -> bool {
    let (target, exec) = (config.target.as_deref(), config.exec.as_deref());
    config.lane.as_deref().is_some_and(|lane| Adapter::new(lane, target, exec).is_ok())
}

fn start(session: &str, line: &Line) {
    let Some(program) = env::current_exe() else { return };
    let program = program.to_string_lossy().into_owned();
    let argv = [program, "scratchpad".into(), "begin".into(), format!("--session={session}")];
    let mut env: Vec<(&str, String)> = ["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"]
        .into_iter()
        .filter_map(|name| Some((name, env::var(name)?)))
        .collect();
    env.push(("PATH", PATH.to_owned()));
    let text = |path: &Path| path.to_string_lossy().into_owned();
    env.extend(line.config.as_deref().map(|path| ("RINGFENCE_CONFIG", text(path))));
    env.extend(line.dirs().map(|dirs| ("RINGFENCE_STATE", text(&dirs.state))));
    // As the client itself was started with them; a project's settings come later.
    if let Some(client) = lifecycle::client() {
        let own = |name: &&'static str| Some((*name, process::variable(client.pid, name)?));
        env.extend(OF_THE_LANES.iter().filter_map(own));
    }
    // Without it the first command there finds no directory, as it would with an older release.
    drop(child::detach(&argv, Path::new("/"), &env));
}
