//! Is there anything to judge? Bytes and text only; no file, clock, configuration or store.
//!
//! Two stages. The first looks at the raw bytes: without an agent mark only a memory call (its owner
//! is recorded, the parent's too) or a text that names our own program goes on. The second looks at
//! a subagent's shell text: a literal of the list, or a word that runs a file or builds a command.

#![forbid(unsafe_code)]

use memchr::memmem;

pub use crate::guard::LITERALS;
pub use crate::guard::calm::{CALM, CALM_PAIRS};

/// Words that anywhere in a text mean that a file is run, a command built or files are changed.
pub const TRIGGERS: &[&str] = &[
    ".",
    "ash",
    "at",
    "awk",
    "base32",
    "base64",
    "bash",
    "batch",
    "bun",
    "bunx",
    "busybox",
    "chattr",
    "chmod",
    "chown",
    "clean",
    "cmd",
    "cmd.exe",
    "codex",
    "command",
    "cp",
    "crontab",
    "dash",
    "dd",
    "deno",
    "docker",
    "doas",
    "ed",
    "emacs",
    "entr",
    "env",
    "eval",
    "exec",
    "expect",
    "fd",
    "find",
    "fish",
    "flock",
    "gawk",
    "gdb",
    "hyperfine",
    "iex",
    "install",
    "invoke-expression",
    "just",
    "ksh",
    "kubectl",
    "ln",
    "lua",
    "m4",
    "make",
    "mawk",
    "mv",
    "nice",
    "nix",
    "node",
    "nohup",
    "npm",
    "npx",
    "nvim",
    "osascript",
    "parallel",
    "perl",
    "php",
    "pip",
    "pipx",
    "pnpm",
    "podman",
    "powershell",
    "pwsh",
    "python",
    "python2",
    "python3",
    "rebase",
    "rev",
    "rm",
    "rmdir",
    "rsync",
    "ruby",
    "run",
    "script",
    "scp",
    "screen",
    "sed",
    "setsid",
    "sh",
    "shred",
    "socat",
    "source",
    "sqlite3",
    "ssh",
    "start",
    "stash",
    "strace",
    "su",
    "submodule",
    "sudo",
    "systemd-run",
    "tar",
    "task",
    "tee",
    "time",
    "timeout",
    "tmux",
    "touch",
    "tr",
    "trap",
    "truncate",
    "tsx",
    "unlink",
    "uv",
    "vi",
    "vim",
    "watch",
    "worktree",
    "wsl",
    "xargs",
    "xxd",
    "yarn",
    "zellij",
    "zsh",
    "bisect",
    "alias",
    "function",
];

/// Whether the raw bytes may hold an agent mark. A superset: a key may be spelled with escapes.
pub fn may_hold_mark(raw: &[u8]) -> bool {
    [&b"agent_id"[..], b"agentId", b"\\u00"].iter().any(|mark| has(raw, mark))
}

/// Whether a call without an agent mark is one whose owner must be recorded, or names our program.
pub fn may_be_memory_call(raw: &[u8]) -> bool {
    [&b"cortex_"[..], b"ringfence"].iter().any(|mark| has(raw, mark))
}

/// The session id in raw bytes that hold no agent mark, for the check whether it is a child's; the
/// first one, which is the host's own.
pub fn session_id(raw: &[u8]) -> Option<&str> {
    let key = [&b"\"session_id\""[..], b"\"sessionId\""]
        .iter()
        .find_map(|key| memmem::find(raw, key).map(|at| at + key.len()))?;
    let rest = raw.get(key..)?.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
    let rest = rest.strip_prefix(b"\"")?;
    let close = memchr::memchr2(b'"', b'\\', rest)?;
    (rest.get(close) == Some(&b'"')).then(|| std::str::from_utf8(rest.get(..close)?).ok()).flatten()
}

/// Whether a shell text could matter: it holds a listed literal once decoded, or a word that runs a
/// file, builds a command or changes files.
pub fn text_may_matter(text: &str) -> bool {
    // What expands is only known to the reader.
    if text.contains(['$', '`', '{', '*', '?', '[', '>', '%', '<']) || text.len() > 64 * 1024 {
        return true;
    }
    let joined = text.replace("\\\n", "").replace("\\\r\n", "");
    let decoded: String = joined.chars().filter(|letter| !is_quote(*letter)).collect();
    let folded = decoded.to_ascii_lowercase();
    if LITERALS.iter().any(|literal| has(folded.as_bytes(), literal.as_bytes())) {
        return true;
    }
    words_may_matter(&joined)
}

/// Characters that vanish from a word when a shell reads it.
fn is_quote(letter: char) -> bool {
    matches!(letter, '\'' | '"' | '\\' | '^')
}

/// Whether a command begins with anything but a calm program, or a word is a trigger or holds an id.
fn words_may_matter(text: &str) -> bool {
    text.split([';', '|', '&', '(', ')', '\n', '\r']).any(|part| {
        let words: Vec<String> = part
            .split_whitespace()
            .map(|word| word.chars().filter(|letter| !is_quote(*letter)).collect())
            .collect();
        begins_unknown(&words) || words.iter().any(|word| is_trigger(word) || is_id(word))
    })
}

/// Whether a command begins with a word that is not on the calm lists.
fn begins_unknown(words: &[String]) -> bool {
    let Some(first) = words.first() else { return false };
    let pair = words.get(1).map(|second| format!("{first} {second}")).unwrap_or_default();
    !CALM.contains(&first.as_str()) && !CALM_PAIRS.contains(&pair.as_str())
}

/// Whether a word, without its directories, is a trigger.
fn is_trigger(word: &str) -> bool {
    let base = word.rsplit(['/', '\\']).next().unwrap_or("").to_ascii_lowercase();
    TRIGGERS.contains(&base.strip_suffix(".exe").unwrap_or(&base))
}

/// Whether a word holds a UUID: an id of a store may be handed to a program that we do not know.
fn is_id(word: &str) -> bool {
    word.as_bytes().windows(36).any(|window| {
        window.iter().enumerate().all(|(index, byte)| match index {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
    })
}

fn has(haystack: &[u8], needle: &[u8]) -> bool {
    memmem::find(haystack, needle).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_could_reach_memory_pass_and_ordinary_ones_stop() {
        for text in [
            "cortex delete-memory x --yes",
            "cor\"\"tex del''ete-mem\\ory x",
            "CORTEX.cmd x",
            "./s.sh",
            "true; bin/x",
            "bash x",
            "echo a | /bin/SH",
            "git clean -fdx",
            "rm -rf .",
            "cdm 3f2a9c1e-7b44-4d0e-9a6f-2c5d8e1b0a77",
            "x=1 y",
            "echo $(x)",
            "cl\\\naude --bare",
            "pyth\\\non3 -c 'import os'",
            "python3.12 -c 'import os'",
            "cort[e]x note-resolv[e] --subject s",
            "& ('cor' + 'tex') ('delete-' + 'memory') 5",
            "gio trash .",
            "git -c alias.z='!sh x' z",
            "git -C .. stash",
            "ls; unknown-launcher x",
            &format!("echo {}3f2a9c1e-7b44-4d0e-9a6f-2c5d8e1b0a77", "x".repeat(500)),
        ] {
            assert!(text_may_matter(text), "{text}");
        }
        for text in [
            "cargo test --workspace",
            "ls -la src/main.rs",
            "grep -rn foo src",
            "git status && git log; git diff",
            "echo hi",
        ] {
            assert!(!text_may_matter(text), "{text}");
        }
    }

    #[test]
    fn the_session_id_is_read_without_a_parser() {
        assert_eq!(session_id(br#"{"session_id": "a-1","x":1}"#), Some("a-1"));
        assert_eq!(session_id(br#"{"session_id":"a\u0031"}"#), None);
        assert_eq!(session_id(br#"{"session_id":12,"cwd":"/x"}"#), None);
        assert_eq!(session_id(b"{}"), None);
    }
}
