//! The facts of this client and machine: stores in use, and the boundary of all settings together.

use std::path::{Path, PathBuf};

use super::client::{self, Channel, Denial, Sandbox, Store};
use super::report::Report;
use super::rules::{self, Bases};
use crate::memory::Family;
use crate::sys::git::Repository;
use crate::sys::{env, file, place};
use crate::wiring::scopes::{Origin, SettingsFile};
use crate::wiring::server;
use crate::wiring::table::Places;

/// The client's switch for its own memory.
const NO_AUTO_MEMORY: &str = "CLAUDE_CODE_DISABLE_AUTO_MEMORY";

/// Where a host of the client keeps that memory, before all settings.
const MEMORY_PATH: &str = "CLAUDE_COWORK_MEMORY_PATH_OVERRIDE";

/// In the stead of the client's directory, for memory.
const REMOTE_MEMORY: &str = "CLAUDE_CODE_REMOTE_MEMORY_DIR";

/// A client that runs for somebody elsewhere, and one with little of what it has. Neither remembers.
const REMOTE: &str = "CLAUDE_CODE_REMOTE";
const SIMPLE: &str = "CLAUDE_CODE_SIMPLE";

/// What is asked.
pub struct Question<'a> {
    /// Where things are.
    pub places: &'a Places,
    /// The client's settings, the weakest first.
    pub files: &'a [SettingsFile],
    /// Where the stores of a call here are, whether they are there or not.
    pub stores: &'a [(Family, PathBuf)],
    /// Where the session is.
    pub cwd: &'a Path,
}

/// What is known of this client.
pub struct Known {
    /// The stores that are in use.
    pub stores: Vec<Store>,
    /// The sandbox around shell commands; `None` = none, or it cannot be computed.
    pub sandbox: Option<Sandbox>,
}

/// Audits the stores that are in use below this client.
pub fn audit(report: &mut Report, question: &Question<'_>) -> Known {
    for file in question.files.iter().filter(|file| !file.is_loaded()) {
        let place = file.path.display();
        report.info.push(match &file.unreadable {
            Some(why) => format!("`{place}` cannot be read, so nothing is known of it: {why}"),
            None => format!("the client does not take `{place}` as it is, so nothing in it counts"),
        });
    }
    let sandbox = sandbox(report, question);
    let mut stores = Vec::new();
    for (family, path) in question.stores {
        stores.extend(store(question, *family, path));
    }
    stores.extend(auto_memory(report, question));
    for store in &stores {
        let not = if store.is_resolved { "" } else { " cannot be resolved" };
        let value = format!("{}{not} ({})", store.root.display(), store.channel.as_str());
        report.fact(store.name, value, source_of(store));
        let denial =
            (store.channel == Channel::FileTools).then(|| denial(question, &store.root)).flatten();
        report.warnings.extend(client::judge(store, sandbox.as_ref(), denial.as_ref()));
    }
    Known { stores, sandbox }
}

fn source_of(store: &Store) -> &'static str {
    match store.channel {
        Channel::FileTools => "the client's directory and settings",
        Channel::Shell => "no server is registered for it",
        Channel::Server => "a server is registered for it",
    }
}

/// `path` with its links resolved as far as it exists; `None` where the system does not tell.
pub fn canonical(path: &Path) -> Option<PathBuf> {
    let resolved = file::resolve(Path::new("/"), path);
    let there = resolved.ancestors().find(|one| !file::is_missing(one))?;
    let real = file::canonical(there)?;
    let rest = resolved.strip_prefix(there).ok()?;
    Some(if rest.as_os_str().is_empty() { real } else { real.join(rest) })
}

/// The same, and whether it could be resolved.
fn whole(path: &Path) -> (PathBuf, bool) {
    match canonical(path) {
        Some(real) => (real, true),
        None => (path.to_path_buf(), false),
    }
}

/// A store that somebody uses: it is there, or its family's home is.
fn store(question: &Question<'_>, family: Family, path: &Path) -> Option<Store> {
    let used = file::exists(path) || {
        let home = match family {
            Family::Native => question.places.dirs.data.join("projects"),
            // Below a Cortex home, not the file in a repository from before there was one.
            Family::Cortex => path.ancestors().nth(3)?.to_path_buf(),
        };
        path.starts_with(&home) && file::exists(&home) && family_uses(family, &home)
    };
    if !used {
        return None;
    }
    let (name, program, server) = match family {
        Family::Native => ("ringfence", "ringfence", "ringfence install --with guard,audit,mcp"),
        Family::Cortex => ("cortex", "cortex", "claude mcp add cortex …"),
    };
    let served = match family {
        Family::Native => {
            !question.places.own_servers().is_empty()
                || !question.places.servers_named(server::NAME).is_empty()
        }
        Family::Cortex => !question.places.servers_named(server::CORTEX).is_empty(),
    };
    // Cortex's program opens its store through a link, and has the side files where that leads; ours
    // does not.
    let path = match family {
        Family::Native => path.to_path_buf(),
        Family::Cortex => file::canonical(path).unwrap_or_else(|| path.to_path_buf()),
    };
    let named = path.parent()?.to_path_buf();
    let (root, is_resolved) = whole(&named);
    Some(Store {
        name,
        root,
        named,
        is_resolved,
        file: Some(path),
        channel: if served { Channel::Server } else { Channel::Shell },
        program,
        server,
    })
}

fn family_uses(family: Family, home: &Path) -> bool {
    match family {
        // What is no directory, or cannot be read, holds no store and lets none be made.
        Family::Native => !place::is_directory(home) || !file::names(home).is_empty(),
        Family::Cortex => home.file_name().is_some_and(|name| name == ".cortex"),
    }
}

/// The settings of all files that the client takes, the strongest first.
fn strongest<'a>(question: &Question<'a>) -> impl Iterator<Item = &'a SettingsFile> {
    question.files.iter().rev().filter(|file| file.is_loaded())
}

/// What paths in a file without a base are relative to.
fn owner<'a>(question: &'a Question<'_>, file: &SettingsFile) -> &'a Path {
    match file.origin {
        Origin::User => &question.places.client,
        Origin::Project | Origin::Local | Origin::Line | Origin::Managed => {
            &question.places.project
        }
    }
}

/// A path of `sandbox.filesystem` or `additionalDirectories`; links resolved. Of a pattern, what
/// stands before its first star.
fn listed(question: &Question<'_>, file: &SettingsFile, path: &str) -> Option<PathBuf> {
    let plain: Vec<&str> =
        path.split('/').take_while(|part| !part.contains(['*', '?', '['])).collect();
    let plain = match plain.join("/") {
        // `/**` is the whole disk.
        root if root.is_empty() && path.starts_with('/') => "/".to_owned(),
        plain => plain,
    };
    canonical(&placed(question, file, &plain))
}

/// A path of a settings file from the root, links and all.
fn placed(question: &Question<'_>, file: &SettingsFile, path: &str) -> PathBuf {
    let home = &question.places.dirs.home;
    if path == "~" {
        home.clone()
    } else if let Some(below) = path.strip_prefix("~/") {
        home.join(below)
    } else if let Some(absolute) = path.strip_prefix("//") {
        Path::new("/").join(absolute)
    } else {
        owner(question, file).join(path)
    }
}

/// The sandbox of shell commands, when it is on and can be computed.
fn sandbox(report: &mut Report, question: &Question<'_>) -> Option<Sandbox> {
    let decides = strongest(question).find(|file| file.fence.sandboxed.is_some());
    let Some(file) = decides.filter(|file| file.fence.sandboxed == Some(true)) else {
        let all = question.files.iter().all(|file| file.unreadable.is_none());
        let none = match all {
            true => "no settings file switches it on",
            false => "no settings file that can be read switches it on",
        };
        let source = decides.map_or(none.to_owned(), from);
        report.fact("client sandbox", "off", source);
        return None;
    };
    if strongest(question).find_map(|file| file.fence.files_open) == Some(true) {
        report.fact("client sandbox", "on, but not for files", from(file));
        return None;
    }
    let named = strongest(question).find_map(|file| file.fence.bubblewrap.as_deref());
    let program = named.map(PathBuf::from).filter(|path| env::is_program(path));
    // Without one of them the client draws none: it goes on without, or does not start at all.
    let has_bubblewrap = program.or_else(|| env::find_program("bwrap")).is_some();
    for (name, is_there) in
        [("bubblewrap", has_bubblewrap), ("socat", env::find_program("socat").is_some())]
    {
        if !is_there {
            report.fact("client sandbox", format!("on, but {name} is not installed"), from(file));
            return None;
        }
    }
    let mut found = Sandbox { from: from(file), ..Sandbox::default() };
    // What a client lets its own commands write besides: its directory for temporary things.
    let temporary = ["/tmp/claude", "/private/tmp/claude"].map(PathBuf::from);
    let own = [question.cwd.to_path_buf(), question.places.project.clone()];
    found.inside.extend(own.iter().chain(&temporary).filter_map(|path| canonical(path)));
    for file in question.files.iter().filter(|file| file.is_loaded()) {
        let fence = &file.fence;
        let edits = |rules: &[String]| -> Vec<String> {
            rules.iter().filter_map(|rule| edit_path(rule)).collect()
        };
        let allowed = fence.allow_write.iter().chain(&fence.directories).cloned();
        // Rules for Edit count for the sandbox too.
        for path in allowed.chain(edits(&fence.allow)) {
            found.inside.extend(listed(question, file, &path));
        }
        for path in &fence.deny_write {
            found.closed.extend(listed(question, file, path));
        }
        let first = |line: &String| line.split([' ', ':', '*']).next().map(str::to_owned);
        found.excluded.extend(fence.excluded.iter().filter_map(first));
    }
    let mut inside: Vec<String> = Vec::new();
    for path in found.inside.iter().map(|path| path.display().to_string()) {
        if !inside.contains(&path) {
            inside.push(path);
        }
    }
    report.fact("client sandbox", format!("on, writes {}", inside.join(", ")), from(file));
    Some(found)
}

fn edit_path(rule: &str) -> Option<String> {
    let inner = rule.trim().strip_prefix("Edit(")?.strip_suffix(')')?;
    (!inner.is_empty()).then(|| inner.to_owned())
}

fn from(file: &SettingsFile) -> String {
    file.path.display().to_string()
}

/// What the settings, or else our own environment, say of a variable.
fn variable(question: &Question<'_>, name: &str) -> Option<String> {
    let said = |file: &SettingsFile| file.env.iter().find(|(known, _)| known == name).cloned();
    strongest(question).find_map(said).map(|(_, value)| value).or_else(|| env::var(name))
}

/// A switch as the client reads one: on, off, or neither word.
fn switched(question: &Question<'_>, name: &str) -> Option<bool> {
    match variable(question, name)?.trim().to_lowercase().as_str() {
        "1" | "true" | "yes" | "on" => Some(true),
        "0" | "false" | "no" | "off" => Some(false),
        _ => None,
    }
}

/// What switches the client's own memory off, in the client's own order: its variable has the first
/// word, also against the setting.
fn off(question: &Question<'_>) -> Option<&'static str> {
    match switched(question, NO_AUTO_MEMORY) {
        Some(true) => return Some(NO_AUTO_MEMORY),
        Some(false) => return None,
        None => {}
    }
    let is_moved = || [REMOTE_MEMORY, MEMORY_PATH].iter().any(|n| variable(question, n).is_some());
    if switched(question, SIMPLE) == Some(true) {
        Some(SIMPLE)
    } else if switched(question, REMOTE) == Some(true) && !is_moved() {
        Some(REMOTE)
    } else {
        let said = strongest(question).find_map(|file| file.fence.auto_memory);
        (said == Some(false)).then_some("autoMemoryEnabled")
    }
}

/// Where it is moved to; the client passes over a path that is not absolute.
fn moved(question: &Question<'_>) -> Option<PathBuf> {
    let absolute = |path: &str| path.starts_with('/').then(|| PathBuf::from(path));
    if let Some(path) = variable(question, MEMORY_PATH).and_then(|path| absolute(&path)) {
        return Some(path);
    }
    // A project's shared file cannot move it.
    let path = strongest(question)
        .filter(|file| file.origin != Origin::Project)
        .find_map(|file| file.fence.auto_memory_dir.as_deref())?;
    match path.strip_prefix("~/") {
        Some("" | ".") => None,
        Some(below) if below.starts_with("..") => None,
        Some(below) => Some(question.places.dirs.home.join(below)),
        None => absolute(path),
    }
}

/// The client's own memory, when it is not switched off.
fn auto_memory(report: &mut Report, question: &Question<'_>) -> Option<Store> {
    if let Some(why) = off(question) {
        report.fact("auto memory", "off", why);
        return None;
    }
    let named = moved(question).unwrap_or_else(|| usual_auto_memory(question));
    let (root, is_resolved) = whole(&named);
    Some(Store {
        name: "auto memory",
        root,
        named,
        is_resolved,
        file: None,
        channel: Channel::FileTools,
        program: "",
        server: "",
    })
}

/// All work trees of a repository share one.
fn usual_auto_memory(question: &Question<'_>) -> PathBuf {
    let project = &question.places.project;
    let repository = Repository::find(project);
    let top = repository.as_ref().and_then(Repository::main_top).unwrap_or(project);
    let letter = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
    let slug: String = top.to_string_lossy().chars().map(letter).collect();
    let base = variable(question, REMOTE_MEMORY).map(|base| question.cwd.join(base));
    let base = base.unwrap_or_else(|| question.places.client.clone());
    base.join("projects").join(slug).join("memory")
}

/// The first rule that keeps the file tools from the index of a directory of memories.
pub fn denial(question: &Question<'_>, root: &Path) -> Option<Denial> {
    ruled(question, root, |file| &file.fence.deny)
}

/// The first of the rules that `list` gives which covers the directory's index.
pub fn ruled(
    question: &Question<'_>,
    root: &Path,
    list: impl Fn(&SettingsFile) -> &Vec<String>,
) -> Option<Denial> {
    let index = root.join("MEMORY.md");
    for file in strongest(question) {
        let bases = Bases {
            home: &question.places.dirs.home,
            cwd: question.cwd,
            owner: owner(question, file),
        };
        let hit = |rule: &&String| {
            ["Write", "Edit"].iter().any(|tool| rules::covers(rule, tool, &index, &bases))
        };
        if let Some(rule) = list(file).iter().find(hit) {
            return Some(Denial { rule: rule.clone(), from: from(file) });
        }
    }
    None
}
