//! The verbs of Cortex's command line and of our own, as a shell calls them.

use super::Place;
use super::case::{Case, Effect, Tamper};
use super::note::{self, Draft};
use super::options::{Options, Value};
use super::owner::{Aim, weigh_item};
use super::program::MemoryCli;
use super::resolve::{self, Name};
use crate::decision::Code;
use crate::memory::Family;
use crate::shell::{Piece, Word};

/// Options of the two command lines that take a value as their next word.
const WITH_VALUE: &[&str] = &[
    "--id",
    "--subject",
    "--status",
    "--text",
    "--file",
    "--session",
    "--alternative",
    "--db",
    "--store",
    "--scope",
    "--kind",
    "--state",
    "--limit",
    "--offset",
    "--dir",
    "--for",
    "--action",
    "--at",
    "--from",
    "--to",
    "--since",
    "--agent",
    "--lines",
    "-n",
    "--config",
    "--cwd",
    "-C",
];

/// Judges one call of a memory's command line.
///
/// `ours`: it runs on this machine and for this user. If not, its store, its settings and what a
/// subject means there are not ours; an id is the same everywhere.
pub(super) fn judge(case: &mut Case, cli: &MemoryCli, place: &Place, ours: bool) {
    let options = Options::read(cli.args, WITH_VALUE);
    if options.has("--help") || options.has("-h") || options.has("--version") {
        return;
    }
    let Some(verb) = options.verb().or_else(|| patterned(cli)) else {
        if options.verb_is_unknown() && !cli.guessed {
            case.doubt_of(Code::TargetRuntime, "subcommand");
        }
        return;
    };
    // An unknown program counts as a memory's only with a verb that no other program has.
    if cli.guessed && !GUESSED_VERBS.contains(&verb.as_str()) {
        return;
    }
    let mut place = place.clone();
    place.named.extend(options.literals("--db").chain(options.literals("--store")));
    for family in &cli.families {
        let (family, guessed) = (*family, cli.guessed);
        let call = Call { family, place: &place, options: &options, guessed, ours };
        judge_verb(case, &call, &verb);
    }
}

/// What a subagent may not do with our own commands.
const LOOSEN: &str = "use the commands that loosen the guard or replace its store";

/// A call in words: the program and its subcommand.
pub(super) fn spelled(cli: &MemoryCli) -> String {
    let program = match cli.families.as_slice() {
        [Family::Cortex] => "cortex",
        [Family::Native] => "ringfence",
        _ => "cortex or ringfence",
    };
    match Options::read(cli.args, WITH_VALUE).verb() {
        Some(verb) => format!("{program} {}", super::label::one_line(&verb, 40)),
        None => program.to_owned(),
    }
}

/// The verb that a pattern of file names fits: `ringfence d*-memory`.
fn patterned(cli: &MemoryCli) -> Option<String> {
    let is_operand = |word: &&Word| word.literal().is_none_or(|text| !text.starts_with('-'));
    let word = cli.args.iter().find(is_operand)?;
    let Word::Partial(pieces) = word else { return None };
    let is_glob = pieces.iter().all(|piece| matches!(piece, Piece::Text(_) | Piece::Glob(_)));
    let any_text = pieces.iter().any(|piece| matches!(piece, Piece::Text(_)));
    let fits = |verb: &&&str| is_glob && any_text && word.can_be(verb);
    GUESSED_VERBS.iter().find(fits).map(|verb| (*verb).to_owned())
}

const GUESSED_VERBS: &[&str] = &["note-resolve", "edit-memory", "delete-memory", "restore-memory"];

struct Call<'a> {
    family: Family,
    place: &'a Place,
    options: &'a Options,
    guessed: bool,
    ours: bool,
}

fn judge_verb(case: &mut Case, call: &Call, verb: &str) {
    match (verb, call.family) {
        ("note-resolve", _) => note_resolve(case, call),
        ("delete-memory", _) => {
            if call.options.may_have("--yes") {
                let sure = call.options.is_flagged("--yes");
                item(case, call, Effect::Delete, sure);
            }
        }
        ("edit-memory", _) => {
            // Both: the command refuses. Neither: Cortex's refuses, ours starts an editor, which may
            // be any program.
            let (text, file) = (call.options.has("--text"), call.options.has("--file"));
            if text != file || (!text && call.family == Family::Native) {
                item(case, call, Effect::Rewrite, true);
            }
        }
        ("restore-memory", Family::Native) => restore(case, call),
        // All below concerns a place, not a memory.
        _ if !call.ours => {}
        ("note", Family::Native) => write_note(case, call),
        ("gc", Family::Cortex) if call.options.has("--apply") => {
            case.doubt_of(Code::MaintenanceAllowed, "cortex gc --apply");
        }
        ("adopt", Family::Cortex) if call.options.has("--yes") => {
            case.doubt_of(Code::MaintenanceAllowed, "cortex adopt --yes");
        }
        ("serve", Family::Cortex) => server(case, "cortex serve"),
        ("mcp", Family::Native) => server(case, "ringfence mcp"),
        (_, Family::Native) => our_own(case, call, verb),
        (_, Family::Cortex) => {}
    }
}

fn note_resolve(case: &mut Case, call: &Call) {
    let id = call.options.value("--id");
    let subject = call.options.value("--subject");
    let (value, by_id) = match (id, subject) {
        (Some(id), _) => (id, true),
        (None, Some(subject)) => (subject, false),
        // Without either the command refuses; with an unknown word it may have either.
        (None, None) => {
            if call.options.is_open() {
                case.doubt_of(Code::TargetRuntime, "note-resolve");
            }
            return;
        }
    };
    match value {
        Value::Known(_) if !by_id && !call.ours => {}
        Value::Known(all) => {
            for text in all {
                let name = if by_id { Name::Id(&text) } else { Name::Subject(&text) };
                resolve::judge(case, call.family, call.place, name, None);
            }
        }
        Value::Unknown => case.doubt_of(Code::TargetRuntime, "note-resolve"),
    }
}

/// `restore-memory ID`; from a snapshot it is a preview without `--yes`.
fn restore(case: &mut Case, call: &Call) {
    if !call.options.has("--from") {
        item(case, call, Effect::Restore, true);
    } else if call.options.may_have("--yes") && call.ours {
        case.tamper(Tamper {
            may_not: LOOSEN,
            would: "put a memory back from a snapshot (`ringfence restore-memory`)".to_owned(),
            path: "ringfence restore-memory".to_owned(),
            label: "`ringfence restore-memory`".to_owned(),
        });
    }
}

/// `edit-memory ID`, `delete-memory ID`; unless `sure`, whether it happens is known at run time.
fn item(case: &mut Case, call: &Call, effect: Effect, sure: bool) {
    // The command takes one id and ignores what comes after it.
    let mut named: Vec<Value> = call.options.operands().into_iter().take(1).collect();
    named.extend(call.options.value("--id"));
    if named.is_empty() && call.options.is_open() {
        named.push(Value::Unknown);
    }
    for value in named {
        match value {
            Value::Known(_) if !sure => case.doubt_of(Code::TargetRuntime, "--yes"),
            Value::Known(all) => all.iter().for_each(|id| one_item(case, call, id, effect)),
            Value::Unknown => case.doubt_of(Code::TargetRuntime, "memory id"),
        }
    }
}

fn one_item(case: &mut Case, call: &Call, spelled: &str, effect: Effect) {
    if !case.may_ask() {
        return;
    }
    let stores = case.stores(call.family, call.place);
    let id = spelled.trim();
    let mut known = false;
    for store in stores.iter() {
        let memory = &store.reached.memory;
        let found = match memory.item(id) {
            // Only a restore reaches what is deleted.
            Ok(None) if effect == Effect::Restore => memory.former(id),
            found => found,
        };
        match found {
            Ok(Some(item)) => {
                known = true;
                weigh_item(case, store, &item, Aim::Named(id), effect);
            }
            Ok(None) => {}
            Err(doubt) => case.doubt(doubt),
        }
    }
    // That there is no store at all is a doubt of its own already.
    if !known && !stores.is_empty() {
        let code = if call.guessed { Code::ProgramUnknown } else { Code::TargetUnknown };
        case.doubt_of(code, id);
    }
}

fn write_note(case: &mut Case, call: &Call) {
    let operands = call.options.operands();
    let texts = |value: Option<Value>| match value {
        Some(Value::Known(all)) => all,
        Some(Value::Unknown) | None => Vec::new(),
    };
    let mut operands = operands.into_iter();
    let kinds = texts(operands.next());
    // Only the contradiction check reads the text; unknown, it counts as contradicting nothing.
    let content = texts(operands.next()).into_iter().next().unwrap_or_default();
    let subjects = texts(call.options.value("--subject"));
    for kind in &kinds {
        for subject in &subjects {
            let draft = Draft { kind, subject: Some(subject), content: &content };
            note::judge(case, call.family, call.place, draft);
        }
    }
    if (kinds.is_empty() && call.options.is_open())
        || (subjects.is_empty() && call.options.value("--subject").is_some())
    {
        case.doubt_of(Code::TargetRuntime, "ringfence note");
    }
}

fn server(case: &mut Case, command: &'static str) {
    case.tamper(Tamper {
        may_not: "start a memory's server from a shell",
        would: format!("start `{command}`, through which memory can be changed unseen"),
        path: command.to_owned(),
        label: format!("`{command}`"),
    });
}

/// Our own verbs that loosen the guard or change the store as a whole.
fn our_own(case: &mut Case, call: &Call, verb: &str) {
    let previews = call.options.has("--dry-run");
    let decides = matches!(verb, "accept" | "drop");
    let first = call.options.operands().into_iter().next();
    let first = match &first {
        Some(Value::Known(all)) => all.first().map(String::as_str),
        Some(Value::Unknown) | None => None,
    };
    let (command, would) = match verb {
        "hook" if call.options.value("--state").is_none() => {
            ("ringfence hook", "tell the guard of calls that were never made")
        }
        "grant" => ("ringfence grant", "release a memory that only the parent may release"),
        "off" => ("ringfence off", "switch the guard off"),
        "install" if !previews => ("ringfence install", "change how the guard is started"),
        "uninstall" if !previews => ("ringfence uninstall", "take the guard away"),
        "import" if !previews => ("ringfence import", "write memory of other sessions"),
        "undo" if !previews => ("ringfence undo", "take back changes of other sessions"),
        "accept" => ("ringfence accept", "take in what a subagent was refused"),
        "drop" => ("ringfence drop", "throw away what a subagent was refused"),
        "snapshot" if first == Some("restore") && !previews => {
            let would = if call.options.may_have("--in-place") {
                "replace all memory by an older state"
            } else {
                "bring back an older state of all memory"
            };
            ("ringfence snapshot restore", would)
        }
        _ => return,
    };
    case.tamper(Tamper {
        may_not: if decides { "decide about refused work" } else { LOOSEN },
        would: format!("{would} (`{command}`)"),
        path: command.to_owned(),
        label: format!("`{command}`"),
    });
}

/// Whether any of `words` is, or can be, one of the verbs that reach memory.
pub(super) fn speaks_of_memory(words: &[Word]) -> bool {
    words.iter().any(|word| {
        word.values().is_some_and(|all| {
            all.iter().any(|text| super::tools::shell_command_targets_memory(text))
        })
    })
}
