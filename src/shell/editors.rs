//! Programs with an escape to the shell in their own language, and the variables that name a
//! pager or an editor.

use super::eval::Reader;
use super::hosted::code;
use super::run::Call;
use super::scope::Scope;
use super::types::{Stdin, Word};

/// How a program spells its escape to the shell.
struct Escape {
    names: &'static [&'static str],
    /// What a line begins with when the rest of it is code.
    marks: &'static [&'static str],
    /// Options whose value is a command of the program; operands are looked at as well if empty.
    options: &'static [&'static str],
}

const ESCAPES: &[Escape] = &[
    Escape { names: &["ed", "red"], marks: &["!", "r !", "w !", "e !"], options: &["-"] },
    Escape {
        names: &["dc", "ftp", "sftp", "lftp", "gnuplot"],
        marks: &["!"],
        options: &["-e", "-c"],
    },
    Escape { names: &["mail", "mailx", "mutt"], marks: &["~!", "~|", "!"], options: &["-"] },
    Escape {
        names: &["sqlite3", "sqlite", "duckdb"],
        marks: &[".shell ", ".system ", ".sh ", ".output |", ".once |", ".import '|", ".import |"],
        options: &["-cmd", "-init"],
    },
    Escape {
        names: &["psql"],
        marks: &[r"\! ", r"\!", r"\o |", r"\g |"],
        options: &["-c", "--command"],
    },
    Escape {
        names: &["mysql", "mariadb"],
        marks: &[r"\! ", "system ", r"\! "],
        options: &["-e", "--execute"],
    },
    Escape { names: &["irb", "ghci"], marks: &[":!", "!"], options: &["-e"] },
    Escape { names: &["bc"], marks: &["!"], options: &["-"] },
];

/// Runs the lines that escape to the shell; `false` when the program has no such lines.
pub(super) fn escapes(reader: &mut Reader<'_>, name: &str, call: &Call<'_>, scope: &Scope) -> bool {
    let Some(row) = ESCAPES.iter().find(|row| row.names.contains(&name)) else { return false };
    let mut texts: Vec<String> = Vec::new();
    for (index, word) in call.argv.iter().enumerate().skip(1) {
        let Some(text) = word.literal() else { continue };
        let before = call.arg(index - 1).unwrap_or("");
        let is_operand = matches!(name, "sqlite3" | "sqlite" | "duckdb") && !text.starts_with('-');
        if row.options.contains(&before) || is_operand {
            texts.push(text.to_owned());
        } else if let Some(text) = row.options.iter().find_map(|option| {
            text.strip_prefix(option)
                .filter(|_| *option != "-")
                .map(|rest| rest.trim_start_matches('='))
        }) {
            texts.push(text.to_owned());
        }
    }
    if let Stdin::Text(text) = call.input {
        texts.push(text.clone());
    }
    for text in texts {
        for line in text.lines().take(1024) {
            let line = line.trim_start();
            if let Some(rest) = row.marks.iter().find_map(|mark| line.strip_prefix(mark)) {
                code(reader, "!", rest, scope);
            }
        }
    }
    true
}

/// Variables whose value is a command line.
const COMMAND_VARIABLES: &[&str] = &[
    "EDITOR",
    "VISUAL",
    "PAGER",
    "MANPAGER",
    "SUDO_EDITOR",
    "SYSTEMD_EDITOR",
    "SYSTEMD_PAGER",
    "KUBE_EDITOR",
    "GH_PAGER",
    "GH_EDITOR",
    "GH_BROWSER",
    "BROWSER",
    "PSQL_PAGER",
    "PSQL_EDITOR",
    "FCEDIT",
    "SVN_EDITOR",
    "HGEDITOR",
    "MANOPT",
    "AWS_PAGER",
    "BAT_PAGER",
    "DELTA_PAGER",
    "PERLDOC_PAGER",
    "RSYNC_RSH",
    "CVS_RSH",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "PROMPT_COMMAND",
];

/// Programs that start what such a variable names.
const READERS: &[&str] = &[
    "man",
    "crontab",
    "sudoedit",
    "visudo",
    "vipw",
    "systemctl",
    "journalctl",
    "kubectl",
    "gh",
    "psql",
    "mysql",
    "svn",
    "hg",
    "perldoc",
    "aws",
    "bat",
    "delta",
    "info",
    "less",
    "rsync",
    "scp",
    "ssh",
    "sudo",
    "jj",
    "cvs",
    "bash",
    "sh",
    "xdg-open",
    "open",
    "python",
    "python3",
    "pydoc",
    "mutt",
    "fc",
    "edquota",
    "virsh",
    "op",
    "glab",
    "jq",
    "heroku",
    "npm",
    "yarn",
    "pnpm",
];

/// `EDITOR='code' crontab -e`: the command in the variable.
pub(super) fn variables(reader: &mut Reader<'_>, name: &str, call: &Call<'_>, scope: &Scope) {
    if !READERS.contains(&name) {
        return;
    }
    let exported = scope.environment();
    let own = call.env.iter().chain(exported.iter());
    let codes: Vec<String> = own
        .filter(|(name, _)| COMMAND_VARIABLES.contains(&name.as_str()))
        .filter(|(name, _)| name != "PROMPT_COMMAND" || prompts(call))
        .filter_map(|(_, value)| value.literal().map(str::to_owned))
        .collect();
    for text in codes {
        code(reader, "EDITOR", &text, scope);
    }
}

/// Whether a shell is started for a person, who gets prompts.
fn prompts(call: &Call<'_>) -> bool {
    call.argv.len() == 1
        || call
            .argv
            .iter()
            .skip(1)
            .filter_map(Word::literal)
            .any(|text| text.starts_with('-') && !text.starts_with("--") && text.contains('i'))
}

/// `fzf --bind 'enter:execute(code)'`, `--preview code`.
pub(super) fn fzf(reader: &mut Reader<'_>, call: &Call<'_>, scope: &Scope) {
    const ACTIONS: &[&str] =
        &["execute(", "execute-silent(", "become(", "reload(", "preview(", "transform("];
    for (index, text) in call.argv.iter().enumerate().filter_map(|(i, w)| Some((i, w.literal()?))) {
        for action in ACTIONS {
            if let Some(rest) = text.split(action).nth(1) {
                let end = rest.rfind(')').unwrap_or(rest.len());
                code(reader, "fzf", rest.get(..end).unwrap_or(""), scope);
            }
        }
        let preview = (text == "--preview").then(|| call.arg(index + 1)).flatten();
        if let Some(text) = preview.or(text.strip_prefix("--preview=")) {
            code(reader, "fzf", text, scope);
        }
    }
}

/// `start-stop-daemon --start --exec program -- arguments`.
pub(super) fn daemon(reader: &mut Reader<'_>, call: &Call<'_>, scope: &Scope) {
    let value = |options: &[&str]| {
        call.argv.iter().enumerate().find_map(|(index, word)| {
            let text = word.literal()?;
            let attached =
                options.iter().find_map(|option| text.strip_prefix(option)?.strip_prefix('='));
            if let Some(text) = attached {
                return Some(Word::Literal(text.to_owned()));
            }
            options.contains(&text).then(|| call.argv.get(index + 1).cloned()).flatten()
        })
    };
    let Some(program) = value(&["--startas", "-a"]).or_else(|| value(&["--exec", "-x"])) else {
        return;
    };
    if program.literal().is_some_and(|text| text.contains(' ')) {
        reader.launched_code("start-stop-daemon", &program, &[], scope, call.input);
        return;
    }
    let dashes = call.argv.iter().position(|word| word.literal() == Some("--"));
    let mut argv = vec![program];
    argv.extend(dashes.and_then(|at| call.argv.get(at + 1..)).unwrap_or(&[]).iter().cloned());
    reader.launched("start-stop-daemon", &argv, scope, call.input, call.env);
}
