//! The corpora of rows.

use super::world::{Where, World};
use crate::support::corpus;

/// The rows of a corpus file, unescaped, with their fields.
fn rows(file: &str) -> Vec<Vec<String>> {
    corpus(file)
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .map(|line| line.split('\t').map(unescape).collect())
        .collect()
}

fn unescape(field: &str) -> String {
    let mut text = String::new();
    let mut letters = field.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some('r') => text.push('\r'),
                Some('0') => text.push('\0'),
                Some(other) => text.push(other),
                None => text.push('\\'),
            },
            _ => text.push(letter),
        }
    }
    text
}

fn check(file: &str, place: Where) {
    let mut wrong = Vec::new();
    let mut worlds: std::collections::BTreeMap<String, World> = std::collections::BTreeMap::new();
    for row in rows(file) {
        let [number, state, tool, input, expected, ..] = row.as_slice() else {
            panic!("{file}: {row:?}")
        };
        let world = worlds.entry(state.clone()).or_insert_with(|| World::new(place, state));
        let verdict = world.verdict(tool, input);
        if verdict != *expected {
            wrong
                .push(format!("{number} [{state}] {tool} {input}\n  is {verdict}, not {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{} rows:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_verdicts_of_the_interop_rows_hold_on_real_stores() {
    check("guard/interop.tsv", Where::InProject);
}

#[test]
fn the_verdicts_do_not_depend_on_where_the_store_lies() {
    check("guard/interop.tsv", Where::InHome);
}

#[test]
fn every_route_has_rows_that_it_catches_and_near_misses_that_it_lets_pass() {
    check("guard/routes.tsv", Where::InProject);
}

#[test]
fn what_programs_do_to_files_is_judged_where_the_store_has_a_folder_of_its_own() {
    check("guard/programs.tsv", Where::InHome);
}

#[test]
fn changes_of_the_store_past_its_tools_are_refused_and_reads_pass() {
    let mut wrong = Vec::new();
    for row in rows("guard/store_shapes.tsv").iter().filter(|row| row[0] != "id") {
        let world = World::new(Where::InProject, "base");
        let mutates = row[2] == "mutates-store";
        if row[3].contains("untracked") {
            std::fs::remove_file(world.project.join(".gitignore")).unwrap();
        }
        if row[1].contains("../wt") {
            // The row is about a store in the worktree that goes.
            let there = world.write("wt/.cortex.db", "");
            super::world::build(&there, "base");
            *world.other.borrow_mut() = Some(there.canonicalize().unwrap());
        }
        let verdict = world.verdict("Bash", &row[1]);
        if verdict.starts_with("tamper") != mutates {
            wrong.push(format!("{} {}\n  is {verdict}", row[0], row[1]));
        }
    }
    assert!(wrong.is_empty(), "{} rows:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn with_the_store_elsewhere_the_same_commands_pass() {
    let mut wrong = Vec::new();
    for row in rows("guard/store_shapes.tsv").iter().filter(|row| row[0] != "id") {
        let world = World::new(Where::InHome, "base");
        let verdict = world.verdict("Bash", &row[1]);
        if verdict != "allow" {
            wrong.push(format!("{} {}\n  is {verdict}", row[0], row[1]));
        }
    }
    assert!(wrong.is_empty(), "{} rows:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_pre_filter_passes_on_every_shell_text_that_is_refused() {
    let missed: Vec<String> = ["guard/interop.tsv", "guard/programs.tsv", "guard/routes.tsv"]
        .iter()
        .flat_map(|file| rows(file))
        .filter(|row| ringfence::guard::is_shell_tool(&row[2]) && !row[3].starts_with('{'))
        .filter(|row| row[4] != "allow")
        .map(|row| row[3].clone())
        .chain(
            rows("guard/store_shapes.tsv")
                .into_iter()
                .filter(|row| row[2] == "mutates-store")
                .map(|row| row[1].clone()),
        )
        .chain(
            rows("shell/shapes.tsv")
                .into_iter()
                .filter(|row| row[2] == "invokes")
                .map(|row| row[1].clone()),
        )
        .filter(|text| !ringfence::hook::prefilter::text_may_matter(text))
        .collect();
    assert_eq!(missed, Vec::<String>::new());
}
