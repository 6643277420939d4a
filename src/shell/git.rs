//! git: the commands that its options, variables and aliases start.

use super::eval::Reader;
use super::hosted::code;
use super::launch::join;
use super::run::Call;
use super::scope::{Scope, Value};
use super::types::{Stdin, Word};

const GIT_COMMANDS: &[&str] = &[
    "add",
    "am",
    "apply",
    "archive",
    "bisect",
    "blame",
    "branch",
    "bundle",
    "cat-file",
    "checkout",
    "cherry",
    "cherry-pick",
    "clean",
    "clone",
    "commit",
    "config",
    "describe",
    "diff",
    "diff-tree",
    "difftool",
    "fetch",
    "filter-branch",
    "for-each-ref",
    "format-patch",
    "fsck",
    "gc",
    "grep",
    "help",
    "init",
    "log",
    "ls-files",
    "ls-remote",
    "ls-tree",
    "merge",
    "merge-base",
    "mergetool",
    "mv",
    "notes",
    "pull",
    "push",
    "range-diff",
    "rebase",
    "reflog",
    "remote",
    "repack",
    "replace",
    "rerere",
    "reset",
    "restore",
    "rev-list",
    "rev-parse",
    "revert",
    "rm",
    "send-email",
    "shortlog",
    "show",
    "show-ref",
    "sparse-checkout",
    "stash",
    "status",
    "submodule",
    "subtree",
    "switch",
    "symbolic-ref",
    "tag",
    "update-index",
    "update-ref",
    "version",
    "whatchanged",
    "worktree",
    "write-tree",
    "check-ignore",
    "lfs",
    "name-rev",
    "prune",
    "maintenance",
    "hash-object",
    "count-objects",
    "var",
];

/// Variables that git runs as commands.
const GIT_VARIABLES: &[&str] = &[
    "GIT_SSH_COMMAND",
    "GIT_SSH",
    "GIT_PAGER",
    "PAGER",
    "GIT_EDITOR",
    "EDITOR",
    "VISUAL",
    "GIT_EXTERNAL_DIFF",
    "GIT_SEQUENCE_EDITOR",
    "GIT_PROXY_COMMAND",
    "GIT_ASKPASS",
    "SSH_ASKPASS",
];

pub(super) fn git(reader: &mut Reader<'_>, call: &Call<'_>, scope: &mut Scope) {
    for (name, value) in call.env {
        if GIT_VARIABLES.contains(&name.as_str()) {
            reader.launched_code("git", value, &[], scope, &Stdin::Inherited);
        }
    }
    let mut index = 1;
    while let Some(option) = call.arg(index).filter(|text| text.starts_with('-')) {
        index += 1;
        match option {
            "-c" => {
                git_setting(reader, call.argv.get(index), scope);
                index += 1;
            }
            "-C" | "--git-dir" | "--work-tree" | "--namespace" | "--exec-path" | "--config-env" => {
                index += 1;
            }
            _ => {}
        }
    }
    let Some(command) = call.arg(index) else { return };
    let rest = call.argv.get(index + 1..).unwrap_or(&[]);
    hooks(reader, call, scope);
    if command == "config" {
        keep_alias(rest, scope);
    }
    subcommand(reader, command, rest, call, scope);
}

/// Hooks that this text wrote: which of them a command runs depends on the repository.
fn hooks(reader: &mut Reader<'_>, call: &Call<'_>, scope: &mut Scope) {
    if scope.written.borrow().is_empty() {
        return;
    }
    const SETTING: &str = "core.hookspath";
    const NOTE: &str = "git hooks";
    for (index, word) in call.argv.iter().enumerate() {
        let Some(text) = word.literal() else { continue };
        let (key, value) = text.split_once('=').unwrap_or((text, ""));
        if key.eq_ignore_ascii_case(SETTING) {
            let path = if value.is_empty() { call.arg(index + 1).unwrap_or("") } else { value };
            scope.set(NOTE, Value::Scalar(Word::Literal(path.to_owned())));
        }
    }
    let moved = scope.scalar(NOTE);
    let moved = moved.as_ref().and_then(Word::literal);
    let moved = moved.and_then(|path| super::directory::absolute(scope.cwd.as_deref(), path));
    scope.owe(scope.written.borrow().len());
    let is_hook = |path: &str| {
        let Some((directory, _)) = path.rsplit_once('/') else { return false };
        directory.ends_with(".git/hooks") || moved.as_deref() == Some(directory)
    };
    let texts: Vec<String> = {
        let written = scope.written.borrow();
        written.iter().filter(|(path, _)| is_hook(path)).map(|(_, text)| text.clone()).collect()
    };
    for text in texts {
        reader.launched_code("git hook", &Word::Literal(text), &[], scope, &Stdin::Inherited);
    }
}

/// A subcommand that runs commands of its own.
fn subcommand(
    reader: &mut Reader<'_>,
    command: &str,
    rest: &[Word],
    call: &Call<'_>,
    scope: &Scope,
) {
    let after =
        |word: &str| rest.iter().position(|own| own.literal() == Some(word)).map(|at| at + 1);
    match command {
        "bisect" if rest.first().and_then(Word::literal) == Some("run") => {
            reader.launched(
                "git bisect run",
                rest.get(1..).unwrap_or(&[]),
                scope,
                call.input,
                call.env,
            );
        }
        "submodule" => {
            if let Some(at) = after("foreach") {
                let rest: Vec<Word> = rest
                    .get(at..)
                    .unwrap_or(&[])
                    .iter()
                    .filter(|word| !word.literal().is_some_and(|text| text.starts_with("--")))
                    .cloned()
                    .collect();
                reader.launched_code(
                    "git submodule foreach",
                    &join(&rest),
                    &[],
                    scope,
                    &Stdin::Inherited,
                );
            }
        }
        "rebase" => exec_options(reader, rest, &["-x", "--exec"], scope),
        "filter-branch" => exec_options(
            reader,
            rest,
            &[
                "--tree-filter",
                "--index-filter",
                "--msg-filter",
                "--env-filter",
                "--commit-filter",
                "--parent-filter",
                "--tag-name-filter",
                "--setup",
            ],
            scope,
        ),
        "difftool" | "mergetool" => exec_options(reader, rest, &["-x", "--extcmd"], scope),
        "grep" => exec_options(reader, rest, &["-O", "--open-files-in-pager"], scope),
        known if GIT_COMMANDS.contains(&known) => {}
        alias => git_alias(reader, alias, call, scope),
    }
}

/// `-c key=value` with a key that git runs.
fn git_setting(reader: &mut Reader<'_>, word: Option<&Word>, scope: &Scope) {
    let Some((key, value)) = word.and_then(Word::literal).and_then(|text| text.split_once('='))
    else {
        return;
    };
    let key = key.to_ascii_lowercase();
    let runs = [
        "pager",
        "editor",
        "sshcommand",
        "askpass",
        "fsmonitor",
        "textconv",
        "command",
        "cmd",
        "helper",
        "program",
        "driver",
        "clean",
        "smudge",
        "process",
        "extdiff",
        "external",
    ]
    .iter()
    .any(|end| key.ends_with(end) || key.starts_with(&format!("{end}.")));
    if key.starts_with("alias.") {
        match value.strip_prefix('!') {
            Some(text) => code(reader, "git alias", text, scope),
            None => {
                let words: Vec<Word> = std::iter::once("git".to_owned())
                    .chain(shell_words::split(value).unwrap_or_default())
                    .map(Word::Literal)
                    .collect();
                reader.launched("git alias", &words, scope, &Stdin::Inherited, &[]);
            }
        }
    } else if runs {
        code(reader, "git -c", value.strip_prefix('!').unwrap_or(value), scope);
    }
}

/// `git config alias.NAME text`: known to later commands of the same text.
fn keep_alias(rest: &[Word], scope: &mut Scope) {
    let words: Vec<&Word> = rest
        .iter()
        .filter(|word| !word.literal().is_some_and(|text| text.starts_with("--") || text == "set"))
        .collect();
    let [key, value] = words.as_slice() else { return };
    let name = key.literal().and_then(|key| key.strip_prefix("alias."));
    if let Some(name) = name {
        scope.set(&format!("git alias {name}"), super::scope::Value::Scalar((*value).clone()));
    }
}

fn exec_options(reader: &mut Reader<'_>, rest: &[Word], options: &[&str], scope: &Scope) {
    for (index, word) in rest.iter().enumerate() {
        let Some(text) = word.literal() else { continue };
        if options.contains(&text) {
            if let Some(next) = rest.get(index + 1) {
                reader.launched_code("git", next, &[], scope, &Stdin::Inherited);
            }
        } else if let Some(text) = options.iter().find_map(|option| {
            let rest = text.strip_prefix(option)?;
            rest.strip_prefix('=').or((option.len() == 2 && !rest.is_empty()).then_some(rest))
        }) {
            code(reader, "git", text, scope);
        }
    }
}

/// A subcommand that git does not have: an alias of some configuration, or `git-NAME`.
fn git_alias(reader: &mut Reader<'_>, alias: &str, call: &Call<'_>, scope: &Scope) {
    if let Some(text) = scope.scalar(&format!("git alias {alias}")).as_ref().and_then(Word::literal)
    {
        let text = text.to_owned();
        match text.strip_prefix('!') {
            Some(text) => code(reader, "git alias", text, scope),
            None => {
                git_setting(reader, Some(&Word::Literal(format!("alias.{alias}={text}"))), scope);
            }
        }
        return;
    }
    if call.argv.iter().filter_map(Word::literal).any(super::ordinary::is_id)
        || alias.contains("memory")
    {
        super::launch::note_tail(reader, call.argv);
    }
}
