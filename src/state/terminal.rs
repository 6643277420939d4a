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
        match self.client_among(process::ancestors().into_iter()) {
            Some((name, pid)) => Err(format!("it runs below the client `{name}` ({pid})")),
            None => Ok(()),
        }
    }

    /// Whether a person started the client process of this hook: it has a terminal, no client is
    /// above it, and none handed its variables down.
    pub fn is_persons_client(&self, client: &process::Process) -> bool {
        let above =
            process::ancestors().into_iter().skip_while(|one| one.pid != client.pid).skip(1);
        client.has_terminal
            && !MARKS.iter().any(|mark| process::variable(client.pid, mark).is_some())
            && self.client_among(above).is_none()
    }

    fn client_among(
        &self,
        mut ancestors: impl Iterator<Item = process::Process>,
    ) -> Option<(String, u32)> {
        ancestors.find_map(|ancestor| {
            let name = process::name(ancestor.pid).unwrap_or_default();
            let known = self.client_session(ancestor.pid, ancestor.start).is_some();
            (known || CLIENTS.contains(&name.as_str())).then_some((name, ancestor.pid))
        })
    }
}
