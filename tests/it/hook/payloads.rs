//! Payloads of every class: what is read, and that nothing unread ever blocks.

use std::path::Path;

use proptest::prelude::*;

use crate::support::{Home, Output};

/// Silence: what every call gets that is not refused.
fn silence() -> Output {
    Output { code: Some(0), stdout: String::new(), stderr: String::new() }
}

#[test]
fn every_recorded_payload_of_an_empty_machine_is_let_through_in_silence() {
    let home = Home::new();
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/payloads");
    let mut count = 0;
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path)
            .unwrap()
            .replace("{{PROJECT}}", home.path().to_str().unwrap());
        for event in ["pre-tool-use", "session-start", "subagent-start", "post-tool-use-failure"] {
            assert_eq!(
                home.run(&["hook", event], text.as_bytes()),
                silence(),
                "{event} {}",
                path.display()
            );
        }
        count += 1;
    }
    assert!(count > 40, "only {count} payloads");
}

#[test]
fn what_cannot_be_read_is_let_through_and_logged_when_it_holds_an_agent_mark() {
    let deep = format!(r#"{{"agent_id":"a","x":{}"#, "[".repeat(10_000));
    for (payload, logged) in [
        (&b""[..], false),
        (b"{ this is not json", false),
        (b"[]", false),
        (b"null", false),
        (b"\xff\xfe{", false),
        (b"{\"agent_id\":\"a\"", true),
        (b"agent_id", true),
        (b"[\"agentId\"]", true),
        (deep.as_bytes(), true),
    ] {
        let home = Home::new();
        assert_eq!(home.run(&["hook", "pre-tool-use"], payload), silence());
        let log = std::fs::read_to_string(home.path().join(".local/state/ringfence/log.jsonl"));
        let lines = log.unwrap_or_default();
        assert_eq!(lines.lines().count(), usize::from(logged), "{payload:?}: {lines}");
        assert_eq!(lines.contains("payload-unreadable"), logged);
    }
}

#[test]
fn a_payload_of_five_megabytes_and_one_of_ten_thousand_levels_are_read() {
    let home = Home::new();
    let wide = format!(
        r#"{{"session_id":"s","agent_id":"a","cwd":"/","tool_name":"Bash","tool_input":{{"command":"echo {}"}}}}"#,
        "x".repeat(5_000_000)
    );
    let deep = format!(
        r#"{{"session_id":"s","agent_id":"a","cwd":"/","tool_name":"mcp__x__y","tool_input":{{"a":{}{}}}}}"#,
        "[".repeat(10_000),
        "]".repeat(10_000)
    );
    for payload in [wide, deep] {
        assert_eq!(home.run(&["hook", "pre-tool-use"], payload.as_bytes()), silence());
    }
}

#[test]
fn a_session_id_never_names_a_file_outside_the_state_directory() {
    let home = Home::new();
    for id in ["../../../escaped", "/tmp/escaped", "a/b", "\\u0000", "..", ""] {
        let payload =
            format!(r#"{{"session_id":"{id}","cwd":"/","agent_id":"a","source":"startup"}}"#);
        for event in ["session-start", "session-end", "subagent-start"] {
            assert_eq!(home.run(&["hook", event], payload.as_bytes()), silence());
        }
    }
    let mut found = Vec::new();
    walk(home.path(), &mut found);
    let state = home.path().join(".local/state/ringfence");
    assert!(found.iter().all(|path| path.starts_with(&state)), "{found:?}");
}

fn walk(dir: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { walk(&path, found) } else { found.push(path) }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn no_argument_list_ends_in_anything_but_silence(words in proptest::collection::vec("[a-z-]{0,12}|--store|--config|--state|--with|--host|pre-tool-use|--help|-h", 0..6)) {
        let home = Home::new();
        let mut args = vec!["hook"];
        args.extend(words.iter().map(String::as_str).filter(|word| !word.starts_with("self-test")));
        prop_assert_eq!(home.run(&args, b"{}"), silence());
    }

    #[test]
    fn no_bytes_end_in_anything_but_silence(bytes in proptest::collection::vec(any::<u8>(), 0..300), marked: bool) {
        let home = Home::new();
        let mut payload = if marked { b"{\"agent_id\":\"a\",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"".to_vec() } else { Vec::new() };
        payload.extend(bytes);
        prop_assert_eq!(home.run(&["hook", "pre-tool-use"], &payload), silence());
    }
}
