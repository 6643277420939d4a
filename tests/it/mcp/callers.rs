//! Whose a note is, and who may change what: the hook's records joined with the client's call ids.

use insta::assert_snapshot;
use ringfence::state::{Grant, State};
use serde_json::{Value, json};

use super::{Server, World, id_of};

const NOTE: &str = "mcp__ringfence__cortex_note";
const RESOLVE: &str = "mcp__ringfence__cortex_resolve";

fn insight(text: &str) -> Value {
    json!({ "kind": "insight", "content": text })
}

#[test]
fn a_note_is_of_the_agent_that_the_hook_saw() {
    let world = World::new();
    let mut server = world.serve();
    for (call, agent, expected) in [
        ("toolu_1", None, json!(null)),
        ("toolu_2", Some("a1"), json!("a1")),
        ("toolu_3", Some("a2"), json!("a2")),
    ] {
        world.hook(NOTE, call, agent, &insight("x"));
        let id = id_of(&server.call("cortex_note", &insight("x"), Some(call)).unwrap());
        let note = world.show(&id);
        assert_eq!(note["agent"], expected, "{call}");
        assert_eq!(note["session"], json!("host"));
        assert_eq!(note["scope"], json!("branch:main"));
        assert_eq!(note["history"][0]["tool_use_id"], json!(call));
    }
}

#[test]
fn a_note_of_nobody_known_says_so() {
    let world = World::new();
    // The record of another tool's call is none of this one.
    world.hook(RESOLVE, "toolu_9", Some("a1"), &json!({ "note_id": "x" }));
    let mut server = world.serve();
    for call in [None, Some("toolu_never"), Some("toolu_9")] {
        let text = server.call("cortex_note", &insight("x"), call).unwrap();
        assert!(text.contains("Nothing tells which agent made this call"), "{text}");
        let note = world.show(&id_of(&text));
        assert_eq!((&note["session"], &note["agent"]), (&json!("host"), &json!("unknown")));
    }
    drop(server);
    // Outside any client it is the project's running session, or nobody's.
    let mut outside = Server::start(world.home.path(), &world.project, &[]);
    let text = outside.call("cortex_note", &insight("x"), None).unwrap();
    assert_eq!(world.show(&id_of(&text))["session"], json!("terminal"));
    let start = json!({ "session_id": "running", "cwd": world.project, "source": "startup" });
    let hook = ["hook", "session-start"];
    world.home.run_in(&world.project, &hook, start.to_string().as_bytes());
    let text = outside.call("cortex_note", &insight("x"), None).unwrap();
    assert_eq!(world.show(&id_of(&text))["session"], json!("running"));
}

#[test]
fn who_may_resolve_what() {
    // Who calls, whose note it is, and whether it goes through.
    for (who, whose, goes) in [
        ("parent", "earlier", true),
        ("parent", "host", true),
        ("subagent", "host", true),
        ("subagent", "earlier", false),
        ("unrecorded", "host", true),
        ("unrecorded", "earlier", false),
        ("shell", "host", false),
        ("shell", "earlier", false),
    ] {
        for by_subject in [false, true] {
            for replacement in [None, Some("Thirty.")] {
                let world = World::new();
                let id = world.note("decision", "ceiling", "Sixty.", whose);
                let mut input = match by_subject {
                    true => json!({ "subject": "ceiling" }),
                    false => json!({ "note_id": id }),
                };
                if let Some(text) = replacement {
                    input["replacement"] = json!(text);
                }
                let call = match who {
                    "parent" => Some(None),
                    "subagent" => Some(Some("a1")),
                    _ => None,
                };
                if let Some(agent) = call {
                    let answer = world.hook(RESOLVE, "toolu_1", agent, &input);
                    assert_eq!(answer.is_empty(), goes, "hook: {who} {whose} {input}: {answer}");
                }
                let mut server = world.serve();
                let done =
                    server.call("cortex_resolve", &input, (who != "shell").then_some("toolu_1"));
                assert_eq!(done.is_ok(), goes, "{who} {whose} {input}: {done:?}");
                let status = if goes { "resolved" } else { "active" };
                assert_eq!(world.show(&id)["status"], json!(status), "{who} {whose} {input}");
            }
        }
    }
}

#[test]
fn who_may_supersede_what() {
    for (who, whose, branch, goes) in [
        ("parent", "earlier", "main", true),
        ("subagent", "host", "main", true),
        ("subagent", "earlier", "main", false),
        ("subagent", "earlier", "other", true),
        ("unrecorded", "host", "main", true),
        ("unrecorded", "earlier", "main", false),
        ("shell", "host", "main", false),
        ("shell", "host", "other", true),
    ] {
        let world = World::new();
        world.home.file("project/.git/HEAD", &format!("ref: refs/heads/{branch}\n"));
        let id = world.note("decision", "ceiling", "Sixty.", whose);
        world.home.file("project/.git/HEAD", "ref: refs/heads/main\n");
        let input = json!({ "kind": "decision", "subject": "ceiling", "content": "Thirty." });
        match who {
            "parent" => drop(world.hook(NOTE, "toolu_1", None, &input)),
            "subagent" => drop(world.hook(NOTE, "toolu_1", Some("a1"), &input)),
            _ => {}
        }
        let done = world.serve().call("cortex_note", &input, (who != "shell").then_some("toolu_1"));
        assert_eq!(done.is_ok(), goes, "{who} {whose} {branch}: {done:?}");
        let active = !goes || branch == "other";
        let status = if active { "active" } else { "superseded" };
        assert_eq!(world.show(&id)["status"], json!(status), "{who} {whose} {branch}");
    }
}

#[test]
fn what_was_rewritten_after_the_hook_is_judged_as_it_comes() {
    let world = World::new();
    let own = world.note("decision", "own", "Mine.", "host");
    let foreign = world.note("decision", "ceiling", "Sixty.", "earlier");
    assert_eq!(world.hook(RESOLVE, "toolu_1", Some("a1"), &json!({ "note_id": own })), "");
    let refused =
        world.serve().call("cortex_resolve", &json!({ "note_id": foreign }), Some("toolu_1"));
    assert!(refused.unwrap_err().contains(&foreign));
    assert_eq!(world.show(&foreign)["status"], json!("active"));
}

#[test]
fn the_hook_and_the_server_refuse_in_the_same_words() {
    let world = World::new();
    let id = world.note("decision", "ceiling", "Sixty.", "earlier");
    let input = json!({ "note_id": id });
    let answer: Value =
        serde_json::from_str(&world.hook(RESOLVE, "toolu_1", Some("a1"), &input)).unwrap();
    let hook = answer["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap();
    let server = world.serve().call("cortex_resolve", &input, Some("toolu_1")).unwrap_err();
    // The hook also keeps what was refused, and says so in a line of its own.
    let hook = hook.split("\nWhat you wanted to write is kept").next().unwrap();
    assert_eq!(server, format!("Error: {hook}"));
    // Both judged one call, which leaves one line.
    let log = world.run(&["log", "--json"]);
    assert_eq!(log.matches("denied-foreign").count(), 1, "{log}");
}

#[test]
fn a_caller_without_proof_is_told_what_it_is() {
    let world = World::new();
    let id = world.note("decision", "ceiling", "Sixty.", "earlier");
    let mut server = world.serve();
    let mut refused = |call| {
        let text = server.call("cortex_resolve", &json!({ "note_id": id }), call).unwrap_err();
        text.replace(&id, "ID")
    };
    assert_snapshot!(refused(Some("toolu_7")), @r##"
    Error: A call without a fresh record of Ringfence's hook may not retire memory from earlier work on this branch.
    This call would retire 1 memory that this conversation did not write:
      - decision "ceiling" (ID)
    The parent or a subagent may have made it; `ringfence doctor` tells why the hook left no record. Put the finding in your final message instead.
    "##);
    assert_snapshot!(refused(None), @r##"
    Error: A call without a client may not retire memory.
    This call would retire 1 memory that it may not have written:
      - decision "ceiling" (ID)
    Nothing tells who makes it, so it may only read and add.
    "##);
}

#[test]
fn a_grant_that_the_hook_took_lets_the_same_call_through() {
    let world = World::new();
    let id = world.note("decision", "ceiling", "Sixty.", "earlier");
    let input = json!({ "note_id": id });
    assert!(world.hook(RESOLVE, "toolu_1", Some("a1"), &input).contains("deny"));
    let projects = world.home.path().join(".local/share/ringfence/projects");
    let dir = std::fs::read_dir(projects).unwrap().next().unwrap().unwrap().path();
    let grant = Grant {
        session: "host".into(),
        store: dir.join("memory.db").canonicalize().unwrap().to_str().unwrap().into(),
        id: id.clone(),
        action: "retire".into(),
        until: i64::MAX,
    };
    State::at(world.home.path().join(".local/state/ringfence")).keep_grant(&grant).unwrap();
    assert_eq!(world.hook(RESOLVE, "toolu_3", Some("a1"), &input), "");
    let mut server = world.serve();
    server.call("cortex_resolve", &input, Some("toolu_3")).unwrap();
    assert_eq!(world.show(&id)["status"], json!("resolved"));
    // Another call does not profit from it.
    let other = json!({ "note_id": id, "status": "superseded" });
    assert!(world.hook(RESOLVE, "toolu_4", Some("a1"), &other).contains("deny"));
    server.call("cortex_resolve", &other, Some("toolu_4")).unwrap_err();
}

#[test]
fn a_record_that_is_too_old_proves_nothing() {
    let world = World::new();
    let id = world.note("decision", "ceiling", "Sixty.", "earlier");
    let record = |at: &str, call: &str| {
        json!({
            "at": at, "event": "call", "session": "host", "call": call, "agent": null,
            "tool": RESOLVE, "cwd": world.project, "scope": "branch:main",
        })
        .to_string()
    };
    let old = jiff::Timestamp::now() - jiff::SignedDuration::from_mins(11);
    let fresh = jiff::Timestamp::now() - jiff::SignedDuration::from_mins(9);
    let lines = format!(
        "{}\n{}\n",
        record(&format!("{old:.3}"), "old"),
        record(&format!("{fresh:.3}"), "fresh")
    );
    world.home.file(".local/state/ringfence/calls.jsonl", &lines);
    let mut server = world.serve();
    server.call("cortex_resolve", &json!({ "note_id": id }), Some("old")).unwrap_err();
    server.call("cortex_resolve", &json!({ "note_id": id }), Some("fresh")).unwrap();
}

#[test]
fn of_two_records_of_a_call_the_subagents_counts() {
    let world = World::new();
    let id = world.note("decision", "ceiling", "Sixty.", "earlier");
    world.hook(RESOLVE, "toolu_1", Some("a1"), &json!({ "note_id": id }));
    world.hook(RESOLVE, "toolu_1", None, &json!({ "note_id": id }));
    let done = world.serve().call("cortex_resolve", &json!({ "note_id": id }), Some("toolu_1"));
    assert!(done.unwrap_err().contains("A subagent may not"));
}

#[test]
fn no_variable_moves_the_server_and_its_own_line_does() {
    let world = World::new();
    let id = world.note("decision", "ceiling", "Sixty.", "earlier");
    let elsewhere = world.home.path().join("elsewhere.db");
    let config = world.home.file("evil.toml", "[guard]\ntrusted_agents = [\"general-purpose\"]\n");
    world.home.file(".claude/agents/general-purpose.md", "x");
    world.hook(RESOLVE, "toolu_1", Some("a1"), &json!({ "note_id": id }));
    let mut server = Server::start(
        world.home.path(),
        &world.project,
        &[
            ("RINGFENCE_STORE", elsewhere.to_str().unwrap()),
            ("RINGFENCE_CONFIG", config.to_str().unwrap()),
            ("RINGFENCE_STATE", "/nonexistent"),
        ],
    );
    let done = server.call("cortex_resolve", &json!({ "note_id": id }), Some("toolu_1"));
    assert!(done.unwrap_err().contains("A subagent may not"));
    assert!(!elsewhere.exists());
    let line = ["mcp", "--store", elsewhere.to_str().unwrap()];
    let request = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "cortex_note", "arguments": insight("x") },
    });
    let output = world.home.run_in(&world.project, &line, request.to_string().as_bytes());
    assert!(output.stdout.contains("Noted"), "{}", output.stdout);
    assert!(elsewhere.exists());
}
