//! cmd.exe text.

use super::eval::{Printed, Reader};
use super::run::Call;
use super::scope::Scope;

/// Reads a cmd.exe text.
pub(super) fn text(reader: &mut Reader<'_>, text: &str, scope: &mut Scope) {
    let _ = (reader, text, scope);
}

/// `cmd /c …`.
pub(super) fn program(reader: &mut Reader<'_>, call: &Call<'_>, scope: &mut Scope) -> Printed {
    let _ = (reader, call, scope);
    None
}
