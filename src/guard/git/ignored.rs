//! Which files git passes over because an ignore file lists them.

use crate::guard::case::Case;
use crate::shell;

/// Whether git's ignore files from the file's folder upwards list it; `None` = there are none, so
/// the rules may be elsewhere.
pub(super) fn is_ignored(case: &Case, path: &str) -> Option<bool> {
    let (mut folder, name) = path.rsplit_once('/')?;
    let mut seen = None;
    loop {
        let below = path.get(folder.len() + 1..).unwrap_or(name);
        for file in [".gitignore", ".git/info/exclude"] {
            if let Some(text) = case.facts.text(&format!("{folder}/{file}")) {
                if lists(&text, below, name) {
                    return Some(true);
                }
                seen = Some(false);
            }
        }
        match folder.rsplit_once('/') {
            Some((parent, _)) if !parent.is_empty() => folder = parent,
            Some(_) | None => return seen,
        }
    }
}

fn lists(text: &str, below: &str, name: &str) -> bool {
    let mut listed = false;
    for line in text.lines().map(str::trim) {
        let (line, keeps) = match line.strip_prefix('!') {
            Some(rest) => (rest, true),
            None => (line, false),
        };
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let pattern = line.trim_start_matches("**/");
        let fits = match pattern.strip_prefix('/') {
            Some(anchored) => {
                shell::matches(anchored, below) || starts_with_folder(below, anchored)
            }
            None => {
                let folder = pattern.trim_end_matches('/');
                shell::matches(pattern, name)
                    || below.split('/').any(|part| shell::matches(folder, part) && part != name)
            }
        };
        if fits {
            listed = !keeps;
        }
    }
    listed
}

fn starts_with_folder(below: &str, anchored: &str) -> bool {
    below.starts_with(&format!("{}/", anchored.trim_end_matches('/')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignore_files_are_read_as_far_as_they_are_simple() {
        for (text, below, expected) in [
            (".cortex.db\n", ".cortex.db", true),
            ("*.db", "a/memory.db", true),
            ("/.cortex.db", ".cortex.db", true),
            ("/.cortex.db", "a/.cortex.db", false),
            ("# .cortex.db", ".cortex.db", false),
            ("*.db\n!.cortex.db", ".cortex.db", false),
            ("data/", "data/memory.db", true),
            ("node_modules", ".cortex.db", false),
        ] {
            let name = below.rsplit('/').next().unwrap();
            assert_eq!(lists(text, below, name), expected, "{text:?} {below}");
        }
    }
}
