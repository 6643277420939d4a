//! `ringfence explain`, as a person sees it.

use serde_json::Value;

use crate::support::{Home, corpus};

/// Standard output with the home's path by name.
fn explained(home: &Home, args: &[&str]) -> (Option<i32>, String) {
    let output = home.run(args, b"");
    assert_eq!(output.stderr, "");
    let path = home.path().canonicalize().unwrap();
    (output.code, output.stdout.replace(path.to_str().unwrap(), "HOME"))
}

#[test]
fn a_refused_command_is_shown_with_what_was_read() {
    let home = Home::new();
    let (code, text) = explained(&home, &["explain", "cd /tmp && bash -c 'ringfence off'; $X y"]);
    assert_eq!(code, Some(1));
    insta::assert_snapshot!(text, @r##"
    would run
      cd /tmp  (in /tmp)
      bash -c ringfence off  (in /tmp)
      ringfence off  (by sh -c, in /tmp)
      … y  (in /tmp)
    could not read
      program at byte 36: … y
    stores
      none found
    verdict
      refused (tamper)
      | A subagent may not use the commands that loosen the guard or replace its store.
      | This call would:
      |   - switch the guard off (`ringfence off`)
      | Say in your final message what should change and why; the parent can do it.
    "##);
}

#[test]
fn an_allowed_command_says_why_when_nothing_was_proved() {
    let home = Home::new();
    let (code, text) = explained(&home, &["explain", "cortex delete-memory \"$ID\" --yes"]);
    assert_eq!(code, Some(0));
    insta::assert_snapshot!(text, @r##"
    would run
      cortex delete-memory … --yes  (in HOME)
    stores
      none found
    verdict
      allowed
      unproven: target-runtime: The target is built when the command runs. [memory id]
    "##);
}

#[test]
fn the_document_is_the_one_in_the_example() {
    let home = Home::new();
    let (code, text) =
        explained(&home, &["explain", "--json", "bash -c 'ringfence off' && ls \"$X\""]);
    let expected: Value = serde_json::from_str(&corpus("json/explain.json")).unwrap();
    let printed: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(code, Some(1));
    assert_eq!(printed, expected);
}

#[test]
fn a_payload_without_an_agents_mark_is_the_parents() {
    let home = Home::new();
    let marked = br#"{"tool_name":"Bash","tool_input":{"command":"ringfence off"},"agentId":"x"}"#;
    let parents = br#"{"tool_name":"Bash","tool_input":{"command":"ringfence off"}}"#;
    assert_eq!(home.run(&["explain", "--payload", "-"], marked).code, Some(1));
    let output = home.run(&["explain", "--payload", "-"], parents);
    assert_eq!(output.code, Some(0));
    assert!(output.stdout.ends_with("allowed: without an agent mark it is the parent's call\n"));
}

#[test]
fn what_cannot_be_explained_is_an_error_with_a_hint() {
    let home = Home::new();
    let nothing = home.run(&["explain"], b"");
    assert_eq!(nothing.code, Some(64));
    insta::assert_snapshot!(nothing.stderr, @r##"
    error: there is nothing to explain

    hint: ringfence explain 'cortex delete-memory ID --yes'
    "##);
    let gone = home.run(&["explain", "--payload", "gone.json"], b"");
    assert_eq!(gone.code, Some(1));
    insta::assert_snapshot!(gone.stderr, @r##"
    error: `gone.json` cannot be read
      No such file or directory (os error 2)
    "##);
    let broken = home.run(&["explain", "--payload", "-"], b"[1]");
    assert_eq!(broken.code, Some(1));
    insta::assert_snapshot!(broken.stderr, @r##"error: `-` is no JSON object"##);
}

#[test]
fn every_reason_code_is_listed() {
    let home = Home::new();
    let text = home.run(&["explain", "--codes"], b"").stdout;
    let document = home.run(&["explain", "--codes", "--json"], b"").stdout;
    let document: Value = serde_json::from_str(&document).unwrap();
    let words: Vec<&str> = document["codes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["code"].as_str().unwrap())
        .collect();
    let listed: Vec<&str> = text.lines().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(words, listed);
    assert!(words.contains(&"denied-foreign") && words.len() > 20);
}
