//! Whether a command is run by a person: at a terminal, and not below any client.
//!
//! What an agent can do to look like one (a pseudo-terminal, a process that cut its ancestry) is
//! not seen here; the guard refuses the commands by name.

use super::State;
use crate::sys::{env, process};

/// Programs below which an agent's commands run.
const CLIENTS: &[&str] = &["claude", "codex", "gemini", "opencode"];

/// Variables that clients give to the commands of their agents.
const MARKS: &[&str] = &["CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CODEX_SANDBOX"];

impl State {
    /// Checks that this process was started from a terminal outside any client.
    ///
    /// # Errors
    /// What speaks against it, as the end of a sentence.
    pub fn outside_any_client(&self) -> Result<(), String> {
        if !process::has_terminal() {
            return Err("there is no terminal".to_owned());
        }
        if let Some(mark) = MARKS.iter().find(|mark| env::var(mark).is_some()) {
            return Err(format!("`{mark}` is set, so a client started this"));
        }
        for ancestor in process::ancestors() {
            let name = process::name(ancestor.pid).unwrap_or_default();
            let known = self.client_session(ancestor.pid, ancestor.start).is_some();
            if known || CLIENTS.contains(&name.as_str()) {
                return Err(format!("it runs below the client `{name}` ({})", ancestor.pid));
            }
        }
        Ok(())
    }
}
