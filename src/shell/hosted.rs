//! Programs that run commands of their own configuration or language: git, make, npm, editors,
//! terminal multiplexers.

use super::eval::{Printed, Reader};
use super::run::Call;
use super::scope::Scope;
use super::types::{Stdin, What, Word};

/// Runs one of them; `None` when the program is none.
pub(super) fn run(
    reader: &mut Reader<'_>,
    name: &str,
    call: &Call<'_>,
    scope: &mut Scope,
) -> Option<Printed> {
    match name {
        "git" => super::git::git(reader, call, scope),
        "make" | "gmake" | "just" | "task" | "ninja" => {
            super::recipes::make(reader, name, call, scope);
        }
        "npm" | "npx" | "pnpm" | "pnpx" | "yarn" | "bunx" | "bun" => {
            super::recipes::node(reader, name, call, scope);
        }
        "vim" | "nvim" | "vi" | "view" | "ex" | "gvim" | "emacs" => editor(reader, call, scope),
        "less" | "more" | "most" => pager(reader, call, scope),
        "fzf" | "sk" => super::editors::fzf(reader, call, scope),
        "start-stop-daemon" => super::editors::daemon(reader, call, scope),
        "sed" | "gsed" => return Some(super::sed::sed(reader, call, scope)),
        "tar" | "gtar" | "bsdtar" => tar(reader, call, scope),
        "rsync" | "scp" | "sftp" => transfer(reader, call, scope),
        "tmux" | "screen" | "zellij" | "wezterm" | "kitty" | "kitten" | "xdotool" | "ydotool"
        | "wtype" | "dtach" | "abduco" => {
            super::terminal::run(reader, name, call, scope);
        }
        _ => {
            if !super::editors::escapes(reader, name, call, scope) {
                return None;
            }
        }
    }
    Some(None)
}

pub(super) fn code(reader: &mut Reader<'_>, label: &'static str, text: &str, scope: &Scope) {
    reader.launched_code(label, &Word::Literal(text.to_owned()), &[], scope, &Stdin::Inherited);
}

/// `vim -c '!code'`, `vim +'!code'`, `ex` on its input, `emacs --eval`.
fn editor(reader: &mut Reader<'_>, call: &Call<'_>, scope: &Scope) {
    for (index, word) in call.argv.iter().enumerate().skip(1) {
        let text = word.literal().unwrap_or("");
        if text.contains("exe") || text.contains("system") || matches!(text, "-S" | "-s" | "-u") {
            // Its own language may put a command together, or read one from a file.
            reader.source(super::types::Source::Text);
        }
        let command = match text {
            "-c" | "--cmd" | "-S" => call.arg(index + 1).unwrap_or(""),
            "--eval" | "-eval" | "--execute" => {
                if let Some(lisp) = call.argv.get(index + 1).cloned() {
                    super::interpreters::snippet(reader, &lisp, scope);
                }
                continue;
            }
            _ => text.strip_prefix('+').unwrap_or(""),
        };
        editor_command(reader, command, scope);
    }
    if let Stdin::Text(text) = call.input {
        for line in text.clone().lines().take(256) {
            editor_command(reader, line, scope);
        }
    }
}

fn editor_command(reader: &mut Reader<'_>, command: &str, scope: &Scope) {
    let command = command.trim_start_matches([':', ' ']);
    let bang = ["silent !", "sil !", "r !", "read !", "w !", "%!", "!", "terminal ", "term "];
    if let Some(text) = bang.iter().find_map(|mark| command.strip_prefix(mark)) {
        code(reader, "editor", text, scope);
    } else if let Some(rest) = command.strip_prefix("call ").or(command.strip_prefix("lua ")) {
        super::interpreters::snippet(reader, &Word::Literal(rest.to_owned()), scope);
    } else if command.contains("system(") {
        super::interpreters::snippet(reader, &Word::Literal(command.to_owned()), scope);
    }
}

/// `less +'!code'`, `LESSOPEN='|code'`.
fn pager(reader: &mut Reader<'_>, call: &Call<'_>, scope: &Scope) {
    for word in call.argv.iter().skip(1).filter_map(Word::literal) {
        if let Some(text) = word.strip_prefix("+!").or(word.strip_prefix("++!")) {
            code(reader, "less +!", text, scope);
        }
    }
    for (name, value) in call.env {
        if matches!(name.as_str(), "LESSOPEN" | "LESSCLOSE")
            && let Some(text) = value.literal()
        {
            code(reader, "LESSOPEN", text.trim_start_matches(['|', '-']), scope);
        }
    }
}

/// `--checkpoint-action=exec=`, `--to-command`, `-I`, `--use-compress-program`.
fn tar(reader: &mut Reader<'_>, call: &Call<'_>, scope: &Scope) {
    for (index, word) in call.argv.iter().enumerate().skip(1) {
        let Some(text) = word.literal() else { continue };
        let found = [
            "--checkpoint-action=exec=",
            "--to-command=",
            "--use-compress-program=",
            "--info-script=",
            "--new-volume-script=",
            "--rsh-command=",
        ]
        .iter()
        .find_map(|option| text.strip_prefix(option));
        let next = matches!(text, "-I" | "-F" | "--to-command" | "--use-compress-program")
            .then(|| call.arg(index + 1))
            .flatten();
        let action = (text == "--checkpoint-action")
            .then(|| call.arg(index + 1)?.strip_prefix("exec="))
            .flatten();
        for text in [found, next, action].into_iter().flatten() {
            code(reader, "tar", text, scope);
        }
    }
}

/// `rsync -e 'command'`, `scp -S program`, `-o ProxyCommand=`.
fn transfer(reader: &mut Reader<'_>, call: &Call<'_>, scope: &Scope) {
    for (index, word) in call.argv.iter().enumerate().skip(1) {
        let Some(text) = word.literal() else { continue };
        let next = matches!(text, "-e" | "--rsh" | "-S").then(|| call.arg(index + 1)).flatten();
        let long = text.strip_prefix("--rsh=").or(text.strip_prefix("--rsync-path="));
        let proxy = text.find("ProxyCommand=").and_then(|at| text.get(at + 13..));
        for text in [next, long, proxy].into_iter().flatten() {
            // A plain program name starts nothing that we look for.
            if text.contains(' ') {
                code(reader, "transfer", text, scope);
            }
        }
    }
    if call.argv.is_empty() {
        reader.note(What::Launcher, "rsync");
    }
}
