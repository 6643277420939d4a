//! tmux, and what speaks its language (tmate, byobu).

use super::verbs::{self, Does, Verb};
use super::words::{after, known_start, known_texts};
use super::{Call, Judged, Wrong, target};
use crate::shell::Word;

/// How many commands of one file are read.
const MAX_LINES: usize = 2_000;

/// Judges one call: the server it speaks to, then each of its commands.
pub(super) fn judge(call: &Call<'_>) -> Judged {
    let args = call.args();
    let mut index = 0;
    let mut private = false;
    while let Some(text) = args.get(index).and_then(Word::literal) {
        let Some(letters) = text.strip_prefix('-').filter(|letters| !letters.is_empty()) else {
            break;
        };
        if text == "--" {
            index += 1;
            break;
        }
        if letters.starts_with('V') || text == "--help" || text == "--version" {
            return Ok(());
        }
        let Some(at) = letters.find(['L', 'S', 'f', 'c', 'T']) else {
            index += 1;
            continue;
        };
        let letter = letters.get(at..=at).unwrap_or("");
        let glued = letters.get(at + 1..).unwrap_or("");
        let value = if glued.is_empty() {
            index += 1;
            args.get(index).cloned()
        } else {
            Some(Word::Literal(glued.to_owned()))
        };
        match letter {
            "L" => private = value.is_some_and(|word| names_private(call, &word)),
            "S" => private = value.is_some_and(|word| is_private_socket(call, &word)),
            // It runs one shell command; the reader has read it.
            "c" => return Ok(()),
            _ => {}
        }
        index += 1;
    }
    if private {
        return Ok(());
    }
    judge_commands(call, args.get(index..).unwrap_or(&[]))
}

fn names_private(call: &Call<'_>, word: &Word) -> bool {
    word.values().is_some_and(|all| all.iter().all(|name| call.guard.owns(name)))
}

fn is_private_socket(call: &Call<'_>, word: &Word) -> bool {
    word.values().is_some_and(|all| all.iter().all(|path| call.is_own_path(path)))
}

/// Judges commands separated by `;`, which may also end a word.
fn judge_commands(call: &Call<'_>, words: &[Word]) -> Judged {
    if words.is_empty() {
        return Err(current(call, call.name));
    }
    let mut command: Vec<Word> = Vec::new();
    for word in words {
        match word.literal() {
            Some(";" | "\\;") => {
                judge_command(call, &command)?;
                command.clear();
            }
            Some(text) if text.ends_with(';') && !text.ends_with("\\;") => {
                command.push(Word::Literal(text.trim_end_matches(';').to_owned()));
                judge_command(call, &command)?;
                command.clear();
            }
            _ => command.push(word.clone()),
        }
    }
    judge_command(call, &command)
}

fn judge_command(call: &Call<'_>, command: &[Word]) -> Judged {
    let Some((first, rest)) = command.split_first() else { return Ok(()) };
    let Some(names) = first.values() else {
        return Err(Wrong::new("gives tmux a command that is only known when it runs"));
    };
    for name in names {
        let found = verbs::find(name);
        if found.is_empty() {
            return Err(Wrong::new(format!("gives tmux a command that is not known (`{name}`)")));
        }
        for verb in found {
            judge_verb(call, verb, rest)?;
        }
    }
    Ok(())
}

fn current(call: &Call<'_>, what: &str) -> Wrong {
    Wrong::new(format!("`{what}` without a target acts on the session at hand, whoever's it is"))
        .instead(call.own_target())
}

fn judge_verb(call: &Call<'_>, verb: &'static Verb, words: &[Word]) -> Judged {
    let given = Given::read(verb, words);
    if verb.name != "send-keys" && given.holds("#(") {
        return Err(Wrong::new("holds a format with `#(…)`, which the server would run"));
    }
    match verb.does {
        Does::Reads => Ok(()),
        Does::ReadsToStandardOutput if given.has('p') => Ok(()),
        Does::ReadsToStandardOutput => Err(Wrong::new(format!(
            "`{}` without `-p` leaves something on the owner's server",
            verb.name
        ))
        .instead(format!("tmux {} -p", verb.name))),
        Does::Drives => drives(call, verb, &given),
        Does::Starts => {
            drives(call, verb, &given)?;
            carried(call, verb, &given)?;
            starts(call, verb)
        }
        Does::Creates => creates(call, verb, &given),
        Does::Attaches => match given.value('t') {
            Some(word) => target::require(call, word),
            None => Err(current(call, verb.name)),
        },
        Does::Server => Err(Wrong::new(format!(
            "`{}` changes the owner's server or client, not a session of this run",
            verb.name
        ))
        .instead(format!("tmux -L {} …", call.own_name()))),
        Does::Sources => sources(call, &given),
    }
}

/// Every target must be the run's own, and one must be there.
fn drives(call: &Call<'_>, verb: &Verb, given: &Given<'_>) -> Judged {
    if let Some(wide) = verb.wide.chars().find(|wide| given.has(*wide)) {
        return Err(Wrong::new(format!(
            "`{} -{wide}` reaches beyond the session that it names",
            verb.name
        )));
    }
    let mut named = false;
    for letter in verb.targets.chars() {
        for word in given.values(letter) {
            target::require(call, word)?;
            named |= letter == 't' || verb.name == "detach-client";
        }
    }
    if named { Ok(()) } else { Err(current(call, verb.name)) }
}

/// The commands of tmux that a command carries as words. What it carries for a shell, the reader
/// has read.
fn carried(call: &Call<'_>, verb: &Verb, given: &Given<'_>) -> Judged {
    let from = match verb.name {
        "if-shell" | "set-hook" => 1,
        _ => return Ok(()),
    };
    let unreadable = || Wrong::new("carries a command for tmux that could not be read");
    for word in given.operands.iter().skip(from) {
        let text = word.literal().ok_or_else(unreadable)?;
        let words = shell_words::split(text).map_err(|_| unreadable())?;
        let words: Vec<Word> = words.into_iter().map(Word::Literal).collect();
        judge_commands(call, &words)?;
    }
    Ok(())
}

fn starts(call: &Call<'_>, verb: &Verb) -> Judged {
    if !call.around.starts_must_be_private {
        return Ok(());
    }
    Err(Wrong::new(format!("`{}` starts a program on a server outside the boundary", verb.name))
        .instead(format!("tmux -L {} …", call.own_name())))
}

/// A new session is nobody's yet; one that is joined or attached to must be the run's own.
fn creates(call: &Call<'_>, verb: &Verb, given: &Given<'_>) -> Judged {
    for word in given.values('t') {
        target::require(call, word)?;
    }
    if given.has('A') {
        match given.value('s') {
            Some(word) => target::require(call, word)?,
            None => return Err(current(call, "new-session -A")),
        }
    }
    // `-D` and `-X` throw other clients out.
    if given.has('D') || given.has('X') {
        match given.value('s') {
            Some(word) => target::require(call, word)?,
            None => return Err(current(call, verb.name)),
        }
    }
    starts(call, verb)
}

/// Commands from files: read where they can be, else refused.
fn sources(call: &Call<'_>, given: &Given<'_>) -> Judged {
    let unreadable = || Wrong::new("makes the owner's server run commands that could not be read");
    if given.operands.is_empty() {
        return Err(unreadable());
    }
    for word in &given.operands {
        let path = word.literal().ok_or_else(unreadable)?;
        let path = crate::shell::absolute(call.invocation.cwd.as_deref(), path);
        let text = path.and_then(|path| call.around.files.text(&path)).ok_or_else(unreadable)?;
        if text.lines().count() > MAX_LINES {
            return Err(unreadable());
        }
        for line in text.lines().map(str::trim) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            // Blocks, conditions and continued lines are read by nobody but tmux.
            if line.contains(['{', '}']) || line.starts_with('%') || line.ends_with('\\') {
                return Err(unreadable());
            }
            let words = shell_words::split(line).map_err(|_| unreadable())?;
            let words: Vec<Word> = words.into_iter().map(Word::Literal).collect();
            judge_commands(call, &words)?;
        }
    }
    Ok(())
}

/// The words of one command: options by letter, and what is left.
struct Given<'a> {
    flags: Vec<(char, Option<Word>)>,
    operands: Vec<&'a Word>,
    words: &'a [Word],
}

impl<'a> Given<'a> {
    /// Reads as getopt does: letters may stand together, a value may be glued on, the first operand
    /// ends the options.
    fn read(verb: &Verb, words: &'a [Word]) -> Self {
        let mut given = Self { flags: Vec::new(), operands: Vec::new(), words };
        let mut index = 0;
        while let Some(word) = words.get(index) {
            let Some(letters) =
                known_start(word).strip_prefix('-').filter(|letters| !letters.is_empty())
            else {
                break;
            };
            index += 1;
            if word.literal() == Some("--") {
                break;
            }
            for (at, letter) in letters.char_indices() {
                if !verb.valued.contains(letter) {
                    given.flags.push((letter, None));
                    continue;
                }
                let glued = after(word, 1 + at + letter.len_utf8());
                let value = match glued {
                    Some(value) => Some(value),
                    None => {
                        index += 1;
                        words.get(index - 1).cloned()
                    }
                };
                given.flags.push((letter, value));
                break;
            }
        }
        given.operands = words.iter().skip(index).collect();
        given
    }

    fn has(&self, letter: char) -> bool {
        self.flags.iter().any(|(known, _)| *known == letter)
    }

    fn values(&self, letter: char) -> impl Iterator<Item = &Word> {
        self.flags
            .iter()
            .filter(move |(known, _)| *known == letter)
            .filter_map(|(_, value)| value.as_ref())
    }

    fn value(&self, letter: char) -> Option<&Word> {
        self.values(letter).last()
    }

    fn holds(&self, text: &str) -> bool {
        self.words.iter().any(|word| known_texts(word).iter().any(|known| known.contains(text)))
    }
}
