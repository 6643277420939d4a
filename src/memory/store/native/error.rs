//! What can go wrong with our own store, for a person.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// Why a command on our own store failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Written by a newer program.
    #[error("the store was written by a newer version (schema {found}, this one knows {known})")]
    Newer {
        /// The file's schema.
        found: i64,
        /// Ours.
        known: i64,
    },
    /// Another program's file.
    #[error("`{}` is not a Ringfence store", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// Another writer held it for too long.
    #[error("the store stayed locked by another process")]
    Locked,
    /// Whoever asks may not do it; the reason for a model, several lines.
    #[error("{0}")]
    Refused(String),
    /// Not readable as a database.
    #[error("the store's file is damaged ({0})")]
    Damaged(String),
    /// The file or its directory could not be made or opened.
    #[error("`{}` cannot be opened: {reason}", path.display())]
    Unopenable {
        /// The file.
        path: PathBuf,
        /// The system's words.
        reason: String,
    },
    /// The file, its directory or the disk does not let it be read or written.
    #[error("the store cannot be read or written ({0})")]
    Unusable(String),
    /// No note has this id.
    #[error("there is no memory `{0}`")]
    NoSuchNote(String),
    /// The note was there, and was deleted.
    #[error("the memory `{id}` was deleted at {at}")]
    Deleted {
        /// Its id.
        id: String,
        /// When, RFC 3339.
        at: String,
    },
    /// The note was not there at that time.
    #[error("the memory `{id}` was not there at {at}")]
    NotThen {
        /// Its id.
        id: String,
        /// The time that was asked for, RFC 3339.
        at: String,
    },
    /// No active note has this subject.
    #[error("there is no active memory on `{0}`")]
    NoSuchSubject(String),
    /// Several contested notes have this subject.
    #[error("{} contested memories are active on `{subject}`", ids.len())]
    Ambiguous {
        /// The subject as given.
        subject: String,
        /// Their ids, newest first.
        ids: Vec<String>,
    },
    /// Another process has it open.
    #[error("`{}` is open in process {pid}", path.display())]
    Held {
        /// The file.
        path: PathBuf,
        /// The process.
        pid: u32,
    },
    /// A record of an import is not as it must be.
    #[error("it cannot be taken in: {0}")]
    Unfit(String),
    /// Anything else SQLite says.
    #[error("the store refused: {0}")]
    Other(#[source] rusqlite::Error),
}

impl StoreError {
    pub(in crate::memory::store) fn io(path: &Path, error: &io::Error) -> Self {
        Self::Unopenable { path: path.to_owned(), reason: error.to_string() }
    }

    pub(in crate::memory::store) fn place(path: &Path) -> Self {
        Self::Unopenable { path: path.to_owned(), reason: "it has no directory".to_owned() }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                Self::Damaged(error.to_string())
            }
            Some(
                ErrorCode::CannotOpen
                | ErrorCode::ReadOnly
                | ErrorCode::PermissionDenied
                | ErrorCode::SystemIoFailure
                | ErrorCode::DiskFull,
            ) => Self::Unusable(error.to_string()),
            _ => Self::Other(error),
        }
    }
}
