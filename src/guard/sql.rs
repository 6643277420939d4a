//! SQLite's shell on a store: which statements write, and to which file.

mod dots;
mod language;

use self::language::{arguments, attached, constant, statements, target, tokens, uri, writes};
use super::case::Case;
use super::command::quote;
use super::files::{Done, tamper};
use super::options::Value;
use super::paths::{self, Reach};
use super::{Protected, ProtectedKind};
use crate::decision::Code;
use crate::shell::{Invocation, Stdin, Word};

/// How many words an option of SQLite's shell takes.
fn taken(option: &str) -> usize {
    match option {
        "lookaside" | "pagecache" => 2,
        "separator" | "newline" | "nullvalue" | "vfs" | "mmap" | "maxsize" | "escape" | "heap"
        | "nonce" | "sorterref" | "threadsafe" | "screenwidth" => 1,
        _ => 0,
    }
}

/// Judges one start of SQLite's shell.
pub(super) fn judge(case: &mut Case, invocation: &Invocation) {
    let mut session = Session { cwd: invocation.cwd.clone(), ..Session::default() };
    let Some(scripts) = session.scripts(case, invocation) else { return };
    session.open_main(case);
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
        let calls = |name: &str| !arguments(&tokens, name).is_empty();
        !statement.starts_with('.')
            && attached(&tokens).is_none()
            && !writes(&tokens)
            && !calls("writefile")
            && !calls("edit")
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
fn read(case: &Case, cwd: Option<&str>, file: &Word) -> Script {
    case.text_at(cwd, file).flatten().map_or(Script::Unknown, Script::Text)
}

/// The databases that one run of the shell has open.
#[derive(Default)]
struct Session {
    main: Option<Word>,
    /// Where it is.
    cwd: Option<String>,
    readonly: bool,
    /// It has more than one connection, each with a main database of its own.
    several: bool,
    /// The stores that are open for writing, with their names in SQL.
    stores: Vec<(String, Protected)>,
    /// Names of open databases that are no store.
    others: Vec<String>,
}

impl Session {
    /// Reads the command line; `None` if it only asks for help.
    fn scripts(&mut self, case: &Case, invocation: &Invocation) -> Option<Vec<Script>> {
        let cwd = invocation.cwd.as_deref();
        let mut words = invocation.argv.iter().skip(1);
        let mut scripts: Vec<Script> = Vec::new();
        let mut has_sql = false;
        while let Some(word) = words.next() {
            let option = word.literal().and_then(|text| text.strip_prefix('-'));
            match option.map(|name| name.strip_prefix('-').unwrap_or(name)) {
                Some("readonly") => self.readonly = true,
                Some("help" | "version") => return None,
                Some("cmd") => scripts.extend(words.next().map(Script::of)),
                Some("init") => scripts.extend(words.next().map(|file| read(case, cwd, file))),
                Some(name) if name.starts_with('A') => {
                    // All that follows is the archive command's.
                    let rest = words.by_ref().map(|word| quote(word.literal().unwrap_or_default()));
                    let line: Vec<String> = rest.collect();
                    let letters = name.trim_start_matches('A');
                    scripts.push(Script::Text(format!(".archive -{letters} {}", line.join(" "))));
                    has_sql = true;
                }
                Some(name) => words.by_ref().take(taken(name)).for_each(drop),
                None if self.main.is_none() => self.main = Some(word.clone()),
                None => {
                    has_sql = true;
                    scripts.push(Script::of(word));
                }
            }
        }
        if !has_sql {
            scripts.push(match &invocation.stdin {
                Stdin::Text(text) => Script::Text(text.clone()),
                Stdin::File(word) => read(case, cwd, word),
                Stdin::Unknown => Script::Unknown,
                Stdin::Inherited => Script::Text(String::new()),
            });
        }
        Some(scripts)
    }

    fn open_main(&mut self, case: &mut Case) {
        let Some(main) = self.main.clone() else { return };
        let values = match Value::of(&main) {
            Value::Known(all) => all,
            Value::Unknown => {
                // A glob may still mean the store.
                for protected in self.stores_hit(case, &main) {
                    if !self.readonly {
                        self.stores.push(("main".into(), protected));
                    }
                }
                return;
            }
        };
        for path in values {
            self.open(case, "main", &path);
        }
    }

    /// Before another database is the main one.
    fn close_main(&mut self) {
        if !self.several {
            self.stores.retain(|(name, _)| name != "main");
            self.others.retain(|name| name != "main");
        }
    }

    fn open(&mut self, case: &mut Case, name: &str, path: &str) {
        let (path, readonly) = uri(path);
        let found = self.stores_hit(case, &Word::Literal(path));
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
                dots::run(self, case, invocation, line, depth);
                continue;
            }
            let tokens = tokens(&statement);
            self.call(case, &tokens);
            match attached(&tokens) {
                Some((Some(path), name)) => self.open(case, name, &path),
                Some((None, _)) => case.doubt_of(Code::TargetRuntime, "attached database"),
                None if writes(&tokens) => {
                    let target = target(&tokens);
                    self.write(case, target.as_deref(), "run a writing statement on");
                }
                None => {}
            }
        }
    }

    /// Functions of the shell that write a file or start a program.
    fn call(&self, case: &mut Case, tokens: &[String]) {
        for name in ["writefile", "zipfile"] {
            for all in arguments(tokens, name) {
                let Some(path) = all.first().and_then(|path| constant(path)) else {
                    if name == "writefile" {
                        case.doubt_of(Code::TargetRuntime, "writefile");
                    }
                    continue;
                };
                for protected in self.stores_hit(case, &Word::Literal(path)) {
                    tamper(case, &protected, Done::new("overwrite", "sqlite3"));
                }
            }
        }
        for all in arguments(tokens, "edit") {
            if let Some(program) = all.get(1).and_then(|text| constant(text)) {
                dots::shell(self, case, &program);
            }
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

    fn stores_hit(&self, case: &mut Case, word: &Word) -> Vec<Protected> {
        let mut found = paths::hits(case, self.cwd.as_deref(), word, Reach::This);
        found.retain(|protected| protected.kind != ProtectedKind::Settings);
        found
    }
}
