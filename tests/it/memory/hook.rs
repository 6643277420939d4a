//! Stores as the hook meets them: what cannot be read lets the call through, and says why in the log.

use std::path::{Path, PathBuf};

use ringfence::memory::store::Project;
use rusqlite::Connection;

use super::cortex_store;
use crate::support::Home;

/// A home with a project and its Cortex store.
struct World {
    home: Home,
    project: PathBuf,
    store: PathBuf,
}

impl World {
    fn new(era: &str) -> Self {
        let home = Home::new();
        let project = home.dir("project").canonicalize().unwrap();
        let name = Project::of(&project, None).directory_name();
        let store = home.path().join(format!(".cortex/projects/{name}/cortex.db"));
        cortex_store(&store, era, "");
        Self { home, project, store }
    }

    /// What the hook prints for a subagent's command.
    fn ask(&self, command: &str) -> String {
        let payload = serde_json::json!({
            "session_id": "host",
            "cwd": self.project,
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_use_id": "toolu_1",
            "agent_id": "a",
            "tool_input": {"command": command},
        });
        let output = self.home.run(&["hook", "pre-tool-use"], payload.to_string().as_bytes());
        assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""));
        output.stdout
    }

    fn log(&self) -> String {
        let path = self.home.path().join(".local/state/ringfence/log.jsonl");
        std::fs::read_to_string(path).unwrap_or_default()
    }
}

const DELETE: &str = "cortex delete-memory F --yes";

#[test]
fn a_foreign_memory_is_kept_in_every_era_that_can_tell() {
    for (era, denied) in [
        ("v1", false),
        ("v2", false),
        ("v4-without-agents", false),
        ("v4", true),
        ("v5", true),
        ("v6", true),
        ("v7", true),
        ("no-items", true),
    ] {
        let world = World::new(era);
        let answer = world.ask(DELETE);
        assert_eq!(answer.contains("\"permissionDecision\":\"deny\""), denied, "{era}: {answer}");
        if !denied {
            assert_eq!(answer, "", "{era}");
            assert!(world.log().contains("\"store-schema\""), "{era}: {}", world.log());
        }
        assert_eq!(world.ask("cortex delete-memory O --yes"), "", "{era}: its own");
    }
}

type Damage = fn(&Path) -> Option<Connection>;

#[test]
fn a_store_that_cannot_be_read_lets_the_call_through_with_its_code_in_the_log() {
    let damages: [(&str, Damage, &str); 5] = [
        (
            "locked",
            |path| {
                let holder = Connection::open(path).unwrap();
                holder
                    .execute_batch(
                        "PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; CREATE TABLE held (x);",
                    )
                    .unwrap();
                Some(holder)
            },
            "store-locked",
        ),
        (
            "gone",
            |path| {
                std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
                None
            },
            "store-missing",
        ),
        (
            "garbage",
            |path| {
                std::fs::write(path, [7; 8192]).unwrap();
                None
            },
            "store-corrupt",
        ),
        (
            "a folder",
            |path| {
                std::fs::remove_file(path).unwrap();
                std::fs::create_dir(path).unwrap();
                None
            },
            "store-unreadable",
        ),
        (
            "a pipe",
            |path| {
                std::fs::remove_file(path).unwrap();
                assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
                None
            },
            "store-unreadable",
        ),
    ];
    for (name, damage, code) in damages {
        let world = World::new("v6");
        let held = damage(&world.store);
        assert_eq!(world.ask(DELETE), "", "{name}");
        assert!(world.log().contains(&format!("\"{code}\"")), "{name}: {}", world.log());
        drop(held);
    }
}

#[test]
fn locked_stores_elsewhere_do_not_hide_the_one_that_can_be_read() {
    let world = World::new("v6");
    let mut text = String::new();
    let mut held = Vec::new();
    // Together they would be waited for longer than all look-ups may take.
    for number in 0..12 {
        let path = world.home.dir(&format!("project/{number}")).join(".cortex.db");
        cortex_store(&path, "v1", "");
        let holder = Connection::open(&path).unwrap();
        holder
            .execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; CREATE TABLE x (y);")
            .unwrap();
        held.push(holder);
        text.push_str(&format!("(cd {number} && cortex delete-memory Z --yes); "));
    }
    let answer = world.ask(&format!("{text} {DELETE}"));
    assert!(answer.contains("\"permissionDecision\":\"deny\""), "{answer} {}", world.log());
}
