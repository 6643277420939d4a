//! What was decided about a session when it started: `sessions/<id>.posture`.

use serde::{Deserialize, Serialize};

use super::{State, file_name};
use crate::sys::file;

/// The largest record that is believed.
const LIMIT: u64 = 65_536;

/// How a session's commands are to be treated; decided once, read by each call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PostureRecord {
    /// Nobody watches this run.
    pub hosted: bool,
    /// Why it counts as hosted, or does not.
    pub hosted_because: String,
    /// The posture's word.
    pub posture: String,
    /// Who said so.
    pub because: String,
    /// The directory at the start, links resolved.
    pub workspace: String,
    /// The boundary that holds; empty = none.
    pub boundary: String,
    /// Why none holds.
    pub lack: String,
    /// The shell prefix that contains every command.
    pub prefix: String,
    /// The same as words.
    pub prefix_words: Vec<String>,
    /// The names of the run's own terminal sessions begin so.
    pub terminal_prefix: String,
    /// And these are its own.
    pub terminal_names: Vec<String>,
    /// More that the run may change.
    pub write: Vec<String>,
    /// Root's settings keep skills from running commands.
    pub skills_run_nothing: bool,
    /// The network stays.
    pub net: bool,
}

impl State {
    fn posture_path(&self, session: &str) -> std::path::PathBuf {
        self.dir().join("sessions").join(format!("{}.posture", file_name(session)))
    }

    /// What was decided for a session; one small file.
    pub fn posture(&self, session: &str) -> Option<PostureRecord> {
        let bytes = file::read_bounded(&self.posture_path(session), LIMIT).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Keeps what was decided, unless something was: a later directory must not choose again.
    ///
    /// # Errors
    /// As the system says.
    pub fn record_posture(&self, session: &str, record: &PostureRecord) -> std::io::Result<()> {
        if self.posture(session).is_some() {
            return Ok(());
        }
        file::private_dir(&self.dir().join("sessions"))?;
        let text = serde_json::to_vec(record).map_err(std::io::Error::other)?;
        file::write_record(&self.posture_path(session), &text)
    }
}
