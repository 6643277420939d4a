//! sed: the commands it runs, and what it prints of a known text when its script is simple.

use super::eval::{Printed, Reader};
use super::hosted::code;
use super::run::Call;
use super::scope::Scope;
use super::types::{Stdin, Word};

/// GNU sed's `e` command and `s///e` flag; the output, when every command is a plain `s`.
pub(super) fn sed(reader: &mut Reader<'_>, call: &Call<'_>, scope: &Scope) -> Printed {
    let scripts = scripts(call);
    let input = match call.input {
        Stdin::Text(text) => Some(text.clone()),
        Stdin::Inherited | Stdin::File(_) | Stdin::Unknown => None,
    };
    let mut output = input.clone();
    for script in &scripts {
        for line in script.split('\n') {
            let command =
                line.trim_start_matches(|c: char| c.is_ascii_digit() || "$,! {".contains(c));
            let command = strip_address(command);
            if let Some(text) = command.strip_prefix("e ") {
                code(reader, "sed e", text, scope);
                output = None;
                continue;
            }
            let Some(substitution) = Substitution::read(command) else {
                output = None;
                continue;
            };
            let changed = output.as_deref().and_then(|text| substitution.apply(text));
            if substitution.flags.contains('e') {
                // The pattern space is run: what came of a known input, else the replacement.
                let text = changed.clone().unwrap_or_else(|| substitution.with.to_owned());
                code(reader, "sed s///e", &text, scope);
            }
            output = changed;
        }
    }
    in_place(reader, &scripts, call, scope);
    let quiet = call.argv.iter().any(|word| matches!(word.literal(), Some("-n" | "--quiet")));
    let operands =
        call.argv.iter().skip(1).filter_map(Word::literal).filter(|t| !t.starts_with('-'));
    let reads_files = operands.count() > usize::from(!given_by_option(call));
    if quiet || scripts.is_empty() || reads_files { None } else { output }
}

/// `sed -i` on files whose text is known.
fn in_place(reader: &mut Reader<'_>, scripts: &[String], call: &Call<'_>, scope: &Scope) {
    let words = || call.argv.iter().skip(1).filter_map(Word::literal);
    let is_option = |text: &&str| {
        text.starts_with("--in-place")
            || text.starts_with('-') && !text.starts_with("--") && text.contains('i')
    };
    if !words().any(|text| is_option(&text)) {
        return;
    }
    for path in words().filter(|text| !text.starts_with('-')) {
        let Some(before) = reader.known_text(path, scope) else { continue };
        let each = scripts.iter().flat_map(|script| script.split('\n'));
        let after = each
            .into_iter()
            .try_fold(before, |text, line| Substitution::read(line.trim_start())?.apply(&text));
        if let Some(text) = after {
            let absolute = super::directory::absolute(scope.cwd.as_deref(), path);
            scope.write(absolute.unwrap_or_else(|| path.to_owned()), text, false);
        }
    }
}

fn given_by_option(call: &Call<'_>) -> bool {
    call.argv.iter().any(|word| {
        word.literal().is_some_and(|text| {
            matches!(text, "-e" | "-f" | "-ne" | "-nE" | "-Ee")
                || text.starts_with("--expression")
                || text.starts_with("--file")
        })
    })
}

fn scripts(call: &Call<'_>) -> Vec<String> {
    let by_option = given_by_option(call);
    let mut found = Vec::new();
    for (index, word) in call.argv.iter().enumerate().skip(1) {
        let Some(text) = word.literal() else { continue };
        let script = match text {
            "-e" | "--expression" | "-ne" | "-Ee" => call.arg(index + 1),
            _ if text.starts_with("--expression=") => text.get(13..),
            _ if text.starts_with('-') || by_option || !found.is_empty() => None,
            _ => Some(text),
        };
        found.extend(script.map(str::to_owned));
    }
    found
}

/// `/regex/` before a sed command.
fn strip_address(command: &str) -> &str {
    let Some(rest) = command.strip_prefix('/') else { return command };
    rest.find('/').and_then(|at| rest.get(at + 1..)).unwrap_or("").trim_start()
}

/// `s/pattern/with/flags`.
struct Substitution<'c> {
    pattern: &'c str,
    with: &'c str,
    flags: &'c str,
}

impl<'c> Substitution<'c> {
    fn read(command: &'c str) -> Option<Self> {
        let mut characters = command.strip_prefix('s')?.chars();
        let mark = characters.next().filter(|mark| !mark.is_alphanumeric() && *mark != '\\')?;
        let fields: Vec<&str> = characters.as_str().split(mark).collect();
        let [pattern, with, flags] = fields.as_slice() else { return None };
        let plain = flags.bytes().all(|byte| b"egipmMI0123456789 ;}".contains(&byte));
        plain.then_some(Self { pattern, with, flags })
    }

    /// The text with each line changed; `None` when the pattern is more than plain text.
    fn apply(&self, text: &str) -> Option<String> {
        let special = |text: &str| text.contains(['*', '[', '\\', '+', '?', '(', '|', '^', '$']);
        if self.with.contains(['\\', '&']) {
            return None;
        }
        let change = |line: &str| match self.pattern {
            "^" => Some(format!("{}{line}", self.with)),
            "$" => Some(format!("{line}{}", self.with)),
            ".*" | "^.*$" | "^.*" | ".*$" => Some(self.with.to_owned()),
            pattern if special(pattern) || pattern.is_empty() => None,
            pattern if pattern.contains('.') && line.contains(pattern) => None,
            pattern if self.flags.contains('g') => Some(line.replace(pattern, self.with)),
            pattern => Some(line.replacen(pattern, self.with, 1)),
        };
        let lines: Option<Vec<String>> = text.lines().map(change).collect();
        lines.map(|lines| lines.join("\n") + "\n")
    }
}
