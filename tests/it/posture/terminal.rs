//! The owner's terminal over both corpora, and what refusals say.

use insta::assert_snapshot;
use ringfence::posture::terminal::{Surroundings, TerminalRefusal, judge};
use ringfence::posture::{HOSTED_OWNER_TERMINAL_GUARD, OwnerTerminalGuard};
use ringfence::shell::{Dialect, Files, Start, read};

struct Two;

impl Files for Two {
    fn text(&self, path: &str) -> Option<String> {
        match path {
            "/w/ours.conf" => Some("# ours\nsend-keys -t ringfence-a ls Enter\n".into()),
            "/w/theirs.conf" => Some("set -t ringfence-a status off\nkill-server\n".into()),
            _ => None,
        }
    }
}

fn verdict(guard: &OwnerTerminalGuard, command: &str, private: bool) -> Option<TerminalRefusal> {
    let start = Start { cwd: "/w".into(), home: "/home/o".into(), args: Vec::new() };
    let reading = read(command, Dialect::Posix, &start, &Two);
    let around =
        Surroundings { workspace: "/w", own: &[], starts_must_be_private: private, files: &Two };
    judge(&reading, guard, &around)
}

fn unescape(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text.chars();
    while let Some(character) = rest.next() {
        match (character, character == '\\') {
            (_, true) => match rest.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some(other) => out.push(other),
                None => {}
            },
            (other, false) => out.push(other),
        }
    }
    out
}

fn hold(rows: &str, command: usize, at_least: usize) {
    let mut wrong = Vec::new();
    let mut count = 0;
    for row in rows.lines().filter(|row| !row.starts_with('#') && !row.is_empty()) {
        let cells: Vec<&str> = row.split('\t').collect();
        let expected = cells[command + 1];
        if expected == "expected" {
            continue;
        }
        count += 1;
        let refusal = verdict(&HOSTED_OWNER_TERMINAL_GUARD, &unescape(cells[command]), false);
        let found = if refusal.is_some() { "refuse" } else { "allow" };
        if found != expected {
            wrong.push(format!("{row}: {found} {refusal:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count >= at_least, "{count}");
}

#[test]
fn the_handed_rows_hold() {
    hold(include_str!("../../corpus/posture/terminal.tsv"), 1, 102);
}

#[test]
fn the_rows_of_our_own_hold() {
    hold(include_str!("../../corpus/posture/more.tsv"), 0, 180);
}

#[test]
fn names_and_prefix_are_the_owners_to_choose() {
    let guard = OwnerTerminalGuard { prefix: "bot_".into(), names: vec!["ci-runner".to_owned()] };
    for (target, owned) in [
        ("bot_a", true),
        ("ci-runner", true),
        ("ci-runner:1", true),
        ("ci-runner2", false),
        ("ci", false),
        ("ringfence-a", false),
    ] {
        let refusal = verdict(&guard, &format!("tmux send-keys -t {target} ls"), false);
        assert_eq!(refusal.is_none(), owned, "{target}");
    }
    let nobody = OwnerTerminalGuard { prefix: "".into(), names: Vec::new() };
    assert!(verdict(&nobody, "tmux send-keys -t ringfence-a ls", false).is_some());
}

#[test]
fn where_the_boundary_is_required_nothing_is_started_on_a_shared_server() {
    for (command, allowed) in [
        ("tmux new -d -s ringfence-a ls", false),
        ("tmux new-window -t ringfence-a ls", false),
        ("tmux run-shell -t ringfence-a ls", false),
        ("tmux -L ringfence-x new -d -s a ls", true),
        ("tmux -S /w/sock new -d -s a ls", true),
        ("tmux kill-session -t ringfence-a", true),
        ("tmux ls", true),
    ] {
        let refusal = verdict(&HOSTED_OWNER_TERMINAL_GUARD, command, true);
        assert_eq!(refusal.is_none(), allowed, "{command}: {refusal:?}");
    }
}

#[test]
fn a_refusal_says_what_is_wrong_and_what_to_type() {
    let said: Vec<String> = [
        "tmux send-keys -t main ls Enter",
        "tmux kill-server",
        "tmux send-keys ls",
        "tmux capture-pane -t main",
        "tmux display -p '#(id)'",
        "screen -X stuff ls",
        "echo hi > /dev/pts/3",
        "xdotool key Return",
        "tmux source-file x.conf",
    ]
    .into_iter()
    .map(|command| {
        let refusal = verdict(&HOSTED_OWNER_TERMINAL_GUARD, command, false).unwrap();
        format!(
            "{} | {} | {}",
            refusal.command,
            refusal.because,
            refusal.instead.unwrap_or_else(|| "(nothing)".into())
        )
    })
    .collect();
    assert_snapshot!(said.join("\n"), @r"
    tmux send-keys -t main ls Enter | would act on `main`, which is not a session of this run | tmux … -t ringfence-NAME:
    tmux kill-server | `kill-server` changes the owner's server or client, not a session of this run | tmux -L ringfence-NAME …
    tmux send-keys ls | `send-keys` without a target acts on the session at hand, whoever's it is | tmux … -t ringfence-NAME:
    tmux capture-pane -t main | `capture-pane` without `-p` leaves something on the owner's server | tmux capture-pane -p
    tmux display -p #(id) | holds a format with `#(…)`, which the server would run | (nothing)
    screen -X stuff ls | `screen -X` without `-S` acts on the session at hand | screen -S ringfence-NAME -X …
    echo hi | writes to `/dev/pts/3`, another terminal's device | (nothing)
    xdotool key Return | `xdotool` puts input into someone's window | (nothing)
    tmux source-file x.conf | makes the owner's server run commands that could not be read | (nothing)
    ");
}
