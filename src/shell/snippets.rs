//! Snippets of other languages: the programs that their literals start.
//!
//! Not a parser of any of them: it looks for calls that start programs and reads the string
//! literals in their arguments. A name that was given a literal earlier in the snippet counts as it.

use std::collections::HashMap;

use super::literals::Snippet;

/// A program that a snippet starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Started {
    /// Shell code.
    Code(String),
    /// An argument list; `None` is a value that is not a literal.
    Argv(Vec<Option<String>>),
    /// Something that is only known at run time.
    Unknown,
}

/// Names of calls that take shell code or an argument list.
const CALLS: &[&str] = &[
    "system",
    "popen",
    "popen2",
    "popen3",
    "getoutput",
    "getstatusoutput",
    "run",
    "call",
    "Popen",
    "check_output",
    "check_call",
    "exec",
    "execSync",
    "execFile",
    "execFileSync",
    "spawn",
    "spawnSync",
    "spawnvp",
    "spawnlp",
    "execv",
    "execvp",
    "execve",
    "execlp",
    "execl",
    "execvpe",
    "posix_spawn",
    "shell_exec",
    "passthru",
    "proc_open",
    "pcntl_exec",
    "qx",
    "capture2",
    "capture2e",
    "capture3",
    "syscmd",
    "esyscmd",
    "execute",
    "create_subprocess_shell",
    "create_subprocess_exec",
    "execa",
    "execaSync",
    "execaCommand",
    "Command",
    "sh",
    "ShellExecute",
    "Start",
    "startProcess",
    "getline",
    "shell",
    "doShellScript",
    "cmd",
    "spawn_process",
];

/// Names that start programs only in company: `subprocess.run`, not any `run`.
const COMMON: &[&str] =
    &["run", "call", "exec", "execute", "Command", "sh", "shell", "cmd", "Start"];

/// All programs that the snippet starts.
pub(super) fn started(code: &str) -> Vec<Started> {
    let scanner = Snippet { code, bytes: code.as_bytes() };
    let names = scanner.assignments();
    let mut found = Vec::new();
    let mut at = 0;
    while at < scanner.bytes.len() && found.len() < 64 {
        let byte = scanner.bytes.get(at).copied().unwrap_or(0);
        match byte {
            b'`' => {
                if let Some((text, end)) = scanner.literal(at) {
                    found.push(Started::Code(text));
                    at = end;
                    continue;
                }
            }
            b'\'' | b'"' => {
                if let Some((text, end)) = scanner.literal(at) {
                    if scanner.pipes_into(end) || scanner.piped(at) {
                        found.push(Started::Code(text));
                    }
                    at = end;
                    continue;
                }
            }
            b'%' if scanner.at(at + 1) == b'x' && b"{([<|!".contains(&scanner.at(at + 2)) => {
                if let Some(text) = scanner.delimited(at + 2) {
                    found.push(Started::Code(text));
                }
            }
            b'q' if scanner.starts(at, "qx")
                && b"{([<|!/".contains(&scanner.at(at + 2))
                && !scanner.inside_name(at) =>
            {
                if let Some(text) = scanner.delimited(at + 2) {
                    found.push(Started::Code(text));
                }
                at += 2;
            }
            b'T' if scanner.starts(at, "TIOCSTI") => found.extend(scanner.injected()),
            byte if byte.is_ascii_alphabetic() || byte == b'_' => {
                let end = scanner.name_end(at);
                let name = code.get(at..end).unwrap_or("");
                if CALLS.contains(&name) && (!COMMON.contains(&name) || scanner.in_company(at)) {
                    found.extend(scanner.call(name, end, &names));
                } else if name == "do" && scanner.starts(at, "do shell script") {
                    found.extend(scanner.call("system", at + 15, &names));
                } else if name == "do" && scanner.starts(at, "do script") {
                    found.extend(scanner.call("system", at + 9, &names));
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    found
}

impl Snippet<'_> {
    /// Whether a common name stands behind one that starts programs: `subprocess.run`,
    /// `child_process').exec`, `Deno.Command`, `os.execute`, `IO::popen`.
    fn in_company(&self, at: usize) -> bool {
        let from = at.saturating_sub(48);
        let before = (from..at).find_map(|start| self.code.get(start..at)).unwrap_or("");
        let linked = before.ends_with('.') || before.ends_with("::");
        let owner =
            before.rsplit(|c: char| c.is_whitespace() || c == ';' || c == '=').next().unwrap_or("");
        let bare_exec = !linked && self.starts(at, "exec") && !before.trim_end().ends_with("def");
        bare_exec
            || linked
                && [
                    "subprocess",
                    "child_process",
                    "os",
                    "cp",
                    "proc",
                    "Process",
                    "Deno",
                    "Bun",
                    "shell",
                    "sp",
                    "Kernel",
                    "sh",
                    "process",
                    "IO",
                    "execa",
                    "zx",
                ]
                .iter()
                .any(|name| owner.contains(name))
    }

    /// awk's `"command" | getline`.
    fn pipes_into(&self, at: usize) -> bool {
        let at = self.blanks(at);
        self.at(at) == b'|'
            && self.starts(self.blanks(at + 1 + usize::from(self.at(at + 1) == b'&')), "getline")
    }

    /// awk's `print … | "command"`.
    fn piped(&self, at: usize) -> bool {
        let before = self.code.get(..at).unwrap_or("").trim_end();
        before.ends_with('|') && !before.ends_with("||") && self.code.contains("print")
    }

    /// Literals beside a TIOCSTI: what is typed into the terminal.
    fn injected(&self) -> Vec<Started> {
        let mut found = Vec::new();
        let mut at = 0;
        while at < self.bytes.len() {
            match self.literal(at) {
                Some((text, end)) => {
                    found.push(Started::Code(text));
                    at = end;
                }
                None => at += 1,
            }
        }
        found
    }

    /// The call whose name ends at `end`.
    fn call(&self, name: &str, end: usize, names: &HashMap<String, String>) -> Option<Started> {
        let mut at = self.blanks(end);
        if name == "getline" {
            return None;
        }
        let round = self.at(at) == b'(';
        if round {
            at = self.blanks(at + 1);
        } else if !matches!(self.at(at), b'\'' | b'"' | b'`') {
            return None;
        }
        let first = self.arguments(at, if round { b')' } else { b';' }, names);
        let argv_calls = name.starts_with("spawn")
            || name.starts_with("execv")
            || name.starts_with("execl")
            || name.starts_with("execFile")
            || matches!(
                name,
                "Command"
                    | "execa"
                    | "execaSync"
                    | "Start"
                    | "create_subprocess_exec"
                    | "pcntl_exec"
            );
        match first {
            Arguments::List(words) => Some(Started::Argv(words)),
            Arguments::Words(words, None) if argv_calls || words.len() > 1 => {
                let skip = usize::from(
                    name.starts_with("execv") || name.starts_with("execl") || name == "spawnvp",
                );
                if words.len() == 1 && words.iter().flatten().any(|text| text.contains(' ')) {
                    return Some(Started::Code(words.into_iter().flatten().collect()));
                }
                if name == "Start" {
                    // .NET: the second argument is a command line.
                    let line: Vec<String> = words.into_iter().flatten().collect();
                    return Some(Started::Code(line.join(" ")));
                }
                Some(Started::Argv(words.into_iter().skip(skip).collect()))
            }
            Arguments::Words(mut words, Some(list)) => {
                let head = words.drain(..).next().flatten();
                let named = name.starts_with("execv") || name == "spawnvp";
                let mut argv = if named { Vec::new() } else { vec![head] };
                argv.extend(list);
                Some(Started::Argv(argv))
            }
            Arguments::Words(words, None) => match words.into_iter().next() {
                Some(Some(text)) => Some(Started::Code(text)),
                Some(None) => Some(Started::Unknown),
                None => None,
            },
        }
    }

    /// The arguments from `at` on: words, and a list among them.
    fn arguments(&self, mut at: usize, close: u8, names: &HashMap<String, String>) -> Arguments {
        if self.at(at) == b'[' {
            return Arguments::List(self.list(at + 1, names).0);
        }
        let mut words = Vec::new();
        while at < self.bytes.len() && words.len() < 64 {
            at = self.blanks(at);
            if self.at(at) == close || self.at(at) == b')' || self.at(at) == 0 {
                break;
            }
            if self.at(at) == b'[' {
                let (list, _) = self.list(at + 1, names);
                return Arguments::Words(words, Some(list));
            }
            let (value, end) = self.value(at, names);
            words.push(value);
            at = self.blanks(end);
            if self.at(at) != b',' {
                break;
            }
            at += 1;
        }
        Arguments::Words(words, None)
    }
}

enum Arguments {
    /// Only a list: `run(['a', 'b'])`.
    List(Vec<Option<String>>),
    /// Words, and the first list after them: `spawn('a', ['b'])`.
    Words(Vec<Option<String>>, Option<Vec<Option<String>>>),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_in_starting_calls_are_found_and_others_are_not() {
        let code = |text: &str| vec![Started::Code(text.into())];
        let argv = |words: &[&str]| {
            vec![Started::Argv(words.iter().map(|w| Some((*w).to_owned())).collect())]
        };
        for (snippet, expected) in [
            ("import os; os.system('a b')", code("a b")),
            ("subprocess.run(['a','b'])", argv(&["a", "b"])),
            ("require('child_process').spawnSync('a',['b','c'])", argv(&["a", "b", "c"])),
            ("require('child_process').execSync(\"a b\")", code("a b")),
            ("system(\"a b\")", code("a b")),
            ("system 'a b'", code("a b")),
            ("`a b`", code("a b")),
            ("%x{a b}", code("a b")),
            ("BEGIN{system(\"a b\")}", code("a b")),
            ("BEGIN{\"a b\" | getline x}", code("a b")),
            ("c='a '+'b'; os.system(c)", code("a b")),
            ("os.system(sys.argv[1])", vec![Started::Unknown]),
            ("print('os.system(\"a\")')", Vec::new()),
            ("console.log('a b')", Vec::new()),
            ("tests.run('a b')", Vec::new()),
        ] {
            assert_eq!(started(snippet), expected, "{snippet}");
        }
    }
}
