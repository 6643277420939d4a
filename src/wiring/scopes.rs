//! The client's settings files of all scopes, read as the client reads them, the weakest first.

use std::path::{Path, PathBuf};

use super::document::{self, Node, Value};
use super::entry::{Registered, recognise};
use super::fence::Fence;
use super::install::look;
use super::lint::{self, Effect, Finding};
use super::settings;
use super::table::{LOCAL_SETTINGS, MANAGED_SETTINGS, Places, Scope};
use crate::sys::file;
use crate::sys::git::Repository;
use crate::sys::replace::Found;

/// The event by which the guard is asked.
pub const JUDGED: &str = "PreToolUse";

/// Where settings come from; a later one wins over those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// The user's file.
    User,
    /// The project's file.
    Project,
    /// The project's file for this machine.
    Local,
    /// What the client was started with (`--settings`).
    Line,
    /// The machine's files.
    Managed,
}

impl Origin {
    /// What `install` calls it.
    pub fn install_words(self) -> &'static str {
        match self {
            Self::User | Self::Line => "ringfence install",
            Self::Project => "ringfence install --scope project",
            Self::Local => "ringfence install --scope local",
            Self::Managed => "ringfence install --scope managed",
        }
    }
}

/// One settings file that is there.
#[derive(Clone, Debug)]
pub struct SettingsFile {
    /// Whose it is.
    pub origin: Origin,
    /// Where.
    pub path: PathBuf,
    /// What the client does not take of it.
    pub findings: Vec<Finding>,
    /// Why it could not be read.
    pub unreadable: Option<String>,
    /// Permission bits.
    pub mode: u32,
    /// Entries of ours that the client takes.
    pub registered: Vec<Registered>,
    /// `disableAllHooks`, if the file says.
    pub disabled: Option<bool>,
    /// `allowManagedHooksOnly`.
    pub managed_only: bool,
    /// `strictPluginOnlyCustomization` for hooks: in root's file it leaves root's and the plugins'.
    pub plugins_only: bool,
    /// Its `env`, texts and numbers as texts.
    pub env: Vec<(String, String)>,
    /// Its `enabledPlugins`.
    pub plugins: Vec<(String, bool)>,
    /// The commands of others that are asked before a tool runs.
    pub others: Vec<Other>,
    /// Where tools may write, as far as it says.
    pub fence: Fence,
}

/// A hook of somebody else that is asked before a tool runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Other {
    /// Which tools it is asked about.
    pub matcher: Option<String>,
    /// Its command line as words.
    pub words: Vec<String>,
    /// Whether its failure is to block the call.
    pub blocks_on_failure: bool,
}

impl SettingsFile {
    /// Whether the client takes it.
    pub fn is_loaded(&self) -> bool {
        self.unreadable.is_none() && lint::is_loaded(&self.findings)
    }

    fn new(origin: Origin, path: PathBuf) -> Self {
        Self {
            origin,
            path,
            findings: Vec::new(),
            unreadable: None,
            mode: 0,
            registered: Vec::new(),
            disabled: None,
            managed_only: false,
            plugins_only: false,
            env: Vec::new(),
            plugins: Vec::new(),
            others: Vec::new(),
            fence: Fence::default(),
        }
    }

    /// A settings text that stands at `path`.
    pub fn of_text(origin: Origin, path: PathBuf, bytes: &[u8], own: &str) -> Self {
        let mut file = Self::new(origin, path);
        file.findings = lint::lint(bytes);
        let Ok(Some(root)) = document::read(&lint::as_decoded(bytes)) else { return file };
        let truth = |key| root.get(key).and_then(Node::truth);
        let dropped = |place: &str| {
            let covers = |finding: &Finding| {
                let rest = place.strip_prefix(finding.path.as_str());
                finding.effect == Effect::Dropped
                    // Of `hooks` as a whole only what lies too deep is dropped.
                    && finding.path.starts_with("hooks.")
                    && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            file.findings.iter().any(covers)
        };
        file.registered = settings::placed(&root, own)
            .into_iter()
            .filter(|(place, _)| !dropped(place))
            .map(|(_, entry)| entry)
            .collect();
        file.disabled = truth("disableAllHooks");
        file.managed_only = truth("allowManagedHooksOnly") == Some(true);
        file.plugins_only = root.get("strictPluginOnlyCustomization").is_some_and(locks_hooks);
        file.env = members(&root, "env", |value| match value {
            Value::Text(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            Value::Bool(truth) => Some(truth.to_string()),
            Value::Null | Value::List(_) | Value::Object(_) => None,
        });
        file.plugins = members(&root, "enabledPlugins", |value| match value {
            Value::Bool(truth) => Some(*truth),
            Value::List(_) => Some(true),
            Value::Null | Value::Number(_) | Value::Text(_) | Value::Object(_) => None,
        });
        file.others = others(&root, own);
        file.fence = Fence::of(&root);
        file
    }
}

/// What the client cannot read there, it takes for the strict value.
fn locks_hooks(node: &Node) -> bool {
    match &node.value {
        Value::Bool(locks) => *locks,
        Value::List(surfaces) => surfaces.iter().any(|one| one.text() == Some("hooks")),
        Value::Null => false,
        Value::Number(_) | Value::Text(_) | Value::Object(_) => true,
    }
}

fn others(root: &Node, own: &str) -> Vec<Other> {
    let groups = root.get("hooks").and_then(|hooks| hooks.get(JUDGED)).map(Node::items);
    let mut found = Vec::new();
    for group in groups.unwrap_or_default() {
        for handler in group.get("hooks").map(Node::items).unwrap_or_default() {
            let Some(command) = handler.get("command").and_then(Node::text) else { continue };
            if recognise(JUDGED, group, handler, own).is_some() {
                continue;
            }
            let words = match handler.get("args") {
                Some(args) => std::iter::once(command)
                    .chain(args.items().iter().filter_map(Node::text))
                    .map(str::to_owned)
                    .collect(),
                None => shell_words::split(command)
                    .unwrap_or_else(|_| command.split_whitespace().map(str::to_owned).collect()),
            };
            found.push(Other {
                matcher: group.get("matcher").and_then(Node::text).map(str::to_owned),
                words,
                blocks_on_failure: handler.get("onFailure").and_then(Node::text) == Some("block"),
            });
        }
    }
    found
}

fn members<T>(root: &Node, key: &str, take: impl Fn(&Value) -> Option<T>) -> Vec<(String, T)> {
    let all = root.get(key).into_iter().flat_map(Node::counted);
    all.filter_map(|one| Some((one.key.clone(), take(&one.node.value)?))).collect()
}

/// The settings files that count for a client at these places, each once.
pub fn paths(places: &Places) -> Vec<(Origin, PathBuf)> {
    let mut paths = vec![
        (Origin::User, places.settings(Scope::User)),
        (Origin::Project, places.settings(Scope::Project)),
        (Origin::Local, places.settings(Scope::Local)),
    ];
    // A client in a folder or in a linked work tree reads the local file of the main one as well, and
    // that one wins; of the project's files it reads only the one where it was started.
    let repository = Repository::find(&places.project);
    if let Some(top) = repository.as_ref().and_then(Repository::main_top)
        && top != places.project
    {
        paths.push((Origin::Local, top.join(LOCAL_SETTINGS)));
    }
    paths.extend(managed().into_iter().map(|path| (Origin::Managed, path)));
    paths
}

/// The machine's settings: one file, then those of the folder beside it by name.
fn managed() -> Vec<PathBuf> {
    let main = PathBuf::from(MANAGED_SETTINGS);
    let folder = main.with_extension("d");
    let mut names = file::names(&folder);
    names.retain(|name| name.ends_with(".json") && !name.starts_with('.'));
    names.sort();
    let parts = names.into_iter().map(|name| folder.join(name));
    std::iter::once(main.clone()).chain(parts).collect()
}

/// Reads those that are there. `own` is the running binary's path.
pub fn read(paths: &[(Origin, PathBuf)], own: &Path) -> Vec<SettingsFile> {
    let own = own.to_string_lossy();
    let mut files: Vec<SettingsFile> = Vec::new();
    for (origin, path) in paths {
        // In the home directory the user's and the project's file are one.
        if files.iter().any(|file| file.path == *path) {
            continue;
        }
        let file = match look(path) {
            Ok(Found::Nothing(_)) => continue,
            Err(refused) => SettingsFile {
                unreadable: Some(refused.sentence),
                ..SettingsFile::new(*origin, path.clone())
            },
            Ok(Found::File(seen)) => SettingsFile {
                mode: seen.mode,
                ..SettingsFile::of_text(*origin, path.clone(), &seen.bytes, &own)
            },
        };
        files.push(file);
    }
    files.sort_by_key(|file| file.origin);
    files
}
