//! What others do beside us: hooks that rewrite a call after it was judged, users who may write.

use std::path::{Path, PathBuf};

use super::Row;
use crate::sys::{env, file};
use crate::wiring::binding::guarded_tools;
use crate::wiring::matcher::Matcher;
use crate::wiring::plugin;
use crate::wiring::scopes::{Origin, Other, SettingsFile};
use crate::wiring::table::Places;

/// What a hook answers with to rewrite a call.
const REWRITES: &[u8] = b"updatedInput";

/// Larger programs are not read.
const LARGEST: u64 = 64 << 20;

/// Hooks of others that may rewrite calls: all hooks are asked at once about the call as the agent
/// made it, so what one makes of it, nobody judges.
pub(super) fn rewriters(files: &[SettingsFile], places: &Places) -> Vec<Row> {
    let mut rows = Vec::new();
    let plugins = plugins(places);
    for file in files.iter().filter(|file| file.is_loaded()).chain(&plugins) {
        for other in file.others.iter().filter(|other| concerns(other)) {
            let Some(program) = programs(other, places).into_iter().find(|path| rewrites(path))
            else {
                continue;
            };
            let place = file.path.display();
            let said = format!(
                "{} in {place} may rewrite a call after we judged it: it holds `updatedInput`",
                program.display()
            );
            rows.push(Row::warn("rewriting", said, format!("take that hook out of {place}")));
        }
    }
    if rows.is_empty() {
        rows.push(Row::pass("rewriting", "no other hook is seen to rewrite calls"));
    }
    rows
}

fn concerns(other: &Other) -> bool {
    let matcher = Matcher::read(other.matcher.as_deref());
    guarded_tools().iter().any(|tool| matcher.hits(tool))
}

/// The enabled plugins of others, as if their entries stood in a settings file.
fn plugins(places: &Places) -> Vec<SettingsFile> {
    let own = places.binary.to_string_lossy();
    let enabled = plugin::all(places).into_iter().filter(|plugin| plugin.enabled);
    enabled
        .filter_map(|plugin| {
            let text = file::read_bounded(&plugin.hooks, 1 << 20).ok()?;
            let root = plugin.hooks.parent()?.parent()?.to_string_lossy().into_owned();
            let mut file = SettingsFile::of_text(Origin::User, plugin.hooks, &text, &own);
            for word in file.others.iter_mut().flat_map(|other| &mut other.words) {
                *word = word.replace("${CLAUDE_PLUGIN_ROOT}", &root);
            }
            Some(file)
        })
        .collect()
}

/// The files that a command line names, as far as that can be told without running it.
fn programs(other: &Other, places: &Places) -> Vec<PathBuf> {
    let project = places.project.to_string_lossy();
    let home = places.dirs.home.to_string_lossy();
    let words = other.words.iter().enumerate().map(|(at, word)| {
        let word = word
            .replace("${CLAUDE_PROJECT_DIR}", &project)
            .replace("$CLAUDE_PROJECT_DIR", &project)
            .replace("${HOME}", &home)
            .replace("$HOME", &home);
        match word.strip_prefix("~/") {
            Some(below) => places.dirs.home.join(below),
            None if at == 0 && !word.contains('/') => env::find_program(&word).unwrap_or_default(),
            None => places.project.join(word),
        }
    });
    words.filter(|path| path.is_file()).collect()
}

fn rewrites(path: &Path) -> bool {
    file::read_bounded(path, LARGEST)
        .is_ok_and(|bytes| memchr::memmem::find(&bytes, REWRITES).is_some())
}

/// What we rely on and another user of the machine may change.
pub(super) fn writable(files: &[SettingsFile], programs: &[PathBuf], places: &Places) -> Vec<Row> {
    let dirs = &places.dirs;
    let mut paths: Vec<PathBuf> = programs.to_vec();
    paths.extend(programs.iter().filter_map(|path| Some(path.parent()?.to_path_buf())));
    paths.extend(files.iter().map(|file| file.path.clone()));
    paths.extend([
        dirs.config.clone(),
        dirs.config_file(),
        dirs.state.clone(),
        dirs.data.clone(),
        dirs.data.join("projects"),
        places.client.clone(),
        places.client.join("agents"),
    ]);
    paths.sort();
    paths.dedup();
    let open: Vec<&PathBuf> = paths.iter().filter(|path| env::others_may_write(path)).collect();
    if open.is_empty() {
        return vec![Row::pass("writable", "no other user may change what the guard relies on")];
    }
    let row = |path: &&PathBuf| {
        let place = path.display();
        let said = format!("{place} can be changed by other users");
        Row::warn("writable", said, format!("chmod go-w {place}"))
    };
    open.iter().map(row).collect()
}
