//! `ringfence uninstall`.

use serde_json::json;

use super::Answer;
use super::args::{ScopeArg, UninstallArgs};
use super::install::refused;
use super::output;
use crate::wiring::purge::Purged;
use crate::wiring::table::Places;
use crate::wiring::uninstall::{Older, Removal, Uninstalled, Wish, uninstall};
use crate::wiring::{owned, plugin};

pub(crate) fn run(args: &UninstallArgs) -> anyhow::Result<Answer> {
    let places = Places::find().map_err(refused)?;
    // Notes are gone for good: without a word more nothing is touched at all.
    let dry_run = args.dry_run || (args.purge && !args.yes);
    let older = if args.older || args.purge { Older::Go } else { Older::Stay };
    let wish = Wish { scope: args.scope.scope(), older, purge: args.purge, dry_run };
    let mut done = uninstall(&places, wish).map_err(refused)?;
    if args.json {
        output::json(&document(&done, dry_run));
    } else {
        output::data(&words(&done, dry_run));
        for file in done.files.iter().filter(|file| file.older_entries > 0) {
            output::warning(&format!(
                "`{}` has its old bytes, and in them {} hook entries of ours from an earlier install; \
                 `ringfence uninstall --older` takes those out too",
                output::place(&file.settings),
                file.older_entries
            ));
        }
    }
    if args.purge && !args.yes && !args.json {
        output::talk("nothing was changed; ringfence uninstall --purge --yes does it");
    }
    if !dry_run && !args.json && done.refused.is_empty() {
        still_there(&places, &done);
    }
    if let Some(plugin) = plugin::find(&places).into_iter().find(|plugin| plugin.enabled)
        && !args.json
    {
        output::warning(&format!(
            "the plugin is the client's own to remove: claude plugin uninstall {}",
            plugin.id
        ));
    }
    match done.refused.pop() {
        None => Ok(Answer::Yes),
        Some(last) => {
            for earlier in done.refused {
                output::failure(&refused(earlier));
            }
            Err(refused(last))
        }
    }
}

/// Entries of ours in files that were not looked at: another scope's, or of an install whose record is
/// another user's.
fn still_there(places: &Places, done: &Uninstalled) {
    for scope in [ScopeArg::User, ScopeArg::Project, ScopeArg::Local, ScopeArg::Managed] {
        let path = places.settings(scope.scope());
        let known = done.files.iter().any(|file| file.settings == path);
        if !known && owned::holds_entries(places, &path) {
            output::warning(&format!(
                "`{}` still has entries of ours: ringfence uninstall --scope {}",
                output::place(&path),
                scope.word()
            ));
        }
    }
}

fn removal(removal: Removal) -> &'static str {
    match removal {
        Removal::Restored => "restored",
        Removal::Removed => "removed",
        Removal::Cut => "edited",
        Removal::Nothing => "unchanged",
    }
}

fn words(done: &Uninstalled, dry_run: bool) -> String {
    let mut out = String::new();
    for file in &done.files {
        let settings = output::place(&file.settings);
        if dry_run {
            out.push_str(&match file.removal {
                Removal::Restored => format!("would restore {settings}\n"),
                Removal::Removed => format!("would remove {settings}\n"),
                Removal::Cut => format!("would edit {settings}\n"),
                Removal::Nothing => format!("would leave {settings} as it is\n"),
            });
            out.push_str(&output::plain_text(&file.diff));
            continue;
        }
        out.push_str(&format!("{:<10}  {settings}\n", removal(file.removal)));
        if let Some(backup) = &file.backup {
            out.push_str(&format!("backup      {}\n", output::place(backup)));
        }
    }
    for Purged { path, files, bytes } in &done.purged {
        let word = if dry_run { "would purge" } else { "purged     " };
        let plural = if *files == 1 { "" } else { "s" };
        out.push_str(&format!(
            "{word} {} ({files} file{plural}, {bytes} bytes)\n",
            output::place(path)
        ));
    }
    for path in &done.removed {
        out.push_str(&format!("removed     {}\n", output::place(path)));
    }
    for path in &done.kept {
        out.push_str(&format!("kept        {}\n", output::place(path)));
    }
    if out.is_empty() {
        out.push_str("nothing of ours was found\n");
    }
    out
}

fn document(done: &Uninstalled, dry_run: bool) -> serde_json::Value {
    let file = |file: &crate::wiring::uninstall::Taken| {
        json!({
            "settings": file.settings,
            "change": removal(file.removal),
            "backup": file.backup,
            "diff": file.diff,
            "older_entries": file.older_entries,
        })
    };
    json!({
        "version": 1,
        "dry_run": dry_run,
        "files": done.files.iter().map(file).collect::<Vec<_>>(),
        "purged": done.purged.iter().map(|one| json!({
            "path": one.path,
            "files": one.files,
            "bytes": one.bytes,
        })).collect::<Vec<_>>(),
        "removed": done.removed,
        "kept": done.kept,
        "refused": done.refused.iter().map(|refused| &refused.sentence).collect::<Vec<_>>(),
    })
}
