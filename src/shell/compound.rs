//! Compound commands: `( )`, `{ }`, `if`, `while`, `for`, `case`, functions, `[[ ]]`, `(( ))`.

use std::rc::Rc;

use super::scan::Scanner;
use super::tree::{Node, Raw, Simple};

/// Reads a compound command here; `None` when a simple one begins.
pub(super) fn compound(scanner: &mut Scanner<'_>) -> Option<Node> {
    if scanner.here() == b'(' {
        return Some(round(scanner));
    }
    let keyword =
        ["{", "[[", "if", "while", "until", "for", "select", "case", "function", "coproc", "time"]
            .into_iter()
            .find(|word| scanner.starts(word) && scanner.ends_word(word.len()))?;
    scanner.at += keyword.len();
    let node = match keyword {
        "{" => scanner.deeper(|scanner| {
            let body = scanner.list(&["}"]);
            skip(scanner, "}");
            body
        }),
        "[[" => Some(test(scanner)),
        "if" => scanner.deeper(conditional_chain),
        "while" | "until" => scanner.deeper(|scanner| {
            let condition = scanner.list(&["do"]);
            let body = do_done(scanner);
            Node::Loop { condition: Box::new(condition), body: Box::new(body) }
        }),
        "for" | "select" => scanner.deeper(for_loop),
        "case" => scanner.deeper(case),
        "function" => scanner.deeper(|scanner| {
            scanner.blanks();
            let name = scanner.word().plain().unwrap_or_default();
            scanner.blanks();
            if scanner.here() == b'(' && scanner.ahead(1) == b')' {
                scanner.at += 2;
            }
            function(scanner, name)
        }),
        "coproc" => scanner.deeper(coproc),
        _ => {
            time_options(scanner);
            scanner.deeper(|scanner| one(scanner))
        }
    };
    Some(node.unwrap_or(Node::List(Vec::new())))
}

/// After `name` in a simple command: `()` makes it a function's head.
pub(super) fn function_tail(scanner: &mut Scanner<'_>, simple: &Simple) -> Option<Node> {
    let mut ahead = 1;
    while matches!(scanner.ahead(ahead), b' ' | b'\t') && ahead < 64 {
        ahead += 1;
    }
    if scanner.ahead(ahead) != b')' || !simple.redirects.is_empty() {
        return None;
    }
    let name = simple.words.first()?.plain()?;
    scanner.at += ahead + 1;
    scanner.deeper(|scanner| function(scanner, name))
}

fn function(scanner: &mut Scanner<'_>, name: String) -> Node {
    scanner.gap();
    let body = one(scanner);
    Node::Function { name, body: Rc::new(body) }
}

/// One command, for bodies.
fn one(scanner: &mut Scanner<'_>) -> Node {
    scanner.gap();
    scanner.command()
}

/// `(`: arithmetic when it closes with `))`, else a subshell.
fn round(scanner: &mut Scanner<'_>) -> Node {
    if scanner.ahead(1) == b'('
        && let Some(end) = super::word::arithmetic_end(scanner, scanner.at + 2)
    {
        let from = scanner.at + 2;
        let raw = scanner.arithmetic(from, end);
        scanner.at = end + 2;
        return Node::Arithmetic { text: raw, repeats: false };
    }
    scanner.at += 1;
    let inner = scanner.deeper(|scanner| scanner.list(&[])).unwrap_or(Node::List(Vec::new()));
    if scanner.here() == b')' {
        scanner.at += 1;
    }
    Node::Subshell(Box::new(inner))
}

/// `[[ … ]]`: its words, up to `]]`.
fn test(scanner: &mut Scanner<'_>) -> Node {
    let mut words = Vec::new();
    loop {
        scanner.gap();
        if scanner.done() || !scanner.spend(1) {
            break;
        }
        if scanner.starts("]]") && scanner.ends_word(2) {
            scanner.at += 2;
            break;
        }
        if matches!(scanner.here(), b'(' | b')' | b'&' | b'|' | b';' | b'<' | b'>')
            && !process(scanner)
        {
            scanner.at += 1;
            continue;
        }
        let before = scanner.at;
        words.push(scanner.word());
        if scanner.at == before {
            scanner.at += 1;
        }
    }
    Node::Test(words)
}

fn process(scanner: &Scanner<'_>) -> bool {
    matches!(scanner.here(), b'<' | b'>') && scanner.ahead(1) == b'('
}

fn conditional_chain(scanner: &mut Scanner<'_>) -> Node {
    let mut arms = Vec::new();
    let mut otherwise = None;
    let mut condition = scanner.list(&["then"]);
    loop {
        let body = if skip(scanner, "then") {
            scanner.list(&["elif", "else", "fi"])
        } else {
            Node::List(Vec::new())
        };
        arms.push((condition, body));
        if skip(scanner, "elif") && !scanner.done() {
            condition = scanner.list(&["then"]);
            continue;
        }
        if skip(scanner, "else") {
            otherwise = Some(Box::new(scanner.list(&["fi"])));
        }
        skip(scanner, "fi");
        return Node::If { arms, otherwise };
    }
}

fn do_done(scanner: &mut Scanner<'_>) -> Node {
    scanner.gap();
    if scanner.here() == b'{' && scanner.ends_word(1) {
        scanner.at += 1;
        let body = scanner.list(&["}"]);
        skip(scanner, "}");
        return body;
    }
    skip(scanner, "do");
    let body = scanner.list(&["done"]);
    skip(scanner, "done");
    body
}

fn for_loop(scanner: &mut Scanner<'_>) -> Node {
    scanner.blanks();
    if scanner.starts("((") {
        let mut head = round(scanner);
        if let Node::Arithmetic { repeats, .. } = &mut head {
            *repeats = true;
        }
        scanner.blanks();
        if scanner.here() == b';' {
            scanner.at += 1;
        }
        let body = do_done(scanner);
        return Node::Loop { condition: Box::new(head), body: Box::new(body) };
    }
    let name = scanner.word().plain().unwrap_or_default();
    scanner.gap();
    let mut words = None;
    if scanner.starts("in") && scanner.ends_word(2) {
        scanner.at += 2;
        let mut list = Vec::new();
        loop {
            scanner.blanks();
            if scanner.done() || matches!(scanner.here(), b'\n' | b';' | b'&') || !scanner.spend(1)
            {
                break;
            }
            let before = scanner.at;
            list.push(scanner.word());
            if scanner.at == before {
                scanner.at += 1;
            }
        }
        words = Some(list);
    }
    scanner.blanks();
    if scanner.here() == b';' {
        scanner.at += 1;
    }
    let body = Box::new(do_done(scanner));
    Node::For { name, words, body }
}

fn case(scanner: &mut Scanner<'_>) -> Node {
    scanner.blanks();
    let subject = scanner.word();
    scanner.gap();
    skip(scanner, "in");
    let mut arms = Vec::new();
    loop {
        scanner.gap();
        if scanner.done() || skip(scanner, "esac") || !scanner.spend(1) {
            break;
        }
        if scanner.here() == b'(' {
            scanner.at += 1;
        }
        let patterns = patterns(scanner);
        let body = scanner.list(&["esac"]);
        let mark = [";;&", ";;", ";&"].into_iter().find(|mark| scanner.starts(mark));
        scanner.at += mark.map_or(0, str::len);
        arms.push((patterns, body, mark.is_some_and(|mark| mark != ";;")));
    }
    Node::Case { subject, arms }
}

fn patterns(scanner: &mut Scanner<'_>) -> Vec<Raw> {
    let mut found = Vec::new();
    loop {
        scanner.blanks();
        if scanner.done() || !scanner.spend(1) {
            break;
        }
        match scanner.here() {
            b')' => {
                scanner.at += 1;
                break;
            }
            b'|' => scanner.at += 1,
            b'\n' | b';' => break,
            _ => {
                let before = scanner.at;
                found.push(scanner.word());
                if scanner.at == before {
                    scanner.at += 1;
                }
            }
        }
    }
    found
}

/// `coproc [NAME] command`: a name only before a compound command.
fn coproc(scanner: &mut Scanner<'_>) -> Node {
    scanner.blanks();
    let start = scanner.at;
    let line = scanner.line;
    let name = scanner.word().plain().unwrap_or_default();
    let named = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    scanner.blanks();
    if !(named && !name.is_empty() && matches!(scanner.here(), b'{' | b'(')) {
        scanner.at = start;
        scanner.line = line;
    }
    Node::Coproc(Box::new(one(scanner)))
}

/// `time`'s own options.
fn time_options(scanner: &mut Scanner<'_>) {
    loop {
        scanner.blanks();
        let option = ["-p", "--", "!"]
            .into_iter()
            .find(|word| scanner.starts(word) && scanner.ends_word(word.len()));
        let Some(option) = option else { return };
        scanner.at += option.len();
    }
}

/// Skips a keyword after any gap, if it is there.
fn skip(scanner: &mut Scanner<'_>, word: &str) -> bool {
    scanner.gap();
    let there = scanner.starts(word) && scanner.ends_word(word.len());
    if there {
        scanner.at += word.len();
    }
    there
}
