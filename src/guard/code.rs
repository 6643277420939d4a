//! One-liners of interpreters that name a protected file and write.

use super::case::Case;
use super::change::{NewText, stdin_text};
use super::files::{Done, change_settings, tamper};
use super::paths;
use super::{Protected, ProtectedKind};
use crate::decision::Code;
use crate::shell::{Invocation, Word};

/// Options that carry code as the next word.
const CODE_OPTIONS: [&str; 9] = ["-c", "-e", "-E", "-p", "-pe", "-ne", "-r", "--eval", "--print"];

/// Whether `program` runs code from its command line.
pub(super) fn is_interpreter(program: &str) -> bool {
    program.starts_with("python")
        || program.starts_with("perl")
        || program.starts_with("ruby")
        || matches!(
            program,
            "node"
                | "nodejs"
                | "bun"
                | "deno"
                | "php"
                | "lua"
                | "luajit"
                | "awk"
                | "gawk"
                | "mawk"
                | "Rscript"
                | "tclsh"
                | "pypy3"
                | "osascript"
                | "julia"
                | "elixir"
        )
}

/// Judges the code that an interpreter is given on its command line or on standard input.
pub(super) fn judge(case: &mut Case, invocation: &Invocation, program: &str) {
    let args = invocation.argv.get(1..).unwrap_or(&[]);
    for code in codes(program, args, invocation) {
        judge_code(case, invocation, program, &code);
    }
}

fn codes(program: &str, args: &[Word], invocation: &Invocation) -> Vec<String> {
    let mut codes = Vec::new();
    let mut has_file = false;
    let mut words = args.iter();
    while let Some(word) = words.next() {
        let Some(text) = word.literal() else {
            has_file = true;
            continue;
        };
        if CODE_OPTIONS.contains(&text) || (program == "deno" && text == "eval") {
            codes.extend(words.next().and_then(Word::literal).map(str::to_owned));
            has_file = true;
        } else if let Some(code) = text.strip_prefix("--eval=").or(text.strip_prefix("-e")) {
            codes.push(code.to_owned());
            has_file = true;
        } else if !text.starts_with('-') {
            if program.ends_with("awk") && !has_file {
                codes.push(text.to_owned());
            }
            has_file = true;
        }
    }
    if !has_file {
        codes.extend(stdin_text(invocation));
    }
    codes
}

fn judge_code(case: &mut Case, invocation: &Invocation, program: &str, code: &str) {
    let names_store = paths::STORE_NAMES.iter().any(|name| code.contains(name));
    if !writes(code) {
        return;
    }
    let mut hit = false;
    for (word, reach) in super::snippet::paths(case, invocation, code) {
        for protected in paths::hits(case, invocation.cwd.as_deref(), &word, reach) {
            hit = true;
            judge_hit(case, &protected, program, code);
        }
    }
    if names_store && !hit {
        case.doubt_of(Code::TargetRuntime, program);
    }
}

fn judge_hit(case: &mut Case, protected: &Protected, program: &str, code: &str) {
    match protected.kind {
        ProtectedKind::Store | ProtectedKind::Own => {
            tamper(case, protected, Done::new("run writing code on", program));
        }
        ProtectedKind::Settings => {
            // Code that never looks at the file cannot keep what is in it.
            let looks =
                ["load", "read", "parse", "slurp", "<"].iter().any(|word| code.contains(word));
            let edited = if looks { NewText::Edited(code.to_owned()) } else { NewText::Unknown };
            change_settings(case, protected, &edited, None, Done::new("rewrite", program));
        }
    }
}

/// SQL that writes, in small letters.
const SQL: [&str; 15] = [
    "delete from",
    "insert into",
    "insert or ",
    "replace into",
    "drop table",
    "drop trigger",
    "drop index",
    "alter table",
    "create table",
    "create trigger",
    "vacuum",
    "writable_schema",
    "pragma user_version",
    "pragma application_id",
    ".backup(",
];

/// Calls that write, in small letters.
const CALLS: [&str; 46] = [
    "unlink",
    "rmsync",
    "remove(",
    ".rm(",
    "rmtree",
    "writefile",
    "appendfile",
    "truncate",
    "rename",
    "copyfile",
    "cpsync",
    "os.replace",
    "shutil.",
    "chmod",
    "write_text",
    "write_bytes",
    "writestream",
    "executescript",
    ".write(",
    "file.delete",
    "rmdir",
    "rimraf",
    "remove_tree",
    ".move(",
    "bun.write",
    "file_put_contents",
    "dump(",
    "symlink",
    "copy(",
    "fileutils",
    "print >",
    "print>",
    "json.dump",
    "o_trunc",
    "o_wronly",
    "o_rdwr",
    "o_creat",
    "fileio(",
    "sysopen",
    "file::copy",
    "mv(",
    "extractall",
    "extract(",
    "printf >",
    "delete(",
    "outfile",
];

/// Whether code has a word that writes: SQL, or a call that changes files.
fn writes(code: &str) -> bool {
    // SQL takes any blanks between its words.
    let lower = code.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
    let has = |word: &&str| lower.contains(*word);
    SQL.iter().any(has)
        || CALLS.iter().any(has)
        || (has(&"update ") && has(&" set "))
        || opens_for_writing(&lower)
}

/// `open(…, "w")`, `open(F, ">x")`, `fopen(…, 'a')`.
fn opens_for_writing(lower: &str) -> bool {
    lower.split("open").skip(1).any(|call| {
        let call: String =
            call.chars().take(400).filter(|letter| !letter.is_whitespace()).collect();
        // `path.open("w")`, and a mode in a variable: `open("x", m)`.
        let own = ["(\"w", "('w", "(\"a\"", "('a'", "(\"x\"", "('x'", "(\"r+", "('r+"];
        if own.iter().any(|mode| call.starts_with(mode)) || has_variable_mode(&call) {
            return true;
        }
        [
            "'w", "\"w", "'a'", "\"a\"", "'ab", "\"ab", "'a+", "\"a+", "'r+", "\"r+", "'x'",
            "\"x\"", "'>", "\">", "'+<", "\"+<",
        ]
        .iter()
        .any(|mode| call.contains(&format!(",{mode}")) || call.contains(&format!("mode={mode}")))
    })
}

/// Whether the second argument of a call is a name and no option: `("x",m)`.
fn has_variable_mode(call: &str) -> bool {
    let Some(rest) = call.strip_prefix("(\"").or(call.strip_prefix("('")) else { return false };
    let Some((_, rest)) = rest.split_once(['"', '\'']) else { return false };
    let Some(name) = rest.strip_prefix(',') else { return false };
    let end = name.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(name.len());
    end > 0 && name.get(end..).is_some_and(|tail| tail.starts_with(')'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writing_code_is_told_from_reading_code() {
        for (code, expected) in [
            ("require('better-sqlite3')('.cortex.db').exec('DELETE FROM notes')", true),
            ("import sqlite3; sqlite3.connect('a').execute(\"UPDATE notes SET x=1\")", true),
            ("import os; os.remove('.cortex.db')", true),
            ("open('.cortex.db','wb').write(b'')", true),
            ("open('.cortex.db', mode='w')", true),
            ("require('fs').writeFileSync('.cortex.db','')", true),
            ("open(F, '>', '.cortex.db')", true),
            ("open F, '>.cortex.db'", true),
            ("Path('.cortex.db').open('w')", true),
            ("m='w'; open('.cortex.db', m)", true),
            ("c.execute('delete  from notes')", true),
            ("os.open('.cortex.db', os.O_TRUNC)", true),
            ("open('.cortex.db', encoding='utf8').read()", false),
            (
                "print(sqlite3.connect('.cortex.db').execute('SELECT * FROM notes').fetchall())",
                false,
            ),
            ("print(open('.cortex.db','rb').read(16))", false),
            ("console.log(require('fs').statSync('.cortex.db').size)", false),
        ] {
            assert_eq!(writes(code), expected, "{code}");
        }
    }
}
