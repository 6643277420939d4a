//! The README is true: its console blocks are run, and its limits are kept.

use std::path::Path;
use std::process::Command;

use regex::Regex;

use crate::support::{BINARY, Home};

fn readme() -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap()
}

#[test]
fn console_blocks_print_what_they_show() {
    let home = Home::new();
    let project = home.dir("project");
    let git = Command::new("git").args(["init", "-q", "-b", "main"]).current_dir(&project).status();
    assert!(git.unwrap().success());
    let bin = Path::new(BINARY).parent().unwrap();
    let mut blocks = 0;
    for block in readme().split("```console\n").skip(1) {
        let block = block.split("```").next().unwrap();
        // All commands of a block run in one shell, each announced as it stands in the block.
        let mut script = String::new();
        for command in block.lines().filter_map(|line| line.strip_prefix("$ ")) {
            script.push_str(&format!(
                "printf '%s\\n' {}\n{command}\n",
                shell_words::quote(&format!("$ {command}"))
            ));
        }
        let output = Command::new("sh")
            .args(["-c", &script])
            .current_dir(&project)
            .env_clear()
            .env("HOME", home.path())
            .env("PATH", format!("{}:/usr/bin:/bin", bin.display()))
            .output()
            .unwrap();
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(plain(&shown), plain(block), "{}", String::from_utf8_lossy(&output.stderr));
        blocks += 1;
    }
    assert!(blocks >= 2);
}

/// Ids are new in every run.
fn plain(text: &str) -> String {
    let id = Regex::new("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}").unwrap();
    id.replace_all(text, "ID").into_owned()
}

#[test]
fn every_command_is_in_the_table_and_every_command_of_the_table_exists() {
    let home = Home::new();
    let help = home.run(&["--help"], b"").stdout;
    let commands: Vec<&str> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| line.starts_with("  "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(commands.len() > 10, "{help}");
    let text = readme();
    let table = text.split("## Commands").nth(1).unwrap().split("\n\n").nth(1).unwrap();
    for command in &commands {
        assert!(
            table.contains(&format!("`{command}"))
                || table.contains(&format!("ringfence {command}")),
            "{command} is not in the table"
        );
    }
    let named = Regex::new("`(?:ringfence )?([a-z-]+)").unwrap();
    for line in table.lines().skip(2) {
        let first = line.split('|').nth(1).unwrap();
        for found in named.captures_iter(first) {
            assert!(
                commands.contains(&&found[1]) || &found[1] == "hook",
                "{} does not exist",
                &found[1]
            );
        }
    }
}

#[test]
fn the_readme_is_short_and_the_documents_are_there() {
    assert!(readme().lines().count() <= 250);
    for file in [
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "LICENSE",
        "install.sh",
        "tests/run",
        ".ci/run",
    ] {
        assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(file).exists(), "{file}");
    }
}
