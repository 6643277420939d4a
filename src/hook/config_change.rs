//! The client's settings change: refused when our entries would not bind any more, whoever did it.
//!
//! The payload does not tell an agent from a person, so nothing else can be asked. The way of a
//! person who wants it is a pause first (`ringfence off`).

use std::path::{Path, PathBuf};

use crate::payload::{self, Payload};
use crate::request::MemoryGuardRequest;
use crate::state::LogLine;
use crate::sys::{clock, dirs::Dirs, env, process};
use crate::wiring::binding::Loose;
use crate::wiring::change::{Change, judge};
use crate::wiring::scopes::Origin;
use crate::wiring::table::Places;

use super::line::Line;
use super::{answer, lifecycle};

/// What the refusal calls the tool in the log.
const EVENT: &str = "ConfigChange";

/// Judges one change and answers it.
pub(super) fn config_change(raw: &[u8], line: &Line) {
    if !line.has_guard() {
        return;
    }
    let Some(payload) = Payload::read(raw) else { return };
    let Some((origin, path)) = changed(&payload) else { return };
    let Some(dirs) = line.dirs() else { return };
    let state = line.state(&dirs);
    let request = MemoryGuardRequest { tool: EVENT.to_owned(), ..payload.request(None, None) };
    if state.is_off(&request, clock::now_ms()) {
        return;
    }
    let transcript = payload::text_at(raw, "transcript_path").map(PathBuf::from);
    let Some(places) = places(line, dirs, transcript.as_ref(), &request.cwd) else { return };
    let client = lifecycle::client().map(|client| client.pid);
    let change = Change { origin, path: path.clone(), transcript, client };
    let Some(loose) = judge(&change, &places) else { return };
    let refusal = answer::refuse_change(&reason(&loose), &notice(&loose));
    process::write_output(refusal.as_bytes());
    drop(state.append_log(&LogLine::refused_change(&request, &loose.said, &path)));
}

/// Whose file changed, and which; `None` for what cannot be refused or holds no hooks.
fn changed(payload: &Payload) -> Option<(Origin, PathBuf)> {
    let origin = match payload.source.as_deref()? {
        "user_settings" => Origin::User,
        "project_settings" => Origin::Project,
        "local_settings" => Origin::Local,
        // The client does not ask about root's settings, it only tells.
        _ => return None,
    };
    Some((origin, PathBuf::from(payload.file_path.as_deref()?)))
}

/// Where the client has its things: by what it says itself, then by the line, then as usual.
pub(super) fn places(
    line: &Line,
    dirs: Dirs,
    transcript: Option<&PathBuf>,
    cwd: &str,
) -> Option<Places> {
    // `<client>/projects/<slug>/<session>.jsonl`
    let projects = transcript.and_then(|path| path.ancestors().nth(2));
    let said = projects.filter(|dir| dir.is_absolute() && dir.ends_with("projects"));
    let client = said.and_then(Path::parent).map(PathBuf::from).or_else(|| line.client.clone());
    Some(Places {
        client: client.unwrap_or_else(|| dirs.home.join(".claude")),
        project: PathBuf::from(env::var("CLAUDE_PROJECT_DIR").unwrap_or_else(|| cwd.to_owned())),
        binary: env::current_exe()?,
        on_the_line: Vec::new(),
        usual: Vec::new(),
        dirs,
    })
}

fn reason(loose: &Loose) -> String {
    let Loose { said, mend } = loose;
    format!(
        "This change of the settings was not taken over, because Ringfence's hook would no longer be \
         asked: {said}. This session goes on with the settings that it has, but the file is still \
         wrong on disk and a new session reads it. To mend it: {mend}; then check with `ringfence \
         doctor`. A person who wants the guard off runs `ringfence off` in a terminal first."
    )
}

/// One line for the person at the terminal.
fn notice(loose: &Loose) -> String {
    format!(
        "Ringfence held back a change of the settings: {}. To mend it: {}",
        loose.said, loose.mend
    )
}
