//! Values that bash expands once more: `a[$(code)]` where a variable is named, a prompt's text, a
//! variable's own text in arithmetic.

use super::eval::Reader;
use super::run::Call;
use super::scope::Scope;
use super::types::{Stdin, Word};

/// Whether something in the text would run.
fn substitutes(text: &str) -> bool {
    text.contains("$(") || text.contains('`')
}

/// Runs what the subscript of `name[…]` substitutes.
pub(super) fn run(reader: &mut Reader<'_>, text: &str, scope: &mut Scope) {
    let Some(at) = text.find('[') else { return };
    let (name, subscript) = text.split_at(at);
    let is_name =
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if is_name && substitutes(subscript) {
        prompt(reader, subscript, scope);
    }
}

/// Runs what a text substitutes that is expanded as one between double quotes is: `${x@P}`, `PS4`.
pub(super) fn prompt(reader: &mut Reader<'_>, text: &str, scope: &mut Scope) {
    if substitutes(text) {
        let code = format!(": <<ringfence_end\n{text}\nringfence_end\n");
        reader.code("expanded again", &code, scope, &Stdin::Inherited);
    }
}

/// `${name@P}` and its like.
pub(super) fn transformed(
    reader: &mut Reader<'_>,
    name: &str,
    value: Option<&Word>,
    scope: &mut Scope,
) -> Word {
    if let Some(text) = value.and_then(Word::literal) {
        prompt(reader, text, scope);
    }
    Word::hole(format!("${name}@"), true)
}

/// The words of a builtin that names variables: `test -v`, `unset`, `printf -v`, `read`.
pub(super) fn words(reader: &mut Reader<'_>, words: &[Word], scope: &mut Scope) {
    for text in words.iter().filter_map(Word::literal).filter(|text| text.contains('[')) {
        run(reader, text, scope);
    }
}

/// The words of `[[ … ]]`.
pub(super) fn test(reader: &mut Reader<'_>, all: &[Word], scope: &mut Scope) {
    const NUMERIC: [&str; 6] = ["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];
    words(reader, all, scope);
    if all.iter().filter_map(Word::literal).any(|text| NUMERIC.contains(&text)) {
        for text in all.iter().filter_map(Word::literal) {
            names_in(reader, text, scope);
        }
    }
}

/// In arithmetic a name stands for its value, which is read as arithmetic again.
pub(super) fn names_in(reader: &mut Reader<'_>, text: &str, scope: &mut Scope) {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    for name in text.split(|c| !is_part(c)).filter(|name| !name.is_empty()) {
        let value = scope.scalar(name);
        if let Some(value) = value.as_ref().and_then(Word::literal) {
            run(reader, value, scope);
        }
    }
}

/// What is assigned to an integer is arithmetic.
pub(super) fn assigned(
    reader: &mut Reader<'_>,
    name: &str,
    value: Option<&Word>,
    scope: &mut Scope,
) {
    if let Some(text) = value.and_then(Word::literal)
        && scope.attributes.get(name) == Some(&'i')
    {
        names_in(reader, text, scope);
    }
}

/// `PS4`, which a shell that traces expands before each command.
pub(super) fn traced(reader: &mut Reader<'_>, call: &Call<'_>, scope: &mut Scope) {
    let own = call.env.iter().find(|(name, _)| name == "PS4").map(|(_, value)| value.clone());
    let text = own.or_else(|| scope.scalar("PS4"));
    if let Some(text) = text.as_ref().and_then(Word::literal) {
        let traces = |word: &Word| {
            word.literal().is_some_and(|text| text.starts_with('-') && text.contains('x'))
        };
        if call.argv.iter().any(traces) {
            prompt(reader, text, scope);
        }
    }
}
