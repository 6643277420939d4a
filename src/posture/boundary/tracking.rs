//! The client's own note of the directory: it adds `&& pwd -P >| FILE` to each command and reads the
//! file afterwards. Inside a boundary that one file has to stay writable, or `cd` is forgotten.

use std::path::{Path, PathBuf};

use crate::sys::{env, file, place};

/// The file that the client's tail of `text` writes, made if it is not there yet.
///
/// Only a file of the client's own naming, in its own directory for such files, and never a link:
/// the rest of the text is an agent's.
pub fn file_of(text: &str) -> Option<PathBuf> {
    let path = PathBuf::from(named(text)?);
    let dir = file::canonical(path.parent()?)?;
    let own = [env::var("CLAUDE_CODE_TMPDIR"), env::var("TMPDIR"), Some("/tmp".to_owned())];
    let is_own =
        own.iter().flatten().any(|own| file::canonical(Path::new(own)).as_ref() == Some(&dir));
    let path = dir.join(path.file_name()?);
    if !is_own || place::is_link(&path) || place::is_directory(&path) {
        return None;
    }
    if !file::exists(&path) {
        file::create_private(&path).ok()?;
    }
    Some(path)
}

/// The path in the last `pwd -P >| PATH`, if it is called as the client calls it.
fn named(text: &str) -> Option<String> {
    let (_, tail) = text.rsplit_once("pwd -P >| ")?;
    let words = shell_words::split(tail).ok()?;
    let [path] = words.as_slice() else { return None };
    let name = path.rsplit('/').next()?;
    let middle = name.strip_prefix("claude-")?.strip_suffix("-cwd")?;
    let plain = !middle.is_empty() && middle.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (plain && path.starts_with('/')).then(|| path.clone())
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn only_the_clients_own_tail_counts() {
        let path = "/tmp/claude-3b17-cwd";
        for (text, expected) in [
            ("eval 'ls' && pwd -P >| /tmp/claude-3b17-cwd", Some(path)),
            ("eval 'ls' && pwd -P >| '/tmp/claude-3b17-cwd'", Some(path)),
            ("eval 'pwd -P >| /etc/claude-1-cwd' && pwd -P >| /tmp/claude-3b17-cwd", Some(path)),
            ("pwd -P >| /tmp/claude-3b17-cwd; rm x", None),
            ("pwd -P >| /tmp/other", None),
            ("pwd -P >| /tmp/claude-../../x-cwd", None),
            ("pwd -P >| claude-1-cwd", None),
            ("ls", None),
        ] {
            assert_eq!(named(text).as_deref(), expected, "{text}");
        }
    }
}
