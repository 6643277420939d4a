//! Whether our entries bind: whether a client with these settings files would ask us about every
//! guarded call, wait for the answer, and tell us when the settings change. Pure but for looking at
//! the programs that entries name.

use std::path::Path;

use super::entry::{Form, Registered};
use super::lint::{self, Effect};
use super::matcher::Matcher;
use super::scopes::{Origin, SettingsFile};
use crate::guard::{MEMORY_GUARD_MCP_TOOLS, MEMORY_GUARD_TOOLS};
use crate::sys::file;

/// Below this many seconds the hook could be killed before its own backstop answers.
pub const SHORTEST: f64 = 2.0;

/// One thing that keeps us from being asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loose {
    /// What is wrong and in which file: a sentence without its full stop.
    pub said: String,
    /// What mends it: something to type or do.
    pub mend: String,
}

/// What is to be known besides the files.
pub struct Terms<'a> {
    /// Whether the program that an entry names is the one that runs now.
    pub is_own: &'a dyn Fn(&Path) -> bool,
    /// Whether this client lets a project's `env` move `HOME` and `XDG_*`.
    pub env_moves_home: &'a dyn Fn() -> bool,
    /// The entries of a plugin of ours that these files leave switched on.
    pub plugin: &'a [Registered],
    /// Whose settings install wrote our entries into.
    pub installed: Origin,
}

/// The events without which the guard can be got round, and what the matcher of each must hit.
///
/// The others only keep records: without them a grant is not given back, and an owner is unproven.
fn needed() -> [(&'static str, Vec<String>); 3] {
    let words = |words: &[&str]| words.iter().map(ToString::to_string).collect();
    [
        ("PreToolUse", guarded_tools()),
        ("SessionStart", words(&["startup", "resume", "clear", "compact", "fork"])),
        ("ConfigChange", words(&["user_settings", "project_settings", "local_settings"])),
    ]
}

/// The tools by which memory can be reached, plugin forms too.
pub fn guarded_tools() -> Vec<String> {
    let mut tools: Vec<String> = MEMORY_GUARD_TOOLS.iter().map(ToString::to_string).collect();
    for tool in MEMORY_GUARD_MCP_TOOLS {
        let name = tool.rsplit("__").next().unwrap_or(tool);
        tools.push(format!("mcp__plugin_memory_cortex__{name}"));
        tools.push(format!("mcp__ringfence__{name}"));
    }
    tools.extend(["Monitor", "Write", "Edit", "NotebookEdit", "Skill"].map(str::to_owned));
    tools
}

/// What keeps our entries from binding; `None` = they bind.
pub fn loose(files: &[SettingsFile], terms: &Terms<'_>) -> Option<Loose> {
    let silent = silenced(files, !terms.plugin.is_empty());
    if let Some(first) = silent.into_iter().next() {
        return Some(first);
    }
    needed().into_iter().find_map(|(event, names)| unbound(files, terms, event, &names))
}

/// What silences every hook of ours, whatever the entries are. `plugin`: a plugin of ours has some.
pub fn silenced(files: &[SettingsFile], plugin: bool) -> Vec<Loose> {
    let mut found = Vec::new();
    let loaded = || files.iter().filter(|file| file.is_loaded());
    let managed = |file: &&SettingsFile| file.origin == Origin::Managed;
    let ours_managed = loaded().filter(managed).any(|file| !file.registered.is_empty());
    // The last file that says decides; managed settings decide before all.
    let decides = loaded().rfind(|file| file.disabled.is_some());
    if let Some(file) = decides.filter(|file| file.disabled == Some(true))
        && (file.origin == Origin::Managed || !ours_managed)
    {
        let place = file.path.display();
        found.push(Loose {
            said: format!("`disableAllHooks` in {place} switches every hook off"),
            mend: format!("remove `disableAllHooks` from {place}"),
        });
    }
    if let Some(file) = loaded().filter(managed).find(|file| file.managed_only)
        && !ours_managed
    {
        found.push(Loose {
            said: format!("`allowManagedHooksOnly` in {} shuts our hook out", file.path.display()),
            mend: "ringfence install --scope managed".to_owned(),
        });
    }
    if let Some(file) = loaded().filter(managed).find(|file| file.plugins_only)
        && !ours_managed
        && !plugin
    {
        let place = file.path.display();
        found.push(Loose {
            said: format!("`strictPluginOnlyCustomization` in {place} shuts our hook out"),
            mend: "ringfence install --scope managed".to_owned(),
        });
    }
    if ours_managed {
        return found;
    }
    for name in lint::SILENCERS {
        // Of one variable the last file that sets it decides.
        let Some((file, value)) = variable(files, name) else { continue };
        if !lint::is_on(value) {
            continue;
        }
        let place = file.path.display();
        let path = format!("env.{name}");
        let finding = file
            .findings
            .iter()
            .find(|one| one.effect == Effect::Silences && one.path == path)
            .map_or_else(
                || format!("`{path}` starts the client without hooks"),
                lint::Finding::sentence,
            );
        found.push(Loose {
            said: format!("in {place} {finding}"),
            mend: format!("remove `{path}` from {place}"),
        });
    }
    found
}

/// A variable as the client merges it: the last file that sets it wins.
fn variable<'a>(files: &'a [SettingsFile], name: &str) -> Option<(&'a SettingsFile, &'a str)> {
    files.iter().filter(|file| file.is_loaded()).rev().find_map(|file| {
        let (_, value) = file.env.iter().find(|(key, _)| key == name)?;
        Some((file, value.as_str()))
    })
}

/// Why the client would not ask us on `event` for each of `names`; `None` = it would.
fn unbound(
    files: &[SettingsFile],
    terms: &Terms<'_>,
    event: &str,
    names: &[String],
) -> Option<Loose> {
    let loaded = files.iter().filter(|file| file.is_loaded());
    let mut entries: Vec<(Option<&SettingsFile>, &Registered)> = loaded
        .flat_map(|file| file.registered.iter().map(move |entry| (Some(file), entry)))
        .collect();
    // Only managed hooks are left where the managed settings say so.
    let managed = || files.iter().filter(|file| file.origin == Origin::Managed && file.is_loaded());
    let managed_only = managed().any(|file| file.managed_only);
    if managed_only || managed().any(|file| file.plugins_only) {
        entries.retain(|(file, _)| file.is_some_and(|file| file.origin == Origin::Managed));
    }
    if !managed_only {
        entries.extend(terms.plugin.iter().map(|entry| (None, entry)));
    }
    entries.retain(|(_, entry)| entry.event == event);
    let mut missed = names.to_vec();
    let mut faults = Vec::new();
    for (file, entry) in &entries {
        match fault(files, terms, entry) {
            Some(fault) => faults.push((*file, fault)),
            None => {
                let matcher = Matcher::read(entry.matcher.as_deref());
                missed.retain(|name| !matcher.hits(name));
            }
        }
    }
    if missed.is_empty() {
        return None;
    }
    let mend = terms.installed.install_words().to_owned();
    let place = |file: Option<&SettingsFile>| {
        file.map_or_else(|| "the plugin".to_owned(), |file| file.path.display().to_string())
    };
    if let Some((file, fault)) = faults.into_iter().next() {
        let mend = fault.mend.unwrap_or(mend);
        return Some(Loose {
            said: format!("in {} the {event} entry {}", place(file), fault.what),
            mend,
        });
    }
    if let Some((file, entry)) = entries.first() {
        let matcher = entry.matcher.as_deref().unwrap_or_default();
        let said = format!(
            "in {} the matcher `{matcher}` of the {event} entry misses {}",
            place(*file),
            shortened(&missed)
        );
        return Some(Loose { said, mend });
    }
    Some(absent(files, terms, event, mend))
}

/// At most three names, then a count.
fn shortened(names: &[String]) -> String {
    match names {
        [first, second, third, rest @ ..] if !rest.is_empty() => {
            format!("{first}, {second}, {third} and {} more", rest.len())
        }
        names => names.join(", "),
    }
}

/// There is no entry: because a file is not loaded, or because nobody has it.
fn absent(files: &[SettingsFile], terms: &Terms<'_>, event: &str, mend: String) -> Loose {
    let unloaded = |file: &&SettingsFile| !file.is_loaded() && file.origin == terms.installed;
    let Some(file) = files.iter().find(unloaded) else {
        let said = format!("no settings file that the client loads has our {event} entry");
        return Loose { said, mend };
    };
    let place = file.path.display();
    let why = file.findings.iter().find(|one| one.effect == Effect::Voids);
    let why = why.map(lint::Finding::sentence).or_else(|| file.unreadable.clone());
    Loose {
        said: format!("the client does not load {place}: {}", why.unwrap_or_default()),
        mend: format!("mend {place}, then run `{mend}`"),
    }
}

/// What is wrong with one entry, as the end of a sentence.
struct Fault {
    what: String,
    /// What mends it, where installing again does not.
    mend: Option<String>,
}

fn fault(files: &[SettingsFile], terms: &Terms<'_>, entry: &Registered) -> Option<Fault> {
    let plain = |what: String| Some(Fault { what, mend: None });
    let program = entry.argv.first().map_or("", String::as_str);
    if entry.is_async {
        return plain("is not waited for (`async`)".to_owned());
    }
    if let Some(condition) = &entry.condition {
        return plain(format!("has the condition `{condition}`, which skips calls"));
    }
    if let Some(seconds) = entry.timeout.filter(|seconds| *seconds < SHORTEST) {
        return plain(format!("has a timeout of {seconds} s, too short for an answer"));
    }
    if let Some(shell) = &entry.other_shell {
        return plain(format!("is given to the shell `{shell}`"));
    }
    if !(terms.is_own)(Path::new(program)) {
        return plain(format!("starts `{program}`, which is not this program"));
    }
    if !arms(&entry.argv).iter().any(|arm| arm == "guard") {
        return plain("does not select the guard (`--with`)".to_owned());
    }
    bent(files, terms, entry)
}

/// The arms that a line selects; none named = the guard.
fn arms(argv: &[String]) -> Vec<String> {
    let values: Vec<&str> = values(argv, "--with").collect();
    if values.is_empty() {
        return vec!["guard".to_owned()];
    }
    values.iter().flat_map(|value| value.split(',')).map(str::to_owned).collect()
}

/// The values of a flag on a line, in both spellings.
pub(super) fn values<'a>(argv: &'a [String], flag: &'a str) -> impl Iterator<Item = &'a str> {
    argv.iter().enumerate().filter_map(move |(at, word)| {
        if word == flag {
            return argv.get(at + 1).map(String::as_str);
        }
        word.strip_prefix(flag)?.strip_prefix('=')
    })
}

/// Variables that get between the client and a program that it starts by a shell.
const BENDING: &[&str] = &["LD_PRELOAD", "LD_AUDIT", "CLAUDE_CODE_SHELL_PREFIX"];

/// Variables that move our places, where the line does not name them, with the flags that name them.
const MOVING: &[(&str, &[&str])] = &[
    ("HOME", &["--state", "--config", "--data"]),
    ("XDG_STATE_HOME", &["--state"]),
    ("XDG_CONFIG_HOME", &["--config"]),
    ("XDG_DATA_HOME", &["--data"]),
];

/// Whether the settings' `env` gets at what the entry starts.
fn bent(files: &[SettingsFile], terms: &Terms<'_>, entry: &Registered) -> Option<Fault> {
    let fault = |file: &SettingsFile, name: &str, what: &str| Fault {
        what: format!("{what} `env.{name}` in {}", file.path.display()),
        mend: Some(format!("remove `env.{name}` from {}", file.path.display())),
    };
    if entry.form == Form::Shell {
        for name in BENDING {
            if let Some((file, value)) = variable(files, name)
                && !value.is_empty()
            {
                return Some(fault(file, name, "is started by a shell, which is bent by"));
            }
        }
        if let Some((file, value)) = variable(files, "LD_LIBRARY_PATH")
            && value.split(':').any(|dir| file::exists(&Path::new(dir).join("libc.so.6")))
        {
            return Some(fault(file, "LD_LIBRARY_PATH", "is started by a shell, which is bent by"));
        }
    }
    for (name, flags) in MOVING {
        let named = flags.iter().all(|flag| values(&entry.argv, flag).next().is_some());
        if named {
            continue;
        }
        if let Some((file, _)) = variable(files, name)
            && (terms.env_moves_home)()
        {
            return Some(fault(file, name, "does not name its places, which are moved by"));
        }
    }
    None
}
