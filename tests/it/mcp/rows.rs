//! Requests and answers, row by row.

use insta::assert_snapshot;
use regex::Regex;
use serde_json::{Value, json};

use super::{Server, World, id_of};
use crate::support::corpus;

/// An answer without what differs from run to run.
fn plain(answer: &str) -> String {
    let answer = answer.replace(env!("CARGO_PKG_VERSION"), "VERSION");
    let instructions = Regex::new(r#""instructions":"[^"]*""#).unwrap();
    let answer = instructions.replace(&answer, "\"instructions\":TEXT");
    stamped(&answer)
}

fn stamped(text: &str) -> String {
    let stamp = Regex::new(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z").unwrap();
    stamp.replace_all(text, "STAMP").into_owned()
}

#[test]
fn every_line_is_answered_as_its_row_says() {
    let world = World::new();
    let mut server = world.serve();
    let mut rows = 0;
    for row in corpus("mcp/protocol.tsv").lines().filter(|line| !line.starts_with('#')) {
        let (line, expected) = row.split_once('\t').unwrap_or_else(|| panic!("no tab: {row}"));
        // What is asked after it shows where the answers to the row end.
        server
            .send(&format!("{line}\n{{\"jsonrpc\":\"2.0\",\"id\":\"end\",\"method\":\"ping\"}}\n"));
        let end = r#"{"jsonrpc":"2.0","id":"end","result":{}}"#;
        let mut answers = Vec::new();
        loop {
            match server.line().expect("an answer") {
                line if line == end => break,
                line => answers.push(plain(&line)),
            }
        }
        assert_eq!(answers.join("\n"), expected, "{line}");
        rows += 1;
    }
    assert!(rows >= 40, "{rows}");
    assert_eq!(server.leave(), Some(0));
}

#[test]
fn every_argument_is_checked_as_its_row_says() {
    let world = World::new();
    let seed = world.note("decision", "seed", "A seed.", "earlier");
    let mut server = Server::start(world.home.path(), &world.project, &[]);
    for row in corpus("mcp/arguments.tsv").lines().filter(|line| !line.starts_with('#')) {
        let mut parts = row.splitn(3, '\t');
        let [tool, arguments, expected] = [(); 3].map(|()| parts.next().unwrap());
        let arguments = arguments.replace("ID", &seed);
        // As text: a value tree would lose what the row is about.
        server.send(&format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":\
             {{\"name\":\"{tool}\",\"arguments\":{arguments}}}}}\n"
        ));
        let answer: Value = serde_json::from_str(&server.line().unwrap()).unwrap();
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert_eq!(answer["result"]["isError"], json!(expected.starts_with("Error:")), "{row}");
        let shown = stamped(text).replace(&seed, "ID");
        assert!(shown.starts_with(expected), "{row}\n{shown}");
    }
}

#[test]
fn the_tools_say_what_they_take_and_what_is_true_of_them() {
    let world = World::new();
    let answer = world.serve().ask("tools/list", &json!({}));
    let rows: Vec<String> = answer["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| {
            let hints = &tool["annotations"];
            let takes: Vec<&str> = tool["inputSchema"]["properties"]
                .as_object()
                .unwrap()
                .keys()
                .map(String::as_str)
                .collect();
            format!(
                "{}: {} read-only {} destructive {} idempotent {} open {} needs {}",
                tool["name"].as_str().unwrap(),
                takes.join(" "),
                hints["readOnlyHint"],
                hints["destructiveHint"],
                hints["idempotentHint"],
                hints["openWorldHint"],
                tool["inputSchema"]["required"],
            )
        })
        .collect();
    assert_snapshot!(rows.join("\n"), @r##"
    cortex_note: alternatives content kind subject read-only false destructive true idempotent false open false needs ["kind","content"]
    cortex_resolve: note_id replacement status subject read-only false destructive true idempotent false open false needs []
    cortex_recall: include_retired kind limit max_tokens query read-only true destructive false idempotent true open false needs ["query"]
    cortex_brief: max_tokens read-only true destructive false idempotent true open false needs []
    cortex_list: contested kind limit offset status subject read-only true destructive false idempotent true open false needs []
    cortex_history: max_tokens note_id read-only true destructive false idempotent true open false needs ["note_id"]
    "##);
}

#[test]
fn a_session_of_notes_reads_like_this() {
    let world = World::new();
    let mut server = world.serve();
    let mut said = String::new();
    let mut ids: Vec<String> = Vec::new();
    let mut say = |tool: &str, arguments: Value, ids: &mut Vec<String>| {
        let call = format!("toolu_{}", said.len());
        world.hook(&format!("mcp__ringfence__{tool}"), &call, None, &arguments);
        let text = server.call(tool, &arguments, Some(&call)).unwrap_or_else(|text| text);
        ids.extend(text.lines().find_map(|line| line.strip_prefix("id: ")).map(str::to_owned));
        let mut shown = stamped(&text);
        for (number, id) in ids.iter().enumerate() {
            shown = shown.replace(id.as_str(), &format!("N{}", number + 1));
        }
        said.push_str(&format!("> {tool} {arguments}\n{}\n", shown.trim_end()));
    };
    let decision =
        |text: &str| json!({ "kind": "decision", "subject": "retry ceiling", "content": text });
    say("cortex_note", decision("Retries stop after sixty seconds."), &mut ids);
    say("cortex_note", decision("Retries stop after thirty seconds."), &mut ids);
    say("cortex_note", decision("Retries never stop after thirty seconds."), &mut ids);
    say("cortex_resolve", json!({ "subject": "retry ceiling" }), &mut ids);
    let second = ids[1].clone();
    say("cortex_resolve", json!({ "note_id": second, "status": "superseded" }), &mut ids);
    say("cortex_resolve", json!({ "note_id": second, "status": "superseded" }), &mut ids);
    let with =
        json!({ "subject": "Retry Ceiling", "replacement": "A retry stops\nafter ten seconds." });
    say("cortex_resolve", with, &mut ids);
    say("cortex_recall", json!({ "query": "when do retries stop?", "max_tokens": 400 }), &mut ids);
    say("cortex_history", json!({ "note_id": second }), &mut ids);
    say("cortex_list", json!({ "status": ["resolved"] }), &mut ids);
    let id = Regex::new("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}").unwrap();
    assert_snapshot!(id.replace_all(&said, "NEW"), @r##"
    > cortex_note {"content":"Retries stop after sixty seconds.","kind":"decision","subject":"retry ceiling"}
    Noted decision [retry ceiling] [STAMP] "Retries stop after sixty seconds."
    id: N1
    > cortex_note {"content":"Retries stop after thirty seconds.","kind":"decision","subject":"retry ceiling"}
    Noted decision [retry ceiling] [STAMP] "Retries stop after thirty seconds."
    id: N2
    Superseded 1 note:
      - N1
    > cortex_note {"content":"Retries never stop after thirty seconds.","kind":"decision","subject":"retry ceiling"}
    Noted decision [retry ceiling] [STAMP] "Retries never stop after thirty seconds."
    id: N3
    Contested: it contradicts 1 active decision, and all stay active until cortex_resolve ends one by note_id:
      - N2
    > cortex_resolve {"subject":"retry ceiling"}
    Error: 2 contested notes are active on "retry ceiling"; name one of them by note_id:
      - N3
      - N2
    > cortex_resolve {"note_id":"NEW","status":"superseded"}
    Marked as superseded: decision [retry ceiling] (N2)
    No longer contested:
      - N3
    > cortex_resolve {"note_id":"NEW","status":"superseded"}
    Nothing to change: decision [retry ceiling] (N2) is superseded already
    > cortex_resolve {"replacement":"A retry stops\nafter ten seconds.","subject":"Retry Ceiling"}
    Marked as resolved: decision [retry ceiling] (N3)
    Replaced by NEW: "A retry stops\nafter ten seconds."
    > cortex_recall {"max_tokens":400,"query":"when do retries stop?"}
    decision [retry ceiling] (STAMP, id NEW, branch:main, session host)
      A retry stops
      after ten seconds.
    > cortex_history {"note_id":"NEW"}
    decision [retry ceiling] (STAMP, id N2, superseded, branch:main, session host)
      Retries stop after thirty seconds.
    changes, newest first:
    STAMP settle by session host
    STAMP supersede by session host
    STAMP contest by session host
    STAMP create by session host
    > cortex_list {"status":["resolved"]}
    1 to 1 of 1 notes, newest first:
    decision [retry ceiling] (STAMP, id N3, resolved, branch:main, session host)
      Retries never stop after thirty seconds.
    "##);
}

#[test]
fn an_answer_keeps_to_the_tokens_it_is_given() {
    let world = World::new();
    let mut server = world.serve();
    for number in 0..40 {
        let content = format!("Note {number} on queues. {}", "words ".repeat(40));
        let arguments = json!({ "kind": "insight", "content": content });
        server.call("cortex_note", &arguments, None).unwrap();
    }
    let long = json!({ "kind": "insight", "content": "queues ".repeat(20_000) });
    let id = id_of(&server.call("cortex_note", &long, None).unwrap());
    for tokens in [50, 200, 1000] {
        for (tool, arguments) in [
            ("cortex_recall", json!({ "query": "queues", "max_tokens": tokens })),
            ("cortex_brief", json!({ "max_tokens": tokens })),
        ] {
            let text = server.call(tool, &arguments, None).unwrap();
            // Ids and times count as a flat number of tokens, so there is some play.
            assert!(text.chars().count() < tokens * 4 * 2 + 200, "{tool} {tokens}: {}", text.len());
        }
    }
    let history = json!({ "note_id": id, "max_tokens": 100 });
    let text = server.call("cortex_history", &history, None).unwrap();
    assert!(text.chars().count() < 1_000, "{}", text.chars().count());
}
