//! What a call leaves in the log: one line, with its reasons and its time.

use std::process::{Command, Stdio};

use serde_json::Value;

use super::world::World;
use crate::support::BINARY;

/// The lines of the log.
fn lines(world: &World) -> Vec<Value> {
    world.log().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_call_with_several_reasons_leaves_one_line_with_all_of_them_and_its_time() {
    let world = World::new();
    let text =
        r#"{"command":"ringfence delete-memory ID --yes; ringfence edit-memory $X --text y"}"#;
    assert!(world.refused(world.payload("Bash", text).as_bytes()));
    let lines = lines(&world);
    let [line] = lines.as_slice() else { panic!("{lines:?}") };
    assert_eq!((&line["verdict"], &line["code"]), (&"deny".into(), &"denied-foreign".into()));
    assert_eq!(line["also"][0]["code"], "target-runtime");
    assert_eq!(line["targets"][0], world.id.as_str());
    let took = line["took_us"].as_u64().unwrap();
    assert!(took > 0 && took < 1_000_000, "{took}");
    assert_eq!(line.get("payload"), None);
}

#[test]
fn a_change_of_the_callers_own_memory_is_logged_as_such() {
    let world = World::new();
    let note = ["note", "insight", "Tables are wide.", "--session", "tuesday"];
    let own = world.home.run(&note, b"").stdout.trim().to_owned();
    let text = format!(r#"{{"command":"ringfence delete-memory {own} --yes"}}"#);
    assert!(!world.refused(world.payload("Bash", &text).as_bytes()));
    let lines = lines(&world);
    let [line] = lines.as_slice() else { panic!("{lines:?}") };
    assert_eq!((&line["verdict"], &line["code"]), (&"allow".into(), &"allowed-own".into()));
    assert_eq!(line["targets"][0], own.as_str());
    // What only looks leaves nothing.
    assert!(
        !world
            .refused(world.payload("Bash", r#"{"command":"ringfence show-memory ID"}"#).as_bytes())
    );
    assert_eq!(lines.len(), 1);
}

#[test]
fn the_payload_is_kept_only_where_the_registration_says_so() {
    let world = World::new();
    let run = |payload: &str| {
        world.home.run(&["hook", "pre-tool-use", "--log", "verbose"], payload.as_bytes())
    };
    let payload = world.payload("Bash", r#"{"command":"ringfence delete-memory ID --yes"}"#);
    assert!(run(&payload).stdout.contains("deny"));
    // One that is too long is left out whole.
    let long =
        format!(r#"{{"command":"ringfence delete-memory ID --yes # {}"}}"#, "x".repeat(70_000));
    let long = world.payload("Bash", &long).replace(r#""t-1""#, r#""t-2""#);
    assert!(run(&long).stdout.contains("deny"));
    // What is of no concern is not kept.
    run(&world.payload("Bash", r#"{"command":"ls -la"}"#));
    let lines = lines(&world);
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["payload"], payload.as_str());
    assert_eq!(lines[1].get("payload"), None);
}

#[test]
fn no_line_is_lost_when_many_calls_turn_the_log_over_at_once() {
    let world = World::new();
    let log = world.home.path().join(".local/state/ringfence/log.jsonl");
    let older = log.with_extension("jsonl.1");
    let payload = world.payload("Bash", r#"{"command":"ringfence delete-memory ID --yes"}"#);
    let filler = format!("{{\"detail\":\"{}\"}}\n", "f".repeat(1000));
    let full = filler.repeat(8 * 1024 * 1024 / filler.len());
    let (rounds, at_once) = (4, 12);
    for round in 0..rounds {
        // A little below the limit: some of the calls are the ones that turn it over.
        std::fs::create_dir_all(log.parent().unwrap()).unwrap();
        std::fs::write(&log, &full).unwrap();
        drop(std::fs::remove_file(&older));
        let children: Vec<_> = (0..at_once)
            .map(|number| {
                // Calls with one id would be one call that is judged twice.
                let own = payload.replace(r#""t-1""#, &format!(r#""t-{round}-{number}""#));
                let own = world.home.file(&format!("{number}.json"), &own);
                Command::new(BINARY)
                    .args(["hook", "pre-tool-use"])
                    .env_clear()
                    .env("HOME", world.home.path())
                    .stdin(std::fs::File::open(&own).unwrap())
                    .stdout(Stdio::piped())
                    .spawn()
                    .unwrap()
            })
            .collect();
        for child in children {
            let output = child.wait_with_output().unwrap();
            assert!(String::from_utf8_lossy(&output.stdout).contains("deny"));
        }
        let old = std::fs::read_to_string(&older).unwrap();
        let new = std::fs::read_to_string(&log).unwrap();
        let denials =
            |text: &str| text.lines().filter(|line| line.contains("denied-foreign")).count();
        assert_eq!(denials(&old) + denials(&new), at_once, "round {round}");
        assert!(old.starts_with(&full), "round {round}: the older lines are gone");
        assert!(denials(&new) > 0, "round {round}: the log was not turned over");
        for line in old.lines().chain(new.lines()) {
            assert!(serde_json::from_str::<Value>(line).is_ok(), "round {round}: {line}");
        }
    }
}
