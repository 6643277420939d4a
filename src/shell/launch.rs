//! Commands inside commands: walks a launcher's own arguments to the command it starts.

use super::eval::{Printed, Reader};
use super::launchers::{LAUNCHERS, Launcher, Shape};
use super::run::Call;
use super::scope::Scope;
use super::types::{What, Word};

/// Runs what a launcher starts; `None` when the program is none.
pub(super) fn run(reader: &mut Reader<'_>, call: &Call<'_>, scope: &mut Scope) -> Option<Printed> {
    let path = call.arg(0)?;
    let base = super::program::base_name(path);
    let name =
        [".exe", ".cmd", ".bat"].iter().find_map(|end| base.strip_suffix(end)).unwrap_or(base);
    super::editors::variables(reader, name, call, scope);
    if let Some(printed) = super::interpreters::run(reader, name, call, scope) {
        return Some(printed);
    }
    if let Some(printed) = super::special::run(reader, name, call, scope) {
        return Some(printed);
    }
    if let Some(launcher) = LAUNCHERS.iter().find(|row| row.names.contains(&name)) {
        return Some(walk(reader, launcher, call, scope));
    }
    if path.contains('/') || super::shells::is_script(path) {
        return super::shells::own_script(reader, call, scope);
    }
    if !super::ordinary::unknown(reader, name, call) {
        return None;
    }
    super::lookup::not_found(reader, call, scope)
}

/// What the options of a launcher led to.
struct Walked {
    /// Index of the first word that is neither option nor operand.
    rest: usize,
    env: Vec<(String, Word)>,
    /// Code given by options.
    codes: Vec<Word>,
    dashes: bool,
}

fn walk(reader: &mut Reader<'_>, launcher: &Launcher, call: &Call<'_>, scope: &Scope) -> Printed {
    let mut start = 1;
    if !launcher.verbs.is_empty() {
        let verb = (1..call.argv.len().min(8))
            .find(|index| call.arg(*index).is_some_and(|text| launcher.verbs.contains(&text)))?;
        start = verb + 1;
    }
    let walked = options(launcher, call, start);
    let outer = reader.remote;
    reader.remote |= launcher.remote;
    let printed = started(reader, launcher, call, scope, &walked);
    reader.remote = outer;
    printed
}

fn started(
    reader: &mut Reader<'_>,
    launcher: &Launcher,
    call: &Call<'_>,
    scope: &Scope,
    walked: &Walked,
) -> Printed {
    let label = launcher.names.first().copied().unwrap_or("launcher");
    let mut printed = None;
    for code in &walked.codes {
        printed = reader.launched_code(label, code, &[], scope, call.input);
    }
    let mut rest = call.argv.get(walked.rest..).unwrap_or(&[]);
    if let [first, command @ ..] = rest
        && first.literal().is_some_and(|text| launcher.perhaps.contains(&text))
    {
        rest = command;
    }
    if rest.is_empty() || (!walked.codes.is_empty() && launcher.shape != Shape::EachCode) {
        return printed;
    }
    let mut env = call.env.to_vec();
    env.extend(walked.env.iter().cloned());
    match launcher.shape {
        Shape::Tail | Shape::TailWithEnv => reader.launched(label, rest, scope, call.input, &env),
        Shape::AfterDashes if walked.dashes => {
            reader.launched(label, rest, scope, call.input, &env)
        }
        Shape::CodeOrTail if rest.len() > 1 => {
            reader.launched(label, rest, scope, call.input, &env)
        }
        Shape::JoinedCode | Shape::CodeOrTail => {
            let code = join(rest);
            reader.launched_code(label, &code, &[], scope, call.input)
        }
        Shape::EachCode => {
            for code in rest {
                printed = reader.launched_code(label, code, &[], scope, call.input);
            }
            printed
        }
        Shape::Options | Shape::AfterDashes => None,
    }
}

/// Steps over the options and operands.
fn options(launcher: &Launcher, call: &Call<'_>, start: usize) -> Walked {
    let mut walked = Walked { rest: start, env: Vec::new(), codes: Vec::new(), dashes: false };
    let mut operands = launcher.operands;
    let mut index = start;
    while let Some(word) = call.argv.get(index) {
        let text = word.literal();
        if text == Some("--") && !walked.dashes {
            walked.dashes = true;
            index += 1;
            if launcher.shape == Shape::AfterDashes {
                walked.rest = index;
                return walked;
            }
            continue;
        }
        let option = text.filter(|text| is_option(text, launcher) && !walked.dashes);
        if let Some(option) = option {
            index += 1;
            match value_of(option, launcher) {
                Value::None => {}
                Value::Next { code } => {
                    if let (true, Some(word)) = (code, call.argv.get(index)) {
                        walked.codes.push(word.clone());
                    }
                    index += 1;
                }
                Value::Attached { code, text } => {
                    if code {
                        walked.codes.push(Word::Literal(text.to_owned()));
                    }
                }
            }
            continue;
        }
        if launcher.shape == Shape::TailWithEnv
            && let Some(pair) = super::declare::split_assignment(word)
        {
            walked.env.push(pair);
            index += 1;
            continue;
        }
        if operands > 0 {
            operands -= 1;
            index += 1;
            continue;
        }
        if launcher.shape == Shape::Options || launcher.shape == Shape::AfterDashes {
            // Operands may stand between options.
            index += 1;
            continue;
        }
        break;
    }
    walked.rest = index;
    walked
}

fn is_option(text: &str, launcher: &Launcher) -> bool {
    let slash = text.starts_with('/')
        && launcher.code.iter().chain(launcher.valued).any(|known| known.starts_with('/'));
    (text.starts_with('-') && text.len() > 1)
        || slash
        || (text.starts_with('/') && text.contains(':') && launcher.shape == Shape::EachCode)
}

enum Value<'t> {
    None,
    Next { code: bool },
    Attached { code: bool, text: &'t str },
}

/// How an option takes its value, if it takes one.
fn value_of<'t>(option: &'t str, launcher: &Launcher) -> Value<'t> {
    for (known, code) in launcher
        .code
        .iter()
        .map(|known| (known, true))
        .chain(launcher.valued.iter().map(|known| (known, false)))
    {
        if option == *known {
            return Value::Next { code };
        }
        if let Some(text) = option.strip_prefix(known).and_then(|rest| rest.strip_prefix('='))
            && known.starts_with("--")
        {
            return Value::Attached { code, text };
        }
    }
    let short = option.len() > 2 && option.starts_with('-') && !option.starts_with("--");
    if short {
        for (known, code) in launcher
            .code
            .iter()
            .map(|known| (known, true))
            .chain(launcher.valued.iter().map(|known| (known, false)))
            .filter(|(known, _)| known.len() == 2)
        {
            if let Some(text) = option.strip_prefix(known) {
                return Value::Attached { code, text };
            }
            // `-qc CODE`: letters in one word, the last one takes the value.
            if option.ends_with(known.trim_start_matches('-')) {
                return Value::Next { code };
            }
        }
    }
    Value::None
}

/// Words joined by blanks into one.
pub(super) fn join(words: &[Word]) -> Word {
    let mut joined = Word::empty();
    for (index, word) in words.iter().enumerate() {
        if index > 0 {
            joined.push_text(" ");
        }
        joined.push_word(word);
    }
    joined
}

/// Notes a program whose tail looks like a command although we do not know it as a launcher.
pub(super) fn note_tail(reader: &mut Reader<'_>, argv: &[Word]) {
    let detail = super::types::spell(argv);
    reader.note(What::Launcher, &detail);
}
