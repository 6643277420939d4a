//! Programs that nobody has to look at: the pre-filter's list of what may begin a command.

/// Programs that start nothing and change nothing but what their own words name, and so the only
/// words that may begin a command that is not looked at. A name is easily hidden from a list of what
/// is bad (`python3.12`, `gio trash`, a glob, an unknown launcher), not from a list of what is not.
pub const CALM: &[&str] = &[
    "cargo", "cat", "cd", "cmp", "comm", "cut", "date", "df", "diff", "du", "echo", "egrep",
    "false", "fgrep", "file", "go", "grep", "head", "id", "jq", "ls", "mypy", "nl", "pgrep",
    "printf", "ps", "pwd", "pytest", "readlink", "realpath", "rg", "ruff", "rustc", "rustfmt",
    "sleep", "stat", "tail", "test", "tree", "true", "tsc", "type", "uname", "wc", "which",
    "whoami",
];

/// The same, where it takes the second word to know.
pub const CALM_PAIRS: &[&str] = &[
    "git add",
    "git blame",
    "git branch",
    "git commit",
    "git describe",
    "git diff",
    "git log",
    "git ls-files",
    "git merge-base",
    "git rev-parse",
    "git show",
    "git status",
    "git tag",
];

/// Whether `name` can be a further name of a memory's program (`guard.programs`): a plain file name
/// that the pre-filter never lets by. So nobody's hook has to look for it, and nobody pays for it.
pub fn can_be_a_program(name: &str) -> bool {
    let first_of_pair = CALM_PAIRS.iter().filter_map(|pair| pair.split(' ').next());
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "._-+".contains(letter);
    (1..=64).contains(&name.len())
        && name.starts_with(|letter: char| letter.is_ascii_alphanumeric())
        && name.chars().all(plain)
        && !CALM.contains(&name)
        && !first_of_pair.into_iter().any(|calm| calm == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_further_program_name_is_a_file_name_that_is_not_calm() {
        for name in ["mem", "cortex-dev", "mem.py", "M_2", "7z"] {
            assert!(can_be_a_program(name), "{name}");
        }
        for name in ["", "ls", "git", "a/b", "a b", "-x", "$x", "mém", "m*", ".", &"x".repeat(65)]
        {
            assert!(!can_be_a_program(name), "{name}");
        }
    }
}
