//! Programs that print a path made of another one, and folders that a text makes.

use super::eval::{Printed, Reader};
use super::run::Call;
use super::scope::Scope;
use super::types::Word;

/// The most folders of a text that are kept.
const MAX_MADE: usize = 64;

/// What `realpath`, `readlink`, `dirname` and `basename` print.
pub(super) fn printed(name: &str, call: &Call<'_>, scope: &Scope) -> Printed {
    match name {
        "dirname" => dirname(call),
        "basename" => basename(call),
        _ => resolved(call, scope),
    }
}

/// Keeps the folders that `mkdir` makes, where it runs in any case: a `cd` there does not fail.
pub(super) fn made(reader: &mut Reader<'_>, paths: &[String], scope: &Scope) {
    if scope.branches.get() > 0 {
        return;
    }
    let absolute = |path: &String| super::directory::absolute(scope.cwd.as_deref(), path);
    let left = MAX_MADE.saturating_sub(reader.made.len());
    reader.made.extend(paths.iter().filter_map(absolute).take(left));
}

fn basename(call: &Call<'_>) -> Printed {
    let name = super::program::base_name(call.arg(1)?);
    let end = call.arg(2).filter(|end| *end != name).unwrap_or("");
    Some(name.strip_suffix(end).unwrap_or(name).to_owned() + "\n")
}

/// `realpath x`, `readlink -f x`: the path, as far as links do not matter.
fn resolved(call: &Call<'_>, scope: &Scope) -> Printed {
    let follows = |word: &Word| {
        word.literal().is_some_and(|text| {
            matches!(text, "--canonicalize" | "--canonicalize-missing" | "--canonicalize-existing")
                || text.starts_with('-') && text.contains(['f', 'm', 'e'])
        })
    };
    if call.arg(0).is_some_and(|name| name.ends_with("readlink")) && !call.argv.iter().any(follows)
    {
        return None;
    }
    let path = call.argv.last()?.literal().filter(|path| !path.starts_with('-'))?;
    super::directory::absolute(scope.cwd.as_deref(), path).map(|path| path + "\n")
}

fn dirname(call: &Call<'_>) -> Printed {
    let path = call.arg(1)?.trim_end_matches('/');
    Some(match path.rsplit_once('/') {
        Some(("", _)) => "/\n".to_owned(),
        Some((folder, _)) => folder.to_owned() + "\n",
        None => ".\n".to_owned(),
    })
}
