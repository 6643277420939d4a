//! Bash itself as the judge: what it really ran must be among the invocations that were found.
//!
//! Each text runs in a directory of its own with nothing but stubs and plain text tools on its PATH.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};

use ringfence::shell::{Dialect, NoFiles, Start, Word, read};

/// Tools that texts may use for real; each only reads, prints, or starts what it is given.
const TOOLS: &[&str] = &[
    "bash", "cat", "env", "timeout", "nice", "nohup", "xargs", "find", "sed", "tr", "rev",
    "base64", "head", "tail", "tee", "stdbuf", "setsid", "sort", "wc", "mkdir", "cp", "mv",
    "chmod", "printf", "grep", "awk", "seq", "flock", "yes",
];

/// A directory with a `bin` of stubs; the stub `cortex` appends its arguments to a log.
struct Bench {
    home: tempfile::TempDir,
}

impl Bench {
    fn new() -> Option<Self> {
        let home = tempfile::Builder::new().prefix("ringfence-bash-").tempdir().unwrap();
        let bin = home.path().join("bin");
        std::fs::create_dir(&bin).unwrap();
        for tool in TOOLS {
            let found = ["/usr/bin", "/bin"].iter().map(|dir| Path::new(dir).join(tool));
            if let Some(path) = found.into_iter().find(|path| path.exists()) {
                std::os::unix::fs::symlink(path, bin.join(tool)).unwrap();
            }
        }
        if !bin.join("bash").exists() {
            return None;
        }
        // Read as bash, so run as bash: dash knows neither `$'…'` nor braces.
        std::os::unix::fs::symlink("bash", bin.join("sh")).unwrap();
        let log = home.path().join("log");
        // One write for each run, because stages of a pipeline run at the same time.
        let stub = format!(
            "#!/bin/sh\nline=\n[ $# -gt 0 ] && line=$(printf '%s\\037' \"$@\")\n\
             printf '%s\\036' \"$line\" >> '{}'\n",
            log.display()
        );
        let cortex = bin.join("cortex");
        std::fs::write(&cortex, stub).unwrap();
        std::fs::set_permissions(&cortex, std::fs::Permissions::from_mode(0o755)).unwrap();
        Some(Self { home })
    }

    fn log(&self) -> PathBuf {
        self.home.path().join("log")
    }

    /// Runs `text` and returns the argument lists that the stub got; `None` when it took too long.
    fn run(&self, text: &str) -> Vec<Vec<String>> {
        std::fs::write(self.log(), "").unwrap();
        let work = self.home.path().join("work");
        std::fs::create_dir_all(&work).unwrap();
        let mut child = Command::new("/usr/bin/timeout")
            .args(["5", "bash", "--norc", "--noprofile", "-c", text])
            .env_clear()
            .env("PATH", self.home.path().join("bin"))
            .env("HOME", self.home.path())
            .current_dir(&work)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        child.wait().unwrap();
        std::fs::remove_dir_all(&work).unwrap();
        let log = String::from_utf8_lossy(&std::fs::read(self.log()).unwrap()).into_owned();
        log.split_terminator('\u{1e}')
            .map(|run| {
                // The reader takes a line's CRLF as its end.
                run.split_terminator('\u{1f}').map(|w| w.trim_end_matches('\r').into()).collect()
            })
            .collect()
    }
}

/// Whether some invocation that was found can be this one.
fn is_found(text: &str, ran: &[String]) -> bool {
    let start = Start { cwd: "/work".into(), ..Start::default() };
    let reading = read(text, Dialect::Posix, &start, &NoFiles);
    let unclear = !reading.unclear.is_empty();
    let found = reading.invocations.iter().any(|invocation| {
        let Some((program, args)) = invocation.argv.split_first() else { return false };
        can_be_cortex(program)
            && (args.iter().any(Word::is_many)
                || args.len() == ran.len()
                    && args.iter().zip(ran).all(|(word, text)| word.can_be(text)))
    });
    found || unclear
}

fn can_be_cortex(word: &Word) -> bool {
    match word {
        Word::Literal(text) => text == "cortex" || text.ends_with("/cortex"),
        other => other.can_be("cortex"),
    }
}

#[test]
fn rows_that_bash_can_run_are_found_as_bash_ran_them() {
    let Some(bench) = Bench::new() else { return };
    let mut wrong = Vec::new();
    let mut ran = 0;
    let mut last = None;
    for row in
        super::shapes::rows("shell/more.tsv").iter().chain(&super::shapes::rows("shell/shapes.tsv"))
    {
        if !row.note.starts_with("[posix]") || row.command.contains('\0') {
            continue;
        }
        // A process that an earlier row left in the background may write into this row's log: only
        // what bash does every time is its own.
        let agreed = (0..3).any(|_| {
            let runs = bench.run(&row.command);
            ran += runs.len();
            last = disagreement(row, &runs);
            last.is_none()
        });
        if !agreed {
            wrong.extend(last.take());
        }
    }
    assert!(wrong.is_empty(), "{ran} runs\n{}", wrong.join("\n"));
    assert!(ran > 250, "only {ran} runs");
}

/// What bash ran of a row that the reader does not show, or shows otherwise.
fn disagreement(row: &super::shapes::Row, runs: &[Vec<String>]) -> Option<String> {
    let deletes = runs.iter().any(|args| args.iter().any(|word| word == "delete-memory"));
    if deletes && row.expected == "mentions" && args_call(runs) {
        return Some(format!("{} [{}]: bash ran it: {runs:?}", row.id, row.command));
    }
    let missed = runs.iter().find(|args| !is_found(&row.command, args))?;
    Some(format!("{} [{}]: bash ran {missed:?}", row.id, row.command))
}

/// Whether a run is the subcommand itself, not a word in another one's arguments.
fn args_call(runs: &[Vec<String>]) -> bool {
    runs.iter().any(|args| {
        args.iter().find(|word| !word.starts_with('-')).is_some_and(|word| word == "delete-memory")
    })
}

/// Texts of a small grammar that end in calls of the stub.
fn texts() -> impl Strategy<Value = String> {
    let id = prop_oneof![
        "[a-f]{2}",
        Just("\"a b\"".to_owned()),
        Just("'x y'".to_owned()),
        Just("$v".to_owned()),
        Just("${v:-q}".to_owned()),
        Just("$(echo k)".to_owned()),
        Just("{p,q}".to_owned()),
        Just("\"$@\"".to_owned()),
        Just("a\\ b".to_owned()),
        Just("${w#a}".to_owned()),
        Just("$'t\\x41'".to_owned())
    ];
    let program = prop_oneof![
        4 => Just("cortex".to_owned()), 1 => Just("cor''tex".to_owned()), 1 => Just("\"cortex\"".to_owned()),
        1 => Just("$c".to_owned()), 1 => Just("$(echo cortex)".to_owned()), 1 => Just("c\\ortex".to_owned()),
        1 => Just("env cortex".to_owned()), 1 => Just("command cortex".to_owned()), 1 => Just("nice -n 1 cortex".to_owned()),
        1 => Just("A=1 cortex".to_owned()), 1 => Just("f".to_owned())
    ];
    let leaf = (program, prop::collection::vec(id, 0..3))
        .prop_map(|(program, ids)| format!("{program} d {}", ids.join(" ")));
    leaf.prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a}; {b}")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a} && {b}")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a} | {b}")),
            inner.clone().prop_map(|a| format!("( {a} )")),
            inner.clone().prop_map(|a| format!("{{ {a}; }}")),
            inner.clone().prop_map(|a| format!("if true; then {a}; fi")),
            inner.clone().prop_map(|a| format!("for v in m n; do {a}; done")),
            inner.clone().prop_map(|a| format!("case x in x) {a};; esac")),
            inner.clone().prop_map(|a| format!("echo $( {a} )")),
            inner.clone().prop_map(|a| format!("echo \"$( {a} )\"")),
            inner.clone().prop_map(|a| format!("cat <( {a} )")),
            inner.clone().prop_map(|a| format!("eval {}", shell_words::quote(&a))),
            inner.clone().prop_map(|a| format!("bash -c {}", shell_words::quote(&a))),
            inner.clone().prop_map(|a| format!("echo {} | sh", shell_words::quote(&a))),
            inner.clone().prop_map(|a| format!("set -- s t; {a}")),
            inner.clone().prop_map(|a| format!("v=z; {a}")),
            inner.clone().prop_map(|a| format!("v='y z'; {a}")),
            inner.clone().prop_map(|a| format!("w=ab; {a}")),
            inner.clone().prop_map(|a| format!("c=cortex; {a}")),
            inner.clone().prop_map(|a| format!("f() {{ cortex \"$@\"; }}; {a}")),
            inner.clone().prop_map(|a| format!("bash <<'E'\n{a}\nE\n")),
            inner.clone().prop_map(|a| format!("cat <<E\n$( {a} )\nE\n")),
            inner.clone().prop_map(|a| format!("cat > s <<'E'\n{a}\nE\nsh ./s")),
            inner.prop_map(|a| format!("while read v; do {a}; done <<< 'r'")),
        ]
    })
}

#[test]
fn whatever_bash_runs_of_a_generated_text_is_found() {
    let Some(bench) = Bench::new() else { return };
    let cases =
        std::env::var("RINGFENCE_BASH_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(300);
    let mut runner = TestRunner::new_with_rng(
        Config::default(),
        proptest::test_runner::TestRng::deterministic_rng(
            proptest::test_runner::RngAlgorithm::ChaCha,
        ),
    );
    let mut wrong = Vec::new();
    let mut ran = 0;
    for _ in 0..cases {
        let text = texts().new_tree(&mut runner).unwrap().current();
        for args in bench.run(&text) {
            ran += 1;
            if !is_found(&text, &args) {
                wrong.push(format!("{text:?}: bash ran {args:?}"));
                break;
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {cases}\n{}", wrong.len(), wrong.join("\n"));
    assert!(ran > cases / 4, "only {ran} runs");
}
