//! Whose file defines an agent type: the owner's, in the client's directory, or the project's.

use std::path::{Path, PathBuf};

use super::Machine;
use crate::guard::Definer;
use crate::sys::file;
use crate::sys::git::Repository;

/// How much of an agent's file is read, in bytes: the head with its name.
const HEAD: u64 = 16 << 10;

/// How deep folders of agents may lie, and how many entries are looked at.
const DEEPEST: usize = 4;
const MOST: usize = 2_000;

impl Machine {
    /// The definer of an agent type; a project's file hides the owner's, as in the client.
    pub(super) fn agent_definer(&self, agent_type: &str) -> Option<Definer> {
        let home = Path::new(&self.home);
        let client = self.setup.client.clone().unwrap_or_else(|| home.join(".claude"));
        let owner = client.join("agents");
        let mut projects: Vec<PathBuf> = Vec::new();
        for dir in self.directories(None) {
            let top = Repository::find(&dir).and_then(|repository| repository.top);
            let top = top.unwrap_or_else(|| dir.clone());
            // The client takes those of every directory up to the top of the repository.
            let levels = dir.ancestors().take_while(|level| level.starts_with(&top));
            projects.extend(levels.map(|level| level.join(".claude/agents")));
        }
        let real_owner = file::canonical(&owner);
        // In the home directory the owner's agents and the project's are the same files.
        projects.retain(|dir| file::canonical(dir) != real_owner);
        if projects.iter().any(|dir| defines(dir, agent_type)) {
            return Some(Definer::Project);
        }
        defines(&owner, agent_type).then_some(Definer::Owner)
    }
}

/// Whether a file below `dir` defines the type: by its name in the front matter, or, for a file that
/// has none, by its file name.
fn defines(dir: &Path, agent_type: &str) -> bool {
    let mut open = vec![(dir.to_path_buf(), 0)];
    let mut seen = 0;
    while let Some((dir, depth)) = open.pop() {
        for name in file::names(&dir) {
            seen += 1;
            if seen > MOST {
                return false;
            }
            let path = dir.join(&name);
            let Some(stem) = name.strip_suffix(".md") else {
                if depth < DEEPEST && path.is_dir() {
                    open.push((path, depth + 1));
                }
                continue;
            };
            let head = file::read_head(&path, HEAD).unwrap_or_default();
            let named = name_in(&String::from_utf8_lossy(&head));
            if named.as_deref().unwrap_or(stem) == agent_type {
                return true;
            }
        }
    }
    false
}

/// The lines of a file's front matter; none where it has none.
pub fn front_matter(text: &str) -> Vec<&str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.lines();
    if lines.next().is_none_or(|line| line.trim_end() != "---") {
        return Vec::new();
    }
    lines.take_while(|line| line.trim_end() != "---").collect()
}

/// The `name:` in the front matter of an agent's file.
fn name_in(text: &str) -> Option<String> {
    let lines = front_matter(text);
    let value = lines.iter().find_map(|line| line.strip_prefix("name:"))?.trim();
    let quoted = ['"', '\'']
        .iter()
        .find_map(|quote| value.strip_prefix(*quote)?.split_once(*quote).map(|(inside, _)| inside));
    let plain = value.split(" #").next().unwrap_or(value).trim_end();
    Some(quoted.unwrap_or(plain).to_owned()).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_is_called_as_its_front_matter_says() {
        for (text, expected) in [
            ("---\nname: memory-keeper\n---\nx", Some("memory-keeper")),
            ("\u{feff}---\r\ndescription: x\r\nname: \"a b\"\r\n---\r\n", Some("a b")),
            ("---\nname: 'x' # the keeper\n---\n", Some("x")),
            ("---\nname: x # the keeper\n---\n", Some("x")),
            ("---\ntools: Bash\n---\nname: x\n", None),
            ("name: x\n", None),
            ("---\nname:\n---\n", None),
            ("", None),
        ] {
            assert_eq!(name_in(text).as_deref(), expected, "{text:?}");
        }
    }

    #[test]
    fn only_the_file_that_is_called_so_defines_a_type() {
        let dir = tempfile::tempdir().unwrap();
        let write = |below: &str, text: &str| {
            let path = dir.path().join(below);
            file::private_dir(path.parent().unwrap()).unwrap();
            file::write_atomic(&path, text.as_bytes(), 0o600).unwrap();
        };
        write("a.md", "---\nname: keeper\n---\n");
        write("deep/er/b.md", "---\nname: gardener\n---\n");
        write("plain.md", "no front matter");
        write("c.txt", "---\nname: text\n---\n");
        for (agent_type, expected) in [
            ("keeper", true),
            ("gardener", true),
            ("plain", true),
            ("a", false),
            ("text", false),
            ("c", false),
            ("../a", false),
            ("", false),
        ] {
            assert_eq!(defines(dir.path(), agent_type), expected, "{agent_type}");
        }
    }
}
