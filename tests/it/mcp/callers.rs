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
    // Also of the same proposal: both keep what was refused, once.
    assert!(hook.contains("kept as proposal 1;"), "{hook}");
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
    What you wanted to write is kept as proposal 1; say so in your final message, so that the parent can take it in with `ringfence accept 1`.
    "##);
    assert_snapshot!(refused(None), @r##"
    Error: A call without a client may not retire memory.
    This call would retire 1 memory that it may not have written:
      - decision "ceiling" (ID)
    Nothing tells who makes it, so it may only read and add.
    What you wanted to write is kept as proposal 2; say so in your final message, so that the parent can take it in with `ringfence accept 2`.
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
fn an_id_that_was_shown_before_proves_nothing() {
    let world = World::new();
    let (one, other) = (
        world.note("decision", "ceiling", "Sixty.", "earlier"),
        world.note("decision", "floor", "Ten.", "earlier"),
    );
    world.hook(RESOLVE, "toolu_1", None, &json!({ "note_id": one }));
    let mut server = world.serve();
    server.call("cortex_resolve", &json!({ "note_id": one }), Some("toolu_1")).unwrap();
    // The parent's id, read in the spool, in a server that somebody else started.
    let again = world.serve().call("cortex_resolve", &json!({ "note_id": other }), Some("toolu_1"));
    again.unwrap_err();
    assert_eq!(world.show(&other)["status"], json!("active"));
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

/// What waits, by number, action, agent, session and text.
fn waiting(world: &World) -> Vec<String> {
    let pending: Value = serde_json::from_str(&world.run(&["pending", "--json"])).unwrap();
    let word = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let items = pending["items"].as_array().unwrap().iter();
    items
        .map(|one| {
            let words =
                ["action", "agent", "session", "text", "scope"].map(|name| word(&one[name]));
            format!("{} {}", one["number"], words.join(" "))
        })
        .collect()
}

#[test]
fn what_the_server_refuses_is_kept_and_written_when_accepted() {
    let world = World::new();
    let own = world.note("decision", "own", "Mine.", "host");
    let foreign = world.note("decision", "ceiling", "Sixty.", "earlier");
    let mut server = world.serve();
    // The hook has seen another call than the one that comes.
    world.hook(RESOLVE, "toolu_1", Some("a1"), &json!({ "note_id": own }));
    let replace = json!({ "subject": "Ceiling", "status": "superseded", "replacement": "Ninety." });
    let refused = server.call("cortex_resolve", &replace, Some("toolu_1")).unwrap_err();
    assert!(
        refused.ends_with(
            "What you wanted to write is kept as proposal 1; say so in your final message, so that \
             the parent can take it in with `ringfence accept 1`."
        ),
        "{refused}"
    );
    // No record of the call: the session's, by nobody known.
    let note = json!({ "kind": "decision", "subject": "ceiling", "content": "Thirty." });
    let refused = server.call("cortex_note", &note, Some("toolu_2")).unwrap_err();
    assert!(refused.contains("kept as proposal 2;"), "{refused}");
    // Asked again it is the same proposal, with the call's id and without any.
    assert!(
        server.call("cortex_note", &note, Some("toolu_2")).unwrap_err().contains("proposal 2;")
    );
    for _ in 0..3 {
        let refused = server.call("cortex_note", &note, None).unwrap_err();
        assert!(refused.contains("kept as proposal 3;"), "{refused}");
    }
    assert_eq!(
        waiting(&world),
        [
            "1 resolve a1 host Ninety. branch:main",
            "2 note unknown host Thirty. branch:main",
            "3 note unknown host Thirty. branch:main"
        ]
    );
    let text = world.run(&["pending"]);
    assert!(
        text.contains("2  decision \"ceiling\" by an agent that is not known of host"),
        "{text}"
    );
    world.run(&["drop", "3"]);
    // It names the note that was meant, whatever has its subject when it is accepted.
    world.run(&["accept", "1"]);
    assert_eq!(world.show(&foreign)["status"], json!("superseded"));
    world.run(&["accept", "2"]);
    let listed: Value =
        serde_json::from_str(&world.run(&["list-memory", "--status", "active", "--json"])).unwrap();
    let texts: Vec<_> = listed["items"].as_array().unwrap().iter().collect();
    assert_eq!(
        texts.iter().map(|one| one["content"].as_str().unwrap()).collect::<Vec<_>>(),
        ["Thirty.", "Mine."]
    );
    assert_eq!(texts[0]["session"], json!("host"));
    assert_eq!(waiting(&world), [] as [String; 0]);
}

#[test]
fn one_agent_cannot_push_out_what_others_were_refused() {
    let world = World::new();
    world.note("decision", "ceiling", "Sixty.", "earlier");
    let mut server = world.serve();
    let mut refuse = |agent: &str, number: usize| {
        let call = format!("{agent}_{number}");
        let resolve = json!({ "note_id": "none" });
        world.hook(RESOLVE, &call, Some(agent), &resolve);
        let note = json!({
            "kind": "decision", "subject": "ceiling", "content": format!("{agent} {number}"),
        });
        // The record is of the other tool, so only the hook's own word makes it the agent's.
        world.hook(NOTE, &call, Some(agent), &note);
        server.call("cortex_note", &note, Some(&call)).unwrap_err().contains("kept as proposal")
    };
    for number in 0..50 {
        assert!(refuse("flood", number), "{number}");
    }
    assert!(!refuse("flood", 50));
    assert!(refuse("other", 0));
    assert_eq!(waiting(&world).len(), 51);
}

#[test]
fn what_cannot_be_kept_is_refused_all_the_same() {
    let world = World::new();
    let id = world.note("decision", "ceiling", "Sixty.", "earlier");
    // Where proposals belong lies something else.
    world.home.file(".local/state/ringfence/proposals", "in the way");
    let input = json!({ "note_id": id, "replacement": "Ninety." });
    let refused = world.serve().call("cortex_resolve", &input, Some("toolu_1")).unwrap_err();
    assert!(!refused.contains("proposal"), "{refused}");
    assert_eq!(world.show(&id)["status"], json!("active"));
}

/// The notes of others that somebody wants gone, and the attacker's own ones.
struct Wanted {
    world: World,
    foreign: [String; 2],
    own: String,
    away: String,
}

impl Wanted {
    fn new() -> Self {
        let world = World::new();
        let head = |branch: &str| {
            world.home.file("project/.git/HEAD", &format!("ref: refs/heads/{branch}\n"));
        };
        head("away");
        let away = world.note("decision", "Ceiling", "Sixty.", "host");
        head("main");
        let foreign = [
            world.note("decision", "Ceiling", "Sixty.", "earlier"),
            world.note("intent", "Été", "Plan the summer.", "earlier"),
        ];
        let own = world.note("insight", "mine", "Mine.", "host");
        Self { foreign, own, away, world }
    }

    /// Sends a row as raw text; what it is about would be lost in a value tree.
    fn send(&self, server: &mut Server, tool: &str, arguments: &str, call: Option<&str>) -> String {
        let [foreign, _] = &self.foreign;
        let arguments = arguments
            .replace("FOREIGN", foreign)
            .replace("OWN", &self.own)
            .replace("AWAY", &self.away);
        let meta = call.map_or_else(String::new, |call| {
            format!(r#","_meta":{{"claudecode/toolUseId":"{call}"}}"#)
        });
        server.send(&format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}{meta}}}}}"#
        ));
        server.send("\n");
        server.line().expect("an answer")
    }

    /// What the foreign notes are now.
    fn state(&self) -> Vec<Value> {
        let of = |id: &String| {
            let note = self.world.show(id);
            json!([note["status"], note["content"], note["session"], note["history"]])
        };
        self.foreign.iter().map(of).collect()
    }
}

#[test]
fn no_arguments_change_a_foreign_note_whoever_cannot_prove_to_be_the_parent() {
    for who in ["subagent", "unrecorded", "shell"] {
        for head in ["ref: refs/heads/main\n", "ref: refs/heads/.invalid\n", "nonsense\n"] {
            let wanted = Wanted::new();
            let before = wanted.state();
            wanted.world.home.file("project/.git/HEAD", head);
            let mut server = wanted.world.serve();
            let rows = crate::support::corpus("mcp/attacks.tsv");
            let rows = rows.lines().filter(|line| !line.starts_with('#'));
            let mut refused = 0;
            for (number, row) in rows.enumerate() {
                let (tool, arguments) = row.split_once('\t').unwrap();
                let call = format!("toolu_{number}");
                if who == "subagent" {
                    // The hook saw something harmless: the server alone is in the way.
                    let seen = json!({ "kind": "insight", "content": "x", "note_id": wanted.own });
                    let tool = format!("mcp__ringfence__{tool}");
                    assert_eq!(wanted.world.hook(&tool, &call, Some("a1"), &seen), "");
                }
                let call = (who != "shell").then_some(call.as_str());
                let answer = wanted.send(&mut server, tool, arguments, call);
                refused += usize::from(answer.contains("\"isError\":true"));
                assert_eq!(wanted.state(), before, "{who} {head:?} {row}\n{answer}");
            }
            // They are attacks only where something is refused.
            assert!(refused > 15, "{who} {head:?}: {refused}");
        }
    }
}

#[test]
fn a_loud_subagent_cannot_talk_the_rest_of_the_memory_away() {
    let world = World::new();
    world.note("decision", "ceiling", "Retries stop after sixty seconds.", "earlier");
    let mut server = world.serve();
    let loud = format!("Retries never stop. {}", "Ceiling! ".repeat(60));
    for number in 0..40 {
        let call = format!("toolu_{number}");
        let subject = format!("retries ceiling {number}");
        let note = json!({ "kind": "focus", "subject": subject, "content": loud });
        world.hook(NOTE, &call, Some("loud"), &note);
        server.call("cortex_note", &note, Some(&call)).unwrap();
    }
    for (tool, arguments) in [
        ("cortex_brief", json!({})),
        ("cortex_recall", json!({ "query": "when do retries stop? the ceiling" })),
    ] {
        let text = server.call(tool, &arguments, None).unwrap();
        assert!(text.contains("Retries stop after sixty seconds."), "{tool}: {text}");
        // What room there is left it has.
        assert!(text.matches("Retries never stop.").count() > 3, "{tool}: {text}");
    }
}
