//! Paths against the directory that they are meant in.

/// The longest path that a system opens, in bytes.
const MAX_PATH: usize = 4_096;

/// `path` against `cwd`, with `.` and `..` taken out; `None` when it is relative and `cwd` unknown.
pub fn absolute(cwd: Option<&str>, path: &str) -> Option<String> {
    // Longer than any path that a system takes.
    if path.len() + cwd.map_or(0, str::len) > 4096 {
        return None;
    }
    // A long row of `cd x` is not taken apart each time.
    let plain = |path: &str| !path.contains("/.") && !path.contains("//") && !path.ends_with('/');
    if let Some(cwd) = cwd
        && plain(cwd)
        && plain(path)
        && cwd.starts_with('/')
        && !path.starts_with(['/', '.'])
        && !path.is_empty()
    {
        let absolute = format!("{cwd}/{path}");
        return (absolute.len() <= MAX_PATH).then_some(absolute);
    }
    let mut parts: Vec<&str> = Vec::new();
    if !path.starts_with('/') {
        parts.extend(cwd?.split('/').filter(|part| !part.is_empty()));
    }
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    let absolute = format!("/{}", parts.join("/"));
    // No system opens a longer one, and a long row of `cd x` must not cost its square.
    (absolute.len() <= MAX_PATH).then_some(absolute)
}

/// `path` against `cwd` where paths may be Windows': a drive's path stays as it is spelled.
pub(super) fn windows_absolute(cwd: Option<&str>, path: &str) -> Option<String> {
    let drive = |path: &str| {
        path.as_bytes().first().is_some_and(u8::is_ascii_alphabetic)
            && path.as_bytes().get(1) == Some(&b':')
    };
    if drive(path) || path.starts_with(r"\\") {
        return Some(path.to_owned());
    }
    match cwd {
        Some(cwd) if drive(cwd) && !path.starts_with(['/', '\\']) => {
            Some(format!("{}\\{path}", cwd.trim_end_matches('\\')))
        }
        _ => absolute(cwd, &path.replace('\\', "/")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_made_absolute() {
        assert_eq!(absolute(Some("/a/b"), "../c").as_deref(), Some("/a/c"));
        assert_eq!(absolute(None, "/x/./y//").as_deref(), Some("/x/y"));
        assert_eq!(absolute(None, "x"), None);
    }
}
