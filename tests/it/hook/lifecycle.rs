//! Sessions, subagents and child sessions, as the hook records them.

use std::process::{Command, Stdio};

use ringfence::state::{LogLine, State};

use crate::support::{BINARY, Home};

fn state(home: &Home) -> State {
    State::at(home.path().join(".local/state/ringfence"))
}

fn start(session: &str, source: &str) -> String {
    format!(
        r#"{{"session_id":"{session}","cwd":"/","hook_event_name":"SessionStart","source":"{source}"}}"#
    )
}

#[test]
fn the_first_sight_of_a_session_is_kept_over_resume_and_compaction() {
    let home = Home::new();
    home.run(&["hook", "session-start"], start("s", "startup").as_bytes());
    let first = state(&home).session("s").unwrap();
    home.run(&["hook", "session-end"], br#"{"session_id":"s","reason":"other"}"#);
    assert!(!state(&home).session("s").unwrap().ended.is_empty());
    for source in ["compact", "resume"] {
        home.run(&["hook", "session-start"], start("s", source).as_bytes());
        let again = state(&home).session("s").unwrap();
        assert_eq!(
            (again.first_seen, again.ended),
            (first.first_seen.clone(), String::new()),
            "{source}"
        );
    }
}

#[test]
fn a_start_that_two_registrations_report_is_no_restart() {
    let home = Home::new();
    for (source, restarted) in
        [("startup", false), ("startup", false), ("compact", true), ("startup", true)]
    {
        home.run(&["hook", "session-start"], start("s", source).as_bytes());
        assert_eq!(state(&home).session("s").unwrap().restarted, restarted, "{source}");
    }
}

#[test]
fn what_two_of_us_say_of_one_call_is_one_line() {
    let home = Home::new();
    let state = state(&home);
    let line = |call: &str, verdict: &str, code: &str| LogLine {
        session: "s".into(),
        call: Some(call.into()),
        verdict: verdict.into(),
        code: code.into(),
        ..LogLine::default()
    };
    for round in 0..20 {
        let call = format!("t{round}");
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| state.append_log(&line(&call, "deny", "foreign")).unwrap());
            }
        });
    }
    let calls =
        || -> Vec<_> { state.log_lines().into_iter().map(|line| line.call.unwrap()).collect() };
    assert_eq!(calls(), (0..20).map(|round| format!("t{round}")).collect::<Vec<_>>());
    // A refusal is all there is to say of a call; two doubts are two; another session's call is another.
    state.append_log(&line("t0", "allow", "unknown-id")).unwrap();
    state
        .append_log(&LogLine { session: "other".into(), ..line("t0", "deny", "foreign") })
        .unwrap();
    for code in ["run-time", "run-time", "unknown-id"] {
        state.append_log(&line("u", "allow", code)).unwrap();
    }
    assert_eq!(calls()[20..], ["t0", "u", "u"]);
    // Calls without an id cannot be told apart.
    for _ in 0..2 {
        state.append_log(&LogLine { call: None, ..line("", "allow", "crashed") }).unwrap();
    }
    assert_eq!(state.log_lines().len(), 25);
}

#[test]
fn a_log_that_somebody_keeps_locked_is_written_all_the_same() {
    let home = Home::new();
    let state = state(&home);
    let line = LogLine { call: Some("t".into()), ..LogLine::default() };
    state.append_log(&line).unwrap();
    let held = std::fs::File::open(state.log_path()).unwrap();
    held.lock().unwrap();
    state.append_log(&LogLine { code: "other".into(), ..line }).unwrap();
    assert_eq!(state.log_lines().len(), 2);
}

#[test]
fn subagents_are_recorded_with_their_session_and_only_with_an_id() {
    let home = Home::new();
    home.run(&["hook", "subagent-start"], br#"{"session_id":"s","agent_id":"a","cwd":"/"}"#);
    home.run(&["hook", "subagent-start"], br#"{"session_id":"s","agent_id":7,"cwd":"/"}"#);
    home.run(&["hook", "subagent-stop"], br#"{"session_id":"s","agent_id":"a","cwd":"/"}"#);
    let calls: Vec<_> =
        state(&home).recent_calls().into_iter().map(|call| (call.event, call.agent)).collect();
    assert_eq!(
        calls,
        [("subagent-stop".into(), Some("a".into())), ("subagent-start".into(), Some("a".into()))]
    );
}

#[test]
fn every_memory_call_is_recorded_with_its_maker_the_parents_too() {
    let home = Home::new();
    for (agent, tool, input) in [
        ("", "mcp__cortex__cortex_note", r#"{"kind":"insight"}"#),
        (r#""agent_id":"a","#, "mcp__x__cortex_resolve", "{}"),
        ("", "Bash", r#"{"command":"ringfence note insight x"}"#),
        ("", "Bash", r#"{"command":"ls"}"#),
        ("", "Bash", r#"{"command":"ringfence grant 019b-1 && echo ringfence grant no"}"#),
    ] {
        let payload = format!(
            r#"{{"session_id":"s",{agent}"cwd":"/","tool_name":"{tool}","tool_input":{input},"tool_use_id":"t"}}"#
        );
        home.run(&["hook", "pre-tool-use"], payload.as_bytes());
    }
    let mut calls: Vec<_> = state(&home)
        .recent_calls()
        .into_iter()
        .map(|call| (call.tool, call.agent, call.grants))
        .collect();
    calls.reverse();
    assert_eq!(
        calls,
        [
            ("mcp__cortex__cortex_note".to_owned(), None, Vec::<String>::new()),
            ("mcp__x__cortex_resolve".to_owned(), Some("a".to_owned()), Vec::new()),
            ("Bash".to_owned(), None, Vec::new()),
            ("Bash".to_owned(), None, vec!["019b-1".to_owned()]),
        ]
    );
}

/// Plays clients with shells: a client is a `sleep`-like process that runs the hook as its child.
#[test]
fn a_client_started_from_another_clients_tool_call_is_its_child() {
    let home = Home::new();
    // The outer client starts a session, then a tool call starts an inner client that does the same.
    // Programs named `client` stand for the client, because shells between are not clients.
    let client = home.path().join("client");
    std::os::unix::fs::symlink("/bin/bash", &client).unwrap();
    let hook = |session: &str| {
        format!("printf '%s' '{}' | '{BINARY}' hook session-start", start(session, "startup"))
    };
    let inner = format!("{}; true", hook("inner"));
    let outer = format!(
        "{}; sh -c \"'{}' -c \\\"\\$INNER\\\"; true\"; true",
        hook("outer"),
        client.display()
    );
    let run_given = |code: &str, given: Option<&str>| {
        let status = Command::new(&client)
            .args(["-c", code])
            .env_clear()
            .env("HOME", home.path())
            .env("PATH", "/usr/bin:/bin")
            .env("INNER", &inner)
            .envs(given.map(|session| ("CLAUDE_CODE_SESSION_ID", session)))
            .stdin(Stdio::null())
            .status()
            .unwrap();
        assert!(status.success());
    };
    let run = |code: &str| run_given(code, None);
    run(&outer);
    // A client of its own, not below the first.
    run(&format!("{}; true", hook("apart")));
    // Cut loose from the shell that started it: only its environment still tells.
    run_given(&format!("{}; true", hook("loose")), Some("outer"));
    run_given(&format!("{}; true", hook("strange")), Some("never-seen"));
    run_given(&format!("{}; true", hook("apart")), Some("apart"));
    let state = state(&home);
    assert_eq!(state.parent_of("loose").as_deref(), Some("outer"));
    assert_eq!(state.parent_of("strange"), None);
    assert_eq!(state.parent_of("inner").as_deref(), Some("outer"));
    assert_eq!(state.parent_of("outer"), None);
    assert_eq!(state.parent_of("apart"), None);
    let mut children = state.children_of("outer");
    children.sort();
    assert_eq!(children, ["inner", "loose"]);
    assert_eq!(state.root_of("inner"), "outer");
}

#[test]
fn a_client_by_the_name_of_a_shell_is_a_client_all_the_same() {
    let home = Home::new();
    let outer = home.path().join("client");
    let inner = home.path().join("bash");
    for path in [&outer, &inner] {
        std::os::unix::fs::symlink("/bin/bash", path).unwrap();
    }
    // As the client does it: the hook runs in a kernel session of its own.
    let hook = |session: &str| {
        format!(
            "printf '%s' '{}' | setsid '{BINARY}' hook session-start",
            start(session, "startup")
        )
    };
    let status = Command::new(&outer)
        .args(["-c", &format!("{}; '{}' -c \"$INNER\"; true", hook("outer"), inner.display())])
        .env_clear()
        .env("HOME", home.path())
        .env("PATH", "/usr/bin:/bin")
        .env("INNER", format!("{}; true", hook("inner")))
        .stdin(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
    assert_eq!(state(&home).parent_of("inner").as_deref(), Some("outer"));
    assert_eq!(state(&home).parent_of("outer"), None);
}

#[test]
fn a_client_that_was_cut_off_from_its_ancestors_is_known_by_what_it_was_started_with() {
    let home = Home::new();
    let client = home.path().join("client");
    std::os::unix::fs::symlink("/bin/bash", &client).unwrap();
    for (named, session, parent) in [
        ("", "outer", None),
        ("outer", "inner", Some("outer")),
        ("outer", "outer", None),
        ("never-seen", "apart", None),
    ] {
        let hook = format!(
            "printf '%s' '{}' | '{BINARY}' hook session-start; true",
            start(session, "startup")
        );
        let status = Command::new(&client)
            .args(["-c", &hook])
            .env_clear()
            .env("HOME", home.path())
            .env("PATH", "/usr/bin:/bin")
            .env("CLAUDE_CODE_SESSION_ID", named)
            .stdin(Stdio::null())
            .status()
            .unwrap();
        assert!(status.success());
        assert_eq!(state(&home).parent_of(session).as_deref(), parent, "{named} {session}");
    }
}

#[test]
fn a_grant_is_taken_once_and_given_back_when_the_call_fails() {
    let home = Home::new();
    let state = state(&home);
    let grant = ringfence::state::Grant {
        session: "s".into(),
        store: "/m.db".into(),
        id: "n1".into(),
        action: "any".into(),
        until: i64::MAX,
    };
    state.keep_grant(&grant).unwrap();
    assert!(!state.take_grant("other", "/m.db", "n1", "delete", "t1"));
    assert!(!state.take_grant("s", "/m.db", "n2", "delete", "t1"));
    assert!(state.take_grant("s", "/m.db", "n1", "delete", "t1"));
    assert!(!state.take_grant("s", "/m.db", "n1", "delete", "t2"));
    assert!(state.take_grant("s", "/m.db", "n1", "delete", "t1"), "its own twin is the same call");
    assert!(state.has_grant("s", "/m.db", "n1", "delete", "t1"));
    assert!(!state.take_grant("s", "/m.db", "n1", "delete", ""), "no id is no twin");
    home.run(
        &["hook", "post-tool-use-failure"],
        br#"{"session_id":"s","tool_use_id":"t1","agent_id":"a"}"#,
    );
    assert!(state.take_grant("s", "/m.db", "n1", "edit", "t3"));
    state.keep_grant(&ringfence::state::Grant { until: 1, ..grant.clone() }).unwrap();
    assert!(!state.take_grant("s", "/m.db", "n1", "delete", "t4"), "it has run out");
    state.keep_grant(&ringfence::state::Grant { action: "edit".into(), ..grant }).unwrap();
    assert!(!state.take_grant("s", "/m.db", "n1", "delete", "t5"), "it is for another action");
}

#[test]
fn of_two_calls_at_once_one_takes_the_grant() {
    let home = Home::new();
    let state = state(&home);
    for round in 0..20 {
        let grant = ringfence::state::Grant {
            session: "s".into(),
            store: "/m.db".into(),
            id: format!("n{round}"),
            action: "any".into(),
            until: i64::MAX,
        };
        state.keep_grant(&grant).unwrap();
        let takers: Vec<_> = (0..4)
            .map(|taker| {
                let (state, id) = (state.clone(), grant.id.clone());
                std::thread::spawn(move || {
                    state.take_grant("s", "/m.db", &id, "delete", &format!("t{taker}"))
                })
            })
            .collect();
        let won = takers
            .into_iter()
            .filter(|_| true)
            .map(|taker| taker.join().unwrap())
            .filter(|won| *won)
            .count();
        assert_eq!(won, 1);
    }
}

/// Runs a text in a shell at a terminal of its own, as a person does; what it printed.
fn at_terminal(home: &Home, text: &str) -> String {
    let output = Command::new("script")
        .args(["-qec", text, "/dev/null"])
        .env_clear()
        .env("HOME", home.path())
        .env("PATH", "/usr/bin:/bin")
        .env("SHELL", "/bin/sh")
        .current_dir(home.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).replace('\r', "")
}

#[test]
fn a_child_session_that_a_person_resumes_is_that_persons() {
    let home = Home::new();
    let state = state(&home);
    let client = home.path().join("client");
    std::os::unix::fs::symlink("/bin/bash", &client).unwrap();
    let mark = || {
        let record = ringfence::state::SessionRecord {
            session: "inner".into(),
            first_seen: "2026-12-01T07:00:00.000Z".into(),
            child_of: Some("outer".into()),
            ..Default::default()
        };
        state.record_session(record).unwrap();
        assert_eq!(state.parent_of("inner").as_deref(), Some("outer"));
    };
    // The client starts its hooks in a kernel session of their own, without the terminal.
    let hook = |source: &str| {
        format!(
            "'{}' -c \"printf '%s' '{}' | setsid -w '{BINARY}' hook session-start; true\"",
            client.display(),
            start("inner", source).replace('"', "\\\"")
        )
    };
    for (source, text, resumed) in [
        ("resume", hook("resume"), true),
        ("startup", hook("startup"), true),
        ("compact", hook("compact"), false),
        ("clear", hook("clear"), false),
        ("below a client", format!("CLAUDECODE=1 {}", hook("resume")), false),
        ("no terminal", format!("setsid -w {}", hook("resume")), false),
    ] {
        mark();
        at_terminal(&home, &text);
        assert_eq!(state.parent_of("inner").is_none(), resumed, "{source}");
        assert_eq!(state.session("inner").unwrap().child_of.is_none(), resumed, "{source}");
    }
}

#[test]
fn a_pause_is_for_the_time_and_the_project_that_a_person_says() {
    let home = Home::new();
    let work = home.dir("work/deep");
    std::fs::create_dir_all(home.path().join("work/.git/objects")).unwrap();
    std::fs::create_dir_all(home.path().join("work/.git/refs")).unwrap();
    home.file("work/.git/HEAD", "ref: refs/heads/main\n");
    let client = home.path().join("client");
    std::os::unix::fs::symlink("/bin/bash", &client).unwrap();
    let notice = |cwd: &std::path::Path| {
        let payload = format!(
            r#"{{"session_id":"s","cwd":"{}","hook_event_name":"SessionStart","source":"startup"}}"#,
            cwd.display()
        );
        let time = regex::Regex::new(r"\d{4}-\d\d-\d\dT[\d:.]+Z").unwrap();
        // Below a client of its own, because this test is above the person's commands.
        let output = Command::new(&client)
            .args(["-c", &format!("printf '%s' '{payload}' | '{BINARY}' hook session-start; true")])
            .env_clear()
            .env("HOME", home.path())
            .env("PATH", "/usr/bin:/bin")
            .output()
            .unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        time.replace_all(&said.replace(home.path().to_str().unwrap(), "~"), "TIME").into_owned()
    };
    assert_eq!(notice(&work), "");
    let said = at_terminal(&home, &format!("cd work/deep && '{BINARY}' off --for 1m --project"));
    assert!(said.contains("the guard is off for ") && said.contains("/work until "), "{said}");
    assert_eq!(
        notice(&work),
        "{\"systemMessage\":\"Ringfence is off for ~/work until TIME: subagents may change any memory\"}\n"
    );
    assert_eq!(notice(home.path()), "");
    at_terminal(&home, &format!("'{BINARY}' off --for 2s"));
    assert!(notice(home.path()).contains("Ringfence is off until TIME"));
    // It comes back by itself.
    std::thread::sleep(std::time::Duration::from_millis(2_100));
    assert_eq!(notice(home.path()), "");
    assert!(notice(&work).contains("for ~/work"));
    at_terminal(&home, &format!("cd work && '{BINARY}' off --project --end"));
    assert_eq!(notice(&work), "");
    let below = at_terminal(&home, &format!("CLAUDECODE=1 '{BINARY}' off"));
    assert!(below.contains("only a person at a terminal outside any client"), "{below}");
}
