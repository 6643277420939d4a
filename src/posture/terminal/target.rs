//! Whose session a target means.

use super::{Call, Judged, Wrong};
use crate::shell::{Piece, Word};

/// Whether every session that `word` can mean is the run's own.
///
/// `=name` is exact and `name:window.pane` is in `name`. An id (`%3`, `@2`, `$1`), a token
/// (`{last}`), a window alone (`:1`) and a value that only run time knows say nothing about who
/// created the session.
pub(super) fn is_own(call: &Call<'_>, word: &Word) -> bool {
    match word {
        Word::Literal(text) => names_own(call, text),
        Word::OneOf(all) => all.iter().all(|text| names_own(call, text)),
        // What follows the prefix may be anything: the name begins as ours do.
        Word::Partial(pieces) => match pieces.first() {
            Some(Piece::Text(text)) => {
                let prefix = call.guard.prefix.as_ref();
                !prefix.is_empty() && text.strip_prefix('=').unwrap_or(text).starts_with(prefix)
            }
            Some(Piece::Glob(_) | Piece::Hole { .. }) | None => false,
        },
    }
}

fn names_own(call: &Call<'_>, target: &str) -> bool {
    let target = target.strip_prefix('=').unwrap_or(target);
    let session = target.split(':').next().unwrap_or(target);
    // Without a colon a dot can begin a pane: `ringfence-a.1`.
    let before_pane = session.split('.').next().unwrap_or(session);
    call.guard.owns(session) || (!target.contains(':') && call.guard.owns(before_pane))
}

/// Refuses a target that is not the run's own.
pub(super) fn require(call: &Call<'_>, word: &Word) -> Judged {
    if is_own(call, word) {
        return Ok(());
    }
    let shown = crate::shell::spell(std::slice::from_ref(word));
    Err(Wrong::new(format!("would act on `{shown}`, which is not a session of this run"))
        .instead(call.own_target()))
}
