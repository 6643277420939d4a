//! The page of `ringfence report`: what is on it, that hostile texts stay texts, that a browser shows it.

use std::path::{Path, PathBuf};
use std::process::Command;

use regex::Regex;
use serde_json::json;

use crate::mcp::World;

/// Texts that would do something if they were taken for markup.
const HOSTILE: &[&str] = &[
    "</pre></article><script>document.title = 'taken'</script>",
    "\"><img src=x onerror=\"document.title = 'taken'\">",
    "<!-- --><style>body { display: none }</style>",
    "<svg onload=\"document.title = 'taken'\"></svg>",
    "&lt;script&gt;document.title = 'taken'&lt;/script&gt;",
    "javascript:document.title='taken'",
    "\u{202e}gnp.exe\u{2066} \u{0}\u{1b}[31m",
    "]]></title><base href=\"https://evil.example/\">",
];

/// A world with notes of all kinds of fates, and hostile ones.
fn world() -> World {
    let world = World::new();
    world.note("decision", "retry ceiling", "The ceiling is sixty seconds.", "monday");
    world.note("decision", "retry ceiling", "The ceiling is thirty seconds.", "tuesday");
    world.note("decision", "cache", "use the disk cache for pages", "monday");
    let contested =
        world.note("decision", "cache", "never use the disk cache for pages", "tuesday");
    let mut server = world.serve();
    for (number, text) in HOSTILE.iter().enumerate() {
        let call = format!("toolu_{number}");
        let input = json!({
            "kind": "intent", "subject": format!("{text} {number}"), "content": text,
            "alternatives": [text],
        });
        let agent = text.replace('\0', "");
        world.hook("mcp__ringfence__cortex_note", &call, Some(&agent), &input);
        server.call("cortex_note", &input, Some(&call)).unwrap();
    }
    let input = json!({ "note_id": contested });
    assert!(
        world.hook("mcp__ringfence__cortex_resolve", "toolu_x", Some("a"), &input).contains("deny")
    );
    drop(server);
    world
}

fn page(world: &World) -> String {
    world.run(&["report", "-o", "-"])
}

#[test]
fn the_page_shows_sessions_fates_refusals_and_times() {
    let world = world();
    let page = page(&world);
    for part in [
        "<h2>Sessions and their notes</h2>",
        "session <code>monday</code>",
        "The ceiling is sixty seconds.",
        "superseded by <a href=\"#n",
        "supersedes <a href=\"#n",
        "<h3>cache on branch:main</h3>",
        "never use the disk cache",
        "subagent <code>",
        "<svg class=\"line\"",
        "<td>retire</td>",
        "<svg class=\"columns\"",
        "timed calls",
    ] {
        assert!(page.contains(part), "{part}");
    }
    // Every link leads somewhere on the page.
    let link = Regex::new("href=\"#([^\"]+)\"").unwrap();
    for found in link.captures_iter(&page) {
        assert!(page.contains(&format!("id=\"{}\"", &found[1])), "{}", &found[0]);
    }
}

#[test]
fn hostile_texts_are_texts() {
    let page = page(&world());
    // Only the elements and attributes that the page itself has.
    let tag = Regex::new(r"<(/?)([a-zA-Z!][a-zA-Z0-9]*)([^<>]*)>").unwrap();
    let known = "a article blockquote body circle code dd details div dl doctype dt h1 h2 h3 h4 head header html \
                 li line main meta nav p pre rect section span style summary svg table tbody td text th thead \
                 time title tr ul br";
    let attribute = Regex::new(r#" ([a-zA-Z-]+)(=|\s|$)"#).unwrap();
    let value = Regex::new("\"[^\"]*\"").unwrap();
    for found in tag.captures_iter(&page) {
        let name = found[2].trim_start_matches('!');
        assert!(known.split_whitespace().any(|known| known == name), "{}", &found[0]);
        let bare = value.replace_all(&found[3], "\"\"").into_owned();
        for one in attribute.captures_iter(&bare) {
            let name = &one[1];
            assert!(!name.starts_with("on") && name != "src" && name != "style", "{}", &found[0]);
        }
    }
    assert_eq!(page.matches("<script").count(), 0);
    assert_eq!(page.matches("<style>").count(), 1);
    let outside = Regex::new("(href|src|action|data)=\"[^#\"]").unwrap();
    assert!(!outside.is_match(&page));
    for letter in ['\u{202e}', '\u{2066}', '\0', '\u{1b}'] {
        assert!(!page.contains(letter), "{letter:?}");
    }
    assert!(page.contains("default-src 'none'"));
    // The text itself is there.
    assert!(page.contains("&lt;script&gt;document.title = &#39;taken&#39;&lt;/script&gt;"));
}

#[test]
fn an_empty_project_has_a_page_too() {
    let world = World::new();
    let page = page(&world);
    for part in [
        "No session is known.",
        "No note was superseded.",
        "Nothing was refused.",
        "No call was timed",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn the_file_is_its_owners_and_nothing_else_is_written_over() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new();
    let path = PathBuf::from(world.run(&["report"]).trim());
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    world.run(&["report"]);
    let other = world.home.file("project/settings.json", "{}");
    let done = world.home.run_in(&world.project, &["report", "-o", "settings.json"], b"");
    assert_eq!(done.code, Some(1));
    assert!(done.stderr.contains("is there already and is no report"), "{}", done.stderr);
    assert_eq!(std::fs::read_to_string(other).unwrap(), "{}");
    // A link is not written through.
    let target = world.home.file("target.txt", "mine");
    std::os::unix::fs::symlink(&target, world.project.join("link.html")).unwrap();
    world.home.run_in(&world.project, &["report", "-o", "link.html"], b"");
    assert_eq!(std::fs::read_to_string(target).unwrap(), "mine");
    let dead = world.home.run_in(&world.project, &["report", "-o", "no/such/dir.html"], b"");
    assert_eq!(dead.code, Some(1));
}

#[test]
fn what_took_whose_place_is_found_across_calls_at_one_moment() {
    use ringfence::memory::store::native::{Change, Logged};
    let logged = |note: &str, action: &str, at: &str, call: &str| Logged {
        note: note.into(),
        kind: None,
        subject: None,
        change: Change {
            at: at.into(),
            action: action.into(),
            before: None,
            session: "s".into(),
            agent: None,
            tool_use_id: Some(call.into()),
            pid: None,
        },
    };
    let log = [
        logged("a", "create", "1", "t1"),
        logged("b", "create", "1", "t2"),
        logged("a", "supersede", "2", "t3"),
        logged("b", "supersede", "2", "t3"),
        logged("c", "create", "2", "t3"),
        logged("d", "create", "2", "t4"),
        // Replaced: the new note stands before the old one's change.
        logged("e", "create", "3", "t5"),
        logged("d", "supersede", "3", "t5"),
        // By hand: nothing took its place.
        logged("c", "supersede", "4", "t6"),
    ];
    let pairs: Vec<_> = ringfence::report::superseded(&log)
        .into_iter()
        .map(|pair| format!("{}>{}", pair.new, pair.old))
        .collect();
    assert_eq!(pairs, ["c>a", "c>b", "e>d"]);
}

/// Chromium, if it is there; says loudly when it is not.
#[allow(clippy::print_stderr, reason = "a person must see that it was skipped")]
fn chromium() -> Option<&'static str> {
    let found = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
        .into_iter()
        .find(|path| Path::new(path).exists());
    if found.is_none() {
        eprintln!("SKIPPED: no Chromium here (Debian: apt-get install chromium)");
        assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "CI needs Chromium");
    }
    found
}

/// Runs Chromium on a file; what it prints.
fn browse(program: &str, home: &Path, file: &Path, args: &[&str]) -> String {
    let output = Command::new(program)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        .args(["--no-first-run", "--disable-background-networking", "--hide-scrollbars"])
        .arg(format!("--user-data-dir={}", home.join("browser").display()))
        .args(args)
        .arg(format!("file://{}", file.display()))
        .env("HOME", home)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_browser_shows_the_page_light_and_dark_and_runs_nothing_of_it() {
    let Some(program) = chromium() else { return };
    let world = world();
    let file = world.home.path().join("report.html");
    world.run(&["report", "-o", file.to_str().unwrap()]);
    let dom = browse(program, world.home.path(), &file, &["--dump-dom"]);
    assert!(dom.contains("<title>Memory of project</title>"), "{}", &dom[..500]);
    assert!(!dom.contains("<script") && !dom.contains("<base") && !dom.contains("<img"));
    let mut shots = Vec::new();
    for (name, scheme) in [("light", "1"), ("dark", "0")] {
        let shot = world.home.path().join(format!("{name}.png"));
        let args = [
            format!("--screenshot={}", shot.display()),
            format!("--blink-settings=preferredColorScheme={scheme}"),
            "--window-size=1100,1800".to_owned(),
        ];
        browse(
            program,
            world.home.path(),
            &file,
            &args.iter().map(String::as_str).collect::<Vec<_>>(),
        );
        let bytes = std::fs::read(&shot).unwrap();
        assert_eq!(&bytes[1..4], b"PNG");
        // The size is in the first chunk.
        assert_eq!(
            &bytes[16..24],
            [
                0,
                0,
                1100_u16.to_be_bytes()[0],
                1100_u16.to_be_bytes()[1],
                0,
                0,
                1800_u16.to_be_bytes()[0],
                1800_u16.to_be_bytes()[1]
            ]
        );
        // An empty page of that size is a few kilobytes.
        assert!(bytes.len() > 40_000, "{name}: {}", bytes.len());
        if let Ok(keep) = std::env::var("RINGFENCE_SCREENSHOTS") {
            std::fs::copy(&shot, Path::new(&keep).join(format!("{name}.png"))).unwrap();
        }
        shots.push(bytes);
    }
    assert_ne!(shots[0], shots[1]);
}
