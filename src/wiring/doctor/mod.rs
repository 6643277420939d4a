//! Looks at every row of the table as the client would, and tries the hook out: one row a fact.

mod canary;
mod client;
mod entries;
mod files;
mod machine;
mod others;
mod plugins;
mod server;

use crate::wiring::plugin;
use crate::wiring::scopes;
use crate::wiring::table::Places;

pub use client::{AGENT_ID, ENV_KEPT, EXEC_FORM, ON_FAILURE, Version, installed_version};
pub use machine::age;

/// How well something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Health {
    /// As it should be.
    Pass,
    /// It works, but not as well as it could, or not for long.
    Warn,
    /// The guard does not guard.
    Fail,
}

impl Health {
    /// The word in tables and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }
}

/// One fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// What was looked at.
    pub name: &'static str,
    /// How well it is.
    pub health: Health,
    /// What was seen.
    pub said: String,
    /// What to type or do, for everything that is not well.
    pub fix: Option<String>,
}

impl Row {
    /// All is well.
    pub fn pass(name: &'static str, said: impl Into<String>) -> Self {
        Self { name, health: Health::Pass, said: said.into(), fix: None }
    }

    /// It could be better.
    pub fn warn(name: &'static str, said: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { name, health: Health::Warn, said: said.into(), fix: Some(fix.into()) }
    }

    /// The guard does not guard.
    pub fn fail(name: &'static str, said: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { name, health: Health::Fail, said: said.into(), fix: Some(fix.into()) }
    }
}

/// Looks at everything.
pub fn check(places: &Places) -> Vec<Row> {
    let plugins = plugin::find(places);
    let files = scopes::read(&scopes::paths(places), &places.binary);
    let mut rows = files::rows(&files);
    let found = entries::find(&files, &plugins);
    rows.extend(plugins::rows(&plugins, entries::judges(&found).next().is_some()));
    rows.extend(entries::rows(&found, places));
    rows.extend(files::switches(&files, plugins.iter().any(|plugin| plugin.enabled)));
    rows.extend(canary::rows(&found, places));
    rows.extend(client::rows(&found, &files));
    rows.extend(others::rewriters(&files, places));
    rows.extend(others::writable(&files, &entries::programs(&found, places), places));
    rows.extend(machine::rows(places, &found));
    rows.extend(server::rows(places));
    rows
}
