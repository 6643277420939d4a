//! Our entry among the client's MCP servers, text → text; and whose memory server is there already.
//!
//! The client keeps them under `mcpServers`: for one user in `.claude.json` beside its directory (or
//! inside it, where `CLAUDE_CONFIG_DIR` names one), for a project in `.mcp.json`. Pure.

#![forbid(unsafe_code)]

use super::document::{Member, Node, Value};
use super::insert::{append_member, replace};
use super::print::{Piece, Style};
use super::settings::{Edited, Made, Refusal, read, wrong_kind};
use super::splice::{Splice, apply};

/// The key of the servers.
pub const SERVERS: &str = "mcpServers";

/// The name of ours, which is in its tools' names.
pub const NAME: &str = "ringfence";

/// The name of Cortex's own server, whose tools have the same names.
pub const CORTEX: &str = "cortex";

/// The flags of the server's line; each takes a value. Install writes them.
pub const FLAGS: &[&str] = &["--store", "--config", "--state", "--data", "--client"];

/// A server of ours as found in a file: the program and its arguments.
pub fn registered(root: &Node, own: &str) -> Option<Vec<String>> {
    let servers = root.get(SERVERS)?;
    argv(servers.get(NAME)?).filter(|argv| is_ours(argv, own))
}

/// Whether a server called `name` is in a file: for all projects, or for the one in `project`.
pub fn has(root: &Node, name: &str, project: &str) -> bool {
    let of = |node: &Node| node.get(SERVERS).is_some_and(|servers| servers.get(name).is_some());
    of(root) || root.get("projects").and_then(|projects| projects.get(project)).is_some_and(of)
}

/// Puts our server in. Unchanged bytes mean that it was there already.
///
/// # Errors
/// When the client would not parse the text, or something else has its place.
pub fn add(bytes: &[u8], argv: &[String], own: &str) -> Result<Edited, Refusal> {
    let server = piece(argv);
    let made = Made { event: Some(SERVERS.to_owned()), instead_of: None };
    let servers = || Piece::Object(vec![(NAME.to_owned(), server.clone())]);
    let Some(root) = read(bytes)? else {
        let whole = Piece::Object(vec![(SERVERS.to_owned(), servers())]);
        let mut text = bytes.to_vec();
        text.extend_from_slice(whole.print(&Style::default(), "").as_bytes());
        text.push(b'\n');
        return Ok(Edited { bytes: text, made: vec![made] });
    };
    let style = Style::of(bytes, &root);
    let (splice, made) = match root.get(SERVERS) {
        None => (append_member(bytes, &root, &style, SERVERS, &servers()), vec![made]),
        Some(all) if all.is_object() => match all.get(NAME) {
            None => (append_member(bytes, all, &style, NAME, &server), Vec::new()),
            Some(node) => match self::argv(node) {
                Some(found) if found == argv => {
                    return Ok(Edited { bytes: bytes.to_vec(), made: Vec::new() });
                }
                Some(found) if is_ours(&found, own) => {
                    (replace(bytes, node, &style, &server), Vec::new())
                }
                Some(_) | None => {
                    return Err(wrong_kind(bytes, &format!("{SERVERS}.{NAME}"), node));
                }
            },
        },
        Some(node) if node.value == Value::Null => {
            let made = Made { instead_of: Some("null".to_owned()), ..made };
            (replace(bytes, node, &style, &servers()), vec![made])
        }
        Some(node) => return Err(wrong_kind(bytes, SERVERS, node)),
    };
    Ok(Edited { bytes: apply(bytes, vec![splice]), made })
}

/// What goes out of one `mcpServers` object, and whether nothing is left in it.
pub(super) fn cut(member: &Member, own: &str) -> (bool, Vec<Splice>) {
    let servers = member.node.members();
    let gone: Vec<bool> = servers
        .iter()
        .map(|one| one.key == NAME && argv(&one.node).is_some_and(|argv| is_ours(&argv, own)))
        .collect();
    let spans: Vec<_> = servers.iter().map(|one| (one.start, one.node.end)).collect();
    let emptied = !gone.is_empty() && gone.iter().all(|gone| *gone);
    (emptied, super::settings::cut_children(&member.node, &spans, &gone))
}

/// As the client itself writes one.
fn piece(argv: &[String]) -> Piece {
    let mut words = argv.iter().map(|word| Piece::text(word));
    let command = words.next().unwrap_or_else(|| Piece::text(""));
    Piece::Object(vec![
        ("type".to_owned(), Piece::text("stdio")),
        ("command".to_owned(), command),
        ("args".to_owned(), Piece::List(words.collect())),
        ("env".to_owned(), Piece::Object(Vec::new())),
    ])
}

fn argv(node: &Node) -> Option<Vec<String>> {
    let mut argv = vec![node.get("command")?.text()?.to_owned()];
    for arg in node.get("args").map(Node::items).unwrap_or_default() {
        argv.push(arg.text()?.to_owned());
    }
    Some(argv)
}

/// Whether an argument list is one that some version of `install` writes. `own` is the path of the
/// running binary, whatever its name.
pub fn is_ours(argv: &[String], own: &str) -> bool {
    let [program, mcp, rest @ ..] = argv else { return false };
    let name = program.rsplit('/').next().unwrap_or_default();
    let flags = rest.chunks(2).all(|pair| {
        pair.first().is_some_and(|flag| FLAGS.contains(&flag.as_str())) && pair.len() == 2
    });
    mcp == "mcp" && flags && (program == own || name == "ringfence")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Vec<String> {
        shell_words::split(text).unwrap()
    }

    #[test]
    fn what_is_added_is_taken_out_again_to_the_byte() {
        let argv = line("/opt/ringfence mcp --state /s");
        for text in [
            "",
            "{}",
            "{}\n",
            "{\n  \"a\": 1\n}",
            "{\"mcpServers\":{}}",
            "{\n\t\"mcpServers\": {\n\t\t\"x\": {\"command\": \"y\"}\n\t},\n\t\"b\": 1.0e3\n}\n",
            "{\"mcpServers\": null, \"z\": [1, 2]}",
            "\u{feff}{\r\n  \"a\": {}\r\n}\r\n",
        ] {
            let edited = add(text.as_bytes(), &argv, "/opt/rf").unwrap();
            let root = read(&edited.bytes).unwrap().unwrap();
            assert_eq!(registered(&root, "/opt/rf"), Some(argv.clone()), "{text}");
            let again = add(&edited.bytes, &argv, "/opt/rf").unwrap();
            assert_eq!(again.bytes, edited.bytes, "{text}");
            let back = super::super::settings::remove(&edited.bytes, "/opt/rf", Some(&edited.made));
            if !text.is_empty() {
                assert_eq!(String::from_utf8(back.unwrap()).unwrap(), text);
            }
        }
    }

    #[test]
    fn what_is_not_ours_stays() {
        let argv = line("/opt/ringfence mcp");
        for text in [
            r#"{"mcpServers": {"ringfence": {"command": "other", "args": ["mcp"]}}}"#,
            r#"{"mcpServers": {"ringfence": {"type": "http", "url": "x"}}}"#,
            r#"{"mcpServers": []}"#,
            r#"{"mcpServers": {},}"#,
            "[]",
        ] {
            assert!(add(text.as_bytes(), &argv, "/opt/rf").is_err(), "{text}");
        }
        let old = r#"{"mcpServers": {"ringfence": {"command": "/old/ringfence", "args": ["mcp", "--data", "/d"]}, "a": {}}}"#;
        let edited = add(old.as_bytes(), &argv, "/opt/rf").unwrap();
        let root = read(&edited.bytes).unwrap().unwrap();
        assert_eq!(registered(&root, "/opt/rf"), Some(argv));
        for (text, ours) in [
            ("/a/ringfence mcp", true),
            ("/opt/rf mcp --state /s --data /d", true),
            ("/a/ringfence mcp --state", false),
            ("/a/ringfence mcp --verbose x", false),
            ("/a/ringfence hook pre-tool-use", false),
            ("sh -c mcp", false),
        ] {
            assert_eq!(is_ours(&line(text), "/opt/rf"), ours, "{text}");
        }
    }
}
