//! What holds for any input.

use proptest::prelude::*;

use super::world::{Where, World, line};

/// Calls that are refused, each by another route.
const REFUSED: [&str; 6] = [
    "cortex delete-memory F --yes",
    "cortex note-resolve --id F",
    "rm -rf .cortex.db",
    "sqlite3 .cortex.db 'DELETE FROM notes'",
    "claude --safe-mode -p hi",
    "bash -c 'cortex edit-memory F --text x'",
];

const HARMLESS: [&str; 8] =
    ["ls", "echo hi", "true", "git status", "cat f > g", "cd .", "x=1", "rm -f other.txt"];

#[test]
fn an_unrelated_command_never_turns_a_refusal_into_an_allow() {
    let world = World::new(Where::InProject, "base");
    for refused in REFUSED {
        let alone = world.verdict("Bash", refused);
        assert_ne!(alone, "allow", "{refused}");
        for harmless in HARMLESS {
            for joined in [
                format!("{harmless}; {refused}"),
                format!("{refused}; {harmless}"),
                format!("{harmless} && {refused}"),
                format!("{refused} || {harmless}"),
                format!("{harmless}\n{refused}\n"),
                format!("({harmless}; {refused})"),
                format!("{refused} | cat; {harmless} &"),
            ] {
                assert_eq!(world.verdict("Bash", &joined), alone, "{joined}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_input_makes_it_panic(
        tool in prop_oneof![
            Just("Bash"), Just("PowerShell"), Just("Write"), Just("Edit"), Just("Skill"),
            Just("CronCreate"), Just("mcp__cortex__cortex_note"), Just("mcp__cortex__cortex_resolve"),
            Just("mcp__fs__write_file"), Just("apply_patch"),
        ],
        key in prop_oneof![
            Just("command"), Just("content"), Just("file_path"), Just("skill"), Just("prompt"),
            Just("note_id"), Just("subject"), Just("kind"), Just("edits"), Just("args"),
        ],
        value in prop_oneof![
            ".*",
            "[ -~]{0,80}",
            "(cortex|sqlite3|rm|git|find|sed|claude|ringfence|node)( (-[a-zA-Z]{1,3}|F|O|\\.cortex\\.db|'[^']*'|\\*|>|\\||;|\"\\$X\"|delete-memory|--yes)){0,8}",
        ],
    ) {
        thread_local! { static WORLD: World = World::new(Where::InProject, "base"); }
        WORLD.with(|world| {
            let input = serde_json::json!({ key: value }).to_string();
            line(&world.judge(tool, &input));
        });
    }
}
