//! `ringfence install`.

use serde_json::json;

use super::Answer;
use super::args::InstallArgs;
use super::failure::Failure;
use super::output;
use super::screen;
use crate::sys::env;
use crate::wiring::doctor;
use crate::wiring::entry::Form;
use crate::wiring::install::{Change, Installed, Order, Refused, install};
use crate::wiring::install_server;
use crate::wiring::plugin;
use crate::wiring::table::{ARMS, LATER_ARMS, Places};

pub(crate) fn run(args: &InstallArgs) -> anyhow::Result<Answer> {
    let arms = arms(&args.with)?;
    let mut places = Places::find().map_err(refused)?;
    if args.verbose_log {
        places.on_the_line.push(("--log", "verbose".to_owned()));
    }
    let order = Order {
        places: &places,
        scope: args.scope.scope(),
        arms: &arms,
        shim: args.shim,
        form: match doctor::installed_version() {
            Some(version) if version < doctor::EXEC_FORM => Form::Shell,
            Some(_) | None => Form::Exec,
        },
        dry_run: args.dry_run,
        force: args.force,
    };
    let (mut installed, server) = register(&order)?;
    if env::find_program("claude").is_none() {
        installed.warnings.push(
            "no client was found: there is no `claude` on PATH; the hook runs once there is"
                .to_owned(),
        );
    }
    let enabled = plugin::find(&places).into_iter().find(|plugin| plugin.enabled);
    installed.warnings.extend(enabled.map(|plugin| {
        format!(
            "the plugin `{0}` asks us too, so each call is judged twice; `claude plugin uninstall {0}` \
             ends that",
            plugin.id
        )
    }));
    if args.json {
        let mut whole = document(&installed, args.dry_run);
        if let (Some(server), Some(members)) = (&server, whole.as_object_mut()) {
            members.insert("server".to_owned(), server_document(server));
        }
        output::json(&whole);
    } else {
        let both = std::iter::once(&installed).chain(&server);
        output::data(&both.clone().map(|one| words(one, args.dry_run)).collect::<String>());
        for warning in both.flat_map(|one| &one.warnings) {
            output::warning(warning);
        }
    }
    Ok(Answer::Yes)
}

/// Registers the hook and the server, as far as they are asked for; what is said of the server second.
fn register(order: &Order<'_>) -> anyhow::Result<(Installed, Option<Installed>)> {
    let (hooks, servers): (Vec<String>, Vec<String>) =
        order.arms.iter().cloned().partition(|arm| arm != install_server::ARM);
    let with_server = !servers.is_empty();
    if with_server {
        // A refusal must come before anything is changed.
        let trial = Order { dry_run: true, ..order.clone() };
        install_server::install(&trial).map_err(refused)?;
    }
    let hook_order = Order { arms: &hooks, ..order.clone() };
    let hook = (!hooks.is_empty()).then(|| install(&hook_order)).transpose().map_err(refused)?;
    let server =
        with_server.then(|| install_server::install(order)).transpose().map_err(refused)?;
    match (hook, server) {
        (Some(hook), server) => Ok((hook, server)),
        (None, Some(server)) => {
            let mut alone = server;
            alone.warnings.push(
                "without the hook the server does not know which agent calls: \
                 `ringfence install` registers it"
                    .to_owned(),
            );
            Ok((alone, None))
        }
        (None, None) => Err(with_hint("`--with` names no arm".to_owned()).into()),
    }
}

/// The arms that are asked for, each once. One that this version has not got is refused: a person who
/// asks for it must not believe that it watches.
fn arms(words: &[String]) -> Result<Vec<String>, Failure> {
    let mut arms: Vec<String> = Vec::new();
    for word in words.iter().map(|word| word.trim()).filter(|word| !word.is_empty()) {
        if !ARMS.contains(&word) {
            let sentence = if LATER_ARMS.contains(&word) {
                format!("this version has no `{word}` yet, so nothing was installed")
            } else {
                format!("`{word}` is no arm")
            };
            return Err(with_hint(sentence));
        }
        if !arms.iter().any(|arm| arm == word) {
            arms.push(word.to_owned());
        }
    }
    if arms.is_empty() {
        return Err(with_hint("`--with` names no arm".to_owned()));
    }
    Ok(arms)
}

fn with_hint(sentence: String) -> Failure {
    Failure::usage(sentence).hint(format!("ringfence install --with {}", ARMS.join(",")))
}

/// A refusal of the wiring as a failure of the command.
pub(super) fn refused(refused: Refused) -> anyhow::Error {
    let failure = Failure::no(refused.sentence);
    match refused.hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
    .into()
}

/// Columns of the word before each line.
const LABEL: usize = 12;

fn words(done: &Installed, dry_run: bool) -> String {
    let settings = output::place(&done.settings);
    let mut out = String::new();
    if dry_run {
        out.push_str(&match done.change {
            Change::Created => format!("would make {settings}\n"),
            Change::Edited => format!("would edit {settings}\n"),
            Change::Nothing => format!("would leave {settings} as it is\n"),
        });
        out.push_str(&output::plain_text(&done.diff));
        return out;
    }
    out.push_str(&match done.change {
        Change::Created => format!("made        {settings}\n"),
        Change::Edited => format!("edited      {settings}\n"),
        Change::Nothing => format!("unchanged   {settings}\n"),
    });
    if let Some(backup) = &done.backup {
        out.push_str(&format!("backup      {}\n", output::place(backup)));
    }
    if done.events.is_empty() {
        out.push_str(&format!("registered  {} mcp\n", output::place(&done.command)));
        return out;
    }
    out.push_str(&format!("registered  {} hook\n", output::place(&done.command)));
    out.push_str(&format!("for         {}\n", screen::hanging(&done.events.join(", "), LABEL)));
    out
}

/// The part on the memory server.
fn server_document(done: &Installed) -> serde_json::Value {
    json!({
        "file": done.settings,
        "change": change_word(done.change),
        "backup": done.backup,
        "diff": done.diff,
        "warnings": done.warnings,
    })
}

fn change_word(change: Change) -> &'static str {
    match change {
        Change::Created => "created",
        Change::Edited => "edited",
        Change::Nothing => "nothing",
    }
}

fn document(done: &Installed, dry_run: bool) -> serde_json::Value {
    json!({
        "version": 1,
        "dry_run": dry_run,
        "settings": done.settings,
        "change": change_word(done.change),
        "backup": done.backup,
        "command": done.command,
        "events": done.events,
        "diff": done.diff,
        "warnings": done.warnings,
    })
}
