//! Which project a directory belongs to, and so which store: all work trees of a repository share one.
//!
//! The rule is Cortex's, so that both stores of a project carry the same hash.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::sys::file;
use crate::sys::git::Repository;

/// A project's name on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// The path that identifies it: the common git directory, or the directory itself without git.
    pub root: PathBuf,
    /// For people only; look-ups go by the hash.
    pub label: String,
    /// The first 16 hex digits of the SHA-256 of `root`.
    pub id: String,
}

impl Project {
    /// The project of an existing directory whose links are resolved; `repository` is what
    /// [`Repository::find`] says of it.
    pub fn of(dir: &Path, repository: Option<&Repository>) -> Self {
        let root = repository.map_or(dir, |found| &found.common_dir);
        Self { root: root.to_owned(), label: label(root, repository.is_some()), id: id(root) }
    }

    /// `<label>-<id>`, the name of the store's directory below `projects`.
    pub fn directory_name(&self) -> String {
        format!("{}-{}", self.label, self.id)
    }
}

impl Project {
    /// The project's file called `name` below a `projects` directory, whether it is there or not.
    ///
    /// The label in a directory's name is for people and may be another one; the id counts.
    pub fn file_below(&self, projects: &Path, name: &str) -> PathBuf {
        let usual = projects.join(self.directory_name()).join(name);
        if file::exists(&usual) {
            return usual;
        }
        let end = format!("-{}", self.id);
        let other = file::names(projects)
            .into_iter()
            .filter(|directory| directory.ends_with(&end))
            .map(|directory| projects.join(directory).join(name))
            .find(|path| file::exists(path));
        other.unwrap_or(usual)
    }
}

fn id(root: &Path) -> String {
    let digest = Sha256::digest(root.as_os_str().as_encoded_bytes());
    digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

fn label(root: &Path, git: bool) -> String {
    let named = |path: &Path| {
        path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    };
    let name = match named(root) {
        name if git && name == ".git" => root.parent().map(named).unwrap_or_default(),
        name if git => name.strip_suffix(".git").map_or(name.clone(), str::to_owned),
        name => name,
    };
    sanitise(&name)
}

/// Runs of anything but ASCII letters, digits, `.`, `_` and `-` become one `-`; at most 32 characters,
/// none of `-._` at either end; never empty.
fn sanitise(name: &str) -> String {
    const ENDS: [char; 3] = ['-', '.', '_'];
    let mut clean = String::new();
    let mut in_run = false;
    for c in name.chars() {
        let kept = c.is_ascii_alphanumeric() || ENDS.contains(&c);
        if kept {
            clean.push(c);
        } else if !in_run {
            clean.push('-');
        }
        in_run = !kept;
    }
    let cut: String = clean.trim_matches(ENDS).chars().take(32).collect();
    let label = cut.trim_end_matches(ENDS);
    if label.is_empty() { "project".to_owned() } else { label.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_made_as_cortex_makes_them() {
        for (root, git, expected) in [
            ("/home/u/repo/.git", true, "repo"),
            ("/home/u/repo.git", true, "repo"),
            ("/home/u/main/.git/modules/sub", true, "sub"),
            ("/home/u/My Projekt (ä)", false, "My-Projekt"),
            ("/home/u/.config", false, "config"),
            ("/home/u/日本", false, "project"),
            ("/", false, "project"),
            ("/a/0123456789012345678901234567890-tail", false, "0123456789012345678901234567890"),
        ] {
            assert_eq!(label(Path::new(root), git), expected, "{root}");
        }
    }

    #[test]
    fn the_id_is_the_start_of_the_digest() {
        // printf %s /home/u/repo/.git | sha256sum
        assert_eq!(id(Path::new("/home/u/repo/.git")), "95cd716e7ed23f37");
    }
}
