//! Every settings file of the corpus, with the verdict of the real client on it.

use std::collections::BTreeMap;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use ringfence::wiring::document::{self, Node};
use ringfence::wiring::lint::{self, Effect};
use ringfence::wiring::matcher::Matcher;
use ringfence::wiring::settings;

use super::bare_home;
use crate::support::BINARY;

/// One row of `verdicts.tsv`.
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    columns: BTreeMap<String, String>,
}

impl Row {
    pub(crate) fn column(&self, name: &str) -> &str {
        &self.columns[name]
    }

    pub(crate) fn is_loaded(&self) -> bool {
        self.column("file_loaded") == "y"
    }
}

/// All rows; the one file of two megabytes is made here and not kept in the repository.
pub(crate) fn rows() -> Vec<Row> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/settings");
    let table = std::fs::read_to_string(dir.join("verdicts.tsv")).unwrap();
    let mut lines = table.lines();
    let head: Vec<&str> = lines.next().unwrap().split('\t').collect();
    lines
        .map(|line| {
            let columns: BTreeMap<String, String> = head
                .iter()
                .map(|key| (*key).to_owned())
                .zip(line.split('\t').map(str::to_owned))
                .collect();
            let name = columns["name"].clone();
            let bytes = match std::fs::read(dir.join(format!("{name}.json"))) {
                Ok(bytes) => bytes,
                Err(_) if name == "a_big_string" => big_string(),
                Err(error) => panic!("{name}: {error}"),
            };
            Row { name, bytes, columns }
        })
        .collect()
}

fn big_string() -> Vec<u8> {
    let group =
        r#"{"matcher": "", "hooks": [{"type": "command", "command": "r", "args": ["valid"]}]}"#;
    let long = "x".repeat(2_000_000);
    format!("{{\n  \"big\": \"{long}\",\n  \"hooks\": {{\"PreToolUse\": [{group}]}}\n}}\n")
        .into_bytes()
}

#[test]
fn the_corpus_has_all_its_files() {
    assert_eq!(rows().len(), 212);
}

#[test]
fn install_and_uninstall_give_each_file_its_very_bytes_back_or_leave_it_alone() {
    let mut wrong = Vec::new();
    for row in rows() {
        let home = bare_home();
        let settings = home.dir(".claude").join("settings.json");
        std::fs::write(&settings, &row.bytes).unwrap();
        let read = || std::fs::read(&settings).unwrap();

        let installed = home.run(&["install"], b"");
        let expected = if row.is_loaded() { 0 } else { 1 };
        if installed.code != Some(expected) {
            wrong.push(format!("{}: install: {installed:?}", row.name));
        }
        if installed.code == Some(0) && read() == row.bytes {
            wrong.push(format!("{}: nothing installed", row.name));
        }
        if installed.code == Some(0) && !binds(&read()) {
            wrong.push(format!("{}: installed, but the client would not ask us", row.name));
        }
        if installed.code != Some(0) && read() != row.bytes {
            wrong.push(format!("{}: refused and touched", row.name));
        }
        home.run(&["uninstall"], b"");
        if read() != row.bytes {
            wrong.push(format!("{}: other bytes after uninstall", row.name));
        }
        let left: Vec<_> = std::fs::read_dir(home.path().join(".claude"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        if left != ["settings.json"] || home.path().join(".local").exists() {
            wrong.push(format!("{}: left behind: {left:?}", row.name));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Whether the client takes the file and asks us about every tool in it.
fn binds(bytes: &[u8]) -> bool {
    let root = document::read(bytes).unwrap().unwrap();
    let found = settings::registered(&root, BINARY);
    lint::is_loaded(&lint::lint(bytes))
        && found.iter().filter(|entry| entry.event == "PreToolUse").count() == 1
        && found.iter().all(|entry| Matcher::read(entry.matcher.as_deref()).hits("Anything"))
}

/// Whether the client would run the recorder's entry with the argument `valid`, by our rules.
fn fires(bytes: &[u8], slot: &str) -> bool {
    let findings = lint::lint(bytes);
    if !lint::leaves_hooks(&findings) {
        return false;
    }
    let Some(root) = document::read(bytes).unwrap() else { return false };
    let event = if slot == "post" { "PostToolUse" } else { "PreToolUse" };
    let groups = root.get("hooks").and_then(|hooks| hooks.get(event));
    groups.is_some_and(|groups| {
        groups.items().iter().any(|group| {
            let matcher = Matcher::read(group.get("matcher").and_then(Node::text));
            let handlers = group.get("hooks").map(Node::items).unwrap_or_default();
            matcher.hits("Bash")
                && handlers.iter().any(|handler| {
                    let args = handler.get("args").map(Node::items).unwrap_or_default();
                    args.iter().any(|arg| arg.text() == Some("valid"))
                })
        })
    })
}

#[test]
fn the_lint_predicts_the_client() {
    let rows = rows();
    let mut wrong = Vec::new();
    let mut verdicts = 0;
    for row in &rows {
        let findings = lint::lint(&row.bytes);
        let mut check = |what: &str, ours: bool, client: &str| {
            if client == "y" || client == "n" {
                verdicts += 1;
                if ours != (client == "y") {
                    wrong.push(format!("{}: {what}: {ours}, {findings:?}", row.name));
                }
            }
        };
        check("file_loaded", lint::is_loaded(&findings), row.column("file_loaded"));
        check("fires", fires(&row.bytes, row.column("slot")), row.column("fires"));
        let silenced = findings.iter().any(|finding| finding.effect == Effect::Silences);
        let project_hook = !(lint::is_loaded(&findings) && silenced);
        check("project_hook_fires", project_hook, row.column("project_hook_fires"));
        match row.column("tui_dialog") {
            "error" => check("dialog", !lint::is_loaded(&findings), "y"),
            "none" => check("no dialog", lint::is_loaded(&findings), "y"),
            _ => {}
        }
    }
    assert_eq!(verdicts, 725, "verdicts compared");
    assert!(wrong.is_empty(), "{} of {verdicts}: {wrong:#?}", wrong.len());
}

/// Every path below `root` with its kind, mode, and content or link target.
fn tree(root: &Path) -> Vec<String> {
    let mut lines = Vec::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(path) = open.pop() {
        let meta = std::fs::symlink_metadata(&path).unwrap();
        let kind = meta.file_type();
        let held = if kind.is_symlink() {
            format!("-> {}", std::fs::read_link(&path).unwrap().display())
        } else if kind.is_file() {
            ringfence::wiring::record::digest(&std::fs::read(&path).unwrap())
        } else {
            String::new()
        };
        lines.push(format!("{} {:?} {:o} {held}", path.display(), kind, meta.mode()));
        if kind.is_dir() {
            open.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        }
    }
    lines.sort();
    lines
}

#[test]
fn odd_places_of_the_settings_file_are_left_as_they_were() {
    let is_root = std::fs::metadata("/proc/self").unwrap().uid() == 0;
    let body =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/settings/specials_body.json");
    let programs = tempfile::tempdir().unwrap();
    std::fs::set_permissions(programs.path(), PermissionsExt::from_mode(0o755)).unwrap();
    let program = programs.path().join("ringfence");
    super::copy_binary(&program);
    let mut wrong = Vec::new();
    let mut tried = 0;
    for line in crate::support::corpus("settings/specials.tsv").lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let (name, recipe, user, loaded) = (cells[0], cells[3], cells[4], cells[6] == "y");
        let as_other = user.contains("65534");
        if as_other && !is_root {
            continue;
        }
        tried += 1;
        let home = bare_home();
        let config = home.dir("config");
        std::fs::copy(&body, home.path().join("body.json")).unwrap();
        let owned = if as_other { "chown -R 65534:65534 .;" } else { "" };
        let script = format!("cd \"$HOME\" && {{ {recipe}; }} && {owned} true");
        let shell = |script: &str, other: bool| {
            let mut command = std::process::Command::new("sh");
            if other {
                command = std::process::Command::new("setpriv");
                command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "--", "sh"]);
            }
            let output = command
                .args(["-c", script])
                .env("HOME", home.path())
                .env("C", &config)
                .env("P", &program)
                .env("B", home.path().join("body.json"))
                .env("CLAUDE_CONFIG_DIR", &config)
                .current_dir(home.path())
                .output()
                .unwrap();
            output.status.code()
        };
        assert_eq!(shell(&script, false), Some(0), "{name}");
        let before = tree(home.path());
        let installed = shell("PATH=/nonexistent $P install", as_other);
        let after = tree(home.path());
        let may_refuse = name == "s_readonly_dir" || name == "s_symlink_dangling";
        if installed == Some(0) && (!loaded || after == before) {
            wrong.push(format!("{name}: installed"));
        }
        if installed != Some(0) && ((loaded && !may_refuse) || after != before) {
            wrong.push(format!("{name}: {installed:?} {after:#?}"));
        }
        shell("PATH=/nonexistent $P uninstall", as_other);
        if tree(home.path()) != before {
            wrong.push(format!("{name}: not as it was: {:#?}", tree(home.path())));
        }
    }
    assert!(tried >= if is_root { 16 } else { 12 }, "{tried}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
