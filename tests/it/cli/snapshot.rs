//! Snapshots as a person sees them.

use regex::Regex;

use crate::support::Output;

use super::memory::{Project, shown};

fn plain(project: &Project, output: &Output) -> String {
    let text = shown(output).replace(project.home.path().to_str().unwrap(), "<home>");
    let name = Regex::new(r"(cortex|ringfence)-\d{8}T\d{6}Z(-\d+)?").unwrap();
    let text = name.replace_all(&text, "<$1 snapshot>");
    let store = Regex::new("project-[0-9a-f]{16}").unwrap();
    let text = store.replace_all(&text, "<project>");
    Regex::new(r" +\d+ KiB").unwrap().replace_all(&text, "  <size>").into_owned()
}

/// A project with a store of each family.
fn both() -> Project {
    let project = Project::new();
    crate::memory::cortex_store(&project.dir.join(".cortex.db"), "v6", "");
    project.note(&["insight", "one"]);
    project
}

/// The names of snapshots, oldest first.
fn names(project: &Project) -> Vec<String> {
    let items = project.json(&["snapshot", "list"]);
    let items = items["items"].as_array().unwrap();
    items.iter().map(|item| item["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn copies_are_taken_listed_compared_and_brought_back() {
    let project = both();
    insta::assert_snapshot!(plain(&project, &project.run(&["snapshot", "list"])), @"
    exit 0
    --- stdout
    --- stderr
    no snapshot here
    ");
    insta::assert_snapshot!(plain(&project, &project.run(&["snapshot"])), @"
    exit 0
    --- stdout
    <cortex snapshot>
    <ringfence snapshot>
    --- stderr
    ");
    insta::assert_snapshot!(plain(&project, &project.run(&["snapshot", "list"])), @"
    exit 0
    --- stdout
    <cortex snapshot>  <size>  <home>/project/.cortex.db
    <ringfence snapshot>  <size>  <home>/.local/share/ringfence/projects/<project>/memory.db
    --- stderr
    ");
    let [cortex, ours] = names(&project).try_into().unwrap();
    rusqlite::Connection::open(project.dir.join(".cortex.db"))
        .unwrap()
        .execute_batch(
            "DELETE FROM notes WHERE id = 'F'; UPDATE notes SET status = 'resolved' WHERE id = 'O'",
        )
        .unwrap();
    insta::assert_snapshot!(plain(&project, &project.run(&["snapshot", "diff", &cortex])), @r#"
    exit 0
    --- stdout
    - decision "retry ceiling" (F)
    ~ decision "own subject" (O): status
    --- stderr
    "#);
    let diff = project.json(&["snapshot", "diff", &cortex]);
    assert_eq!(diff["removed"][0]["id"], "F");
    assert_eq!(diff["changed"][0]["fields"], serde_json::json!(["status"]));
    assert_eq!(
        (&diff["from"], &diff["to"]),
        (&serde_json::json!(cortex), &serde_json::Value::Null)
    );
    insta::assert_snapshot!(plain(&project, &project.run(&["snapshot", "diff"])), @"
    exit 64
    --- stdout
    --- stderr
    error: several stores have snapshots, so one must be named

    hint: ringfence snapshot list
    ");
    assert_eq!(project.run(&["snapshot", "diff", &cortex, &ours]).code, Some(64));
    insta::assert_snapshot!(plain(&project, &project.run(&["snapshot", "restore", &cortex])), @"
    exit 0
    --- stdout
    restored <cortex snapshot> to `<home>/project/<cortex snapshot>.db`
    --- stderr
    ");
    insta::assert_snapshot!(plain(&project, &project.run(&["snapshot", "restore", &cortex])), @"
    exit 1
    --- stdout
    --- stderr
    error: `<home>/project/<cortex snapshot>.db` cannot be opened: it is there already
    ");
    insta::assert_snapshot!(plain(&project, &project.run(&["snapshot", "restore", &cortex, "--in-place"])), @r#"
    exit 0
    --- stdout
    + decision "retry ceiling" (F)
    ~ decision "own subject" (O): status
    --- stderr
    nothing was replaced; ringfence snapshot restore <cortex snapshot> --in-place --yes replaces the store
    "#);
    insta::assert_snapshot!(plain(&project, &project.run(&["snapshot", "restore", &cortex, "--in-place", "--yes"])), @"
    exit 0
    --- stdout
    restored <cortex snapshot> to `<home>/project/.cortex.db`
    --- stderr
    ");
    insta::assert_snapshot!(plain(&project, &project.run(&["snapshot", "diff", &cortex])), @"
    exit 0
    --- stdout
    --- stderr
    no note differs
    ");
    // What was there before is a copy of its own now.
    assert_eq!(names(&project).len(), 3);
    insta::assert_snapshot!(plain(&project, &project.run(&["snapshot", "restore", "nothing"])), @"
    exit 1
    --- stdout
    --- stderr
    error: there is no snapshot `nothing` of this directory's stores

    hint: ringfence snapshot list
    ");
}

#[test]
fn one_note_comes_back_from_a_copy_in_either_store() {
    let project = both();
    let id = project.note(&["decision", "sixty", "--subject", "ceiling"]);
    project.run(&["snapshot"]);
    let [cortex, ours] = {
        let mut names = names(&project);
        // The day's first write has left one of ours already.
        names.drain(1..names.len() - 1);
        names.try_into().unwrap()
    };
    project.run(&["delete-memory", &id, "--yes"]);
    insta::assert_snapshot!(plain(&project, &project.run(&["restore-memory", &id, "--from", &ours])), @r#"
    exit 0
    --- stdout
    decision "ceiling" (<id 1>), active
    sixty
    --- stderr
    nothing was changed; --yes puts it back
    "#);
    assert_eq!(project.run(&["show-memory", &id]).code, Some(1));
    insta::assert_snapshot!(plain(&project, &project.run(&["restore-memory", &id, "--from", &ours, "--yes"])), @r#"
    exit 0
    --- stdout
    restored decision "ceiling" (<id 1>)
    --- stderr
    "#);
    assert_eq!(project.json(&["show-memory", &id])["content"], "sixty");
    let store = project.dir.join(".cortex.db");
    let cortex_has = || {
        let connection = rusqlite::Connection::open(&store).unwrap();
        connection
            .query_row("SELECT count(*) FROM notes WHERE id = 'F'", [], |row| row.get::<_, i64>(0))
            .unwrap()
    };
    rusqlite::Connection::open(&store)
        .unwrap()
        .execute_batch("DELETE FROM notes WHERE id = 'F'")
        .unwrap();
    assert_eq!(project.run(&["restore-memory", "notes:F", "--from", &cortex]).code, Some(0));
    assert_eq!(cortex_has(), 0);
    insta::assert_snapshot!(plain(&project, &project.run(&["restore-memory", "notes:F", "--from", &cortex, "--yes"])), @"
    exit 0
    --- stdout
    restored F in `<home>/project/.cortex.db`
    --- stderr
    ");
    assert_eq!(cortex_has(), 1);
    insta::assert_snapshot!(plain(&project, &project.run(&["restore-memory", "x", "--from", &cortex])), @"
    exit 1
    --- stdout
    --- stderr
    error: the snapshot `<cortex snapshot>` has no memory `x`

    hint: ringfence snapshot diff <cortex snapshot>
    ");
    assert_eq!(project.run(&["restore-memory", &id, "--yes"]).code, Some(64));
}

#[test]
fn the_first_write_of_a_day_leaves_a_copy_of_what_was_there() {
    let project = Project::new();
    project.note(&["insight", "one"]);
    assert_eq!(names(&project).len(), 0);
    project.note(&["insight", "two"]);
    project.note(&["insight", "three"]);
    assert_eq!(names(&project).len(), 1);
    let diff = project.json(&["snapshot", "diff"]);
    assert_eq!(diff["added"].as_array().unwrap().len(), 2);
    // A place where no copy can be made keeps nobody from writing.
    let snapshots = project.home.path().join(".local/state/ringfence/snapshots");
    std::fs::remove_dir_all(&snapshots).unwrap();
    std::fs::write(&snapshots, "").unwrap();
    let output = project.run(&["note", "insight", "four"]);
    assert_eq!(output.code, Some(0));
    assert!(
        output.stderr.starts_with("warning: there is no snapshot of today:"),
        "{}",
        output.stderr
    );
}
