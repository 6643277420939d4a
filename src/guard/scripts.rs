//! Files that a program writes because its own little script says so: sed's `w`, awk's `>`, the `w` of
//! the line editors, the names in a patch.

use std::collections::HashSet;

use super::arguments::Arguments;
use crate::shell::{Invocation, Word};

/// The files that a sed script writes: `w file`, `s/a/b/w file`.
pub(super) fn sed_writes(script: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = script;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || ";{}".contains(c));
        let Some(command) = after_addresses(rest) else { return found };
        let mut letters = command.chars();
        let Some(letter) = letters.next() else { return found };
        let after = letters.as_str();
        let (line, next) = after.split_once('\n').unwrap_or((after, ""));
        rest = match letter {
            'w' | 'W' => {
                found.push(line.trim_start().to_owned());
                next
            }
            'a' | 'i' | 'c' | 'r' | 'R' | '#' | 'e' => next,
            's' => match substituted(after) {
                Some((flags, next)) => {
                    let (line, below) = flags.split_once('\n').unwrap_or((flags, ""));
                    let ends = line.find([';', '}']).unwrap_or(line.len());
                    match line.find('w').filter(|at| *at < ends) {
                        Some(at) => {
                            found.push(
                                line.get(at + 1..).unwrap_or_default().trim_start().to_owned(),
                            );
                            below
                        }
                        None => next,
                    }
                }
                None => next,
            },
            'y' => substituted(after).map_or(next, |(_, next)| next),
            ':' | 'b' | 't' | 'T' => {
                after.find([';', '\n', '}']).and_then(|at| after.get(at..)).unwrap_or("")
            }
            _ => after,
        };
    }
}

/// What follows the addresses of a sed command.
fn after_addresses(text: &str) -> Option<&str> {
    let mut rest = text;
    for _ in 0..8 {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || "$,~+! \tIM".contains(c));
        if let Some(pattern) = rest.strip_prefix('/') {
            rest = after_part(pattern, '/')?;
        } else if let Some(pattern) = rest.strip_prefix('\\') {
            let delimiter = pattern.chars().next()?;
            rest = after_part(pattern.get(delimiter.len_utf8()..)?, delimiter)?;
        } else {
            break;
        }
    }
    Some(rest)
}

/// What follows an unescaped `delimiter`.
fn after_part(text: &str, delimiter: char) -> Option<&str> {
    let mut escaped = false;
    for (at, letter) in text.char_indices() {
        if letter == delimiter && !escaped {
            return text.get(at + letter.len_utf8()..);
        }
        escaped = letter == '\\' && !escaped;
    }
    None
}

/// The flags of a substitution and all after them, and what follows the flags.
fn substituted(text: &str) -> Option<(&str, &str)> {
    let delimiter = text.chars().next()?;
    let pattern = text.get(delimiter.len_utf8()..)?;
    let flags = after_part(after_part(pattern, delimiter)?, delimiter)?;
    let ends = flags.find([';', '\n', '}']).unwrap_or(flags.len());
    Some((flags, flags.get(ends..)?))
}

/// The files that an awk program writes with `>` and `>>`.
pub(super) fn awk_writes(words: &Arguments, invocation: &Invocation) -> Vec<Word> {
    let codes: Vec<&str> = words.literals(&["-e", "--source"]).collect();
    let has_code = words.has_any(&["-f", "--file"]) || !codes.is_empty();
    let operands = words.after(usize::from(!has_code));
    let code = words.operands.first().filter(|_| !has_code).and_then(Word::literal);
    let code = code.into_iter().chain(codes).collect::<Vec<_>>().join("\n");
    if !code.contains("print") {
        return Vec::new();
    }
    let variables: Vec<(&str, &str)> = words
        .literals(&["-v", "--assign"])
        .chain(operands.iter().filter_map(Word::literal))
        .filter_map(|text| text.split_once('='))
        .collect();
    let mut found = Vec::new();
    for target in code.split('>').skip(1) {
        let target = target.trim_start();
        let name: String =
            target.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let quoted = || target.split('"').nth(1).unwrap_or_default();
        if target.starts_with('"') {
            found.push(Word::Literal(quoted().to_owned()));
        } else if name == "ENVIRON" {
            let value = invocation.env.iter().rev().find(|(known, _)| known == quoted());
            found.extend(value.map(|(_, value)| value.clone()));
        } else if name == "ARGV" {
            // ARGV[0] is awk itself, and its program is not among them.
            let digits: String = target.chars().skip(5).take_while(char::is_ascii_digit).collect();
            let number: usize = digits.parse().unwrap_or(0);
            found.extend(number.checked_sub(1).and_then(|at| operands.get(at)).cloned());
        } else {
            let values = variables.iter().filter(|(known, _)| *known == name);
            found.extend(values.map(|(_, value)| Word::Literal((*value).to_owned())));
        }
    }
    found
}

/// What commands of ed, ex and vi write: `w file`, `wq! file`, `saveas file`, and the calls of vim's
/// own language that write, rename or delete.
pub(super) fn editor_writes(script: &str, found: &mut Vec<String>, depth: u8) {
    let mut current: Option<String> = None;
    for command in script.split(['\n', '|']) {
        let address =
            |c: char| c.is_ascii_digit() || c.is_whitespace() || "%$.,:+-;'<>".contains(c);
        let command = command.trim_start_matches(address);
        let end = command.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(command.len());
        let (name, rest) = command.split_at(end);
        let rest = rest.trim_start_matches('!').trim();
        let file = || rest.trim_start_matches('>').trim_start().trim_start_matches("++p ");
        match name {
            "w" | "wr" | "wri" | "writ" | "write" | "wq" | "x" | "xit" | "up" | "update" | "wa"
            | "wall" | "W" | "sav" | "saveas" | "f" | "file" | "mks" | "mksession" | "mkv" => {
                match file() {
                    "" => found.extend(current.clone()),
                    file if !file.starts_with('!') => found.push(file.to_owned()),
                    _ => {}
                }
            }
            "e" | "ed" | "edi" | "edit" | "E" | "sp" | "vs" | "split" | "new" | "tabe"
                if !rest.is_empty() =>
            {
                current = Some(rest.to_owned());
            }
            "redi" | "redir" => found.push(file().to_owned()),
            "exe" | "execute" | "sil" | "silent" | "sil!" | "normal" | "norm" if depth < 3 => {
                let inner = rest.trim_matches(['"', '\'']).trim_start_matches(':');
                editor_writes(inner, found, depth + 1);
            }
            "cal" | "call" | "let" | "ec" | "echo" | "eval" | "lua" | "py3" | "python3"
                if ["delete(", "writefile(", "rename(", "remove(", "open("]
                    .iter()
                    .any(|call| rest.contains(call)) =>
            {
                let quoted = |quote: char| rest.split(quote).skip(1).step_by(2);
                found.extend(quoted('"').chain(quoted('\'')).map(str::to_owned));
            }
            _ => {}
        }
    }
}

/// The files that a patch names, each without as many folders as one of `strips` says.
pub(super) fn patched_files(patch: &str, strips: &[usize]) -> Vec<String> {
    const HEADS: [&str; 7] =
        ["--- ", "+++ ", "*** ", "rename from ", "rename to ", "copy to ", "Index: "];
    let mut seen: HashSet<&str> = HashSet::new();
    let mut found: Vec<String> = Vec::new();
    for line in patch.lines() {
        let pair = line.strip_prefix("diff --git ").map(|names| names.split(' ').collect());
        let head = || HEADS.iter().find_map(|head| line.strip_prefix(head)).map(|name| vec![name]);
        for name in pair.or_else(head).unwrap_or_default() {
            let name = name.split('\t').next().unwrap_or_default().trim().trim_matches('"');
            for strip in strips {
                let rest = name.splitn(strip + 1, '/').nth(*strip).unwrap_or_default();
                if !rest.is_empty() && seen.insert(rest) {
                    found.push(rest.to_owned());
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_sed_writes_is_told_from_what_it_only_spells() {
        for (script, expected) in [
            ("w f", vec!["f"]),
            ("1w f", vec!["f"]),
            ("/a/,$ w f\np", vec!["f"]),
            ("s/x/y/w f", vec!["f"]),
            ("s,x,y,gw f", vec!["f"]),
            ("p;s/x/y/;w f", vec!["f"]),
            ("\\,x,{w f\n}", vec!["f"]),
            ("s/w f/y/", vec![]),
            ("s/a/w f/", vec![]),
            ("a w f", vec![]),
            ("/w f/d", vec![]),
            ("s/x/y/g;p", vec![]),
            ("y/w/f/;bw", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(sed_writes(script), expected, "{script}");
        }
    }

    #[test]
    fn what_an_editor_writes_is_told_from_what_it_reads() {
        for (script, expected) in [
            ("w f", vec!["f"]),
            ("1,$w! f\nq", vec!["f"]),
            ("%s/a/b/|w f|q", vec!["f"]),
            ("e f|d|w", vec!["f"]),
            ("exe \"w! f\"", vec!["f"]),
            ("call delete(\"f\",\"rf\")", vec!["f", "rf"]),
            ("call writefile([],'f')", vec!["f"]),
            ("r f", vec![]),
            ("e f|q!", vec![]),
            ("w", vec![]),
            ("w !cat", vec![]),
            ("%s/w f/x/", vec![]),
        ] {
            let mut found = Vec::new();
            editor_writes(script, &mut found, 0);
            assert_eq!(found, expected, "{script}");
        }
    }

    #[test]
    fn the_files_of_a_patch_are_found_below_what_is_stripped() {
        let patch = "--- a/x/f\t2026\n+++ b/x/f\n@@ -1 +1 @@\n-- g\n+++a\nrename from h\n";
        assert_eq!(patched_files(patch, &[1]), ["x/f"]);
        assert_eq!(patched_files(patch, &[0, 1]), ["a/x/f", "x/f", "b/x/f", "h"]);
    }
}
