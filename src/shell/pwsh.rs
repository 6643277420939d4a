//! PowerShell text.

use super::eval::{Printed, Reader};
use super::run::Call;
use super::scope::Scope;

/// Reads a PowerShell text.
pub(super) fn text(reader: &mut Reader<'_>, text: &str, scope: &mut Scope) {
    let _ = (reader, text, scope);
}

/// `pwsh -Command …` and the like.
pub(super) fn program(reader: &mut Reader<'_>, call: &Call<'_>, scope: &mut Scope) -> Printed {
    let _ = (reader, call, scope);
    None
}
