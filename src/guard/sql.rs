//! SQLite's shell on a store: which statements write, and to which file.

use super::case::Case;
use super::files::{Done, tamper};
use super::options::Value;
use super::paths::{self, Reach};
use super::{Protected, ProtectedKind};
use crate::shell::{Invocation, Stdin, Word};

/// Options of SQLite's shell that take the next word.
const WITH_VALUE: [&str; 10] =
    ["cmd", "init", "separator", "newline", "nullvalue", "vfs", "mmap", "maxsize", "escape", "A"];

/// Judges one start of SQLite's shell.
pub(super) fn judge(case: &mut Case, invocation: &Invocation) {
    let mut session = Session::default();
    let args = invocation.argv.get(1..).unwrap_or(&[]);
    let mut words = args.iter();
    let mut scripts: Vec<Script> = Vec::new();
    let mut has_sql = false;
    while let Some(word) = words.next() {
        let option = word.literal().and_then(|text| text.strip_prefix('-'));
        match option.map(|name| name.trim_start_matches('-')) {
            Some("readonly") => session.readonly = true,
            Some("help" | "version") => return,
            Some("cmd") => scripts.extend(words.next().map(Script::of)),
            Some("init") => scripts.extend(words.next().map(|file| read(case, invocation, file))),
            Some(name) if WITH_VALUE.contains(&name) => drop(words.next()),
            Some(_) => {}
            None if session.main.is_none() => session.main = Some(word.clone()),
            None => {
                has_sql = true;
                scripts.push(Script::of(word));
            }
        }
    }
    if !has_sql {
        scripts.push(match &invocation.stdin {
            Stdin::Text(text) => Script::Text(text.clone()),
            Stdin::File(word) => read(case, invocation, word),
            Stdin::Unknown => Script::Unknown,
            Stdin::Inherited => Script::Text(String::new()),
        });
    }
    session.open_main(case, invocation);
    for script in scripts {
        match script {
            Script::Text(text) => session.run(case, invocation, &text, 0),
            Script::Unknown => session.run_unknown(case),
        }
    }
}

/// Whether no statement of a SQL text writes, attaches or is a dot command.
pub(super) fn only_reads(text: &str) -> bool {
    statements(text).iter().all(|statement| {
        let tokens = tokens(statement);
        !statement.starts_with('.') && attached(&tokens).is_none() && !writes(&tokens)
    })
}

enum Script {
    Text(String),
    Unknown,
}

impl Script {
    fn of(word: &Word) -> Self {
        match Value::of(word) {
            Value::Known(all) => Self::Text(all.join("\n")),
            Value::Unknown => Self::Unknown,
        }
    }
}

/// The text of a script file.
fn read(case: &Case, invocation: &Invocation, file: &Word) -> Script {
    let cwd = invocation.cwd.as_deref().unwrap_or("/");
    let text = file.literal().and_then(|path| case.facts.text(&case.resolve(cwd, path)));
    text.map_or(Script::Unknown, Script::Text)
}

/// The databases that one run of the shell has open.
#[derive(Default)]
struct Session {
    main: Option<Word>,
    readonly: bool,
    /// The stores that are open for writing, with their names in SQL.
    stores: Vec<(String, Protected)>,
    /// Names of open databases that are no store.
    others: Vec<String>,
}

impl Session {
    fn open_main(&mut self, case: &mut Case, invocation: &Invocation) {
        let Some(main) = self.main.clone() else { return };
        let values = match Value::of(&main) {
            Value::Known(all) => all,
            Value::Unknown => {
                // A glob may still mean the store.
                for protected in stores_hit(case, invocation, &main) {
                    if !self.readonly {
                        self.stores.push(("main".into(), protected));
                    }
                }
                return;
            }
        };
        for path in values {
            self.open(case, invocation, "main", &path);
        }
    }

    fn open(&mut self, case: &mut Case, invocation: &Invocation, name: &str, path: &str) {
        let (path, readonly) = uri(path);
        let found = stores_hit(case, invocation, &Word::Literal(path.to_owned()));
        if found.is_empty() || readonly || self.readonly {
            self.others.push(name.to_ascii_lowercase());
        }
        if !readonly && !self.readonly {
            let name = name.to_ascii_lowercase();
            self.stores.extend(found.into_iter().map(|store| (name.clone(), store)));
        }
    }

    fn run(&mut self, case: &mut Case, invocation: &Invocation, text: &str, depth: u8) {
        for statement in statements(text) {
            if let Some(line) = statement.strip_prefix('.') {
                self.run_dot(case, invocation, line, depth);
                continue;
            }
            let tokens = tokens(&statement);
            if let Some((path, name)) = attached(&tokens) {
                self.open(case, invocation, name, path);
            } else if writes(&tokens) {
                let target = target(&tokens);
                self.write(case, target.as_deref(), "run a writing statement on");
            }
        }
    }

    fn run_dot(&mut self, case: &mut Case, invocation: &Invocation, line: &str, depth: u8) {
        let mut words = line.split_whitespace();
        let command = words.next().unwrap_or_default();
        let rest: Vec<&str> = words.map(|word| word.trim_matches(['\'', '"'])).collect();
        let last = rest.last().copied().unwrap_or_default();
        let file = Word::Literal(last.to_owned());
        match command {
            "read" => match read(case, invocation, &file) {
                Script::Text(text) if depth < 4 => self.run(case, invocation, &text, depth + 1),
                Script::Text(_) | Script::Unknown => self.run_unknown(case),
            },
            "open" => {
                if rest.contains(&"--readonly") {
                    self.others.push("main".into());
                } else {
                    self.open(case, invocation, "main", last);
                }
            }
            "restore" | "import" | "load" => self.write(case, None, "load other content into"),
            "output" | "once" | "backup" | "save" | "clone" | "log" | "excel" => {
                for protected in stores_hit(case, invocation, &file) {
                    tamper(case, &protected, Done::new("overwrite", "sqlite3"));
                }
            }
            "shell" | "system" => {
                let text = line.split_once(char::is_whitespace).map_or("", |(_, text)| text);
                let text = text.to_owned();
                case.deeper(|case| {
                    super::command::judge_text(case, &text, crate::shell::Dialect::Posix, &[]);
                });
            }
            _ => {}
        }
    }

    fn run_unknown(&mut self, case: &mut Case) {
        self.write(case, None, "run SQL that cannot be seen beforehand on");
    }

    /// Notes a write; `target` is the database's name in SQL, where the statement spells it.
    fn write(&self, case: &mut Case, target: Option<&str>, how: &'static str) {
        let target = target.filter(|name| {
            self.others.iter().any(|other| other == name)
                || self.stores.iter().any(|(store, _)| store == name)
        });
        for (name, protected) in &self.stores {
            if target.is_none_or(|target| target == name) {
                tamper(case, protected, Done::new(how, "sqlite3"));
            }
        }
    }
}

fn stores_hit(case: &mut Case, invocation: &Invocation, word: &Word) -> Vec<Protected> {
    let mut found = paths::hits(case, invocation.cwd.as_deref(), word, Reach::This);
    found.retain(|protected| protected.kind != ProtectedKind::Settings);
    found
}

/// The path of a database name, and whether it asks for reading only.
fn uri(name: &str) -> (&str, bool) {
    let Some(rest) = name.strip_prefix("file:") else { return (name, false) };
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let path = if path.starts_with("///") { path.get(2..).unwrap_or(path) } else { path };
    let readonly = query.split('&').any(|pair| pair == "mode=ro" || pair == "immutable=1");
    (path, readonly)
}

/// The statements and dot commands of a script.
fn statements(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut current = String::new();
    let mut letters = text.chars().peekable();
    let mut at_line_start = true;
    while let Some(letter) = letters.next() {
        if at_line_start && letter == '.' && current.trim().is_empty() {
            let mut line = String::from('.');
            line.extend(letters.by_ref().take_while(|letter| *letter != '\n'));
            found.push(line);
            current.clear();
            continue;
        }
        at_line_start = letter == '\n' || (at_line_start && letter.is_whitespace());
        match letter {
            '\'' | '"' | '`' => {
                current.push(letter);
                for inner in letters.by_ref() {
                    current.push(inner);
                    if inner == letter {
                        break;
                    }
                }
            }
            '-' if letters.peek() == Some(&'-') => {
                letters.by_ref().take_while(|letter| *letter != '\n').for_each(drop);
                current.push(' ');
                at_line_start = true;
            }
            '/' if letters.peek() == Some(&'*') => {
                let mut star = false;
                for inner in letters.by_ref().skip(1) {
                    if star && inner == '/' {
                        break;
                    }
                    star = inner == '*';
                }
                current.push(' ');
            }
            ';' => found.push(std::mem::take(&mut current)),
            _ => current.push(letter),
        }
    }
    found.push(current);
    found
        .into_iter()
        .map(|statement| statement.trim().to_owned())
        .filter(|text| !text.is_empty())
        .collect()
}

/// A statement's words in lower case without quotes; dots, brackets and `=` stand alone.
fn tokens(statement: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut letters = statement.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' | '"' | '`' | '[' => {
                let end = if letter == '[' { ']' } else { letter };
                let text: String = letters.by_ref().take_while(|inner| *inner != end).collect();
                // Marked, so that a text is never taken for a keyword.
                found.push(format!("'{text}"));
            }
            _ if letter.is_alphanumeric() || letter == '_' => {
                let mut word = letter.to_lowercase().to_string();
                while let Some(next) =
                    letters.next_if(|next| next.is_alphanumeric() || *next == '_')
                {
                    word.extend(next.to_lowercase());
                }
                found.push(word);
            }
            _ if letter.is_whitespace() => {}
            _ => found.push(letter.to_string()),
        }
    }
    found
}

/// Whether a statement changes a database.
fn writes(tokens: &[String]) -> bool {
    let has = |word: &str| tokens.iter().any(|token| token == word);
    match tokens.first().map(String::as_str) {
        None => false,
        Some(
            "select" | "values" | "begin" | "commit" | "end" | "rollback" | "savepoint" | "release"
            | "detach",
        ) => false,
        // A plan only; `explain query plan delete …` changes nothing.
        Some("explain") => false,
        Some("attach") => false,
        Some("with") => has("insert") || has("update") || has("delete") || has("replace"),
        Some("vacuum") => !has("into"),
        Some("pragma") => {
            has("=")
                || ["wal_checkpoint", "optimize", "incremental_vacuum"].iter().any(|name| has(name))
                || (has("(")
                    && ["user_version", "journal_mode", "writable_schema"]
                        .iter()
                        .any(|name| has(name)))
        }
        Some(_) => true,
    }
}

/// `ATTACH [DATABASE] 'path' AS name`.
fn attached(tokens: &[String]) -> Option<(&str, &str)> {
    let (first, rest) = tokens.split_first()?;
    if first != "attach" {
        return None;
    }
    let mut rest = rest.iter().filter(|token| *token != "database");
    let path = rest.next()?.strip_prefix('\'')?;
    let name = rest.find(|token| *token != "as")?;
    Some((path, name.trim_start_matches('\'')))
}

/// The database that a writing statement spells before its table: `delete from c.notes`.
fn target(tokens: &[String]) -> Option<String> {
    let verbs = ["into", "from", "update", "table", "trigger", "index", "view", "vacuum"];
    let at = tokens.iter().position(|token| verbs.contains(&token.as_str()))?;
    let rest = tokens.get(at + 1..)?;
    let name = rest.windows(2).find(|pair| pair.get(1).is_some_and(|dot| dot == "."))?.first()?;
    Some(name.trim_start_matches('\'').to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_that_write_are_told_from_those_that_read() {
        for (text, expected) in [
            ("SELECT 'delete from x'", false),
            ("select 1; -- delete\n select 2", false),
            ("/* drop */ WITH a AS (SELECT 1) SELECT * FROM a", false),
            ("WITH a AS (SELECT 1) DELETE FROM notes", true),
            ("PRAGMA table_info(notes)", false),
            ("PRAGMA user_version = 3", true),
            ("EXPLAIN QUERY PLAN DELETE FROM notes", false),
            ("BEGIN; DELETE FROM notes; COMMIT", true),
            ("update notes set status='x'", true),
            ("REPLACE INTO notes VALUES(1)", true),
            ("VACUUM INTO '/tmp/x.db'", false),
            ("VACUUM", true),
            ("", false),
        ] {
            let found = statements(text).iter().any(|statement| writes(&tokens(statement)));
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn dot_commands_and_attached_databases_are_read() {
        assert_eq!(
            statements("select 1;\n.read x.sql\ndelete from a"),
            ["select 1", ".read x.sql", "delete from a"]
        );
        let statement = tokens("ATTACH DATABASE '/w/.cortex.db' AS c");
        assert_eq!(attached(&statement), Some(("/w/.cortex.db", "c")));
        assert_eq!(target(&tokens("delete from c.notes where 1")).as_deref(), Some("c"));
        assert_eq!(uri("file:///w/a.db?mode=ro"), ("/w/a.db", true));
        assert_eq!(uri("file:a.db?cache=shared"), ("a.db", false));
    }
}
