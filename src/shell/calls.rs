//! Calls in snippets of other languages: what their arguments start.

use super::literals::Snippet;
use super::operands::{Given, Names, UNKNOWN};
use super::snippets::Started;

impl Snippet<'_> {
    /// The call whose name ends at `end`.
    pub(super) fn call(&self, name: &str, end: usize, names: &Names) -> Option<Started> {
        let mut at = self.blanks(end);
        // `getattr(os,'system')(…)` and `os['system'](…)` come with their closer.
        let round = self.at(at) == b'(';
        if round {
            at = self.blanks(at + 1);
        } else if !(matches!(self.at(at), b'\'' | b'"' | b'`')
            || self.starts(at, "q") && b"qw({[".contains(&self.at(at + 1)))
        {
            return None;
        }
        let (words, listed) = self.arguments(at, if round { b')' } else { b';' }, names);
        if name == "open" {
            return opened(&words);
        }
        if matches!(name, "eval" | "Function") {
            return None;
        }
        if listed && words.len() == 1 {
            return Some(Started::Argv(words));
        }
        let takes_path = name.starts_with("execv")
            || name.starts_with("execl")
            || matches!(name, "spawnvp" | "posix_spawn" | "posix_spawnp");
        let takes_list = name.starts_with("spawn")
            || name.starts_with("execFile")
            || matches!(
                name,
                "Command" | "execa" | "execaSync" | "create_subprocess_exec" | "pcntl_exec"
            );
        match words.as_slice() {
            [] => None,
            [Some(text)] if !takes_list || text.contains(' ') => Some(Started::Code(text.clone())),
            [Some(_)] => Some(Started::Argv(words)),
            [None] => Some(Started::Unknown),
            // .NET: the second argument is a command line.
            _ if name == "Start" => {
                let line: Vec<String> = words.into_iter().flatten().collect();
                Some(Started::Code(line.join(" ")))
            }
            // `os.spawnlp(mode, path, name, …)`.
            _ if name.starts_with("spawnl") || name.starts_with("spawnv") => {
                Some(Started::Argv(words.into_iter().skip(2).collect()))
            }
            // The program's path comes first and its own name again in the list.
            _ if takes_path => {
                let skip = words.iter().position(Option::is_some).map_or(1, |at| at + 1);
                Some(Started::Argv(words.into_iter().skip(skip).collect()))
            }
            _ => Some(Started::Argv(words)),
        }
    }

    /// The arguments from `at` on, lists taken apart; keyword arguments and objects left out but
    /// for the ones that hold a command. The second value: whether they came as a list.
    fn arguments(&self, mut at: usize, close: u8, names: &Names) -> (Vec<Option<String>>, bool) {
        let mut words = Vec::new();
        let mut listed = false;
        while at < self.bytes.len() && words.len() < 64 {
            at = self.blanks(at);
            if self.at(at) == close || matches!(self.at(at), b')' | 0) {
                break;
            }
            let keyword = self.name_end(at);
            let equals = self.blanks(keyword);
            let is_keyword = keyword > at
                && (self.at(equals) == b'=' && self.at(equals + 1) != b'='
                    || self.at(equals) == b':' && self.at(equals + 1) != b':');
            let mut from = at;
            if is_keyword {
                let name = self.code.get(at..keyword).unwrap_or("");
                if !matches!(name, "args" | "command" | "cmd") {
                    let Some(next) = self.next_argument(equals + 1) else { break };
                    at = next;
                    continue;
                }
                from = self.blanks(equals + 1);
            }
            if self.at(from) == b'{' {
                // `{ args: […] }` of Deno; other options hold no command.
                let end = self.argument_end(from);
                let inside = self.code.get(from..end).unwrap_or("");
                if let Some(found) = inside.find("args") {
                    let list = inside.get(found..).and_then(|rest| rest.find('['));
                    if let Some(list) = list {
                        words.extend(self.list(from + found + list + 1, b']', names, 1).0);
                    }
                }
                let Some(next) = self.next_argument(end) else { break };
                at = next;
                continue;
            }
            let (value, end) = self.value(from, names, 0);
            match value {
                Some(Given::List(items)) => {
                    listed = true;
                    words.extend(items);
                    // What comes after the list are options.
                    break;
                }
                Some(Given::Text(text)) => words.push(Some(text)),
                None => words.push(None),
            }
            let Some(next) = self.next_argument(end) else { break };
            at = next;
        }
        (words, listed)
    }

    /// The place after the comma that ends an argument.
    fn next_argument(&self, at: usize) -> Option<usize> {
        let end = self.argument_end(at);
        (self.at(end) == b',').then_some(end + 1)
    }

    /// Ways of a few languages: AppleScript's `do shell script`, lisp's `(shell-command "…")`,
    /// tcl's `exec a b`, expect's `spawn a b` and `send "…"`.
    pub(super) fn other_language(&self, at: usize, end: usize, names: &Names) -> Option<Started> {
        for (phrase, skip) in [("do shell script", 15), ("do script", 9)] {
            if self.starts(at, phrase) {
                return self.call("system", at + skip, names);
            }
        }
        const LISP: &[&str] = &[
            "shell-command-to-string",
            "shell-command",
            "async-shell-command",
            "call-process",
            "start-process",
            "process-lines",
        ];
        if let Some(name) = LISP.iter().find(|name| self.starts(at, name)) {
            let mut words = Vec::new();
            let mut place = at + name.len();
            while self.at(place) != b')' && place < self.bytes.len() {
                match self.literal(place) {
                    Some((text, after)) => {
                        words.push(Some(text));
                        place = after;
                    }
                    None => place += 1,
                }
            }
            if *name == "start-process" {
                words.drain(..words.len().min(2));
            }
            return match words.len() {
                0 => Some(Started::Unknown),
                1 => words.pop().flatten().map(Started::Code),
                _ => Some(Started::Argv(words)),
            };
        }
        let tcl = matches!(self.code.get(at..end), Some("exec" | "spawn" | "send" | "send_user"));
        let bare = self.at(end) == b' ' && !b"=(:.".contains(&self.at(end + 1));
        if tcl && bare && self.begins_command(at) {
            let rest = self.code.get(end + 1..).unwrap_or("");
            if self.starts(at, "send") {
                let (text, _) = self.literal(self.blanks(end))?;
                return Some(Started::Code(text.replace("\\r", "\n")));
            }
            let length = rest.find([';', '\n', ']']).unwrap_or(rest.len());
            return Some(Started::Code(rest.get(..length).unwrap_or("").to_owned()));
        }
        None
    }

    fn begins_command(&self, at: usize) -> bool {
        let before = self.code.get(..at).unwrap_or("").trim_end_matches([' ', '\t']);
        before.is_empty() || before.ends_with(['\n', ';', '[', '{'])
    }
}

/// perl's `open`: a pipe at either end of its second argument, or `-|` and a list.
fn opened(words: &[Option<String>]) -> Option<Started> {
    let mode = words.get(1)?.as_deref()?;
    if matches!(mode, "-|" | "|-") {
        let rest = words.get(2..).unwrap_or(&[]);
        return match rest {
            [Some(code)] => Some(Started::Code(code.clone())),
            _ => Some(Started::Argv(rest.to_vec())),
        };
    }
    let code = mode.trim().strip_suffix('|').or(mode.trim().strip_prefix('|'))?;
    Some(Started::Code(code.replace(UNKNOWN, "$x")))
}
