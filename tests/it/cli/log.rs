//! `ringfence log` and `ringfence stats`, as a person and a program see them.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::symlink;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::support::{BINARY, Home, corpus};

const LOG: &str = ".local/state/ringfence/log.jsonl";

/// A home with the log of the corpus.
fn home() -> Home {
    let home = Home::new();
    home.file(LOG, &corpus("log/calls.jsonl"));
    home
}

fn shown(home: &Home, args: &[&str]) -> String {
    let output = home.run(args, b"");
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{args:?}");
    output.stdout
}

#[test]
fn a_pipe_gets_one_whole_line_for_each_call() {
    insta::assert_snapshot!(shown(&home(), &["log"]), @r##"
    2026-11-30T21:58:03.120Z  refused   denied-foreign  Bash                         a5c1f00d2b7e4a90c   1.2ms  delete 01a22f71-bbbe-753f-b865-d0cbc68a2fa2
    2026-11-30T21:58:40.002Z  unproven  target-runtime  Bash                         a5c1f00d2b7e4a90c   0.9ms  (memory id)
    2026-11-30T22:10:15.740Z  allowed   allowed-own     mcp__cortex__cortex_resolve  a5c1f00d2b7e4a90c   1.1ms  01a22f71-bbbe-753f-b865-d0cbc68a2fa3
    2026-11-30T22:11:00.000Z  refused   denied-tamper   Write                        a77                 0.8ms  tamper /home/you/project/.cortex.db
    2026-11-30T22:15:31.999Z  unproven  store-locked    mcp__cortex__cortex_note     a5c1f00d2b7e4a90c  41.2ms  (/home/you/.cortex/cortex.db) also scope-unknown
    2026-11-30T22:20:00.500Z  allowed   granted         Bash                         a77                 1.5ms  (01a22f71-bbbe-753f-b865-d0cbc68a2fa2)
    2026-11-30T22:30:00.000Z  refused   denied-foreign  Bash                         a5c1f00d2b7e4a90c   2.2ms  retire 1 2 3 and 2 more
    2026-11-30T22:30:01.000Z  failed    crashed         -                            -                       -  (src/guard/mod.rs:12)
    "##);
}

#[test]
fn a_narrow_screen_gets_two_rows_where_one_is_too_short() {
    insta::assert_snapshot!(home().on_terminal(&["log"], 80), @r##"
    11-30 21:58:03  refused   denied-foreign  Bash            a5c1f00d…
                    delete 01a22f71-bbbe-753f-b865-d0cbc68a2fa2
    11-30 21:58:40  unproven  target-runtime  Bash            a5c1f00d…  (memory id)
    11-30 22:10:15  allowed   allowed-own     cortex_resolve  a5c1f00d…
                    01a22f71-bbbe-753f-b865-d0cbc68a2fa3
    11-30 22:11:00  refused   denied-tamper   Write           a77
                    tamper /home/you/project/.cortex.db
    11-30 22:15:31  unproven  store-locked    cortex_note     a5c1f00d…
                    (/home/you/.cortex/cortex.db) also scope-unknown
    11-30 22:20:00  allowed   granted         Bash            a77
                    (01a22f71-bbbe-753f-b865-d0cbc68a2fa2)
    11-30 22:30:00  refused   denied-foreign  Bash            a5c1f00d…
                    retire 1 2 3 and 2 more
    11-30 22:30:01  failed    crashed         -               -
                    (src/guard/mod.rs:12)
    "##);
}

#[test]
fn a_wide_screen_gets_one_row_a_call() {
    insta::assert_snapshot!(home().on_terminal(&["log", "-n", "4"], 120), @r##"
    11-30 22:15:31  unproven  store-locked    cortex_note  a5c1f00d…  (/home/you/.cortex/cortex.db) also scope-unknown
    11-30 22:20:00  allowed   granted         Bash         a77        (01a22f71-bbbe-753f-b865-d0cbc68a2fa2)
    11-30 22:30:00  refused   denied-foreign  Bash         a5c1f00d…  retire 1 2 3 and 2 more
    11-30 22:30:01  failed    crashed         -            -          (src/guard/mod.rs:12)
    "##);
}

#[test]
fn filters_choose_by_outcome_reason_agent_session_tool_and_time() {
    let home = home();
    let count = |args: &[&str]| {
        let args = [&["log"][..], args].concat();
        home.run(&args, b"").stdout.lines().count()
    };
    for (args, expected) in [
        (&[][..], 8),
        (&["--denied"], 3),
        (&["--unproven"], 3),
        (&["--denied", "--unproven"], 6),
        (&["--code", "target-runtime"], 1),
        (&["--code", "scope-unknown"], 1),
        (&["--code", "scope-unknown,granted"], 2),
        (&["--agent", "a5c1f00d2b7e4a90c"], 5),
        (&["--session", "other"], 1),
        (&["--tool", "Write"], 1),
        (&["--since", "1h"], 0),
        (&["-n", "2"], 2),
        (&["-n", "0"], 0),
    ] {
        let args = if args.contains(&"-n") {
            [&["log"], args].concat()[1..].to_vec()
        } else {
            args.to_vec()
        };
        assert_eq!(count(&args), expected, "{args:?}");
    }
    let wrong = home.run(&["log", "--code", "denied-foreing"], b"");
    assert_eq!(wrong.code, Some(64));
    insta::assert_snapshot!(wrong.stderr, @r##"
    error: `denied-foreing` is no reason code

    hint: ringfence explain --codes
    "##);
}

#[test]
fn a_call_is_of_its_project_also_from_below_it_and_from_its_other_work_trees() {
    let home = Home::new();
    for below in ["one/.git/objects", "one/.git/refs", "one/src", "two"] {
        home.dir(below);
    }
    home.file("one/.git/HEAD", "ref: refs/heads/main\n");
    home.file("tree/.git", &format!("gitdir: {}/one/.git/worktrees/tree\n", home.path().display()));
    home.file("one/.git/worktrees/tree/HEAD", "ref: refs/heads/tree\n");
    home.file("one/.git/worktrees/tree/commondir", "../..\n");
    home.run_in(&home.path().join("one"), &["note", "insight", "x", "--session", "earlier"], b"");
    let refuse = |dir: &str, call: &str| {
        let payload = serde_json::json!({
            "session_id": "s", "cwd": home.path().join(dir), "agent_id": "a", "tool_name": "Bash",
            "tool_input": {"command": "ringfence uninstall"}, "tool_use_id": call,
        });
        let dir = home.path().join(dir);
        let output = home.run_in(&dir, &["hook", "pre-tool-use"], payload.to_string().as_bytes());
        assert!(output.stdout.contains("deny"), "{output:?}");
    };
    for (number, dir) in ["one", "one/src", "tree", "two"].into_iter().enumerate() {
        refuse(dir, &format!("t{number}"));
    }
    let calls = |dir: &str, args: &[&str]| {
        let output = home.run_in(&home.path().join(dir), args, b"");
        let document: Value = serde_json::from_str(&output.stdout).unwrap();
        match document.get("lines") {
            Some(lines) => {
                lines.as_array().unwrap().iter().map(|l| l["call"].to_string()).collect()
            }
            None => document["calls"].to_string(),
        }
    };
    for dir in ["one", "one/src", "tree"] {
        assert_eq!(calls(dir, &["log", "--project", "--json"]), "\"t0\"\"t1\"\"t2\"", "{dir}");
        assert_eq!(calls(dir, &["stats", "--project", "--json"]), "3", "{dir}");
    }
    assert_eq!(calls("two", &["log", "--project", "--json"]), "\"t3\"");
    assert_eq!(calls("two", &["stats", "--project", "--json"]), "1");
    assert_eq!(calls("two", &["stats", "--json"]), "4");
    let page = |dir: &str| home.run_in(&home.path().join(dir), &["report", "-o", "-"], b"").stdout;
    assert_eq!(page("one/src").matches("<td>tamper</td>").count(), 3);
    assert_eq!(page("two").matches("<td>tamper</td>").count(), 1);
    assert_eq!(page("").matches("<td>tamper</td>").count(), 0);
    let none = home.run(&["log", "--project"], b"");
    assert_eq!(none.stderr, "no call of the log is like that\n");
}

#[test]
fn the_documents_are_those_of_the_examples() {
    let home = home();
    for (args, example) in [
        (&["log", "-n", "2", "--json"][..], "json/log.json"),
        (&["stats", "--json"], "json/stats.json"),
    ] {
        let printed: Value = serde_json::from_str(&shown(&home, args)).unwrap();
        let expected: Value = serde_json::from_str(&corpus(example)).unwrap();
        assert_eq!(printed, expected, "{example}");
    }
}

#[test]
fn stats_count_outcomes_and_reasons_and_give_percentiles() {
    insta::assert_snapshot!(shown(&home(), &["stats"]), @r##"
    8 logged calls, 2026-11-30T21:58:03.120Z to 2026-11-30T22:30:01.000Z

    outcome
      refused         3   37.5%  ###############
      unproven        2   25.0%  ##########
      failed          1   12.5%  #####
      allowed         2   25.0%  ##########

    reason (a call may have several)
      denied-foreign  2   25.0%  ##########
      allowed-own     1   12.5%  #####
      crashed         1   12.5%  #####
      denied-tamper   1   12.5%  #####
      granted         1   12.5%  #####
      scope-unknown   1   12.5%  #####
      store-locked    1   12.5%  #####
      target-runtime  1   12.5%  #####

    time in the hook      p50      p90      p99      max
      refused           1.2ms    2.2ms    2.2ms    2.2ms
      unproven          0.9ms   41.2ms   41.2ms   41.2ms
      allowed           1.1ms    1.5ms    1.5ms    1.5ms
    "##);
    insta::assert_snapshot!(home().on_terminal(&["stats"], 80), @r##"
    8 logged calls, 2026-11-30T21:58:03.120Z to 2026-11-30T22:30:01.000Z

    outcome
      refused         3   37.5%  ####################
      unproven        2   25.0%  #############
      failed          1   12.5%  #######
      allowed         2   25.0%  #############

    reason (a call may have several)
      denied-foreign  2   25.0%  #############
      allowed-own     1   12.5%  #######
      crashed         1   12.5%  #######
      denied-tamper   1   12.5%  #######
      granted         1   12.5%  #######
      scope-unknown   1   12.5%  #######
      store-locked    1   12.5%  #######
      target-runtime  1   12.5%  #######

    time in the hook      p50      p90      p99      max
      refused           1.2ms    2.2ms    2.2ms    2.2ms
      unproven          0.9ms   41.2ms   41.2ms   41.2ms
      allowed           1.1ms    1.5ms    1.5ms    1.5ms
    "##);
}

#[test]
fn what_is_no_line_of_ours_is_counted_and_left_out() {
    let home = Home::new();
    let good = corpus("log/calls.jsonl").lines().next().unwrap().to_owned();
    let long = "x".repeat(1 << 20);
    home.file(LOG, &format!("{{\n\0\n[1]\n{long}\n{good}\n\n\"\u{202e}\"\n{{\"at\":1}}\n{good}"));
    for command in ["log", "stats"] {
        let output = home.run(&[command], b"");
        assert_eq!(output.code, Some(0));
        assert_eq!(output.stderr, "6 lines of the log cannot be read and are left out\n");
    }
    assert_eq!(home.run(&["log"], b"").stdout.lines().count(), 2);
}

#[test]
fn a_line_cannot_write_on_the_screen() {
    let home = Home::new();
    let evil = "\\u001b[2J\\u202e\\n\u{85}";
    let line = format!(
        r#"{{"at":"{evil}","verdict":"{evil}","code":"{evil}","detail":"{evil}","agent":"{evil}","tool":"{evil}","action":"{evil}","targets":["{evil}"],"also":[{{"code":"{evil}"}}]}}"#
    );
    home.file(LOG, &format!("{line}\n"));
    for args in [&["log"][..], &["stats"], &["log", "--json"], &["stats", "--json"]] {
        let text = home.run(args, b"").stdout;
        let bad = text.chars().find(|c| c.is_control() && *c != '\n' || matches!(*c, '\u{202e}'));
        assert_eq!(bad, None, "{args:?}: {text}");
    }
    assert_eq!(home.run(&["log"], b"").stdout.lines().count(), 1);
}

#[test]
fn a_log_that_is_no_file_of_its_own_is_an_error_and_an_empty_one_is_none() {
    let home = Home::new();
    let nothing = home.run(&["log"], b"");
    assert_eq!((nothing.code, nothing.stdout.as_str()), (Some(0), ""));
    assert_eq!(nothing.stderr, "no call concerned memory yet\n");
    let log = home.file(LOG, "");
    assert_eq!(home.run(&["stats"], b"").stderr, "no call concerned memory yet\n");
    std::fs::remove_file(&log).unwrap();
    symlink(home.file("elsewhere", "{}"), &log).unwrap();
    for args in [&["log"][..], &["stats"], &["log", "-f"]] {
        let output = home.run(args, b"");
        assert_eq!(output.code, Some(1), "{args:?}");
        let place = log.display().to_string();
        let said = output.stderr.replace(&place, "LOG");
        assert_eq!(
            said, "error: the log `LOG` cannot be read\n  it is a link\n\nhint: ls -l LOG\n",
            "{args:?}"
        );
    }
    let doctor = home.run(&["doctor"], b"").stdout;
    assert!(doctor.contains("log.jsonl cannot be used: it is a link\n"), "{doctor}");
    std::fs::remove_file(&log).unwrap();
    let made = Command::new("mkfifo").arg(&log).status().unwrap();
    assert!(made.success());
    let output = home.run(&["log"], b"");
    assert_eq!(output.code, Some(1));
    assert!(output.stderr.contains("not a regular file"), "{}", output.stderr);
}

#[test]
fn follow_shows_what_comes_also_when_the_log_is_turned_over() {
    let home = home();
    let mut child = Ended(
        Command::new(BINARY)
            .args(["log", "-f", "-n", "1", "--json"])
            .env_clear()
            .env("HOME", home.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap(),
    );
    let mut lines = BufReader::new(child.0.stdout.take().unwrap()).lines();
    let mut next = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    assert_eq!(next()["code"], "crashed");
    let log = home.path().join(LOG);
    let append = |text: &str| {
        let mut file = std::fs::OpenOptions::new().append(true).create(true).open(&log).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    };
    append("{\"code\":\"gran");
    append("ted\",\"verdict\":\"allow\"}\n");
    assert_eq!(next()["code"], "granted");
    append("{\"code\":\"store-locked\"}\n");
    std::fs::rename(&log, home.path().join(format!("{LOG}.1"))).unwrap();
    append("{\"code\":\"off\"}\n");
    assert_eq!(next()["code"], "store-locked");
    assert_eq!(next()["code"], "off");
}

/// A child that does not outlive its test.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

#[test]
fn what_was_turned_over_is_still_shown() {
    let home = home();
    let line = r#"{"at":"2026-12-01T09:00:00.000Z","verdict":"deny","code":"denied-foreign"}"#;
    std::fs::rename(home.path().join(LOG), home.path().join(format!("{LOG}.1"))).unwrap();
    home.file(LOG, &format!("{line}\n"));
    assert_eq!(shown(&home, &["log", "-n", "100"]).lines().count(), 9);
}
