//! What subagents were refused to write: kept, shown, written or thrown away.

use std::path::Path;

use super::memory::{Project, shown};

/// A project with a foreign decision; its id.
fn project() -> (Project, String) {
    let project = Project::new();
    let id = project.note(&["decision", "sixty", "--subject", "Ceiling", "--session", "monday"]);
    (project, id)
}

/// What a subagent's call is answered.
fn answer(project: &Project, tool: &str, input: &serde_json::Value, call: &str) -> String {
    let payload = serde_json::json!({
        "session_id": "tuesday", "cwd": project.dir, "agent_id": "a", "hook_event_name": "PreToolUse",
        "tool_name": tool, "tool_input": input, "tool_use_id": call,
    });
    let output = project.home.run_in(
        &project.dir,
        &["hook", "pre-tool-use"],
        payload.to_string().as_bytes(),
    );
    assert_eq!(output.code, Some(0));
    let Ok(document) = serde_json::from_str::<serde_json::Value>(&output.stdout) else {
        return String::new();
    };
    document["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap().to_owned()
}

fn bash(project: &Project, command: &str, call: &str) -> String {
    answer(project, "Bash", &serde_json::json!({"command": command}), call)
}

#[test]
fn a_refused_note_and_a_refused_edit_wait_and_are_written_when_accepted() {
    let (project, id) = project();
    let note = "ringfence note decision 'thirty\nseconds' --subject ceiling";
    let said = bash(&project, note, "t1");
    assert!(said.ends_with(
        "What you wanted to write is kept as proposal 1; say so in your final message, so that the \
         parent can take it in with `ringfence accept 1`."
    ), "{said}");
    // A second registration is asked about the same call.
    assert!(bash(&project, note, "t1").contains("proposal 1;"));
    assert!(
        bash(&project, &format!("ringfence edit-memory {id} --text ninety"), "t2")
            .contains("proposal 2;")
    );
    assert!(
        !bash(&project, &format!("ringfence delete-memory {id} --yes"), "t3").contains("proposal")
    );
    assert_eq!(bash(&project, "ringfence note insight 'own work'", "t4"), "");
    insta::assert_snapshot!(shown(&project.run(&["pending"])), @r#"
    exit 0
    --- stdout
    1  decision "ceiling" by agent a of tuesday at <time>
      | thirty
      | seconds
    2  edit of <id 1> by agent a of tuesday at <time>
      | ninety
    --- stderr
    "#);
    assert_eq!(project.json(&["status"])["pending"], 2);
    insta::assert_snapshot!(shown(&project.run(&["accept", "2", "1"])), @"
    exit 0
    --- stdout
    accepted 2: <id 1>
    accepted 1: <id 2>
    --- stderr
    ");
    let old = project.json(&["show-memory", &id]);
    assert_eq!((&old["content"], &old["status"]), (&"ninety".into(), &"superseded".into()));
    let new = project.json(&["list-memory", "--status", "active"]);
    assert_eq!(new["items"][0]["content"], "thirty\nseconds");
    // It belongs to the conversation that it comes from.
    assert_eq!(new["items"][0]["session"], "tuesday");
    insta::assert_snapshot!(shown(&project.run(&["accept", "1"])), @"
    exit 1
    --- stdout
    --- stderr
    error: no proposal 1 waits

    hint: ringfence pending --all
    ");
    assert_eq!(project.json(&["pending"])["items"].as_array().unwrap().len(), 0);
    // A number is given once.
    assert!(
        bash(&project, &format!("ringfence edit-memory {id} --text x"), "t5")
            .contains("proposal 3;")
    );
}

#[test]
fn the_tools_of_a_server_are_kept_too_and_a_replacement_with_its_resolve() {
    let (project, id) = project();
    let note = serde_json::json!({"kind": "decision", "subject": "ceiling", "content": "thirty", "alternatives": ["x", "y"]});
    assert!(answer(&project, "mcp__ringfence__cortex_note", &note, "t1").contains("proposal 1;"));
    let resolve =
        serde_json::json!({"note_id": id, "replacement": "ninety", "status": "superseded"});
    assert!(
        answer(&project, "mcp__ringfence__cortex_resolve", &resolve, "t2").contains("proposal 2;")
    );
    let items = project.json(&["pending"]);
    assert_eq!(items["items"][0]["alternatives"], serde_json::json!(["x", "y"]));
    // What is accepted was shown.
    let text = project.run(&["pending"]).stdout;
    assert!(text.contains("  | thirty\n  alternative: x\n  alternative: y\n"), "{text}");
    assert_eq!(project.run(&["accept", "2"]).code, Some(0));
    assert_eq!(project.json(&["show-memory", &id])["status"], "superseded");
    let active = project.json(&["list-memory", "--status", "active"]);
    assert_eq!(active["items"][0]["content"], "ninety");
}

#[test]
fn what_cannot_be_written_waits_on_and_what_is_dropped_does_not() {
    let (project, id) = project();
    bash(&project, &format!("ringfence edit-memory {id} --text x"), "t1");
    project.run(&["delete-memory", &id, "--yes"]);
    assert_eq!(project.run(&["accept", "1"]).code, Some(1));
    assert_eq!(project.json(&["pending"])["items"].as_array().unwrap().len(), 1);
    insta::assert_snapshot!(shown(&project.run(&["drop", "1"])), @"
    exit 0
    --- stdout
    dropped 1
    --- stderr
    ");
    assert_eq!(project.run(&["drop", "1"]).code, Some(1));
    assert_eq!(project.json(&["status"])["pending"], 0);
    // It stays on record.
    let kept = project.home.path().join(".local/state/ringfence/proposals/1.dropped");
    assert!(std::fs::read_to_string(kept).unwrap().contains("\"text\":\"x\""));
}

#[test]
fn a_proposal_for_cortex_names_the_command_and_stays() {
    let project = Project::new();
    crate::memory::cortex_store(&project.dir.join(".cortex.db"), "v6", "");
    let said = bash(&project, "cortex edit-memory F --text 'ninety it is'", "t1");
    assert!(said.ends_with("so that the parent can read it with `ringfence pending`."), "{said}");
    insta::assert_snapshot!(shown(&project.run(&["accept", "1"])), @"
    exit 1
    --- stdout
    --- stderr
    error: proposal 1 is for Cortex's store, which only Cortex writes

    hint: cortex edit-memory F --text 'ninety it is'
    ");
    insta::assert_snapshot!(shown(&project.run(&["pending"])), @"
    exit 0
    --- stdout
    1  edit of F by agent a of tuesday at <time>
      | ninety it is
      for Cortex's store, which only Cortex writes
    --- stderr
    ");
}

#[test]
fn proposals_belong_to_their_project_and_are_private_and_bounded() {
    use std::os::unix::fs::PermissionsExt;
    let (project, id) = project();
    bash(&project, &format!("ringfence edit-memory {id} --text x"), "t1");
    let other = project.home.dir("other");
    let elsewhere = |args: &[&str]| project.home.run_in(&other, args, b"");
    assert!(elsewhere(&["pending"]).stdout.is_empty());
    assert!(elsewhere(&["pending", "--all"]).stdout.starts_with("1  edit"));
    assert_eq!(elsewhere(&["accept", "1"]).code, Some(1));
    let dir = project.home.path().join(".local/state/ringfence/proposals");
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&dir), mode(&dir.join("1.json"))), (0o700, 0o600));
    for number in 2..=200 {
        std::fs::copy(dir.join("1.json"), dir.join(format!("{number}.json"))).unwrap();
    }
    let said = bash(&project, &format!("ringfence edit-memory {id} --text y"), "t2");
    assert!(said.contains("rewrite") && !said.contains("proposal"), "{said}");
    // A file of ours that is spoiled is passed over.
    std::fs::write(dir.join("1.json"), "not json").unwrap();
    assert_eq!(project.json(&["pending"])["items"].as_array().unwrap().len(), 199);
}

#[test]
fn a_sessions_model_is_told_what_waits_in_its_project() {
    let (project, id) = project();
    let start = |cwd: &Path| {
        let payload =
            serde_json::json!({"session_id": "wednesday", "cwd": cwd, "source": "startup"});
        project
            .home
            .run_in(&project.dir, &["hook", "session-start"], payload.to_string().as_bytes())
            .stdout
    };
    assert_eq!(start(&project.dir), "");
    bash(&project, &format!("ringfence edit-memory {id} --text x"), "t1");
    assert_eq!(
        start(&project.dir),
        "{\"hookSpecificOutput\":{\"hookEventName\":\"SessionStart\",\"additionalContext\":\"Memory writes \
         that subagents were refused and that wait in this project: 1. `ringfence pending` shows them, \
         `ringfence accept NUMBER` writes one, `ringfence drop NUMBER` throws one away.\"}}\n"
    );
    assert_eq!(start(&project.home.dir("other")), "");
}

#[test]
fn the_person_is_told_when_a_subagent_ends_whose_work_is_kept() {
    let (project, id) = project();
    let stop = |agent: &str| {
        let payload = format!(r#"{{"session_id":"tuesday","agent_id":"{agent}","cwd":"/"}}"#);
        project.home.run_in(&project.dir, &["hook", "subagent-stop"], payload.as_bytes()).stdout
    };
    assert_eq!(stop("a"), "");
    bash(&project, &format!("ringfence edit-memory {id} --text x"), "t1");
    assert_eq!(
        stop("a"),
        "{\"systemMessage\":\"Ringfence kept a note that a subagent was refused: ringfence pending\"}\n"
    );
    assert_eq!(stop("b"), "");
}
