//! What a small `sed` or `perl -p` script makes of a text.
//!
//! Addresses by number, by `$` and by pattern, `d`, `s///` with `g`, `i` and `p`: what people edit
//! settings with. Anything else is not known, and the caller is told so.

use regex::{Captures, Regex, RegexBuilder};

/// The most commands of one script.
const MAX_COMMANDS: usize = 32;

/// Which lines a command is for.
enum Address {
    All,
    Lines(usize, usize),
    Last,
    Match(Regex),
}

enum Command {
    Delete,
    Substitute { pattern: Regex, with: String, all: bool },
}

/// The text after `script`; `None` when a part of the script is not followed.
pub(super) fn applied(script: &str, text: &str, perl: bool) -> Option<String> {
    let mut commands = Vec::new();
    let mut rest = script.trim_start_matches([' ', ';', '\n']);
    while !rest.is_empty() {
        if commands.len() == MAX_COMMANDS {
            return None;
        }
        let (command, tail) = command(rest, perl)?;
        commands.push(command);
        rest = tail.trim_start_matches([' ', ';', '\n']);
    }
    if commands.is_empty() {
        return None;
    }
    let count = text.split_inclusive('\n').count();
    let mut out = String::with_capacity(text.len());
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let (bare, end) = line.strip_suffix('\n').map_or((line, ""), |bare| (bare, "\n"));
        let number = index + 1;
        if let Some(line) = edited(&commands, bare, number, number == count) {
            out.push_str(&line);
            out.push_str(end);
        }
    }
    Some(out)
}

/// A line after all commands; `None` when one deletes it.
fn edited(
    commands: &[(Address, Command)],
    line: &str,
    number: usize,
    is_last: bool,
) -> Option<String> {
    let mut line = line.to_owned();
    for (address, command) in commands {
        let is_meant = match address {
            Address::All => true,
            Address::Lines(from, to) => (*from..=*to).contains(&number),
            Address::Last => is_last,
            Address::Match(pattern) => pattern.is_match(&line),
        };
        if !is_meant {
            continue;
        }
        match command {
            Command::Delete => return None,
            Command::Substitute { pattern, with, all } => {
                let limit = if *all { 0 } else { 1 };
                let new = |found: &Captures| replacement(with, found);
                line = pattern.replacen(&line, limit, new).into_owned();
            }
        }
    }
    Some(line)
}

/// `&` and `\0` are what matched, `\1` and `$1` its groups.
fn replacement(with: &str, found: &Captures) -> String {
    let group = |index: usize| found.get(index).map_or("", |group| group.as_str());
    let mut out = String::new();
    let mut letters = with.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '&' => out.push_str(group(0)),
            '\\' | '$' if letters.peek().is_some_and(char::is_ascii_digit) => {
                let digit = letters.next().and_then(|digit| digit.to_digit(10)).unwrap_or(0);
                out.push_str(group(usize::try_from(digit).unwrap_or(0)));
            }
            '\\' => match letters.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some(other) => out.push(other),
                None => {}
            },
            other => out.push(other),
        }
    }
    out
}

/// The command that `text` begins with, and what follows it.
fn command(text: &str, perl: bool) -> Option<((Address, Command), &str)> {
    let (address, rest) = if perl { (Address::All, text) } else { address(text)? };
    let rest = rest.trim_start();
    if let Some(rest) = rest.strip_prefix('d').filter(|_| !perl) {
        let ends = rest.is_empty() || rest.starts_with([';', '\n', ' ']);
        return ends.then_some(((address, Command::Delete), rest));
    }
    let rest = rest.strip_prefix('s')?;
    let mark =
        rest.chars().next().filter(|mark| !mark.is_alphanumeric() && !mark.is_whitespace())?;
    // Brackets that come in pairs are not followed.
    if matches!(mark, '{' | '(' | '[' | '<' | '\\' | '\'' | '"') {
        return None;
    }
    let (pattern, rest) = delimited(rest.get(mark.len_utf8()..)?, mark)?;
    let (with, rest) = delimited(rest, mark)?;
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
    let (flags, rest) = rest.split_at(end);
    if flags.contains(|flag| !matches!(flag, 'g' | 'i' | 'I' | 'p')) {
        return None;
    }
    let pattern = pattern_of(&pattern, flags.contains(['i', 'I']), perl)?;
    Some(((address, Command::Substitute { pattern, with, all: flags.contains('g') }), rest))
}

fn address(text: &str) -> Option<(Address, &str)> {
    if let Some(rest) = text.strip_prefix('$') {
        return Some((Address::Last, rest));
    }
    if let Some(rest) = text.strip_prefix('/') {
        let (pattern, rest) = delimited(rest, '/')?;
        let plain = rest.trim_start().starts_with(['d', 's']);
        return plain.then_some((Address::Match(pattern_of(&pattern, false, false)?), rest));
    }
    let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (from, rest) = text.split_at(digits(text));
    if from.is_empty() {
        return Some((Address::All, text));
    }
    let from = from.parse().ok()?;
    let Some(rest) = rest.strip_prefix(',') else {
        return Some((Address::Lines(from, from), rest));
    };
    if let Some(rest) = rest.strip_prefix('$') {
        return Some((Address::Lines(from, usize::MAX), rest));
    }
    let (to, rest) = rest.split_at(digits(rest));
    Some((Address::Lines(from, to.parse().ok()?), rest))
}

/// The text up to an unescaped `mark`, which is skipped; an escaped one is the mark itself.
fn delimited(text: &str, mark: char) -> Option<(String, &str)> {
    let mut out = String::new();
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        if letter == mark {
            return Some((out, text.get(at + mark.len_utf8()..)?));
        }
        if letter == '\\' {
            let (_, next) = letters.next()?;
            if next != mark {
                out.push('\\');
            }
            out.push(next);
        } else {
            out.push(letter);
        }
    }
    None
}

/// A pattern; sed's groups, bounds and alternatives have a backslash, and without one are text.
fn pattern_of(text: &str, any_case: bool, perl: bool) -> Option<Regex> {
    let mut pattern = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            _ if perl => pattern.push(letter),
            '\\' => match letters.next()? {
                group @ ('(' | ')' | '{' | '}' | '|' | '+' | '?') => pattern.push(group),
                other => pattern.extend(['\\', other]),
            },
            '(' | ')' | '{' | '}' | '|' | '+' | '?' => pattern.extend(['\\', letter]),
            other => pattern.push(other),
        }
    }
    RegexBuilder::new(&pattern).case_insensitive(any_case).size_limit(1 << 20).build().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_scripts_do_what_sed_and_perl_do() {
        let text = "{\n  \"hooks\": {},\n  \"a\": 1\n}\n";
        for (script, perl, expected) in [
            ("/hook/d", false, Some("{\n  \"a\": 1\n}\n")),
            ("2d", false, Some("{\n  \"a\": 1\n}\n")),
            ("2,$d", false, Some("{\n")),
            ("s/\"a\": 1/\"b\": 2/", false, Some("{\n  \"hooks\": {},\n  \"b\": 2\n}\n")),
            ("1s/^/x/", false, Some("x{\n  \"hooks\": {},\n  \"a\": 1\n}\n")),
            ("s/\\(oo\\)/[\\1&]/", false, Some("{\n  \"h[oooo]ks\": {},\n  \"a\": 1\n}\n")),
            ("s/hooks/x/;$s/}/]/", false, Some("{\n  \"x\": {},\n  \"a\": 1\n]\n")),
            ("s|o+|0|", true, Some("{\n  \"h0ks\": {},\n  \"a\": 1\n}\n")),
            ("s/o+/0/", false, Some(text)),
            ("s/a/b/e", false, None),
            ("y/a/b/", false, None),
            ("N;d", false, None),
            ("$_=''", true, None),
        ] {
            assert_eq!(applied(script, text, perl).as_deref(), expected, "{script}");
        }
    }
}
