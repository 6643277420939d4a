//! `ringfence explain`, as a person sees it.

use serde_json::Value;

use crate::support::{Home, corpus};

/// Standard output with the home's path by name.
fn explained(home: &Home, args: &[&str]) -> (Option<i32>, String) {
    let output = home.run(args, b"");
    assert_eq!(output.stderr, "");
    (output.code, plain(home, &output.stdout))
}

/// A text with the home and what differs from run to run by name.
fn plain(home: &Home, text: &str) -> String {
    let path = home.path().canonicalize().unwrap();
    let ids = regex::Regex::new("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}");
    let text = text.replace(path.to_str().unwrap(), "HOME");
    let text = ids.unwrap().replace_all(&text, "01a22f71-bbbe-753f-b865-d0cbc68a2fa2");
    let places = regex::Regex::new("projects/ringfence-it-\\w+-[0-9a-f]+").unwrap();
    places.replace_all(&text, "projects/LABEL").into_owned()
}

#[test]
fn a_refused_command_is_shown_with_what_was_read() {
    let home = Home::new();
    let (code, text) = explained(&home, &["explain", "cd /tmp && bash -c 'ringfence off'; $X y"]);
    assert_eq!(code, Some(1));
    insta::assert_snapshot!(text, @r##"
    call
      Bash by subagent explain, session explain, in ~
    text (bash)
      cd /tmp && bash -c 'ringfence off'; $X y
      1^^^^^^    2^^^^^^^^^^^^^^^^^^^^^^  4^^^
                                          a
    would run
      1 cd /tmp
        (in /tmp)
      2 bash -c 'ringfence off'
        (in /tmp)
        3 ringfence off
          (by sh -c)
          memory's own program: ringfence off
          would switch the guard off (`ringfence off`)
      4 ‹$X› y
        (in /tmp)
        word 1 may be any number of words: only run time knows $X
        5 y
          (by an unset variable)
    could not read
      a program-unknown: program at byte 36: … y
    stores
      none found
    verdict
      refused (tamper): denied-tamper
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
    call
      Bash by subagent explain, session explain, in ~
    text (bash)
      cortex delete-memory "$ID" --yes
      1^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    would run
      1 cortex delete-memory ‹$ID› --yes
        word 3: only run time knows $ID
        memory's own program: cortex delete-memory
        target-runtime: The target is built when the command runs. [memory id]
    stores
      none found
    verdict
      unproven: target-runtime: The target is built when the command runs. [memory id]
      allowed
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
fn a_screen_of_80_columns_is_enough() {
    let home = Home::new();
    let note =
        ["note", "decision", "Retries stop.", "--subject", "retry ceiling", "--session", "monday"];
    let id = home.run(&note, b"").stdout.trim().to_owned();
    let command = format!(
        "cd /tmp && for i in {id} x; do sudo ringfence delete-memory $i --yes; done; $(cat {id}) | sh -c \"$X\" > out"
    );
    for columns in [80, 120] {
        let text = home.on_terminal(&["explain", &command], columns);
        let widest = text.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(usize::from(columns)), "{widest:?}\n{text}");
        if columns == 80 {
            insta::assert_snapshot!(plain(&home, &text), @r##"
            call
              Bash by subagent explain, session explain, in ~
            text (bash)
              cd /tmp && for i in 01a22f71-bbbe-753f-b865-d0cbc68a2fa2 x; do sudo ringfence
              1^^^^^^                                                        2^^^^^^^^^^^^^^
              delete-memory $i --yes; done; $(cat 01a22f71-bbbe-753f-b865-d0cbc68a2fa2) | sh
              ^^^^^^^^^^^^^^^^^^^^^^        6^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^   8^
                                            a 7^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^    b
               -c "$X" > out
              ^^^^^^^^^^^^^^
            would run
              1 cd /tmp
                (in /tmp)
              2 sudo ringfence delete-memory 01a22f71-bbbe-753f-b865-d0cbc68a2fa2 --yes
                (in /tmp)
                3 ringfence delete-memory 01a22f71-bbbe-753f-b865-d0cbc68a2fa2 --yes
                  (by sudo)
                  memory's own program: ringfence delete-memory
                  would delete decision "retry ceiling"
                    (01a22f71-bbbe-753f-b865-d0cbc68a2fa2)
              4 sudo ringfence delete-memory x --yes
                (in /tmp)
                5 ringfence delete-memory x --yes
                  (by sudo)
                  memory's own program: ringfence delete-memory
                  target-unknown: The id or subject that the call names is not in the
                    store. [x]
              6 ‹$(…)›
                (in /tmp)
                word 1 may be any number of words: only run time knows $(…)
                7 cat 01a22f71-bbbe-753f-b865-d0cbc68a2fa2
                  (by $(…))
              8 sh -c ‹$X›
                (in /tmp, > out, reads what only run time knows)
                word 3: only run time knows $X
            could not read
              a program-unknown: program at byte 108: …
              b target-runtime: code at byte 154: …
            stores
              ~/.local/share/ringfence/projects/LABEL/memor
                y.db, this project's (ringfence)
                the caller's own: session explain; it writes on project
            looked up
              01a22f71-bbbe-753f-b865-d0cbc68a2fa2: decision "retry ceiling", session
                monday, project: not the caller's
              x: not in
                ~/.local/share/ringfence/projects/LABEL/memor
                y.db
            verdict
              unproven: target-unknown: The id or subject that the call names is not in
                the store. [x]
              unproven: program-unknown: A program that is only known when it runs gets
                words that could reach memory. [… at byte 108]
              unproven: target-runtime: The target is built when the command runs. [… at
                byte 154]
              refused (delete): denied-foreign
              | A subagent may not delete memory from earlier work in this directory.
              | This call would delete 1 memory that this conversation did not write:
              |   - decision "retry ceiling" (01a22f71-bbbe-753f-b865-d0cbc68a2fa2)
              | Put the finding in your final message instead; the parent decides about
                it. If it must be done, ask the parent to run `ringfence grant
                01a22f71-bbbe-753f-b865-d0cbc68a2fa2 --action delete`.
            "##);
        }
    }
}

#[test]
fn a_call_on_the_callers_own_memory_says_so() {
    let home = Home::new();
    let note = ["note", "insight", "Mine.", "--session", "explain"];
    let id = home.run(&note, b"").stdout.trim().to_owned();
    let (code, text) =
        explained(&home, &["explain", &format!("ringfence delete-memory {id} --yes")]);
    assert_eq!(code, Some(0));
    insta::assert_snapshot!(text, @r##"
    call
      Bash by subagent explain, session explain, in ~
    text (bash)
      ringfence delete-memory 01a22f71-bbbe-753f-b865-d0cbc68a2fa2 --yes
      1^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    would run
      1 ringfence delete-memory 01a22f71-bbbe-753f-b865-d0cbc68a2fa2 --yes
        memory's own program: ringfence delete-memory
        changes the caller's own memory 01a22f71-bbbe-753f-b865-d0cbc68a2fa2
    stores
      ~/.local/share/ringfence/projects/LABEL/memory.db, this project's (ringfence)
        the caller's own: session explain; it writes on project
    looked up
      01a22f71-bbbe-753f-b865-d0cbc68a2fa2: insight, session explain, project: the caller's own
    verdict
      allowed: it changes only the caller's own memory
    "##);
}

#[test]
fn what_stands_in_a_text_of_its_own_is_marked_at_the_command_around_it() {
    let home = Home::new();
    let text = "X=`ringfence off`; cat <<E\n$(ringfence off)\nE\necho cmluZ2ZlbmNlIG9mZg== | base64 -d | sh";
    let (_, text) = explained(&home, &["explain", "--command", text]);
    let upto = text.find("stores").unwrap();
    insta::assert_snapshot!(&text[..upto], @r##"
    call
      Bash by subagent explain, session explain, in ~
    text (bash)
      X=`ringfence off`; cat <<E
      1^^^^^^^^^^^^^^^^  2^^^^^^
      $(ringfence off)
      E
      echo cmluZ2ZlbmNlIG9mZg== | base64 -d | sh
      4^^^^^^^^^^^^^^^^^^^^^^^^   5^^^^^^^^   6^
    would run
      1 ringfence off
        (by $(…))
        memory's own program: ringfence off
        would switch the guard off (`ringfence off`)
      2 cat
        (<< here-document, reads what only run time knows)
        3 ringfence off
          (by $(…))
          memory's own program: ringfence off
          would switch the guard off (`ringfence off`)
      4 echo cmluZ2ZlbmNlIG9mZg==
      5 base64 -d
        (reads "cmluZ2ZlbmNlIG9mZg==")
      6 sh
        (reads "ringfence off")
        7 ringfence off
          (by sh)
          memory's own program: ringfence off
          would switch the guard off (`ringfence off`)
    "##);
}

#[test]
fn other_shells_texts_are_read_as_theirs() {
    let home = Home::new();
    let mut pages = String::new();
    for (shell, command) in [
        ("pwsh", "cd x; if ($y) { iex 'ringfence off' }; & $z a"),
        ("cmd", "cd x & ringfence off\nfor %i in (1 2) do echo %i"),
    ] {
        let (code, text) = explained(&home, &["explain", "--shell", shell, command]);
        assert_eq!(code, Some(1), "{shell}");
        pages.push_str(&text[..text.find("stores").unwrap()]);
    }
    insta::assert_snapshot!(pages, @r##"
    call
      PowerShell by subagent explain, session explain, in ~
    text (pwsh)
      cd x; if ($y) { iex 'ringfence off' }; & $z a
      1^^^  2^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^  4^^^^^
                                             a
    would run
      1 cd x
      2 iex 'ringfence off'
        (by {…}, in ~/x)
        3 ringfence off
          (by Invoke-Expression)
          memory's own program: ringfence off
          would switch the guard off (`ringfence off`)
      4 ‹$z› a
        (in ~/x)
        word 1 may be any number of words: only run time knows $z
    could not read
      a program-unknown: program at byte 39: … a
    call
      Bash by subagent explain, session explain, in ~
    text (cmd)
      cd x & ringfence off
      1^^^^^^^^^^^^^^^^^^^
      for %i in (1 2) do echo %i
      3^^^^^^^^^^^^^^^^^^^^^^^^^
    would run
      1 cd x
        (in ~/x)
      2 ringfence off
        (in ~/x)
        memory's own program: ringfence off
        would switch the guard off (`ringfence off`)
      3 echo 1
        (by for, in ~/x)
      4 echo 2
        (by for, in ~/x)
    "##);
}

#[test]
fn a_payload_is_explained_with_its_caller_and_the_memory_it_names() {
    let home = Home::new();
    let note =
        ["note", "decision", "Retries stop.", "--subject", "retry ceiling", "--session", "monday"];
    home.run(&note, b"");
    let payload = format!(
        r#"{{"session_id":"tuesday","cwd":"{}","agent_id":"a5c1","agent_type":"Explore","tool_name":"mcp__ringfence__cortex_note","tool_input":{{"kind":"decision","subject":"Retry ceiling","content":"Never."}},"tool_use_id":"t-1"}}"#,
        home.path().canonicalize().unwrap().display()
    );
    let output = home.run(&["explain", "--payload", "-"], payload.as_bytes());
    assert_eq!((output.code, output.stderr.as_str()), (Some(1), ""));
    insta::assert_snapshot!(plain(&home, &output.stdout), @r##"
    call
      mcp__ringfence__cortex_note by subagent a5c1 (Explore), session tuesday, in ~
    stores
      ~/.local/share/ringfence/projects/LABEL/memory.db, this project's (ringfence)
        the caller's own: session tuesday; it writes on project
    looked up
      01a22f71-bbbe-753f-b865-d0cbc68a2fa2: decision "retry ceiling", session monday, project: not the caller's
    verdict
      refused (retire): denied-foreign
      | A subagent may not retire memory from earlier work in this directory.
      | This call would supersede 1 memory that this conversation did not write:
      |   - decision "retry ceiling" (01a22f71-bbbe-753f-b865-d0cbc68a2fa2)
      | Put the finding in your final message instead; the parent decides about it. A note of kind `insight` retires nothing. If it must be done, ask the parent to run `ringfence grant 01a22f71-bbbe-753f-b865-d0cbc68a2fa2 --action retire`.
    "##);
    // A tool that nobody looks at.
    let read = r#"{"session_id":"s","agent_id":"a","tool_name":"Read","tool_input":{}}"#;
    let output = home.run(&["explain", "--payload", "-"], read.as_bytes());
    assert!(output.stdout.contains("not judged: no call of this tool concerns memory"));
}

#[test]
fn the_last_call_of_the_log_is_explained_where_the_log_keeps_it() {
    let home = Home::new();
    let nothing = home.run(&["explain", "--last"], b"");
    assert_eq!(nothing.code, Some(1));
    insta::assert_snapshot!(nothing.stderr, @r##"
    error: no call concerned memory yet, so there is no last one

    hint: ringfence explain --command 'cortex delete-memory ID --yes'
    "##);
    let call = br#"{"session_id":"s","cwd":"/tmp","agent_id":"a","tool_name":"Bash","tool_input":{"command":"ringfence off"},"tool_use_id":"t"}"#;
    home.run(&["hook", "pre-tool-use"], call);
    let bare = home.run(&["explain", "--last"], b"");
    assert_eq!(bare.code, Some(1));
    assert!(bare.stderr.contains("deny (denied-tamper) at 2"), "{}", bare.stderr);
    assert!(bare.stderr.contains("hint: ringfence install --verbose-log"), "{}", bare.stderr);
    let other = String::from_utf8_lossy(call).replace(r#":"t""#, r#":"u""#);
    home.run(&["hook", "pre-tool-use", "--log", "verbose"], other.as_bytes());
    let kept = home.run(&["explain", "--last"], b"");
    assert_eq!(kept.code, Some(1));
    assert!(kept.stdout.contains("Bash by subagent a, session s, in /tmp\n"), "{}", kept.stdout);
    assert!(
        kept.stdout.contains("the last of the log: deny (denied-tamper) at 2"),
        "{}",
        kept.stdout
    );
}

#[test]
fn nothing_in_a_command_can_write_on_the_screen_or_take_long() {
    let home = Home::new();
    let evil = "cortex \u{1b}[2J \u{202e}\t日本 '\r' \u{7f}\u{85}; A=\u{2028} $'\\e[0m' > \u{feff}x\n\u{301}";
    for shell in ["bash", "pwsh", "cmd"] {
        for args in [&["explain", "--shell", shell][..], &["explain", "--json", "--shell", shell]] {
            let text = home.run(&[args, &[evil]].concat(), b"").stdout;
            let bad = text.chars().find(|letter| {
                letter.is_control() && *letter != '\n'
                    || matches!(letter, '\u{202e}' | '\u{2028}' | '\u{feff}')
            });
            assert_eq!(bad, None, "{shell}: {text}");
        }
    }
    // Two megabytes do not fit on a command line, but into a payload.
    let long =
        format!("{}cortex delete-memory x --yes{}", "true; ".repeat(170_000), " a".repeat(500_000));
    let payload = format!(
        r#"{{"session_id":"s","agent_id":"a","tool_name":"Bash","tool_input":{{"command":"{long}"}}}}"#
    );
    let output = home.run(&["explain", "--payload", "-"], payload.as_bytes());
    assert!(matches!(output.code, Some(0 | 1)), "{}", output.stderr);
    assert!(output.stdout.lines().count() < 400, "{}", output.stdout.lines().count());
    assert!(output.stdout.len() < 100_000, "{}", output.stdout.len());
}

#[test]
fn a_payload_without_an_agents_mark_is_the_parents() {
    let home = Home::new();
    let marked = br#"{"tool_name":"Bash","tool_input":{"command":"ringfence off"},"agentId":"x"}"#;
    let parents = br#"{"tool_name":"Bash","tool_input":{"command":"ringfence off"}}"#;
    assert_eq!(home.run(&["explain", "--payload", "-"], marked).code, Some(1));
    let output = home.run(&["explain", "--payload", "-"], parents);
    assert_eq!(output.code, Some(0));
    assert!(output.stdout.contains("not judged: without an agent mark it is the parent's\n"));
    assert!(output.stdout.ends_with("allowed: not judged\n"));
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
