//! The client's permission rules that name paths: `Edit(~/notes/**)`. Pure.
//!
//! A rule that is not understood covers nothing: then there is no warning.

#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};

/// What a rule's path is relative to.
#[derive(Clone, Copy, Debug)]
pub struct Bases<'a> {
    /// The user's home, for `~/…`.
    pub home: &'a Path,
    /// Where the session is, for plain paths.
    pub cwd: &'a Path,
    /// What the settings file belongs to, for `/…`: the project, or the client's directory.
    pub owner: &'a Path,
}

/// Whether `rule` keeps `tool` from `path`. A rule for `Edit` goes for every tool that edits files.
pub fn covers(rule: &str, tool: &str, path: &Path, bases: &Bases<'_>) -> bool {
    let rule = rule.trim();
    let (name, pattern) = match rule.split_once('(') {
        None => (rule, None),
        Some((name, rest)) => match rest.strip_suffix(')') {
            Some(pattern) => (name, Some(pattern)),
            None => return false,
        },
    };
    match pattern {
        // The tool as a whole is gone.
        None | Some("" | "*") => name == tool,
        Some(pattern) => {
            (name == tool || name == "Edit")
                && anchored(pattern, bases).is_some_and(|p| matches(&p, path))
        }
    }
}

/// The pattern as one from the root.
fn anchored(pattern: &str, bases: &Bases<'_>) -> Option<PathBuf> {
    if let Some(absolute) = pattern.strip_prefix("//") {
        return Some(Path::new("/").join(absolute));
    }
    if let Some(below) = pattern.strip_prefix("~/") {
        return Some(bases.home.join(below));
    }
    if let Some(below) = pattern.strip_prefix('/') {
        return Some(bases.owner.join(below));
    }
    let below = pattern.strip_prefix("./").unwrap_or(pattern);
    // As in .gitignore: a name without a slash counts at any depth.
    let deep = !below.trim_end_matches('/').contains('/');
    let base = if deep { bases.cwd.join("**") } else { bases.cwd.to_path_buf() };
    Some(base.join(below))
}

/// Whether the pattern hits the path or a directory above it.
fn matches(pattern: &Path, path: &Path) -> bool {
    let words = |path: &Path| -> Option<Vec<String>> {
        path.components().skip(1).map(|one| one.as_os_str().to_str().map(str::to_owned)).collect()
    };
    let (Some(mut pattern), Some(path)) = (words(pattern), words(path)) else { return false };
    // What is not understood, and `..`, which no rule of a client means.
    if pattern.iter().any(|word| word.contains(['[', ']', '{', '}', '\\', '!']) || word == "..") {
        return false;
    }
    // `dir/**` is what is in it, and a directory covers what is in it.
    while pattern.last().is_some_and(|word| word == "**") {
        pattern.pop();
    }
    hits(&pattern, &path)
}

/// One table instead of recursion: a pattern of many `**` must not take for ever.
fn hits(pattern: &[String], path: &[String]) -> bool {
    let mut open = vec![false; path.len() + 1];
    if let Some(first) = open.first_mut() {
        *first = true;
    }
    for word in pattern {
        let mut next = vec![false; path.len() + 1];
        let mut reached = false;
        for (at, is_open) in open.iter().enumerate() {
            if word == "**" {
                reached |= is_open;
                if let Some(slot) = next.get_mut(at) {
                    *slot = reached;
                }
            } else if *is_open
                && path.get(at).is_some_and(|name| name_hits(word.as_bytes(), name.as_bytes()))
                && let Some(slot) = next.get_mut(at + 1)
            {
                *slot = true;
            }
        }
        open = next;
    }
    // The rest of the path lies below what was hit.
    open.contains(&true)
}

/// `*` and `?` within one name.
fn name_hits(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut in_name) = (0, 0);
    let mut star = None;
    while in_name < name.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, in_name));
                at += 1;
            }
            Some(letter) if *letter == b'?' || Some(letter) == name.get(in_name) => {
                at += 1;
                in_name += 1;
            }
            _ => {
                let Some((back, from)) = star else { return false };
                star = Some((back, from + 1));
                at = back + 1;
                in_name = from + 1;
            }
        }
    }
    pattern.get(at..).is_some_and(|rest| rest.iter().all(|byte| *byte == b'*'))
}
