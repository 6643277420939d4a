//! What a bare name stands for besides a program on the machine's own PATH: a path that `hash -p`
//! gave it, a file that the text put on a PATH of its own, the handler of commands not found.

use super::eval::{Printed, Reader};
use super::run::Call;
use super::scope::{Scope, Standing, Value};
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

/// The words of the call with each path that its bare name may stand for; none when it is just a name.
pub(super) fn paths_of(reader: &Reader<'_>, call: &Call<'_>, scope: &Scope) -> Vec<Vec<Word>> {
    let Some(name) = call.arg(0).filter(|name| !name.contains('/') && !name.is_empty()) else {
        return Vec::new();
    };
    if scope.vars.is_empty() && call.env.is_empty() {
        return Vec::new();
    }
    let paths = match scope.scalar(&hashed(name)) {
        // Where it was given in a branch, the name may still be just a name.
        Some(Word::OneOf(all)) => {
            let or_name = |path: String| if path.is_empty() { name.to_owned() } else { path };
            all.into_iter().map(or_name).map(Word::Literal).collect()
        }
        Some(path) => vec![path],
        None => match on_own_path(reader, name, call, scope) {
            Some(path) => vec![Word::Literal(path)],
            None => return Vec::new(),
        },
    };
    let with = |path: Word| {
        [path].into_iter().chain(call.argv.iter().skip(1).cloned()).collect::<Vec<Word>>()
    };
    paths.into_iter().map(with).collect()
}

/// The file by that name which this text wrote into a directory of the PATH that it set.
fn on_own_path(reader: &Reader<'_>, name: &str, call: &Call<'_>, scope: &Scope) -> Option<String> {
    if scope.written.borrow().is_empty() {
        return None;
    }
    let own = call.env.iter().find(|(name, _)| name == "PATH").map(|(_, path)| path.clone());
    let path = own.or_else(|| scope.scalar("PATH"))?;
    // What stands before the PATH as it was is searched first, what stands behind it last.
    let pieces = match &path {
        Word::Literal(text) => vec![text.as_str()],
        Word::Partial(pieces) => pieces.iter().filter_map(Piece::text).collect(),
        Word::OneOf(all) => all.iter().map(String::as_str).collect(),
    };
    pieces
        .into_iter()
        .flat_map(|piece| piece.split(':'))
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
    if let Some(known) = scope.functions_mut().get_mut(name) {
        known.standing = Standing::Inherited;
    }
    scope.export(&format!("{name} ()"));
    true
}
