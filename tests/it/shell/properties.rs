//! Properties of the reader that hold for any text.

use proptest::prelude::*;

use ringfence::shell::{Dialect, NoFiles, Reading, Start, What, Word, read};

fn reading(text: &str, dialect: Dialect) -> Reading {
    let start = Start { cwd: "/work".into(), home: "/home/me".into(), ..Start::default() };
    read(text, dialect, &start, &NoFiles)
}

/// What shells trip over, in any order.
fn soup() -> impl Strategy<Value = String> {
    let token = prop::sample::select(vec![
        "$(",
        ")",
        "`",
        "\"",
        "'",
        "\\",
        "${",
        "}",
        "{",
        "<<E",
        "\n",
        "E\n",
        "<(",
        "((",
        "))",
        "|",
        "&",
        ";",
        "&&",
        "if ",
        "then ",
        "fi ",
        "do ",
        "done ",
        "case x in ",
        "esac ",
        "for i in ",
        "a",
        "=",
        "cortex ",
        "eval ",
        "bash -c ",
        "[[ ",
        "]] ",
        "$'",
        "\\x41",
        "{a,b}",
        "*",
        "~",
        "#",
        "!",
        "$x",
        "@(",
        "<#",
        "#>",
        "@'",
        "'@",
        "@\"",
        "\"@",
        "[",
        "]",
        "::",
        ".",
        "%",
        "%a%",
        "^",
        "iex ",
        "& ",
        "foreach ($i in ",
        "cmd /c ",
        "python3 -c ",
        "system(",
        "\u{a0}",
        "é",
        "\r",
        "\0",
        "xargs ",
        "sudo ",
        "-c ",
        "tmux send-keys ",
        "sed 's/",
        "awk '",
        "function f ",
        "() ",
    ]);
    prop::collection::vec(token, 0..60).prop_map(|tokens| tokens.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_the_reader_panic(text in soup()) {
        for dialect in [Dialect::Posix, Dialect::PowerShell, Dialect::Cmd] {
            for invocation in reading(&text, dialect).invocations {
                prop_assert!(!invocation.argv.is_empty());
                prop_assert!(invocation.at <= text.len());
            }
        }
    }

    #[test]
    fn no_bytes_make_the_reader_panic(text in any::<String>()) {
        for dialect in [Dialect::Posix, Dialect::PowerShell, Dialect::Cmd] {
            reading(&text, dialect);
        }
    }

    #[test]
    fn a_quoted_argv_is_read_back_as_it_was(words in prop::collection::vec("[^\0\u{10fffd}]{0,12}", 1..5)) {
        let text = std::iter::once("prog".to_owned())
            .chain(words.iter().map(|word| format!("'{}'", word.replace('\'', r"'\''"))))
            .collect::<Vec<_>>()
            .join(" ");
        let reading = reading(&text, Dialect::Posix);
        let argv: Vec<Option<&str>> =
            reading.invocations.first().unwrap().argv.iter().skip(1).map(Word::literal).collect();
        let expected: Vec<Option<&str>> = words.iter().map(|word| Some(word.as_str())).collect();
        prop_assert_eq!(argv, expected);
    }

    #[test]
    fn a_powershell_string_is_read_back_as_it_was(word in "[^\0'‘’‚‛\u{10fffd}]{0,12}") {
        let reading = reading(&format!("prog '{word}'"), Dialect::PowerShell);
        prop_assert_eq!(
            reading.invocations.first().unwrap().argv.get(1).and_then(Word::literal),
            Some(word.as_str())
        );
    }
}

#[test]
fn deep_and_endless_texts_end_with_a_bound_and_not_in_silence() {
    for (piece, dialect) in [
        ("$(", Dialect::Posix),
        ("( ", Dialect::Posix),
        ("\";$(\"", Dialect::Posix),
        ("{ ", Dialect::Posix),
        ("eval ", Dialect::Posix),
        ("sudo ", Dialect::Posix),
        ("${x:-", Dialect::Posix),
        ("<(", Dialect::Posix),
        ("if ", Dialect::Posix),
        ("(", Dialect::PowerShell),
        ("@(", Dialect::PowerShell),
        ("\"$(", Dialect::PowerShell),
        ("& {", Dialect::PowerShell),
        ("$a=", Dialect::PowerShell),
        ("(", Dialect::Cmd),
        ("if 1==1 ", Dialect::Cmd),
        ("start ", Dialect::Cmd),
    ] {
        let text = piece.repeat(10_000);
        let reading = reading(&text, dialect);
        assert!(
            reading.unclear.iter().any(|unclear| unclear.what == What::Bound),
            "{piece}: {:?}",
            reading.unclear
        );
    }
}

#[test]
fn a_long_tail_does_not_hide_what_stands_before_it() {
    let text = format!("cortex delete-memory 7 --yes; echo {}", "word ".repeat(700_000));
    let reading = ringfence::shell::read(
        &text,
        ringfence::shell::Dialect::Posix,
        &ringfence::shell::Start::default(),
        &ringfence::shell::NoFiles,
    );
    let first = reading.invocations.first().unwrap();
    assert_eq!(first.argv.first().unwrap().literal(), Some("cortex"));
    assert!(!reading.unclear.is_empty(), "and the tail is said to be unread");
}

#[test]
fn lists_that_double_do_not_use_up_the_steps_before_a_call() {
    let call = "cortex delete-memory 7 --yes";
    for text in [
        format!("{}{call}", "set -- x $@ $@; ".repeat(40)),
        format!(
            "f() {{ g \"$@\" \"$@\"; }}; {}{call}",
            "set -- \"$@\" \"$@\" x; f \"$@\"; ".repeat(40)
        ),
        format!("{}{call}", "a=(x ${a[@]} ${a[@]}); ".repeat(40)),
    ] {
        let reading = ringfence::shell::read(
            &text,
            ringfence::shell::Dialect::Posix,
            &ringfence::shell::Start::default(),
            &ringfence::shell::NoFiles,
        );
        let last = reading.invocations.last().unwrap();
        assert_eq!(last.argv.first().unwrap().literal(), Some("cortex"), "{text}");
    }
}
