//! GNU screen.

use super::words::literals;
use super::{Call, Judged, Wrong, target};
use crate::shell::{Piece, Word};

/// Judges one call of screen.
pub(super) fn judge(call: &Call<'_>) -> Judged {
    let given = Given::read(call.args());
    if given.reads {
        return Ok(());
    }
    if let Some(verb) = given.commands.first() {
        return command(call, &given, verb);
    }
    if given.attaches {
        return match given.attached.or(given.name) {
            Some(name) => own(call, name),
            None => Err(Wrong::new("attaches to or detaches a session that is not named")
                .instead(format!("screen -r {}", call.own_name()))),
        };
    }
    if given.creates || given.name.is_some() {
        return Ok(());
    }
    // In a session it opens a window there; a run that nobody watches has no use for another one.
    Err(Wrong::new("`screen` without a name opens a window in the session at hand")
        .instead(format!("screen -dmS {} COMMAND", call.own_name())))
}

/// `-X verb …`: sent to the named session, or to the one at hand.
fn command(call: &Call<'_>, given: &Given<'_>, verb: &Word) -> Judged {
    let Some(name) = given.name else {
        return Err(Wrong::new("`screen -X` without `-S` acts on the session at hand")
            .instead(format!("screen -S {} -X …", call.own_name())));
    };
    own(call, name)?;
    if verb.can_be("sessionname") {
        return Err(Wrong::new("renames a session, so that its name says no more whose it is"));
    }
    Ok(())
}

/// A session's name may stand behind its process id: `4711.name`.
fn own(call: &Call<'_>, name: &Word) -> Judged {
    let bare = |text: &str| match text.split_once('.') {
        Some((pid, name)) if !pid.is_empty() && pid.bytes().all(|byte| byte.is_ascii_digit()) => {
            name.to_owned()
        }
        _ => text.to_owned(),
    };
    let word = match name {
        Word::Literal(text) => Word::Literal(bare(text)),
        Word::OneOf(all) => Word::OneOf(all.iter().map(|text| bare(text)).collect()),
        Word::Partial(pieces) => {
            let mut pieces = pieces.clone();
            if let Some(Piece::Text(text)) = pieces.first_mut() {
                *text = bare(text);
            }
            Word::Partial(pieces)
        }
    };
    target::require(call, &word)
}

#[derive(Default)]
struct Given<'a> {
    reads: bool,
    attaches: bool,
    creates: bool,
    name: Option<&'a Word>,
    attached: Option<&'a Word>,
    commands: Vec<&'a Word>,
}

impl<'a> Given<'a> {
    fn read(args: &'a [Word]) -> Self {
        let mut given = Self::default();
        let mut index = 0;
        while let Some(word) = args.get(index) {
            index += 1;
            let Some(letters) = word.literal().and_then(|text| text.strip_prefix('-')) else {
                if given.attaches {
                    given.attached = Some(word);
                }
                break;
            };
            match letters {
                "ls" | "list" | "v" | "-version" | "-help" | "h" | "Q" => given.reads = true,
                "X" => {
                    given.commands = args.iter().skip(index).collect();
                    break;
                }
                "S" => {
                    given.name = args.get(index);
                    index += 1;
                }
                "c" | "e" | "p" | "s" | "t" | "T" | "Logfile" => index += 1,
                _ => {
                    index += given.letters(letters, args.get(index));
                }
            }
        }
        given
    }

    /// Letters that stand together; answers how many more words they took.
    ///
    /// `-d -m` and `-D -m` start detached; without the `m` they detach someone.
    fn letters(&mut self, letters: &str, next: Option<&'a Word>) -> usize {
        self.creates |= letters.contains('m');
        self.attaches |= letters.contains(['r', 'R', 'x', 'd', 'D']);
        self.attaches &= !self.creates;
        if !letters.ends_with('S') {
            return 0;
        }
        self.name = next;
        1
    }
}

/// Whether a call only asks what there is.
pub(super) fn only_reads(args: &[Word], verbs: &[&str]) -> bool {
    literals(args).find(|text| !text.starts_with('-')).is_some_and(|verb| verbs.contains(&verb))
        || literals(args).any(|text| matches!(text, "--help" | "-h" | "--version" | "-V"))
}
