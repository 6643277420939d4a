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
            after_verb(reader, call, scope, &["send-text", "spawn", "start", "split-pane"]);
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
        if option == "-c" {
            if let Some(code) = call.argv.get(index + 1) {
                reader.launched_code("tmux", code, &[], scope, &Stdin::Inherited);
            }
            return;
        }
        index += if matches!(option, "-L" | "-S" | "-f" | "-T") { 2 } else { 1 };
    }
    let rest = call.argv.get(index..).unwrap_or(&[]);
    for command in rest.split(|word| matches!(word.literal(), Some(";" | "\\;"))) {
        tmux_command(reader, command, scope, call.input);
    }
}

/// A command of tmux in one word.
fn inner_command(reader: &mut Reader<'_>, word: &Word, scope: &Scope) {
    let words = word.literal().and_then(|text| shell_words::split(text).ok()).unwrap_or_default();
    let words: Vec<Word> = words.into_iter().map(Word::Literal).collect();
    for command in words.split(|word| word.literal() == Some(";")) {
        reader.inside("tmux", |reader| {
            tmux_command(reader, command, scope, &Stdin::Inherited);
            Some(())
        });
    }
}

fn tmux_command(reader: &mut Reader<'_>, command: &[Word], scope: &Scope, input: &Stdin) {
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
        let takes = option.chars().skip(1).position(|letter| valued.contains(&letter));
        if takes.is_some_and(|at| at + 2 == option.chars().count()) {
            index += 1;
        }
    }
    let operands = command.get(index..).unwrap_or(&[]);
    if is("send-keys", "send") || is("set-buffer", "setb") {
        typed(reader, operands, scope);
    } else if is("load-buffer", "loadb") {
        if let (Some("-"), Stdin::Text(text)) = (operands.first().and_then(Word::literal), input) {
            typed(reader, &[Word::Literal(text.clone())], scope);
        }
    } else if is("if-shell", "if") || is("confirm-before", "confirm") {
        // The first is code (but for a confirmation), the others are commands of tmux.
        let skip = usize::from(is("if-shell", "if"));
        for operand in operands.iter().take(skip) {
            reader.launched_code("tmux", operand, &[], scope, &Stdin::Inherited);
        }
        for operand in operands.iter().skip(skip) {
            inner_command(reader, operand, scope);
        }
    } else if is("set-hook", "set-hook") || is("bind-key", "bind") {
        match operands.get(1..) {
            Some([single]) => inner_command(reader, single, scope),
            Some(rest) => tmux_command(reader, rest, scope, input),
            None => {}
        }
    } else if operands.len() > 1 {
        reader.launched("tmux", operands, scope, &Stdin::Inherited, &[]);
    } else if let Some(code) = operands.first() {
        reader.launched_code("tmux", code, &[], scope, &Stdin::Inherited);
    }
}

/// The option letters of a tmux command that take a value; `None` for one that starts nothing.
fn valued_letters(is: &impl Fn(&str, &str) -> bool) -> Option<&'static [char]> {
    const ROWS: &[(&str, &str, &[char])] = &[
        ("send-keys", "send", &['t', 'N', 'c']),
        ("run-shell", "run", &['t', 'd', 'c']),
        ("if-shell", "if", &['t']),
        ("pipe-pane", "pipep", &['t']),
        ("confirm-before", "confirm", &['t', 'p', 'c']),
        ("set-buffer", "setb", &['b', 'n', 't']),
        ("load-buffer", "loadb", &['b', 't']),
        ("new-session", "new", &['c', 'e', 'F', 'f', 'n', 's', 't', 'x', 'y']),
        ("new-window", "neww", &['c', 'e', 'F', 'n', 't']),
        ("split-window", "splitw", &['c', 'e', 'F', 'l', 'p', 't']),
        ("respawn-pane", "respawnp", &['c', 'e', 't']),
        ("respawn-window", "respawnw", &['c', 'e', 't']),
        ("display-popup", "popup", &['b', 'c', 'd', 'e', 'h', 's', 'S', 't', 'T', 'w', 'x', 'y']),
        ("set-hook", "set-hook", &['t']),
        ("bind-key", "bind", &['N', 'T']),
    ];
    ROWS.iter().find(|(full, alias, _)| is(full, alias)).map(|(_, _, letters)| *letters)
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
