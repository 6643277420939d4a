//! Further names of a memory's program: `guard.programs`.

use std::process::Command;

use ringfence::guard::{Policy, evaluate_memory_guard};
use ringfence::hook::prefilter;

use super::world::{Where, World, line};
use crate::support::Home;

#[test]
fn a_further_name_is_judged_as_the_program_and_reaches_the_judge() {
    let world = World::new(Where::InProject, "base");
    let policy = Policy { programs: vec!["mem".into(), "notes.py".into()], ..Policy::default() };
    let judge = |text: &str, policy: &Policy| {
        let input = serde_json::json!({ "command": text }).to_string();
        line(&evaluate_memory_guard(&world, &world.request("Bash", &input), policy))
    };
    for (text, expected) in [
        ("mem delete-memory F --yes", "delete F"),
        ("cd sub && ./bin/mem delete-memory F --yes", "delete F"),
        ("sudo nice mem delete-memory F --yes", "delete F"),
        ("bash -c 'mem edit-memory F --text x'", "edit F"),
        ("echo F | xargs -I{} mem delete-memory {} --yes", "delete F"),
        ("python3 notes.py delete-memory F --yes", "delete F"),
        ("$BIN/mem delete-memory F --yes", "delete F"),
        ("mem serve", "tamper cortex serve"),
        // What only looks, what only mentions, and what has another name.
        ("mem show F", "allow"),
        ("mem delete-memory F", "allow"),
        ("echo mem delete-memory F --yes", "allow"),
        ("git commit -m 'mem delete-memory F --yes'", "allow"),
        ("mems delete-memory F --yes", "allow"),
        ("python3 other.py mem delete-memory F --yes", "allow"),
    ] {
        assert_eq!(judge(text, &policy), expected, "{text}");
        assert_eq!(judge(text, &Policy::default()), "allow", "{text}");
        assert!(
            expected == "allow" || prefilter::text_may_matter(text),
            "the pre-filter lets it by: {text}"
        );
    }
}

#[test]
fn the_hook_takes_the_names_from_the_owners_file_and_a_projects_adds_some() {
    let home = Home::new();
    let project = home.dir("project");
    let git = Command::new("git").args(["init", "-q"]).current_dir(&project).status();
    assert!(git.unwrap().success());
    home.file(".config/ringfence/config.toml", "[guard]\nprograms = [\"mem\"]");
    home.file("project/.ringfence.toml", "[guard]\nprograms = [\"notes.py\", \"ls\"]");
    let refused = |command: &str| {
        let payload = format!(
            r#"{{"session_id":"s","agent_id":"a","cwd":"{}","tool_name":"Bash","tool_input":{{"command":"{command}"}}}}"#,
            project.display()
        );
        home.run(&["hook", "pre-tool-use"], payload.as_bytes()).stdout.contains("deny")
    };
    assert!(refused("mem serve"));
    assert!(!refused("memo serve"));
    // A list with a name that cannot be one counts for nothing, and `doctor` says so.
    assert!(!refused("notes.py serve"));
    home.file("project/.ringfence.toml", "[guard]\nprograms = [\"notes.py\"]");
    assert!(refused("notes.py serve") && refused("mem serve"));
}
