//! Keeps the arrows of ARCHITECTURE.md true, and the rules of CONTRIBUTING.md that a text search can check.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use regex::Regex;

/// For each module or file, the modules it may use; the longest matching row counts.
/// No row, no module.
const MAY_USE: &[(&str, &[&str])] = &[
    // Pure.
    ("decision", &[]),
    ("request", &[]),
    ("shell", &[]),
    ("payload", &["request"]),
    ("posture", &["shell"]),
    ("audit", &[]),
    ("audit/agents", &["audit", "facts", "sys"]),
    ("audit/engine", &["audit", "sys"]),
    ("audit/gather", &["audit", "memory", "sys", "wiring"]),
    ("audit/probe", &["audit", "decision", "facts", "memory", "posture", "sys", "wiring"]),
    ("posture/boundary", &["posture", "sys"]),
    ("posture/hosted", &["config", "posture", "state", "sys"]),
    ("sandbox", &["sys"]),
    ("scratchpad", &[]),
    ("scratchpad/flight", &["scratchpad", "state", "sys"]),
    ("memory", &["decision", "request"]),
    ("guard", &["decision", "memory", "request", "shell"]),
    // Touches the machine.
    ("sys", &[]),
    ("state", &["decision", "request", "sys"]),
    ("config", &["guard", "posture", "scratchpad", "sys"]),
    ("memory/store", &["decision", "memory", "request", "state", "sys"]),
    ("facts", &["decision", "guard", "memory", "request", "shell", "state", "sys"]),
    ("wiring", &["config", "guard", "memory", "payload", "state", "sys"]),
    ("report", &["guard", "memory"]),
    // Doors: never each other.
    (
        "hook",
        &[
            "audit",
            "config",
            "decision",
            "facts",
            "guard",
            "memory",
            "payload",
            "posture",
            "request",
            "scratchpad",
            "shell",
            "state",
            "sys",
            "wiring",
        ],
    ),
    (
        "cli",
        &[
            "audit",
            "config",
            "decision",
            "facts",
            "guard",
            "memory",
            "payload",
            "posture",
            "report",
            "request",
            "scratchpad",
            "shell",
            "state",
            "sys",
            "wiring",
        ],
    ),
    (
        "mcp",
        &[
            "config", "decision", "facts", "guard", "memory", "payload", "request", "shell",
            "state", "sys",
        ],
    ),
    ("lib", &["cli", "hook", "mcp", "posture"]),
    ("main", &[]),
];

/// Files and folders that know no file, clock, environment or process.
const PURE: &[&str] = &[
    "audit/client.rs",
    "audit/mod.rs",
    "audit/report.rs",
    "audit/rules.rs",
    "decision.rs",
    "request.rs",
    "payload.rs",
    "payload/canary.rs",
    "posture/mod.rs",
    "posture/boundary/layout.rs",
    "posture/boundary/plan.rs",
    "posture/terminal/",
    "shell/",
    "guard/",
    "memory/mod.rs",
    "memory/note.rs",
    "memory/subject.rs",
    "memory/supersede.rs",
    "memory/contradiction.rs",
    "report/",
    "scratchpad/adapter.rs",
    "scratchpad/mod.rs",
    "mcp/arguments.rs",
    "mcp/message.rs",
    "mcp/tools.rs",
    "mcp/words.rs",
    "hook/prefilter.rs",
    "hook/answer.rs",
    "wiring/diff.rs",
    "wiring/document.rs",
    "wiring/entry.rs",
    "wiring/fence.rs",
    "wiring/insert.rs",
    "wiring/lint.rs",
    "wiring/matcher.rs",
    "wiring/print.rs",
    "wiring/schema.rs",
    "wiring/server.rs",
    "wiring/settings.rs",
    "wiring/splice.rs",
];

/// Tables of rules, which may be longer than 400 lines.
const TABLES: &[&str] = &["shell/launchers.rs"];

#[test]
fn modules_use_only_what_lies_below_them() {
    let mut broken = BTreeSet::new();
    for source in sources() {
        let row = MAY_USE
            .iter()
            .filter(|(name, _)| source.is_in(name))
            .max_by_key(|(name, _)| name.len());
        let Some((name, allowed)) = row else {
            broken.insert(format!("{}: no row in MAY_USE", source.file));
            continue;
        };
        let module = name.split('/').next().unwrap();
        for used in source.code().split("crate::").skip(1) {
            let used: String =
                used.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if used != module && !allowed.contains(&used.as_str()) {
                broken.insert(format!("{}: uses crate::{used}", source.file));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn pure_files_touch_nothing() {
    let forbidden = Regex::new(
        r"std::(fs|env|process|time|thread|net|os)\b|SystemTime|Instant::|rusqlite|libc::",
    )
    .unwrap();
    let broken: Vec<_> = sources()
        .iter()
        .filter(|source| PURE.iter().any(|pure| source.file.starts_with(pure)))
        .filter_map(|source| {
            forbidden
                .find(source.code())
                .map(|found| format!("{}: {}", source.file, found.as_str()))
        })
        .collect();
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn pure_modules_forbid_unsafe_code_and_only_the_edge_has_any() {
    let mut broken = Vec::new();
    for source in sources() {
        let is_root = PURE.iter().any(|pure| {
            source.file == *pure || (pure.ends_with('/') && source.file == format!("{pure}mod.rs"))
        });
        if is_root && !source.text.contains("#![forbid(unsafe_code)]") {
            broken.push(format!("{}: no forbid(unsafe_code)", source.file));
        }
        if source.code().contains("unsafe {") && !source.is_in("sys") {
            broken.push(format!("{}: unsafe outside the edge", source.file));
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn only_the_edge_lifts_the_fence() {
    let broken: Vec<_> = sources()
        .into_iter()
        .filter(|source| source.code().contains("clippy::disallowed_") && !source.is_in("sys"))
        .map(|source| source.file)
        .collect();
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn host_words_stay_in_the_hook_and_queries_in_the_store() {
    let words = ["\"tool_name\"", "permissionDecision", "hookSpecificOutput"];
    let mut broken = Vec::new();
    for source in sources() {
        let knows_the_host = source.is_in("hook") || source.is_in("payload");
        if let Some(word) = words.iter().find(|word| source.code().contains(**word))
            && !knows_the_host
        {
            broken.push(format!("{}: {word}", source.file));
        }
        if source.code().contains("rusqlite") && !source.is_in("memory/store") {
            broken.push(format!("{}: rusqlite", source.file));
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn files_and_functions_keep_their_size() {
    let mut broken = Vec::new();
    for source in sources() {
        let lines = source.code().lines().count();
        if lines > 400 && !TABLES.contains(&source.file.as_str()) {
            broken.push(format!("{}: {lines} lines", source.file));
        }
        for (name, length) in functions(source.code()) {
            if length > 60 {
                broken.push(format!("{}: fn {name} has {length} lines", source.file));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn every_file_says_what_it_is_and_leaves_nothing_open() {
    let open = Regex::new(r"\b(TODO|FIXME|XXX)\b|dbg!|todo!\(|unimplemented!\(").unwrap();
    let mut broken = Vec::new();
    for source in sources() {
        if !source.text.starts_with("//!") {
            broken.push(format!("{}: does not open with //!", source.file));
        }
        if let Some(found) = open.find(source.code()) {
            broken.push(format!("{}: {}", source.file, found.as_str()));
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn an_ignored_test_says_why() {
    let bare = Regex::new(r"#\[ignore\]").unwrap();
    for root in ["src", "tests"] {
        for (file, text) in rust_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join(root)) {
            assert!(!bare.is_match(&text) || file.ends_with("layers.rs"), "{root}/{file}");
        }
    }
}

/// One file of `src`.
struct Source {
    /// Its path below `src`.
    file: String,
    text: String,
}

impl Source {
    /// The text before its unit tests.
    fn code(&self) -> &str {
        self.text.split("#[cfg(test)]\nmod ").next().unwrap()
    }

    /// Whether the file is module `name` or lies in it.
    fn is_in(&self, name: &str) -> bool {
        self.file.strip_prefix(name).is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
    }
}

fn sources() -> Vec<Source> {
    rust_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"))
        .into_iter()
        .map(|(file, text)| Source { file, text })
        .collect()
}

fn rust_files(root: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
                found.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

/// The functions of formatted code with their lengths in lines: rustfmt closes each at its indent.
fn functions(code: &str) -> Vec<(String, usize)> {
    let head = Regex::new(r"^( *)(?:pub(?:\([a-z]+\))? )?(?:const |unsafe |extern \S+ )*fn (\w+)")
        .unwrap();
    let lines: Vec<&str> = code.lines().collect();
    let mut found = Vec::new();
    for (start, line) in lines.iter().enumerate() {
        let Some(parts) = head.captures(line) else { continue };
        let close = format!("{}}}", &parts[1]);
        if let Some(length) = lines[start..].iter().position(|line| *line == close) {
            found.push((parts[2].to_owned(), length + 1));
        }
    }
    found
}
