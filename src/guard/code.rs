//! One-liners of interpreters that name a protected file and write.

use super::case::Case;
use super::change::{NewText, stdin_text};
use super::files::{Done, change_settings, tamper};
use super::paths::{self, Reach};
use super::{Protected, ProtectedKind};
use crate::decision::Code;
use crate::shell::{Invocation, Piece, Word};

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
    for (before, path) in literals(code) {
        let path = match path.strip_prefix("~/") {
            Some(rest) => format!("{}/{rest}", case.facts.home()),
            None => path.to_owned(),
        };
        let path = path
            .strip_prefix("file:")
            .map_or(path.as_str(), |rest| rest.split('?').next().unwrap_or(rest));
        if path.is_empty() || path.len() > 4096 || path.contains('\n') {
            continue;
        }
        // What removes or moves a directory takes all that lies below.
        let reach = if removes(before) { Reach::Below } else { Reach::This };
        for protected in paths::hits(case, invocation.cwd.as_deref(), &pattern(path), reach) {
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
            let edited = NewText::Edited(code.to_owned());
            change_settings(case, protected, &edited, None, Done::new("rewrite", program));
        }
    }
}

/// What stands between quotes in `code`, each after what stands before it.
fn literals(code: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    for quote in ['\'', '"', '`'] {
        // Both readings of where a quotation begins: an apostrophe in a comment shifts one.
        found.extend(code.split(quote).zip(code.split(quote).skip(1)));
    }
    found
}

/// Calls whose first argument is removed or moved with all that lies below it.
const REMOVERS: [&str; 20] = [
    "rmtree",
    "rmSync",
    "rm",
    "rm_rf",
    "rm_r",
    "remove_tree",
    "remove_dir",
    "remove_entry",
    "remove_entry_secure",
    "rmdir",
    "rmdirSync",
    "rimraf",
    "removedirs",
    "rename",
    "renames",
    "renameSync",
    "move",
    "moveSync",
    "mv",
    "removeSync",
];

/// Whether the text before a quotation ends with such a call, `Path(` and the like left out.
fn removes(before: &str) -> bool {
    let mut rest = before.trim_end();
    // Ruby and Perl call without a bracket.
    let mut open = rest.trim_end_matches(['(', '[']).trim_end();
    for _ in 0..3 {
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let name = open.rfind(|c: char| !is_part(c)).map_or(0, |at| at + 1);
        let (above, call) = open.split_at(name);
        if call.rsplit('.').next().is_some_and(|call| REMOVERS.contains(&call)) {
            return true;
        }
        rest = above.trim_end();
        open = rest.trim_end_matches(['(', '[']).trim_end();
        if call.is_empty() || open.len() == rest.len() {
            return false;
        }
    }
    false
}

/// A quoted path, which `glob` and its like take for a pattern.
fn pattern(path: &str) -> Word {
    if !path.contains(['*', '?']) {
        return Word::Literal(path.to_owned());
    }
    let mut pieces = Vec::new();
    let mut rest = path;
    while let Some(at) = rest.find(['*', '?']) {
        let (text, tail) = rest.split_at(at);
        if !text.is_empty() {
            pieces.push(Piece::Text(text.to_owned()));
        }
        let (glob, tail) = tail.split_at(1);
        pieces.push(Piece::Glob(glob.to_owned()));
        rest = tail;
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest.to_owned()));
    }
    Word::Partial(pieces)
}

/// Whether code has a word that writes: SQL, or a call that changes files.
fn writes(code: &str) -> bool {
    let lower = code.to_lowercase();
    let has = |word: &&str| lower.contains(*word);
    let sql = [
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
    ];
    let calls = [
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
        "json.dump",
    ];
    sql.iter().any(has)
        || calls.iter().any(has)
        || (has(&"update ") && has(&" set "))
        || opens_for_writing(&lower)
}

/// `open(…, "w")`, `open(F, ">x")`, `fopen(…, 'a')`.
fn opens_for_writing(lower: &str) -> bool {
    lower.split("open").skip(1).any(|call| {
        let call: String =
            call.chars().take(400).filter(|letter| !letter.is_whitespace()).collect();
        [
            "'w", "\"w", "'a'", "\"a\"", "'ab", "\"ab", "'a+", "\"a+", "'r+", "\"r+", "'x'",
            "\"x\"", "'>", "\">", "'+<", "\"+<",
        ]
        .iter()
        .any(|mode| call.contains(&format!(",{mode}")) || call.contains(&format!("mode={mode}")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_call_removes_is_told_from_what_it_names() {
        for (before, expected) in [
            ("shutil.rmtree(", true),
            ("fs.rmSync( ", true),
            ("shutil.rmtree(pathlib.Path(", true),
            ("FileUtils.rm_rf ", true),
            ("os.rename(", true),
            ("p.split(", false),
            ("name.replace(", false),
            ("shutil.copy(shutil.rmtree(x), ", false),
            ("os.rename(x, ", false),
            ("open(", false),
            ("", false),
            ("x = ", false),
        ] {
            assert_eq!(removes(before), expected, "{before}");
        }
    }

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
