//! What a bare name stands for besides a program on the machine's own PATH: a path that `hash -p`
//! gave it, a file that the text put on a PATH of its own, the handler of commands not found.

use super::eval::{Printed, Reader};
use super::run::Call;
use super::scope::{Scope, Value};
use super::types::{Piece, What, Word};

/// Where a scope keeps the path that `hash -p` gave a name; no variable's name has a blank.
fn hashed(name: &str) -> String {
    format!("hash {name}")
}

/// `hash -p path name`: from now on the name is that program.
pub(super) fn hash(call: &Call<'_>, scope: &mut Scope) {
    if let (Some("-p"), Some(path), Some(name)) = (call.arg(1), call.argv.get(2), call.arg(3)) {
        scope.set(&hashed(name), Value::Scalar(path.clone()));
    }
}

/// `enable -f file name`: a builtin whose code is not ours to read.
pub(super) fn enable(reader: &mut Reader<'_>, call: &Call<'_>) {
    if call.argv.iter().any(|word| word.literal() == Some("-f")) {
        reader.note(What::Code, "enable -f");
    }
}

/// `compgen -C code`: runs the code at once.
pub(super) fn compgen(reader: &mut Reader<'_>, call: &Call<'_>, scope: &Scope) {
    let at = call.argv.iter().position(|word| word.literal() == Some("-C"));
    if let Some(code) = at.and_then(|at| call.argv.get(at + 1)) {
        // It is given the command, the word and the one before.
        let mut code = code.clone();
        code.push_text(" ");
        code.push_piece(Piece::Hole { what: "completion".into(), many: true });
        reader.launched_code("compgen -C", &code, &[], scope, call.input);
    }
}

/// The words of the call with the path that its bare name stands for; `None` when it is just a name.
pub(super) fn path_of(reader: &Reader<'_>, call: &Call<'_>, scope: &Scope) -> Option<Vec<Word>> {
    let name = call.arg(0).filter(|name| !name.contains('/') && !name.is_empty())?;
    if scope.vars.is_empty() && call.env.is_empty() {
        return None;
    }
    let path = match scope.scalar(&hashed(name)) {
        Some(path) => path,
        None => Word::Literal(on_own_path(reader, name, call, scope)?),
    };
    let mut argv = call.argv.to_vec();
    if let Some(first) = argv.first_mut() {
        *first = path;
    }
    Some(argv)
}

/// The file by that name which this text wrote into a directory of the PATH that it set.
fn on_own_path(reader: &Reader<'_>, name: &str, call: &Call<'_>, scope: &Scope) -> Option<String> {
    if scope.written.borrow().is_empty() {
        return None;
    }
    let own = call.env.iter().find(|(name, _)| name == "PATH").map(|(_, path)| path.clone());
    let path = own.or_else(|| scope.scalar("PATH"))?;
    // What stands before the PATH as it was is searched first.
    path.prefix()
        .split(':')
        .filter(|directory| !directory.is_empty())
        .map(|directory| format!("{directory}/{name}"))
        .find(|path| reader.known_text(path, scope).is_some())
}

/// A command that is not found, when the text says what happens then.
pub(super) fn not_found(
    reader: &mut Reader<'_>,
    call: &Call<'_>,
    scope: &mut Scope,
) -> Option<Printed> {
    const HANDLER: &str = "command_not_found_handle";
    if !scope.functions.contains_key(HANDLER) {
        return None;
    }
    let mut argv = vec![Word::Literal(HANDLER.into())];
    argv.extend(call.argv.iter().cloned());
    Some(reader.run(argv, scope, call.redirects.to_vec(), call.input, &[]))
}

/// `BASH_FUNC_name%%=() { … }` among the words of `env`: a function that a child shell has.
pub(super) fn function(reader: &mut Reader<'_>, word: &Word, scope: &mut Scope) -> bool {
    let pair = word
        .literal()
        .and_then(|text| text.strip_prefix("BASH_FUNC_"))
        .and_then(|text| text.split_once("%%="));
    let Some((name, body)) = pair else { return false };
    let code = format!("{name} {body}");
    reader.code("BASH_FUNC", &code, scope, &super::types::Stdin::Inherited);
    scope.export(&format!("{name} ()"));
    true
}
