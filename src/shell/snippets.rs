//! Snippets of other languages: the programs that their literals start.
//!
//! Not a parser of any of them: it looks for calls that start programs and reads the string
//! literals in their arguments. A name that was given a literal earlier in the snippet counts as it.

use super::literals::Snippet;
use super::operands::{Given, Names};

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
    "posix_spawnp",
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
    "shell",
    "doShellScript",
    "cmd",
    "spawn_process",
    "fork",
    "startfile",
    "system_",
    "sh_exec",
    "pipeline",
    "pipeline_r",
    "open",
    "eval",
    "Function",
    "osascript",
];

/// Names that start programs only in company: `subprocess.run`, not any `run`.
const COMMON: &[&str] = &[
    "run", "call", "exec", "execute", "Command", "sh", "shell", "cmd", "Start", "fork", "pipeline",
];

/// Names whose argument is code of the same language.
const SAME_LANGUAGE: &[&str] = &["exec", "eval", "Function"];

/// Words that say that programs are started by common names too.
const COMPANY: &[&str] =
    &["subprocess", "child_process", "execa", "Deno.", "Bun.", "IO.", "os.execute", "zx", "Open3"];

/// All programs that the snippet starts; `names` are those given outside (`awk -v`).
pub(super) fn started_with(code: &str, names: Names, depth: usize) -> Vec<Started> {
    let scanner = Snippet::new(code);
    let names = scanner.assignments(names);
    let company = COMPANY.iter().any(|word| code.contains(word));
    let mut found = Vec::new();
    let mut at = 0;
    while at < scanner.bytes.len() && found.len() < 64 {
        let byte = scanner.at(at);
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
                    found.extend(scanner.at_literal(&text, at, end, &names));
                    at = end;
                    continue;
                }
            }
            b'%' if scanner.at(at + 1) == b'x' && b"{([<|!".contains(&scanner.at(at + 2)) => {
                found.extend(scanner.delimited(at + 2).map(Started::Code));
            }
            b'q' if scanner.starts(at, "qx")
                && b"{([<|!/".contains(&scanner.at(at + 2))
                && !scanner.inside_name(at) =>
            {
                found.extend(scanner.delimited(at + 2).map(Started::Code));
                at += 2;
            }
            b'#' if scanner.is_comment(at) => {
                let rest = scanner.bytes.get(at..).unwrap_or(&[]);
                at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                continue;
            }
            b'T' if scanner.starts(at, "TIOCSTI") => found.extend(scanner.injected()),
            byte if byte.is_ascii_alphabetic() || byte == b'_' => {
                let end = scanner.name_end(at);
                found.extend(scanner.at_name(at, end, &names, company, depth));
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// Whether a snippet starts something of which its literals do not tell all.
pub(super) fn hides(code: &str, found: &[Started]) -> bool {
    let is_shell = |word: &str| super::shells::is_shell(super::program::base_name(word));
    let told = |started: &Started| match started {
        Started::Code(code) => !code.contains(super::operands::UNKNOWN) && !is_shell(code.trim()),
        // A shell without code reads it from somewhere.
        Started::Argv(argv) => {
            argv.iter().all(|word| {
                word.as_ref().is_some_and(|word| !word.contains(super::operands::UNKNOWN))
            }) && !(argv.len() < 3
                && argv.first().is_some_and(|w| w.as_deref().is_some_and(is_shell)))
        }
        Started::Unknown => false,
    };
    let starts = STARTERS.iter().any(|name| code.contains(name));
    // perl's `exec {PROGRAM} @list`.
    let indirect =
        ["exec {", "exec{", "system {", "system{"].iter().any(|form| code.contains(form));
    indirect || !found.iter().all(told) || found.is_empty() && starts
}

/// Words of code that starts programs, or the code of a file.
const STARTERS: [&str; 10] = [
    "system",
    "popen",
    "Popen",
    "exec",
    "spawn",
    "subprocess",
    "child_process",
    "qx",
    "| \"sh\"",
    "do \"",
];

/// What a snippet prints, as far as its literals tell: `None` when it prints none.
pub(super) fn prints(code: &str) -> Option<String> {
    const PRINTS: &[&str] =
        &["print", "puts", "echo", "say", "log", "write", "printf", "println", "stdout"];
    let scanner = Snippet::new(code);
    let names = scanner.assignments(Names::new());
    let mut out: Option<String> = None;
    let mut at = 0;
    while at < scanner.bytes.len() {
        if let Some((_, end)) = scanner.literal(at) {
            at = end;
            continue;
        }
        let end = scanner.name_end(at);
        if end == at {
            at += 1;
            continue;
        }
        if PRINTS.contains(&code.get(at..end).unwrap_or("")) && !scanner.inside_name(at) {
            let mut from = scanner.blanks(end);
            from = if scanner.at(from) == b'(' { scanner.blanks(from + 1) } else { from };
            if let (Some(Given::Text(text)), _) = scanner.value(from, &names, 0) {
                let out = out.get_or_insert_default();
                out.push_str(&text);
                out.push('\n');
            }
        }
        at = end;
    }
    out
}

impl Snippet<'_> {
    /// What a name starts by what stands around it.
    fn at_name(
        &self,
        at: usize,
        end: usize,
        names: &Names,
        company: bool,
        depth: usize,
    ) -> Vec<Started> {
        let name = self.code.get(at..end).unwrap_or("");
        // awk's `command | getline` and `print | command` by name.
        if let Some(Given::Text(text)) = names.get(name)
            && (self.pipes_into(end) || self.piped(at))
        {
            return vec![Started::Code(text.clone())];
        }
        let known = CALLS.contains(&name)
            && !self.is_defined(at)
            && (!COMMON.contains(&name) || company || self.in_company(at));
        let mut found = if known { self.nested(name, end, names, depth) } else { Vec::new() };
        let call = known.then(|| self.call(name, end, names)).flatten();
        found.extend(call.or_else(|| self.other_language(at, end, names)));
        found
    }

    fn is_comment(&self, at: usize) -> bool {
        self.at(at + 1) != b'{'
            && (at == 0 || matches!(self.at(at - 1), b'\n' | b' ' | b'\t' | b';'))
    }

    /// Whether a name is being defined here: `def run(`, `function exec(`.
    fn is_defined(&self, at: usize) -> bool {
        let before = self.code.get(..at).unwrap_or("").trim_end();
        self.inside_name(at) || ["def", "function", "fn", "sub"].iter().any(|w| before.ends_with(w))
    }

    /// Whether a common name stands behind one that starts programs: `subprocess.run`,
    /// `child_process').exec`, `Deno.Command`, `os.execute`, `IO::popen`.
    fn in_company(&self, at: usize) -> bool {
        let from = at.saturating_sub(48);
        let before = (from..at).find_map(|start| self.code.get(start..at)).unwrap_or("");
        let linked = before.ends_with('.') || before.ends_with("::");
        let owner =
            before.rsplit(|c: char| c.is_whitespace() || c == ';' || c == '=').next().unwrap_or("");
        let bare_exec = !linked && self.starts(at, "exec");
        bare_exec
            || linked
                && ["os", "cp", "proc", "Process", "Kernel", "sh", "process", "shell", "sp", "IO"]
                    .iter()
                    .any(|name| owner.contains(name))
    }

    /// A literal that is run by what stands beside it: awk's pipes, `getattr(os, 'system')(…)`.
    fn at_literal(&self, text: &str, at: usize, end: usize, names: &Names) -> Vec<Started> {
        if self.pipes_into(end) || self.piped(at) {
            let mut found = vec![Started::Code(text.to_owned())];
            // `print "code" | "sh"`.
            let program = text.split_whitespace().next().unwrap_or("");
            let shell = super::shells::is_shell(super::program::base_name(program));
            if shell && !self.printed_told.replace(true) {
                found.extend(prints(self.code).map(Started::Code));
            }
            return found;
        }
        let called = CALLS.contains(&text) && matches!(self.at(end), b')' | b']');
        if called && self.at(end + 1) == b'(' {
            return self.call(text, end + 1, names).into_iter().collect();
        }
        Vec::new()
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

    /// Code of the same language in a literal: `exec("…")`, `eval("…")`.
    fn nested(&self, name: &str, end: usize, names: &Names, depth: usize) -> Vec<Started> {
        let open = self.blanks(end);
        if !SAME_LANGUAGE.contains(&name) || self.at(open) != b'(' || depth > 4 {
            return Vec::new();
        }
        match self.value(self.blanks(open + 1), names, 0).0 {
            Some(Given::Text(text)) => started_with(&text, names.clone(), depth + 1),
            Some(Given::List(_)) | None => Vec::new(),
        }
    }
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
            ("subprocess.run(['a','b'], check=True)", argv(&["a", "b"])),
            ("subprocess.run('a b', shell=True)", code("a b")),
            ("x=['a','b']; subprocess.run(x)", argv(&["a", "b"])),
            ("subprocess.run('a b'.split())", argv(&["a", "b"])),
            ("os.system('a %s' % 'b')", code("a b")),
            ("os.system('a {}'.format('b'))", code("a b")),
            ("b='x'; os.system(f'a {b}')", code("a x")),
            ("os.execvp('a', ['a', 'b'])", argv(&["a", "b"])),
            ("require('child_process').spawnSync('a',['b','c'])", argv(&["a", "b", "c"])),
            ("require('child_process').execSync(\"a b\")", code("a b")),
            ("system(\"a b\")", code("a b")),
            ("system 'a b'", code("a b")),
            ("exec qw(a b)", argv(&["a", "b"])),
            ("open(F, 'a b|')", code("a b")),
            ("`a b`", code("a b")),
            ("%x{a b}", code("a b")),
            ("BEGIN{system(\"a b\")}", code("a b")),
            ("BEGIN{\"a b\" | getline x}", code("a b")),
            ("c='a '+'b'; os.system(c)", code("a b")),
            ("os.system(sys.argv[1])", vec![Started::Unknown]),
            ("print('os.system(\"a\")')", Vec::new()),
            ("console.log('a b')", Vec::new()),
            ("tests.run('a b')", Vec::new()),
            ("open('a b').read()", Vec::new()),
        ] {
            assert_eq!(started_with(snippet, Names::new(), 0), expected, "{snippet}");
        }
    }
}
