//! Our entries that come with the client's plugin instead of a settings file: where it is installed,
//! whether it is enabled, what it registers. Reads the client's own records; never writes them.

use std::path::{Path, PathBuf};

use super::document::{self, Node};
use super::entry::{Registered, SHIM};
use super::install::look;
use super::lint;
use super::scopes::SettingsFile;
use super::settings;
use super::table::{Places, Scope};
use crate::sys::env;
use crate::sys::replace::Found;

/// The plugin's name; the marketplace's follows after `@`.
pub const NAME: &str = "ringfence";

/// What the client puts in for the plugin's directory.
const ROOT: &str = "${CLAUDE_PLUGIN_ROOT}";

/// The plugin, as the client has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Plugin {
    /// `ringfence@MARKETPLACE`.
    pub id: String,
    /// Whether the client loads it in this directory.
    pub enabled: bool,
    /// The settings file that says so last, if any does.
    pub decided_by: Option<PathBuf>,
    /// Its file with the entries.
    pub hooks: PathBuf,
    /// The entries, with the directory put in.
    pub registered: Vec<Registered>,
    /// Why there are none.
    pub fault: Option<String>,
}

impl Plugin {
    fn is_ours(&self) -> bool {
        self.id.split('@').next() == Some(NAME)
    }
}

/// All installations of our plugin that the client knows.
pub fn find(places: &Places) -> Vec<Plugin> {
    all(places).into_iter().filter(|plugin| plugin.is_ours()).collect()
}

/// All plugins that the client knows, whosever they are.
pub fn all(places: &Places) -> Vec<Plugin> {
    let known = places.client.join("plugins");
    let Some(installed) = read(&known.join("installed_plugins.json")) else { return Vec::new() };
    let marketplaces = read(&known.join("known_marketplaces.json"));
    let plugins = installed.get("plugins").into_iter().flat_map(Node::counted);
    plugins
        .filter_map(|plugin| {
            let last = plugin.node.items().last()?;
            let copy = last.get("installPath").and_then(Node::text).map(PathBuf::from);
            let root = live_folder(marketplaces.as_ref(), &plugin.key).or(copy)?;
            Some(plugin_at(places, &plugin.key, &root))
        })
        .collect()
}

/// The folder that the client reads live when the marketplace is a directory.
fn live_folder(marketplaces: Option<&Node>, id: &str) -> Option<PathBuf> {
    let (name, marketplace) = id.split_once('@')?;
    let source = marketplaces?.get(marketplace)?.get("source")?;
    if source.get("source").and_then(Node::text) != Some("directory") {
        return None;
    }
    let folder = PathBuf::from(source.get("path")?.text()?);
    let catalog = read(&folder.join(".claude-plugin/marketplace.json"))?;
    let mut offered = catalog.get("plugins").map(Node::items).unwrap_or_default().iter();
    let plugin = offered.find(|one| one.get("name").and_then(Node::text) == Some(name))?;
    let below = plugin.get("source")?.text()?;
    Some(
        below
            .split('/')
            .filter(|part| !matches!(*part, "" | "."))
            .fold(folder, |at, part| at.join(part)),
    )
}

fn plugin_at(places: &Places, id: &str, root: &Path) -> Plugin {
    let hooks = root.join("hooks/hooks.json");
    let (enabled, decided_by) = enabled(places, id);
    let (mut registered, mut fault) = (Vec::new(), None);
    match look(&hooks) {
        Err(refused) => fault = Some(refused.sentence),
        Ok(Found::Nothing(_)) => fault = Some(format!("`{}` is not there", hooks.display())),
        Ok(Found::File(seen)) => match document::read(&seen.bytes) {
            Err(wrong) => fault = Some(format!("`{}`: {wrong}", hooks.display())),
            Ok(None) => fault = Some(format!("`{}` is empty", hooks.display())),
            Ok(Some(document)) => {
                registered = settings::registered(&document, &places.binary.to_string_lossy());
            }
        },
    }
    let root = root.to_string_lossy();
    for word in registered.iter_mut().flat_map(|entry| entry.argv.iter_mut()) {
        *word = word.replace(ROOT, &root);
    }
    Plugin { id: id.to_owned(), enabled, decided_by, hooks, registered, fault }
}

/// The entries of ours that plugins bring into a client with these settings, and with these folders
/// of plugins named when it was started (`--plugin-dir`), which no setting switches off.
pub fn entries(places: &Places, files: &[SettingsFile], named: &[PathBuf]) -> Vec<Registered> {
    let loaded = || files.iter().filter(|file| file.is_loaded()).rev();
    let is_on = |id: &str| {
        let mut said = loaded().flat_map(|file| file.plugins.iter());
        said.find(|(name, _)| name == id).is_some_and(|(_, on)| *on)
    };
    let installed = find(places).into_iter().filter(|plugin| is_on(&plugin.id));
    let named = named.iter().map(|root| plugin_at(places, NAME, root));
    installed.chain(named).flat_map(|plugin| plugin.registered).collect()
}

/// Whether the client loads the plugin here: the last settings file that says decides.
fn enabled(places: &Places, id: &str) -> (bool, Option<PathBuf>) {
    let mut decided = (false, None);
    for scope in [Scope::User, Scope::Project, Scope::Local, Scope::Managed] {
        let path = places.settings(scope);
        let said = read(&path).and_then(|root| root.get("enabledPlugins")?.get(id)?.truth());
        if let Some(said) = said {
            decided = (said, Some(path));
        }
    }
    decided
}

fn read(path: &Path) -> Option<Node> {
    let Ok(Found::File(seen)) = look(path) else { return None };
    document::read(&lint::as_decoded(&seen.bytes)).ok().flatten()
}

/// Where the shim looks for the program, the first that is there counts. The shim has the same list.
pub fn program_of(shim: &Path, home: &Path) -> Vec<PathBuf> {
    vec![
        shim.with_file_name(NAME),
        home.join(".local/bin").join(NAME),
        home.join(".cargo/bin").join(NAME),
        PathBuf::from("/usr/local/bin").join(NAME),
        PathBuf::from("/usr/bin").join(NAME),
    ]
}

/// The program that a registered one ends in: itself, or what the shim finds.
pub fn behind(program: &Path, home: &Path) -> Option<PathBuf> {
    if program.file_name().is_none_or(|name| name != SHIM) {
        return Some(program.to_path_buf());
    }
    program_of(program, home).into_iter().find(|path| env::is_program(path))
}
