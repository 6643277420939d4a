//! How the server ends, and what hostile lines and other processes do to it.

use std::io::Write;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::{Value, json};

use super::{Server, World, id_of};

fn insight(text: &str) -> Value {
    json!({ "kind": "insight", "content": text })
}

fn store(world: &World) -> std::path::PathBuf {
    let projects = world.home.path().join(".local/share/ringfence/projects");
    let dir = std::fs::read_dir(projects).unwrap().next().unwrap().unwrap().path();
    dir.join("memory.db")
}

fn is_whole(world: &World) {
    let connection = Connection::open(store(world)).unwrap();
    let check: String =
        connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(check, "ok");
}

fn signal(server: &Server, name: &str) {
    let pid = server.pid().to_string();
    let done = std::process::Command::new("kill").args([name, &pid]).status().unwrap();
    assert!(done.success());
}

/// Whether nothing but the store itself is left beside it.
fn is_clean(world: &World) -> bool {
    let dir = store(world).parent().unwrap().to_owned();
    let names: Vec<_> =
        std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    !names.iter().any(|name| {
        let name = name.to_string_lossy();
        name.ends_with("-wal") || name.contains(".open-")
    })
}

#[test]
fn it_leaves_when_the_client_does_and_writes_its_log_back() {
    let world = World::new();
    let mut server = world.serve();
    server.call("cortex_note", &insight("kept"), None).unwrap();
    assert!(!is_clean(&world));
    assert_eq!(server.leave(), Some(0));
    assert!(is_clean(&world));
    is_whole(&world);
}

#[test]
fn a_signal_ends_it_after_its_change_and_its_log_is_written_back() {
    for name in ["-TERM", "-INT", "-HUP"] {
        let world = World::new();
        let mut server = world.serve();
        let id = id_of(&server.call("cortex_note", &insight("kept"), None).unwrap());
        signal(&server, name);
        assert_eq!(server.line(), None, "{name}");
        assert_eq!(server.wait(), Some(0), "{name}");
        assert!(is_clean(&world), "{name}");
        assert_eq!(world.show(&id)["content"], json!("kept"));
    }
}

#[test]
fn a_signal_ends_it_also_while_nobody_reads_its_answers() {
    let world = World::new();
    let mut server = world.serve();
    // More than a pipe holds.
    let request = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n".repeat(200);
    server.send(&request);
    // It is up: before that the signal would just end it.
    server.line().unwrap();
    signal(&server, "-TERM");
    assert_eq!(server.wait(), Some(0));
}

#[test]
fn what_was_acknowledged_survives_a_kill() {
    let world = World::new();
    let mut acknowledged = Vec::new();
    for round in 0..8 {
        let mut server = world.serve();
        let count = 1 + round * 3 % 7;
        for number in 0..count {
            let text = format!("note {round} {number}");
            acknowledged
                .push((id_of(&server.call("cortex_note", &insight(&text), None).unwrap()), text));
        }
        // One more is on its way.
        let request = json!({
            "jsonrpc": "2.0", "id": 99, "method": "tools/call",
            "params": { "name": "cortex_note", "arguments": insight("on its way") },
        });
        server.send(&format!("{request}\n"));
        server.kill();
    }
    for (id, text) in &acknowledged {
        assert_eq!(world.show(id)["content"], json!(text));
    }
    is_whole(&world);
}

#[test]
fn several_servers_write_to_one_store_and_nothing_is_lost_or_doubled() {
    let world = World::new();
    let each = 25;
    let threads: Vec<_> = (0..4)
        .map(|number| {
            let mut server = world.serve();
            std::thread::spawn(move || {
                (0..each)
                    .map(|turn| {
                        let text = format!("{number} {turn}");
                        id_of(&server.call("cortex_note", &insight(&text), None).unwrap())
                    })
                    .collect::<Vec<_>>()
            })
        })
        .collect();
    let mut ids: Vec<String> =
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 4 * each);
    let listed: Value =
        serde_json::from_str(&world.run(&["list-memory", "--json", "--limit", "200"])).unwrap();
    assert_eq!(listed["total"], json!(4 * each));
    is_whole(&world);
}

#[test]
fn a_request_that_is_taken_back_in_time_is_not_done() {
    let world = World::new();
    let mut server = world.serve();
    let note = |id: u64, text: &str| {
        let params = json!({ "name": "cortex_note", "arguments": insight(text) });
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
    };
    let cancel = |id: u64| {
        let params = json!({ "requestId": id, "reason": "the person changed their mind" });
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params })
    };
    // In one write, so that all is there when the first is looked at.
    let lines = [note(1, "one"), note(2, "two"), cancel(2), note(3, "three"), note(2, "two again")];
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    server.send(&text);
    let ids: Vec<Value> = (0..3)
        .map(|_| serde_json::from_str::<Value>(&server.line().unwrap()).unwrap()["id"].clone())
        .collect();
    assert_eq!(ids, [json!(1), json!(3), json!(2)]);
    let listed = world.run(&["list-memory"]);
    assert!(!listed.lines().any(|line| line.ends_with("two")), "{listed}");
}

#[test]
fn long_lines_are_read_or_refused_and_the_next_one_is_answered() {
    let world = World::new();
    let mut server = world.serve();
    for megabytes in [1, 10, 40] {
        let request = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": { "name": "cortex_note", "arguments": insight(&"x".repeat(megabytes << 20)) },
        });
        server.send(&format!("{request}\n"));
        let answer = server.line().unwrap();
        assert!(answer.len() < 500, "{}", answer.len());
        let expected = match megabytes {
            1 => "Noted",
            10 => "content is longer than 1048576 bytes",
            _ => "the line is longer than 33554432 bytes",
        };
        assert!(answer.contains(expected), "{megabytes}: {answer}");
        server.ask("ping", &json!({}));
    }
}

#[test]
fn hostile_lines_are_answered_in_linear_time() {
    let world = World::new();
    let mut server = world.serve();
    let call = |arguments: &str| {
        format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":\
             {{\"name\":\"cortex_note\",\"arguments\":{arguments}}}}}\n"
        )
    };
    let keys: String = (0..200_000).map(|number| format!("\"k{number}\":1,")).collect();
    for line in [
        call(&format!("{{\"content\":{}{}}}", "[".repeat(300), "]".repeat(300))),
        call(&format!("{{\"content\":{}{}}}", "[".repeat(500_000), "]".repeat(500_000))),
        call(&format!("{{{keys}\"kind\":\"insight\"}}")),
        call(&format!("{{\"kind\":\"{}\"}}", "\\u202e".repeat(100_000))),
        format!("{}\n", "[".repeat(1 << 20)),
        format!("{}\n", "{\"a\":".repeat(200_000)),
        format!("[{}{{}}]\n", "{},".repeat(100_000)),
        format!("{{\"jsonrpc\":\"2.0\",\"id\":\"{}\",\"method\":\"ping\"}}\n", "i".repeat(1 << 20)),
    ] {
        server.send(&line);
        let answer = server.line().unwrap();
        assert!(!answer.is_empty());
        server.ask("ping", &json!({}));
    }
    // Bytes that are no text, and a NUL.
    server.stdin_bytes(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"cortex_note\",\"arguments\":{\"kind\":\"insight\",\"content\":\"\xff\xfe a\\u0000b\"}}}\r\n");
    let text = server.line().unwrap();
    assert!(text.contains("Noted") && text.contains("\\\\u{0}"), "{text}");
}

#[test]
fn a_store_that_is_replaced_while_it_runs_is_opened_anew() {
    let world = World::new();
    let mut server = world.serve();
    server.call("cortex_note", &insight("in the old file"), None).unwrap();
    for entry in std::fs::read_dir(store(&world).parent().unwrap()).unwrap() {
        std::fs::remove_file(entry.unwrap().path()).unwrap();
    }
    assert_eq!(server.call("cortex_brief", &json!({}), None).unwrap(), "No notes yet.");
    let id = id_of(&server.call("cortex_note", &insight("in the new file"), None).unwrap());
    assert_eq!(world.show(&id)["content"], json!("in the new file"));
}

#[test]
fn a_store_that_cannot_be_used_is_an_error_and_not_the_end() {
    let world = World::new();
    let mut server = world.serve();
    server.call("cortex_note", &insight("x"), None).unwrap();
    let path = store(&world);
    server.kill();
    for entry in std::fs::read_dir(path.parent().unwrap()).unwrap() {
        std::fs::remove_file(entry.unwrap().path()).unwrap();
    }
    std::fs::write(&path, "this is no database at all, however long it is").unwrap();
    let mut server = world.serve();
    server.call("cortex_note", &insight("x"), None).unwrap_err();
    server.call("cortex_list", &json!({}), None).unwrap_err();
    server.ask("ping", &json!({}));
    std::fs::remove_file(&path).unwrap();
    server.call("cortex_note", &insight("x"), None).unwrap();
}

#[test]
fn a_locked_store_is_waited_for() {
    let world = World::new();
    let mut server = world.serve();
    server.call("cortex_note", &insight("x"), None).unwrap();
    let holder = Connection::open(store(&world)).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let request = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "cortex_note", "arguments": insight("waited for") },
    });
    server.send(&format!("{request}\n"));
    let started = Instant::now();
    while started.elapsed() < Duration::from_millis(200) {
        std::thread::yield_now();
    }
    holder.execute_batch("COMMIT").unwrap();
    assert!(server.line().unwrap().contains("Noted"));
}

#[test]
fn an_answer_that_nobody_takes_ends_it() {
    let world = World::new();
    let mut child = std::process::Command::new(crate::support::BINARY)
        .arg("mcp")
        .current_dir(&world.project)
        .env_clear()
        .env("HOME", world.home.path())
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n").unwrap();
    // Its input stays open: it leaves because its answers go nowhere.
    assert_eq!(child.wait().unwrap().code(), Some(0));
    drop(stdin);
}

/// The snapshots of the world's one store.
fn snapshots(world: &World) -> Vec<std::path::PathBuf> {
    let shelves = world.home.path().join(".local/state/ringfence/snapshots");
    let Ok(shelves) = std::fs::read_dir(shelves) else { return Vec::new() };
    let files = shelves.flat_map(|shelf| std::fs::read_dir(shelf.unwrap().path()).unwrap());
    let mut found: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    found.retain(|path| path.extension().is_some_and(|end| end == "db"));
    found
}

fn notes_in(path: &std::path::Path) -> i64 {
    let connection = Connection::open(path).unwrap();
    connection.query_row("SELECT count(*) FROM notes", [], |row| row.get(0)).unwrap()
}

#[test]
fn what_was_there_before_the_first_write_of_a_day_is_kept() {
    let world = World::new();
    let write = |text: &str| {
        let mut server = world.serve();
        server.call("cortex_note", &insight(text), None).unwrap();
        // It finishes what it has begun.
        assert_eq!(server.leave(), Some(0));
    };
    // Nothing was there before the very first one.
    write("one");
    assert_eq!(snapshots(&world).len(), 0);
    write("two");
    let [first] = snapshots(&world).try_into().unwrap();
    assert_eq!(notes_in(&first), 1);
    // No second one on that day.
    write("three");
    assert_eq!(snapshots(&world), std::slice::from_ref(&first));
    let old = first.with_file_name("ringfence-20200101T000000Z.db");
    std::fs::rename(&first, &old).unwrap();
    write("four");
    let mut left = snapshots(&world);
    left.retain(|path| *path != old);
    let [next] = left.try_into().unwrap();
    assert_eq!(notes_in(&next), 3);
}

#[test]
fn a_signal_lets_the_days_snapshot_be_finished() {
    let world = World::new();
    world.serve().call("cortex_note", &insight("one"), None).unwrap();
    let mut server = world.serve();
    server.call("cortex_note", &insight("two"), None).unwrap();
    signal(&server, "-TERM");
    assert_eq!(server.wait(), Some(0));
    let [first] = snapshots(&world).try_into().unwrap();
    assert_eq!(notes_in(&first), 1);
}

#[test]
fn a_snapshot_that_cannot_be_taken_keeps_nobody_from_writing() {
    use std::os::unix::fs::symlink;
    type Hinder = fn(&World, &std::path::Path);
    let hinders: [(&str, Hinder); 3] = [
        ("a file in its place", |_, vault| std::fs::write(vault, "in the way").unwrap()),
        ("a link that leads nowhere", |_, vault| symlink("/nonexistent/vault", vault).unwrap()),
        ("another process is at it", |world, vault| {
            // Made by the hook, and locked from here on.
            world.run(&["snapshot"]);
            let shelf = std::fs::read_dir(vault).unwrap().next().unwrap().unwrap().path();
            for file in std::fs::read_dir(&shelf).unwrap() {
                std::fs::remove_file(file.unwrap().path()).unwrap();
            }
            let lock = std::fs::File::open(shelf).unwrap();
            lock.lock().unwrap();
            std::mem::forget(lock);
        }),
    ];
    for (name, hinder) in hinders {
        let world = World::new();
        let mut server = world.serve();
        server.call("cortex_note", &insight("one"), None).unwrap();
        let vault = world.home.path().join(".local/state/ringfence/snapshots");
        std::fs::create_dir_all(vault.parent().unwrap()).unwrap();
        hinder(&world, &vault);
        let id = id_of(&server.call("cortex_note", &insight("two"), None).unwrap());
        assert_eq!(world.show(&id)["content"], json!("two"), "{name}");
        if vault.is_dir() {
            assert_eq!(snapshots(&world).len(), 0, "{name}");
        }
    }
}
