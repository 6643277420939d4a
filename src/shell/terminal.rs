//! Terminal multiplexers and typing tools: text that someone's terminal will run.

use super::eval::Reader;
use super::launch::join;
use super::run::Call;
use super::scope::Scope;
use super::types::{Stdin, Word};

/// Runs what a multiplexer starts or types.
pub(super) fn run(reader: &mut Reader<'_>, name: &str, call: &Call<'_>, scope: &Scope) {
    match name {
        "tmux" => tmux(reader, call, scope),
        "screen" => screen(reader, call, scope),
        "zellij" => after_verb(reader, call, scope, &["write-chars", "run", "action"]),
        "wezterm" => {
            after_verb(reader, call, scope, &["send-text", "spawn", "start", "split-pane"])
        }
        "kitty" | "kitten" => after_verb(reader, call, scope, &["send-text", "launch"]),
        "xdotool" | "ydotool" => after_verb(reader, call, scope, &["type", "key"]),
        "wtype" => typed(reader, call.argv.get(1..).unwrap_or(&[]), scope),
        _ => {
            let rest: Vec<Word> = call
                .argv
                .iter()
                .skip(2)
                .filter(|word| !word.literal().is_some_and(|text| text.starts_with('-')))
                .cloned()
                .collect();
            reader.launched("session", &rest, scope, &Stdin::Inherited, call.env);
        }
    }
}

/// Text that is typed: read as code, marked as typed.
fn typed(reader: &mut Reader<'_>, words: &[Word], scope: &Scope) {
    let words: Vec<Word> = words
        .iter()
        .filter(|word| {
            !matches!(word.literal(), Some("Enter" | "C-m" | "C-j" | "Return" | "KPEnter"))
        })
        .map(|word| word.map(|text| text.replace("\\n", "\n").replace("\\r", "\n")))
        .collect();
    if words.is_empty() {
        return;
    }
    let outer = std::mem::replace(&mut reader.typed, true);
    reader.launched_code("typed", &join(&words), &[], scope, &Stdin::Inherited);
    reader.typed = outer;
}

/// tmux: commands separated by `;`, each with its own options and operands.
fn tmux(reader: &mut Reader<'_>, call: &Call<'_>, scope: &Scope) {
    let mut index = 1;
    while let Some(option) = call.arg(index).filter(|text| text.starts_with('-')) {
        index += if matches!(option, "-L" | "-S" | "-f" | "-c" | "-T") { 2 } else { 1 };
    }
    let rest = call.argv.get(index..).unwrap_or(&[]);
    for command in rest.split(|word| matches!(word.literal(), Some(";" | "\\;"))) {
        tmux_command(reader, command, scope);
    }
}

fn tmux_command(reader: &mut Reader<'_>, command: &[Word], scope: &Scope) {
    let Some(verb) = command.first().and_then(Word::literal) else { return };
    let is = |full: &str, alias: &str| verb == alias || verb.len() >= 4 && full.starts_with(verb);
    let Some(valued) = valued_letters(&is) else { return };
    let mut index = 1;
    while let Some(option) = command
        .get(index)
        .and_then(Word::literal)
        .filter(|text| text.starts_with('-') && text.len() > 1)
    {
        index += 1;
        if option == "--" {
            break;
        }
        // Letters may stand together: `-Rt main`.
        let takes = option.chars().skip(1).position(|letter| {
            valued.contains(&letter) && !(letter == 'd' && !is("run-shell", "run"))
        });
        if takes.is_some_and(|at| at + 2 == option.chars().count()) {
            index += 1;
        }
    }
    let operands = command.get(index..).unwrap_or(&[]);
    if is("send-keys", "send") || is("set-buffer", "setb") {
        typed(reader, operands, scope);
    } else if is("if-shell", "if") {
        for operand in operands {
            reader.launched_code("tmux", operand, &[], scope, &Stdin::Inherited);
        }
    } else if operands.len() > 1 {
        reader.launched("tmux", operands, scope, &Stdin::Inherited, &[]);
    } else if let Some(code) = operands.first() {
        reader.launched_code("tmux", code, &[], scope, &Stdin::Inherited);
    }
}

/// The option letters of a tmux command that take a value; `None` for one that starts nothing.
fn valued_letters(is: &impl Fn(&str, &str) -> bool) -> Option<&'static [char]> {
    const STARTING: &[(&str, &str)] = &[
        ("new-session", "new"),
        ("new-window", "neww"),
        ("split-window", "splitw"),
        ("respawn-pane", "respawnp"),
        ("respawn-window", "respawnw"),
        ("display-popup", "popup"),
    ];
    if is("send-keys", "send") {
        return Some(&['t', 'N', 'c']);
    }
    if is("run-shell", "run") {
        return Some(&['t', 'd', 'c']);
    }
    if is("if-shell", "if") || is("pipe-pane", "pipep") || is("confirm-before", "confirm") {
        return Some(&['t', 'p', 'c']);
    }
    if is("set-buffer", "setb") {
        return Some(&['b', 'n', 't']);
    }
    STARTING.iter().any(|(full, alias)| is(full, alias)).then_some(&[
        't', 'c', 'e', 'n', 's', 'F', 'l', 'p', 'x', 'y', 'b', 'd', 'h', 'w', 'S', 'T',
    ])
}

/// `screen -X stuff TEXT`, `screen -dm command`.
fn screen(reader: &mut Reader<'_>, call: &Call<'_>, scope: &Scope) {
    if let Some(at) = call.argv.iter().position(|word| word.literal() == Some("stuff")) {
        typed(reader, call.argv.get(at + 1..).unwrap_or(&[]), scope);
        return;
    }
    let mut index = 1;
    while let Some(option) = call.arg(index).filter(|text| text.starts_with('-')) {
        if option == "-X" {
            let verb = call.arg(index + 1);
            if matches!(verb, Some("screen" | "exec" | "eval")) {
                let rest = call.argv.get(index + 2..).unwrap_or(&[]).to_vec();
                reader.launched("screen", &rest, scope, &Stdin::Inherited, &[]);
            }
            return;
        }
        let valued = option.ends_with(['S', 't', 'c', 'e', 'h', 'p', 's', 'T']);
        index += if valued { 2 } else { 1 };
    }
    let rest = call.argv.get(index..).unwrap_or(&[]).to_vec();
    reader.launched("screen", &rest, scope, &Stdin::Inherited, call.env);
}

/// Everything after a verb, its options left out: typed, or started.
fn after_verb(reader: &mut Reader<'_>, call: &Call<'_>, scope: &Scope, verbs: &[&str]) {
    let Some(at) =
        call.argv.iter().rposition(|word| word.literal().is_some_and(|text| verbs.contains(&text)))
    else {
        return;
    };
    let verb = call.arg(at).unwrap_or("");
    let starts = matches!(verb, "run" | "launch" | "spawn" | "start" | "split-pane");
    let mut index = at + 1;
    while let Some(option) = call.arg(index).filter(|text| text.starts_with('-')) {
        index += 1;
        if option == "--" {
            break;
        }
        let flag = option.contains('=')
            || matches!(
                option,
                "--no-paste" | "--clearmodifiers" | "--hold" | "--all" | "--in-place"
            );
        if !flag && call.argv.len() > index + 1 {
            index += 1;
        }
    }
    let rest = call.argv.get(index..).unwrap_or(&[]);
    if starts {
        reader.launched("terminal", rest, scope, &Stdin::Inherited, &[]);
        return;
    }
    match (rest.is_empty(), call.input) {
        (true, Stdin::Text(text)) => typed(reader, &[Word::Literal(text.clone())], scope),
        _ => typed(reader, rest, scope),
    }
}
