//! git: the commands that its options, variables and aliases start.

use super::eval::Reader;
use super::git_config;
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
    let mut env = scope.environment();
    env.extend(call.env.iter().cloned());
    for (name, value) in &env {
        if GIT_VARIABLES.contains(&name.as_str()) {
            reader.launched_code("git", value, &[], scope, &Stdin::Inherited);
        }
    }
    for (key, value) in git_config::of_variables(&env) {
        git_setting(reader, &key, &value, scope);
    }
    let mut index = 1;
    while let Some(option) = call.arg(index).filter(|text| text.starts_with('-')) {
        index += 1;
        match option {
            "-c" => {
                let pair = call.arg(index).and_then(|text| text.split_once('='));
                if let Some((key, value)) = pair {
                    git_setting(reader, key, value, scope);
                }
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
    for address in rest.iter().filter_map(Word::literal) {
        if let Some(text) = address.strip_prefix("ext::") {
            code(reader, "git ext", text, scope);
        }
    }
    if command == "config" {
        keep_setting(rest, scope);
    } else {
        for (key, value) in git_config::kept(reader, &env, scope) {
            git_setting(reader, &key, &value, scope);
        }
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
fn git_setting(reader: &mut Reader<'_>, key: &str, value: &str, scope: &Scope) {
    let key = key.to_ascii_lowercase();
    if key == "include.path" {
        for (key, value) in git_config::of_file(reader, value, scope) {
            // A file that leads to itself is not followed.
            if key != "include.path" {
                git_setting(reader, &key, &value, scope);
            }
        }
        return;
    }
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
        git_aliased(reader, value, &[], scope);
    } else if runs {
        code(reader, "git -c", value.strip_prefix('!').unwrap_or(value), scope);
    }
}

/// `git config key text`: known to later commands of the same text.
fn keep_setting(rest: &[Word], scope: &mut Scope) {
    let words: Vec<&Word> = rest
        .iter()
        .filter(|word| !word.literal().is_some_and(|text| text.starts_with("--") || text == "set"))
        .collect();
    let [key, value] = words.as_slice() else { return };
    let Some(key) = key.literal() else { return };
    match key.strip_prefix("alias.") {
        Some(name) => scope.set(&format!("git alias {name}"), Value::Scalar((*value).clone())),
        None => git_config::keep(key, value, scope),
    }
}

/// What an alias stands for, with the words after it.
fn git_aliased(reader: &mut Reader<'_>, text: &str, rest: &[Word], scope: &Scope) {
    match text.strip_prefix('!') {
        Some(text) => {
            let mut text = Word::Literal(text.to_owned());
            if !rest.is_empty() {
                text.push_text(" ");
                text.push_word(&join(rest));
            }
            reader.launched_code("git alias", &text, &[], scope, &Stdin::Inherited);
        }
        None => {
            let words: Vec<Word> = std::iter::once("git".to_owned())
                .chain(shell_words::split(text).unwrap_or_default())
                .map(Word::Literal)
                .chain(rest.iter().cloned())
                .collect();
            reader.launched("git alias", &words, scope, &Stdin::Inherited, &[]);
        }
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
    let own = scope.scalar(&format!("git alias {alias}"));
    let own = own.as_ref().and_then(Word::literal).map(str::to_owned);
    let mut texts: Vec<String> = own.into_iter().collect();
    if texts.is_empty() {
        let mut env = scope.environment();
        env.extend(call.env.iter().cloned());
        let key = format!("alias.{alias}");
        let all = git_config::of_files(reader, &env, scope);
        texts.extend(all.into_iter().filter(|(known, _)| *known == key).map(|(_, text)| text));
    }
    let at = call.argv.iter().position(|word| word.literal() == Some(alias));
    let rest = at.and_then(|at| call.argv.get(at + 1..)).unwrap_or(&[]);
    for text in &texts {
        git_aliased(reader, text, rest, scope);
    }
    if !texts.is_empty() {
        return;
    }
    // Any program of that name on the PATH; as a file of its own it is known by what it holds.
    let argv: Vec<Word> = std::iter::once(Word::Literal(format!("git-{alias}")))
        .chain(rest.iter().cloned())
        .collect();
    reader.launched("git", &argv, scope, call.input, call.env);
    if call.argv.iter().filter_map(Word::literal).any(super::ordinary::is_id)
        || alias.contains("memory")
    {
        super::launch::note_tail(reader, call.argv);
    }
}
