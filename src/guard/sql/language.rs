//! SQL as far as it matters: which statements write, which files they name.

/// The path of a database name, and whether it asks for reading only.
pub(super) fn uri(name: &str) -> (String, bool) {
    let Some(rest) = name.strip_prefix("file:") else { return (name.to_owned(), false) };
    let rest = rest.split('#').next().unwrap_or(rest);
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    // `//localhost/path` and `///path`: the machine's name comes before the path.
    let path = match path.strip_prefix("//") {
        Some(rest) => rest.find('/').and_then(|at| rest.get(at..)).unwrap_or(path),
        None => path,
    };
    let readonly = query.split('&').any(|pair| pair == "mode=ro" || pair == "immutable=1");
    (decoded(path), readonly)
}

/// `%2e` → `.`
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes().iter();
    while let Some(&byte) = rest.next() {
        let pair = rest.as_slice().get(..2).filter(|_| byte == b'%');
        let code = pair.and_then(|pair| std::str::from_utf8(pair).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(code) => {
                bytes.push(code);
                rest.nth(1);
            }
            None => bytes.push(byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The statements and dot commands of a script.
pub(super) fn statements(text: &str) -> Vec<String> {
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
pub(super) fn tokens(statement: &str) -> Vec<String> {
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
pub(super) fn writes(tokens: &[String]) -> bool {
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

/// `ATTACH [DATABASE] path AS name`: the path if it is constant, and the name.
pub(super) fn attached(tokens: &[String]) -> Option<(Option<String>, &str)> {
    let (first, rest) = tokens.split_first()?;
    if first != "attach" {
        return None;
    }
    let rest =
        if rest.first().is_some_and(|token| token == "database") { rest.get(1..)? } else { rest };
    let at = rest.iter().position(|token| token == "as")?;
    let name = rest.get(at + 1)?;
    Some((constant(rest.get(..at)?), name.trim_start_matches('\'')))
}

/// The value of texts joined by `||`, in brackets or not; `None` if a part is computed.
pub(super) fn constant(tokens: &[String]) -> Option<String> {
    let mut value = String::new();
    let mut is_open = true;
    for token in tokens.iter().filter(|token| !matches!(token.as_str(), "(" | ")")) {
        match token.strip_prefix('\'') {
            Some(text) if is_open => {
                value.push_str(text);
                is_open = false;
            }
            // A doubled quote inside a text.
            Some(text) => {
                value.push('\'');
                value.push_str(text);
            }
            None if token == "|" => is_open = true,
            None => return None,
        }
    }
    (!tokens.is_empty()).then_some(value)
}

/// The arguments of each call of `function`, as tokens.
pub(super) fn arguments<'t>(tokens: &'t [String], function: &str) -> Vec<Vec<&'t [String]>> {
    let is_call = |at: usize| {
        let name = tokens.get(at).map(|token| token.trim_start_matches('\'').to_ascii_lowercase());
        name.as_deref() == Some(function) && tokens.get(at + 1).is_some_and(|token| token == "(")
    };
    let starts = (0..tokens.len()).filter(|at| is_call(*at)).take(64);
    starts.map(|at| split(tokens.get(at + 2..).unwrap_or(&[]))).collect()
}

/// Tokens up to the closing bracket, by their commas.
fn split(tokens: &[String]) -> Vec<&[String]> {
    let (mut found, mut depth, mut from) = (Vec::new(), 0_usize, 0);
    for (at, token) in tokens.iter().enumerate() {
        let ends = depth == 0 && matches!(token.as_str(), "," | ")");
        if ends {
            found.extend(tokens.get(from..at));
            from = at + 1;
        }
        match token.as_str() {
            ")" if depth == 0 => break,
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
    }
    found
}

/// The database that a writing statement spells before its table: `delete from c.notes`.
pub(super) fn target(tokens: &[String]) -> Option<String> {
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
        assert_eq!(attached(&statement), Some((Some("/w/.cortex.db".into()), "c")));
        let joined = tokens("attach ('/w/' || 'a''s') as c");
        assert_eq!(attached(&joined), Some((Some("/w/a's".into()), "c")));
        assert_eq!(attached(&tokens("attach char(47) as c")), Some((None, "c")));
        assert_eq!(target(&tokens("delete from c.notes where 1")).as_deref(), Some("c"));
        for (name, path, readonly) in [
            ("file:///w/a.db?mode=ro", "/w/a.db", true),
            ("file:a.db?cache=shared", "a.db", false),
            ("file:a.db#mode=ro", "a.db", false),
            ("file:%2Fw%2fa%2edb", "/w/a.db", false),
            ("file://localhost/w/a.db", "/w/a.db", false),
            ("a%2e.db", "a%2e.db", false),
            ("file:a%", "a%", false),
        ] {
            assert_eq!(uri(name), (path.to_owned(), readonly), "{name}");
        }
    }

    #[test]
    fn the_arguments_of_a_function_are_told_apart() {
        let statement = tokens("select Writefile('f', (1, 2)) from a where edit(x,'y') = 1");
        let first = arguments(&statement, "writefile");
        assert_eq!(first.first().and_then(|all| constant(all.first()?)).as_deref(), Some("f"));
        let second = arguments(&statement, "edit");
        assert_eq!(second.first().and_then(|all| constant(all.get(1)?)).as_deref(), Some("y"));
        assert!(arguments(&tokens("select 'writefile(1)'"), "writefile").is_empty());
    }
}
