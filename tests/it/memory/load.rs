//! Many processes at one store, processes killed in mid-write, and disks that are full or read-only.
//!
//! `tests/run --long` plays each of them for long; otherwise they only show that the play works.

use std::collections::BTreeSet;
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use ringfence::memory::store::native::{Author, Draft, Reader, Writer};

use crate::support::{BINARY, Home};

fn is_long() -> bool {
    std::env::var("RINGFENCE_LONG").is_ok_and(|long| long == "1")
}

/// Starts a part of this file in a process of its own.
fn start(part: &str, path: &Path, count: u32) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &format!("memory::load::{part}"), "--nocapture", "--ignored"])
        .env("RINGFENCE_PROBE", path)
        .env("RINGFENCE_PROBE_COUNT", count.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn given() -> (PathBuf, u32) {
    let path = PathBuf::from(std::env::var("RINGFENCE_PROBE").unwrap());
    (path, std::env::var("RINGFENCE_PROBE_COUNT").unwrap().parse().unwrap())
}

fn author(session: &str) -> Author {
    Author {
        session: session.into(),
        agent: None,
        scope: Some("b".into()),
        call: None,
        pid: Some(std::process::id()),
        at: "2026-12-01T08:00:00.000Z".into(),
    }
}

fn draft(subject: &str, content: &str) -> Draft {
    Draft {
        kind: "decision".into(),
        subject: Some(subject.into()),
        content: content.into(),
        alternatives: Vec::new(),
    }
}

#[test]
#[ignore = "a part of many_writers_and_many_hooks_share_one_store, run by it in a child"]
fn write() {
    let (path, count) = given();
    let who = std::process::id().to_string();
    // Half of the writers' notes retire each other's, as those of one project do.
    for number in 0..count {
        let subject = if number % 2 == 0 { "shared".to_owned() } else { format!("{who} {number}") };
        let mut writer = Writer::open(&path).unwrap();
        let written =
            writer.note(&draft(&subject, &format!("{who} {number}")), &author(&who)).unwrap();
        println!("written={}", written.id);
    }
}

#[test]
#[ignore = "a part of many_writers_and_many_hooks_share_one_store, run by it in a child"]
fn ask() {
    let (home, count) = given();
    let id = std::env::var("RINGFENCE_PROBE_ID").unwrap();
    for number in 0..count {
        let payload = format!(
            r#"{{"session_id":"h","cwd":"{}","agent_id":"a","tool_name":"Bash","tool_input":{{"command":"ringfence delete-memory {id} --yes"}},"tool_use_id":"t{}-{number}"}}"#,
            home.join("project").display(),
            std::process::id()
        );
        let begun = Instant::now();
        let mut hook = Command::new(BINARY)
            .args(["hook", "pre-tool-use"])
            .env_clear()
            .env("HOME", &home)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut hook.stdin.take().unwrap(), payload.as_bytes()).unwrap();
        let output = hook.wait_with_output().unwrap();
        let refused = String::from_utf8_lossy(&output.stdout).contains("\"deny\"");
        println!("asked={refused} {}", begun.elapsed().as_micros());
    }
}

/// What a child printed after `mark=`.
fn printed(child: Child, mark: &str) -> Vec<String> {
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().filter_map(|line| line.split_once(mark).map(|(_, rest)| rest.to_owned())).collect()
}

#[test]
fn many_writers_and_many_hooks_share_one_store() {
    let (each, notes, calls) = if is_long() { (8, 1_500, 1_500) } else { (3, 20, 20) };
    let home = Home::new();
    let project = home.dir("project");
    let note = home.run_in(&project, &["note", "insight", "foreign", "--session", "monday"], b"");
    let id = note.stdout.trim().to_owned();
    let projects = home.path().join(".local/share/ringfence/projects");
    let store =
        std::fs::read_dir(projects).unwrap().next().unwrap().unwrap().path().join("memory.db");
    let writers: Vec<Child> = (0..each).map(|_| start("write", &store, notes)).collect();
    let hooks: Vec<Child> = (0..each)
        .map(|_| {
            Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "memory::load::ask", "--nocapture", "--ignored"])
                .env("RINGFENCE_PROBE", home.path())
                .env("RINGFENCE_PROBE_COUNT", calls.to_string())
                .env("RINGFENCE_PROBE_ID", &id)
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    let written: Vec<String> =
        writers.into_iter().flat_map(|one| printed(one, "written=")).collect();
    let mut asked: Vec<String> = hooks.into_iter().flat_map(|one| printed(one, "asked=")).collect();
    assert_eq!(written.len(), each * notes as usize);
    assert_eq!(asked.len(), each * calls as usize);
    let distinct: BTreeSet<&String> = written.iter().collect();
    assert_eq!(distinct.len(), written.len());
    let reader = Reader::open(&store).unwrap().unwrap();
    for id in &written {
        reader.entry(id).unwrap();
    }
    whole(&store, 1 + written.len());
    // No writer kept a hook from its answer.
    let unanswered = asked.iter().filter(|line| !line.starts_with("true")).count();
    assert_eq!(unanswered, 0, "of {}", asked.len());
    asked.sort_by_key(|line| line.split_once(' ').unwrap().1.parse::<u64>().unwrap());
    let at =
        |part: usize| asked[asked.len() * part / 1000 - 1].split_once(' ').unwrap().1.to_owned();
    println!("hook calls: median {} us, p99 {} us, of {}", at(500), at(990), asked.len());
}

/// The store is whole, holds so many notes, and each with its creation.
fn whole(store: &Path, notes: usize) {
    let connection = rusqlite::Connection::open(store).unwrap();
    let text = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, String>(0)).unwrap();
    assert_eq!(text("PRAGMA integrity_check"), "ok");
    let count = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(count("SELECT count(*) FROM notes"), i64::try_from(notes).unwrap());
    let created = count("SELECT count(DISTINCT note) FROM note_history WHERE action = 'create'");
    assert_eq!(created, i64::try_from(notes).unwrap());
    connection
        .execute_batch("INSERT INTO notes_fts (notes_fts) VALUES ('integrity-check')")
        .unwrap();
}

#[test]
fn processes_killed_at_any_moment_lose_nothing_that_they_reported() {
    let rounds = if is_long() { 200 } else { 3 };
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("memory.db");
    drop(Writer::open(&path).unwrap());
    let mut reported = Vec::new();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for round in 0..rounds {
        let mut children: Vec<Child> = (0..2).map(|_| start("write", &path, 100_000)).collect();
        let pipes: Vec<_> = children.iter_mut().map(|child| child.stdout.take().unwrap()).collect();
        let readers: Vec<_> = pipes
            .into_iter()
            .map(|pipe| {
                std::thread::spawn(move || {
                    let lines = std::io::BufReader::new(pipe).lines().map_while(Result::ok);
                    let ids =
                        lines.filter_map(|line| Some(line.split_once("written=")?.1.to_owned()));
                    // A line that was cut off by the kill is no report.
                    ids.filter(|id| id.len() == 36).collect::<Vec<String>>()
                })
            })
            .collect();
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        std::thread::sleep(Duration::from_millis(60 + (state >> 33) % 200));
        for child in &mut children {
            child.kill().unwrap();
            child.wait().unwrap();
        }
        reported.extend(readers.into_iter().flat_map(|reader| reader.join().unwrap()));
        // Opening checks it, because two processes ended without closing it.
        drop(Writer::open(&path).unwrap());
        let left = std::fs::read_dir(dir.path()).unwrap().flatten();
        let markers = left.filter(|name| name.file_name().to_string_lossy().contains(".open-"));
        assert_eq!(markers.count(), 0, "round {round}");
        let connection = rusqlite::Connection::open(&path).unwrap();
        let check: String =
            connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!(check, "ok", "round {round}");
        let reader = Reader::open(&path).unwrap().unwrap();
        for id in &reported {
            reader.entry(id).unwrap();
        }
    }
    println!("{} notes reported in {rounds} rounds", reported.len());
}

/// Makes a project with a store in a home; the ids of two notes.
fn furnish(home: &Home) -> (PathBuf, [String; 2]) {
    let project = home.dir("project");
    let note = |subject: &str| {
        let args = [
            "note",
            "decision",
            "The ceiling is sixty seconds.",
            "--subject",
            subject,
            "--session",
            "m",
        ];
        home.run_in(&project, &args, b"").stdout.trim().to_owned()
    };
    let ids = [note("one"), note("two")];
    home.run_in(&project, &["edit-memory", &ids[0], "--text", "changed once"], b"");
    (project, ids)
}

/// A command that writes, played at every one of its write points.
struct Play {
    words: Vec<String>,
    /// What it reads.
    input: String,
    /// What it is there for.
    makes: Makes,
}

/// What a command has made when it says that it was done, and has not when it says that it was not.
#[derive(Clone, Copy, PartialEq)]
enum Makes {
    /// Another state of the notes.
    Notes,
    /// The same, and the proposal is decided about.
    Decision,
    /// A snapshot.
    Snapshot,
    /// A whole file of this name: an export, a page, a store.
    File(&'static str),
}

/// How many plays there are.
const PLAYS: usize = 15;

/// The play of a number, in a furnished project.
fn play(number: usize, home: &Home, project: &Path, [one, two]: &[String; 2]) -> Play {
    let of = |words: &[&str], makes: Makes| Play {
        words: words.iter().map(|&word| word.to_owned()).collect(),
        input: String::new(),
        makes,
    };
    let call = |tool: &str, arguments: serde_json::Value| {
        let params = serde_json::json!({
            "name": tool, "arguments": arguments, "_meta": { "claudecode/toolUseId": "t1" },
        });
        let request = serde_json::json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params,
        });
        // The hook's word that it is the parent's.
        let payload = serde_json::json!({
            "session_id": "h", "cwd": project, "tool_name": format!("mcp__ringfence__{tool}"),
            "tool_input": {}, "tool_use_id": "t1",
        });
        home.run_in(project, &["hook", "pre-tool-use"], payload.to_string().as_bytes());
        Play { input: format!("{request}\n"), ..of(&["mcp"], Makes::Notes) }
    };
    let snapshot = || home.run_in(project, &["snapshot"], b"").stdout.trim().to_owned();
    match number {
        0 => of(&["note", "decision", "thirty", "--subject", "one"], Makes::Notes),
        1 => of(&["edit-memory", one, "--text", "changed twice"], Makes::Notes),
        2 => of(&["note-resolve", "--id", one], Makes::Notes),
        3 => of(&["delete-memory", two, "--yes"], Makes::Notes),
        4 => of(&["restore-memory", one], Makes::Notes),
        5 => of(&["import", "more.jsonl"], Makes::Notes),
        6 => of(&["snapshot"], Makes::Snapshot),
        7 => {
            super::cortex_store(&project.join("theirs.db"), "v6", "");
            of(&["import", "--cortex", "theirs.db"], Makes::Notes)
        }
        8 => {
            let name = snapshot();
            home.run_in(project, &["edit-memory", one, "--text", "changed after it"], b"");
            of(&["restore-memory", one, "--from", &name, "--yes"], Makes::Notes)
        }
        9 => {
            let name = snapshot();
            home.run_in(project, &["edit-memory", one, "--text", "changed after it"], b"");
            of(&["snapshot", "restore", &name, "--in-place", "--yes"], Makes::Notes)
        }
        10 => of(&["snapshot", "restore", &snapshot(), "--to", "old.db"], Makes::File("old.db")),
        11 => of(&["export", "all.jsonl"], Makes::File("all.jsonl")),
        12 => of(&["report", "-o", "page.html"], Makes::File("page.html")),
        13 => call(
            "cortex_note",
            serde_json::json!({
                "kind": "decision", "subject": "one", "content": "thirty",
            }),
        ),
        _ => {
            let payload = serde_json::json!({
                "session_id": "h", "cwd": project, "agent_id": "a", "tool_name": "Bash",
                "tool_input": {"command": format!("ringfence edit-memory {one} --text proposed")},
                "tool_use_id": "t1",
            });
            let said =
                home.run_in(project, &["hook", "pre-tool-use"], payload.to_string().as_bytes());
            assert!(said.stdout.contains("proposal 1;"), "{said:?}");
            of(&["accept", "1"], Makes::Decision)
        }
    }
}

impl Play {
    /// Whether a run of it says that it was done; what it says must be one or the other.
    fn is_done(&self, code: Option<i32>, stdout: &str, stderr: &str) -> bool {
        let what = || format!("{:?}: {code:?} {stdout} {stderr}", self.words);
        if self.input.is_empty() {
            if code != Some(0) {
                assert_eq!(code, Some(1), "{}", what());
                assert!(stderr.contains("error: ") || stderr.contains("warning: "), "{}", what());
            }
            return code == Some(0);
        }
        assert_eq!((code, stdout.lines().count()), (Some(0), 1), "{}", what());
        let done = stdout.contains("\"isError\":false");
        assert!(done || stdout.contains("\"isError\":true"), "{}", what());
        done
    }

    /// What was said is true.
    fn judge(&self, done: bool, before: &str, home: &Home, project: &Path) {
        let what = &self.words;
        let after = exported(home, project);
        let changes = matches!(self.makes, Makes::Notes | Makes::Decision);
        assert_eq!(after != before, done && changes, "{what:?} {done}");
        if self.makes == Makes::Decision {
            let waiting = home.run_in(project, &["pending"], b"").stdout;
            assert_eq!(waiting.is_empty(), done, "{what:?}: {waiting}");
        }
        let Makes::File(name) = self.makes else { return };
        let path = project.join(name);
        assert_eq!(path.exists(), done, "{what:?}");
        if !done {
            return;
        }
        match name {
            "all.jsonl" => assert_eq!(std::fs::read_to_string(&path).unwrap(), after),
            "page.html" => assert!(std::fs::read_to_string(&path).unwrap().ends_with("</html>\n")),
            _ => whole(&path, 2),
        }
    }
}

/// An export with twenty long notes.
fn more() -> String {
    let mut text = "{\"type\":\"export\",\"version\":1}\n".to_owned();
    for number in 0..20 {
        text.push_str(&format!(
            r#"{{"type":"note","id":"n{number}","kind":"insight","subject":null,"content":"{}","status":"active","session":"s","agent":null,"scope":null,"created_at":"2026-12-01T08:00:00.000Z","updated_at":"2026-12-01T08:00:00.000Z"}}"#,
            "long ".repeat(300)
        ));
        text.push('\n');
    }
    text
}

/// Notes and changes, without those times and processes that differ from run to run.
fn exported(home: &Home, project: &Path) -> String {
    let output = home.run_in(project, &["export"], b"");
    assert_eq!(output.code, Some(0), "{output:?}");
    output.stdout
}

/// No file of ours is half-written: every snapshot is whole, and nothing unfinished lies about after
/// the next success.
fn tidy(home: &Home, project: &Path) {
    let output = home.run_in(project, &["snapshot"], b"");
    assert_eq!(output.code, Some(0), "{output:?}");
    let list = home.run_in(project, &["snapshot", "list", "--json"], b"").stdout;
    let list: serde_json::Value = serde_json::from_str(&list).unwrap();
    for item in list["items"].as_array().unwrap() {
        let name = item["name"].as_str().unwrap();
        let diff = home.run_in(project, &["snapshot", "diff", name], b"");
        assert_eq!(diff.code, Some(0), "{diff:?}");
    }
    let snapshots = home.path().join(".local/state/ringfence/snapshots");
    for shelf in std::fs::read_dir(snapshots).unwrap() {
        for name in std::fs::read_dir(shelf.unwrap().path()).unwrap() {
            let name = name.unwrap().file_name().into_string().unwrap();
            assert!(name == "store" || name.ends_with(".db"), "{name}");
        }
    }
}

#[test]
fn where_no_file_may_grow_a_command_does_all_or_nothing() {
    // Each limit stops the commands at another of their writes.
    let limits: Vec<u32> =
        if is_long() { (0..160).collect() } else { vec![0, 4, 20, 80, 200, 288] };
    let (mut done, mut failed) = (0, 0);
    for number in 0..PLAYS {
        for limit in &limits {
            let home = Home::new();
            let (project, ids) = furnish(&home);
            home.file("project/more.jsonl", &more());
            let play = play(number, &home, &project, &ids);
            let before = exported(&home, &project);
            let words: Vec<String> =
                play.words.iter().map(|word| shell_words::quote(word).into_owned()).collect();
            // In blocks of 512 bytes; the signal would kill the process instead.
            let script =
                format!("trap '' XFSZ; ulimit -f {limit}; exec '{BINARY}' {}", words.join(" "));
            let mut child = Command::new("sh")
                .args(["-c", &script])
                .current_dir(&project)
                .env_clear()
                .env("HOME", home.path())
                .env("PATH", "/usr/bin:/bin")
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            drop(std::io::Write::write_all(
                &mut child.stdin.take().unwrap(),
                play.input.as_bytes(),
            ));
            let output = child.wait_with_output().unwrap();
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let said = (text(&output.stdout), text(&output.stderr));
            let is_done = play.is_done(output.status.code(), &said.0, &said.1);
            *(if is_done { &mut done } else { &mut failed }) += 1;
            play.judge(is_done, &before, &home, &project);
            // It is whole, and works as soon as there is room.
            let note = home.run_in(&project, &["note", "insight", "afterwards"], b"");
            assert_eq!(note.code, Some(0), "{:?} at {limit}: {note:?}", play.words);
            tidy(&home, &project);
        }
    }
    println!("{done} commands were done, {failed} were not");
    assert!(failed > 0 && done > 0);
}

#[test]
fn a_refusal_stands_where_nothing_can_be_written() {
    let home = Home::new();
    let (project, [one, _]) = furnish(&home);
    for limit in [0, 1] {
        for command in [format!("delete-memory {one} --yes"), format!("edit-memory {one} --text x")]
        {
            let payload = serde_json::json!({
                "session_id": "h", "cwd": project, "agent_id": "a", "tool_name": "Bash",
                "tool_input": {"command": format!("ringfence {command}")}, "tool_use_id": command,
            });
            let file = home.file("payload.json", &payload.to_string());
            let script = format!(
                "trap '' XFSZ; ulimit -f {limit}; exec '{BINARY}' hook pre-tool-use < '{}'",
                file.display()
            );
            let output = Command::new("sh")
                .args(["-c", &script])
                .current_dir(&project)
                .env_clear()
                .env("HOME", home.path())
                .env("PATH", "/usr/bin:/bin")
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            assert_eq!(output.status.code(), Some(0), "{limit} {command}");
            assert!(said.contains("\"permissionDecision\":\"deny\""), "{limit} {command}: {said}");
            // What could not be kept is not promised.
            let kept = home.run_in(&project, &["pending"], b"").stdout.matches("edit of").count();
            assert_eq!(said.contains("kept as proposal"), kept > 0, "{limit} {command}: {said}");
        }
    }
}

#[test]
fn on_a_full_or_read_only_disk_a_command_does_all_or_nothing() {
    let namespace = ["--user", "--map-root-user", "--mount"];
    let can = Command::new("unshare").args(namespace).arg("true").status();
    if !can.is_ok_and(|status| status.success()) {
        let mut out = std::io::stderr();
        drop(std::io::Write::write_all(
            &mut out,
            b"skipped: no mount namespace for a small disk\n",
        ));
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let child = Command::new("unshare")
        .args(namespace)
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "memory::load::small_disk", "--nocapture", "--ignored"])
        .env("RINGFENCE_PROBE", dir.path())
        .env("RINGFENCE_PROBE_COUNT", "0")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&child.stdout).into_owned();
    assert!(child.status.success(), "{text}\n{}", String::from_utf8_lossy(&child.stderr));
    println!("{}", text.lines().find(|line| line.contains("were done")).unwrap_or_default());
}

fn run(program: &str, args: &[&str]) {
    let status = Command::new(program).args(args).status().unwrap();
    assert!(status.success(), "{program} {args:?}");
}

#[test]
#[ignore = "a part of on_a_full_or_read_only_disk_a_command_does_all_or_nothing, run by it in a namespace"]
fn small_disk() {
    let (disk, _) = given();
    run("mount", &["-t", "tmpfs", "-o", "size=4m", "tmpfs", disk.to_str().unwrap()]);
    let rooms: Vec<usize> = if is_long() { (0..96).collect() } else { vec![0, 1, 3, 8, 20] };
    let (mut done, mut failed) = (0, 0);
    for number in 0..PLAYS {
        for free in rooms.iter().copied().map(Some).chain([None]) {
            let home = Home::at(&disk.join("home"));
            let (project, ids) = furnish(&home);
            std::fs::write(project.join("more.jsonl"), more()).unwrap();
            let play = play(number, &home, &project, &ids);
            let before = exported(&home, &project);
            let filler = disk.join("filler");
            if let Some(free) = free {
                fill(&filler, free);
            } else {
                run("mount", &["-o", "remount,ro", disk.to_str().unwrap()]);
            }
            let words: Vec<&str> = play.words.iter().map(String::as_str).collect();
            let output = home.run_in(&project, &words, play.input.as_bytes());
            match free {
                Some(_) => std::fs::remove_file(&filler).unwrap(),
                None => run("mount", &["-o", "remount,rw", disk.to_str().unwrap()]),
            }
            let is_done = play.is_done(output.code, &output.stdout, &output.stderr);
            assert!(free.is_some() || !is_done, "{words:?}: {output:?}");
            *(if is_done { &mut done } else { &mut failed }) += 1;
            play.judge(is_done, &before, &home, &project);
            let note = home.run_in(&project, &["note", "insight", "afterwards"], b"");
            assert_eq!(note.code, Some(0), "{words:?} with {free:?} pages: {note:?}");
            tidy(&home, &project);
            std::fs::remove_dir_all(home.path()).unwrap();
        }
    }
    println!("{done} commands were done, {failed} were not");
    assert!(failed > 0 && done > 0);
}

/// Fills a disk but for so many pages.
fn fill(filler: &Path, free: usize) {
    let mut file = std::fs::File::create(filler).unwrap();
    let page = [0_u8; 4096];
    while std::io::Write::write_all(&mut file, &page).is_ok() {}
    let length = file.metadata().unwrap().len() / 4096 * 4096;
    file.set_len(length.saturating_sub(free as u64 * 4096)).unwrap();
}
