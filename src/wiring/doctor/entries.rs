//! Our entries as the client sees them: registered, matched, waited for, and their program there.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Row;
use crate::sys::child::{self, Run};
use crate::sys::{binary, env, file};
use crate::wiring::binding::{SHORTEST, guarded_tools};
use crate::wiring::entry::{Form, Registered, SHIM};
use crate::wiring::matcher::Matcher;
use crate::wiring::plugin::{self, Plugin};
use crate::wiring::scopes::{JUDGED, Origin, SettingsFile};
use crate::wiring::shim;
use crate::wiring::table::{ENTRIES, Places};

/// An entry of ours in a file that the client takes.
pub(super) struct Bound<'a> {
    pub(super) path: &'a Path,
    pub(super) entry: &'a Registered,
    /// The plugin that brings it, if it is no settings file that does.
    plugin: Option<&'a str>,
    origin: Origin,
}

impl Bound<'_> {
    /// What to type to have the entry as it should be.
    fn fix(&self) -> String {
        match self.plugin {
            Some(id) => format!("claude plugin update {id}"),
            None => self.origin.install_words().to_owned(),
        }
    }
}

/// What doctor's own calls of the program may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// All our entries that the client would take.
pub(super) fn find<'a>(files: &'a [SettingsFile], plugins: &'a [Plugin]) -> Vec<Bound<'a>> {
    let loaded = files.iter().filter(|file| file.is_loaded()).flat_map(|file| {
        let origin = file.origin;
        file.registered.iter().map(move |entry| Bound {
            path: &file.path,
            entry,
            plugin: None,
            origin,
        })
    });
    let enabled = plugins.iter().filter(|plugin| plugin.enabled).flat_map(|plugin| {
        let id = Some(plugin.id.as_str());
        let origin = Origin::User;
        plugin.registered.iter().map(move |entry| Bound {
            path: &plugin.hooks,
            entry,
            plugin: id,
            origin,
        })
    });
    loaded.chain(enabled).collect()
}

/// The entries by which the guard is asked.
pub(super) fn judges<'a>(found: &'a [Bound<'a>]) -> impl Iterator<Item = &'a Bound<'a>> {
    found.iter().filter(|bound| bound.entry.event == JUDGED)
}

/// The programs behind them: what is started, and what a shim starts.
pub(super) fn programs(found: &[Bound<'_>], places: &Places) -> Vec<PathBuf> {
    let mut programs = Vec::new();
    for bound in found {
        let program = PathBuf::from(bound.entry.argv.first().map_or("", String::as_str));
        let behind = plugin::behind(&program, &places.dirs.home);
        programs.extend([Some(program), behind].into_iter().flatten());
    }
    programs.sort();
    programs.dedup();
    programs
}

/// What there is to say about them.
pub(super) fn rows(found: &[Bound<'_>], places: &Places) -> Vec<Row> {
    let Some(first) = judges(found).next() else {
        let said = "no settings file that the client loads asks us about tool calls";
        return vec![Row::fail("registered", said, "ringfence install")];
    };
    let mut rows = vec![registered(found, first)];
    for bound in judges(found) {
        rows.push(matched(bound));
        rows.push(waited_for(bound));
    }
    let mut programs: Vec<PathBuf> = Vec::new();
    for bound in found {
        let program = PathBuf::from(bound.entry.argv.first().map_or("", String::as_str));
        if !programs.contains(&program) {
            rows.extend(program_rows(&program, bound, places));
            programs.push(program);
        }
    }
    rows
}

fn registered(found: &[Bound<'_>], first: &Bound<'_>) -> Row {
    let place = first.path.display();
    let missing: Vec<&str> = ENTRIES
        .iter()
        .map(|row| row.event)
        .filter(|event| !found.iter().any(|bound| bound.entry.event == *event))
        .collect();
    if !missing.is_empty() {
        let said = format!("registered in {place}, but not for {}", missing.join(", "));
        return Row::warn("registered", said, first.fix());
    }
    let places: Vec<String> = judges(found).map(|bound| bound.path.display().to_string()).collect();
    if places.len() > 1 {
        let said = format!(
            "{} times, in {}: each call is judged so often, and logged once",
            places.len(),
            places.join(" and ")
        );
        let plugin = judges(found).find_map(|bound| bound.plugin);
        // The strongest stays: what a user or a project cannot switch off.
        let managed = judges(found).any(|bound| bound.origin == Origin::Managed);
        let fix = match plugin {
            Some(id) => format!("claude plugin uninstall {id}"),
            None if managed => {
                "ringfence uninstall && ringfence install --scope managed".to_owned()
            }
            None => "ringfence uninstall && ringfence install".to_owned(),
        };
        return Row::warn("registered", said, fix);
    }
    Row::pass("registered", format!("for {} events in {place}", ENTRIES.len()))
}

/// Evaluates the matcher on every tool by which memory can be reached.
fn matched(bound: &Bound<'_>) -> Row {
    let entry = bound.entry;
    let matcher = Matcher::read(entry.matcher.as_deref());
    let shown = entry.matcher.as_deref().unwrap_or("");
    let missed: Vec<String> =
        guarded_tools().into_iter().filter(|tool| !matcher.hits(tool)).collect();
    if let Some(condition) = &entry.condition {
        let said = format!("the entry has the condition `{condition}`, which skips calls");
        return Row::fail("matcher", said, bound.fix());
    }
    if missed.is_empty() {
        return Row::pass("matcher", format!("`{shown}` hits every guarded tool"));
    }
    let said = format!("`{shown}` misses {}", missed.join(", "));
    Row::fail("matcher", said, bound.fix())
}

fn waited_for(bound: &Bound<'_>) -> Row {
    let entry = bound.entry;
    if entry.is_async {
        let said = "the entry is `async`: the tool runs before we answer";
        return Row::fail("timeout", said, bound.fix());
    }
    match entry.timeout {
        Some(seconds) if seconds < SHORTEST => {
            let said = format!("{seconds} s: the client may go on before we answer");
            Row::fail("timeout", said, bound.fix())
        }
        Some(_) if entry.blocks_on_failure => {
            let said = "`onFailure` is `block`: a fault of ours would stop tool calls";
            Row::warn("timeout", said, bound.fix())
        }
        Some(seconds) => Row::pass("timeout", format!("{seconds} s")),
        None => {
            let said = "none is set: a hook that hangs would hold the client for 600 s";
            Row::warn("timeout", said, bound.fix())
        }
    }
}

fn program_rows(program: &Path, bound: &Bound<'_>, places: &Places) -> Vec<Row> {
    let place = program.display();
    let mut rows = Vec::new();
    if let Some(shell) = &bound.entry.other_shell {
        let said =
            format!("{place} is given to the shell `{shell}`, which this machine may not have");
        rows.push(Row::fail("form", said, bound.fix()));
    } else if bound.entry.form == Form::Shell {
        let said = format!("{place} is started by a shell, which a project's settings can bend");
        rows.push(Row::warn("form", said, bound.fix()));
    } else if let Some(id) = bound.plugin {
        // Only the client's own plugin starts the shim in this way.
        let said = "the plugin's shim is a shell text: a project's LD_PRELOAD gets into its shell";
        let fix = format!("ringfence install && claude plugin uninstall {id}");
        rows.push(Row::warn("form", said, fix));
    } else {
        rows.push(Row::pass("form", "started without a shell"));
    }
    if !program.is_absolute() {
        let said = format!("`{place}` is looked for on PATH, which a project's settings can set");
        rows.push(Row::fail("program", said, bound.fix()));
        return rows;
    }
    if !env::is_program(program) {
        let said = format!("{place} is not there or cannot be executed");
        rows.push(Row::fail("program", said, bound.fix()));
        return rows;
    }
    if program.file_name().is_some_and(|name| name == SHIM) {
        let text = file::read_bounded(program, 1 << 20).unwrap_or_default();
        if text != shim::TEXT.as_bytes() {
            let said = format!("the shim {place} is not the one of this version");
            let fix =
                bound.plugin.map_or_else(|| "ringfence install --shim".to_owned(), |_| bound.fix());
            rows.push(Row::warn("program", said, fix));
        }
    }
    if bound.origin == Origin::Managed && !env::starts_for_all(program) {
        let said =
            format!("other users of this machine cannot start {place}, and so are not guarded");
        let fix = "./install.sh --prefix /usr/local --no-register";
        rows.push(Row::warn("program", said, fix));
    }
    rows.push(match plugin::behind(program, &places.dirs.home) {
        Some(binary) => binary_row(&binary, places),
        None => {
            let said = format!("the shim {place} finds no program of ours");
            Row::fail("program", said, "./install.sh --no-register")
        }
    });
    rows
}

fn binary_row(program: &Path, places: &Places) -> Row {
    let place = program.display();
    let argv = [program.to_string_lossy().into_owned(), "--version".to_owned()];
    let run = Run { argv: &argv, cwd: &places.dirs.home, env: &[], input: b"", limit: PATIENCE };
    let own = concat!("ringfence ", env!("CARGO_PKG_VERSION"));
    let said =
        child::run(&run).map(|ended| String::from_utf8_lossy(&ended.output).trim().to_owned());
    match said {
        Ok(version) if version == own => {}
        Ok(version) if version.is_empty() => {
            let said = format!("{place} does not say its version, this is `{own}`");
            return Row::warn("program", said, "ringfence install");
        }
        Ok(version) => {
            let said = format!("{place} is `{version}`, this is `{own}`");
            return Row::warn("program", said, "ringfence install");
        }
        Err(error) => {
            return Row::fail(
                "program",
                format!("{place} does not run: {error}"),
                "ringfence install",
            );
        }
    }
    if binary::is_static(program) == Some(false) {
        let said = format!("{place} is linked dynamically: a project's LD_PRELOAD gets into it");
        return Row::warn("program", said, "./install.sh");
    }
    Row::pass("program", format!("{place}, {own}, static"))
}
