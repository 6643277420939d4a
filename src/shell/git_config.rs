//! Where git's settings come from: variables, files that the text wrote, files on the disk.

use super::eval::Reader;
use super::scope::{Scope, Value};
use super::types::Word;

/// A setting: its key in lower case, and its value.
type Setting = (String, String);

/// What later commands of the same text are told; no variable's name has a blank.
const KEPT: &str = "git settings";

/// The most settings of one source.
const MAX_SETTINGS: usize = 64;

/// `GIT_CONFIG_KEY_0=… GIT_CONFIG_VALUE_0=…`, `GIT_CONFIG_PARAMETERS=…`.
pub(super) fn of_variables(env: &[(String, Word)]) -> Vec<Setting> {
    if !env.iter().any(|(name, _)| name.starts_with("GIT_CONFIG")) {
        return Vec::new();
    }
    let value = |wanted: &str| {
        let found = env.iter().rev().find(|(name, _)| name == wanted);
        found.and_then(|(_, value)| value.literal())
    };
    let mut found: Vec<Setting> = Vec::new();
    for number in 0..MAX_SETTINGS {
        let key = value(&format!("GIT_CONFIG_KEY_{number}"));
        let text = value(&format!("GIT_CONFIG_VALUE_{number}"));
        found.extend(key.zip(text).map(|(key, text)| (key.to_ascii_lowercase(), text.to_owned())));
    }
    let words = value("GIT_CONFIG_PARAMETERS").map(shell_words::split);
    for word in words.and_then(Result::ok).unwrap_or_default() {
        if let Some((key, text)) = word.split_once('=') {
            found.push((key.to_ascii_lowercase(), text.to_owned()));
        }
    }
    found
}

/// Remembers `git config key value`.
pub(super) fn keep(key: &str, value: &Word, scope: &mut Scope) {
    let Some(value) = value.literal() else { return };
    let mut all = match scope.get(KEPT) {
        Some(Value::Array(words)) => words.clone(),
        Some(Value::Scalar(_)) | None => Vec::new(),
    };
    if all.len() < MAX_SETTINGS {
        all.push(Word::Literal(format!("{key}={value}")));
        scope.set(KEPT, Value::Array(all));
    }
}

/// The settings that the text itself made, by `git config` or by writing a file; no aliases, which
/// only their name starts.
pub(super) fn kept(reader: &mut Reader<'_>, env: &[(String, Word)], scope: &Scope) -> Vec<Setting> {
    let mut found: Vec<Setting> = match scope.get(KEPT) {
        Some(Value::Array(words)) => {
            words.iter().filter_map(Word::literal).filter_map(pair).collect()
        }
        Some(Value::Scalar(_)) | None => Vec::new(),
    };
    if !scope.written.borrow().is_empty() {
        for path in files(reader, env, scope) {
            let text = reader.known_text(&path, scope).unwrap_or_default();
            found.extend(settings(&text));
        }
    }
    found.retain(|(key, _)| !key.starts_with("alias."));
    found
}

fn pair(text: &str) -> Option<Setting> {
    let (key, value) = text.split_once('=')?;
    Some((key.to_ascii_lowercase(), value.to_owned()))
}

/// The settings of one file.
pub(super) fn of_file(reader: &mut Reader<'_>, path: &str, scope: &Scope) -> Vec<Setting> {
    reader.file_text(path, scope).map(|text| settings(&text)).unwrap_or_default()
}

/// The settings of all files that git reads here.
pub(super) fn of_files(
    reader: &mut Reader<'_>,
    env: &[(String, Word)],
    scope: &Scope,
) -> Vec<Setting> {
    let mut found = Vec::new();
    for path in files(reader, env, scope) {
        found.extend(of_file(reader, &path, scope));
    }
    let included: Vec<String> = found
        .iter()
        .filter(|(key, _)| key == "include.path")
        .map(|(_, path)| path.clone())
        .take(4)
        .collect();
    for path in included {
        found.extend(of_file(reader, &path, scope));
    }
    found
}

/// The files, whether they are there or not.
fn files(reader: &Reader<'_>, env: &[(String, Word)], scope: &Scope) -> Vec<String> {
    let variable = |wanted: &str| {
        let found = env.iter().rev().find(|(name, _)| name == wanted);
        found.and_then(|(_, value)| value.literal()).map(str::to_owned)
    };
    let mut found: Vec<String> = ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG"]
        .iter()
        .filter_map(|name| variable(name))
        .collect();
    if let Some(home) = variable("HOME").or_else(|| reader.home.clone()) {
        found.push(format!("{home}/.gitconfig"));
        found.push(format!("{home}/.config/git/config"));
    }
    let mut folder = scope.cwd.as_deref();
    for _ in 0..8 {
        let Some(path) = folder else { break };
        found.push(format!("{}/.git/config", path.trim_end_matches('/')));
        folder = path.rsplit_once('/').map(|(above, _)| above).filter(|above| !above.is_empty());
    }
    found
}

/// The settings that a configuration file's text makes.
fn settings(text: &str) -> Vec<Setting> {
    let mut found = Vec::new();
    let mut section = String::new();
    let joined = text.replace("\\\n", "");
    for line in joined.lines().map(str::trim) {
        let mut rest = line;
        if let Some(head) = line.strip_prefix('[') {
            let Some((name, after)) = head.split_once(']') else { continue };
            section = name.replace([' ', '"'], ".").replace("..", ".");
            section = section.trim_end_matches('.').to_ascii_lowercase();
            rest = after.trim();
        }
        if rest.is_empty() || rest.starts_with(['#', ';']) || found.len() >= MAX_SETTINGS {
            continue;
        }
        let (key, value) = rest.split_once('=').unwrap_or((rest, "true"));
        let key = format!("{section}.{}", key.trim().to_ascii_lowercase());
        found.push((key, unquoted(value.trim())));
    }
    found
}

/// A value without its quotes, its escapes and a comment after it.
fn unquoted(value: &str) -> String {
    let mut out = String::new();
    let mut is_quoted = false;
    let mut letters = value.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => is_quoted = !is_quoted,
            '\\' => out.push(match letters.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some(other) => other,
                None => '\\',
            }),
            '#' | ';' if !is_quoted => break,
            _ => out.push(letter),
        }
    }
    out.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_is_read_as_git_reads_it() {
        let text =
            "# x\n[alias]\n\tz = !run \"a b\" # c\n L=log\n[core \"x\"] Pager = \"a;b\"\n[broken\n";
        let found: Vec<String> =
            settings(text).into_iter().map(|(key, value)| format!("{key}={value}")).collect();
        assert_eq!(found, ["alias.z=!run a b", "alias.l=log", "core.x.pager=a;b"]);
    }

    #[test]
    fn variables_hold_settings() {
        let env: Vec<(String, Word)> = [
            ("GIT_CONFIG_COUNT", "1"),
            ("GIT_CONFIG_KEY_0", "alias.Z"),
            ("GIT_CONFIG_VALUE_0", "!x y"),
            ("GIT_CONFIG_PARAMETERS", "'alias.a=!b c' 'core.pager'='d'"),
        ]
        .map(|(name, value)| (name.to_owned(), Word::Literal(value.to_owned())))
        .to_vec();
        let found: Vec<String> =
            of_variables(&env).into_iter().map(|(key, value)| format!("{key}={value}")).collect();
        assert_eq!(found, ["alias.z=!x y", "alias.a=!b c", "core.pager=d"]);
    }
}
