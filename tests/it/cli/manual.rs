//! The manual page and the completion scripts: asked as their readers ask them.

use std::path::PathBuf;
use std::process::Command;

use crate::support::Home;

/// The names in a help text's list of commands, or its options.
fn listed(home: &Home, command: &[&str], heading: &str) -> Vec<String> {
    let help = home.run(&[command, &["--help"]].concat(), b"").stdout;
    let lines = help.lines().skip_while(|line| *line != heading).skip(1);
    let block = lines.take_while(|line| line.is_empty() || line.starts_with(' '));
    if heading == "Commands:" {
        return block
            .filter_map(|line| line.split_whitespace().next())
            .map(str::to_owned)
            .collect();
    }
    let option = regex::Regex::new(r"^ +(?:-\w, )?(--[a-z-]+)").unwrap();
    block.filter_map(|line| Some(option.captures(line)?[1].to_owned())).collect()
}

fn script(home: &Home, shell: &str) -> PathBuf {
    let output = home.run(&["completions", shell], b"");
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{shell}");
    home.file(&format!("complete.{shell}"), &output.stdout)
}

/// What another program says; `None`, said aloud, where it is not installed.
fn asked(home: &Home, program: &str, args: &[&str]) -> Option<String> {
    let run = Command::new(program)
        .args(args)
        .env_clear()
        .env("HOME", home.path())
        .env("PATH", "/usr/bin:/bin")
        .env("TERM", "dumb")
        .current_dir(home.path())
        .output();
    match run {
        Ok(output) => Some(
            String::from_utf8_lossy(&output.stdout).into_owned()
                + &String::from_utf8_lossy(&output.stderr),
        ),
        Err(error) => {
            eprintln!("skipped: {program}: {error}");
            None
        }
    }
}

#[test]
fn the_manual_page_has_every_command_and_every_option() {
    let home = Home::new();
    let page = home.run(&["man"], b"").stdout;
    let plain =
        page.replace("\\-", "-").replace("\\fB", "").replace("\\fR", "").replace("\\fI", "");
    let commands = listed(&home, &[], "Commands:");
    assert!(commands.len() > 12, "{commands:?}");
    for command in &commands {
        let heading = format!(".SS ringfence {command}\n");
        let section =
            plain.split(&heading).nth(1).unwrap_or_else(|| panic!("no section {command}"));
        let section = section.split("\n.S").next().unwrap();
        for option in listed(&home, &[command], "Options:") {
            assert!(section.contains(&option), "{command} {option}:\n{section}");
        }
    }
    for heading in ["EXIT STATUS", "FILES", "ENVIRONMENT"] {
        assert!(page.contains(&format!(".SH {heading}\n")), "{heading}");
    }
    assert!(!plain.contains("(1)"), "it names no page that is not there");
}

#[test]
fn the_manual_page_is_well_formed() {
    let home = Home::new();
    let page = home.file("ringfence.1", &home.run(&["man"], b"").stdout);
    let page = page.to_str().unwrap();
    if let Some(said) = asked(&home, "mandoc", &["-Tlint", "-Wwarning", page]) {
        let complaints: Vec<_> =
            said.lines().filter(|line| !line.contains("missing date")).collect();
        assert!(complaints.is_empty(), "{complaints:#?}");
    }
    if let Some(said) = asked(&home, "man", &["--warnings", "-l", "-Tutf8", page]) {
        assert!(said.contains("ringfence install"), "{said}");
        let complaints: Vec<_> = said.lines().filter(|line| line.contains("warning")).collect();
        assert!(complaints.iter().all(|line| !line.contains(".1:")), "{complaints:?}");
    }
}

/// What is typed, and what must and must not be offered for its last word.
const TYPED: &[(&[&str], &str, &str)] = &[
    (&["ins"], "install", "uninstall"),
    (&["install", "--sc"], "--scope", "--shim"),
    (&["install", "--scope", "m"], "managed", "user"),
    (&["uninstall", "--pu"], "--purge", "--yes"),
    (&["completions", "f"], "fish", "bash"),
];

#[test]
fn bash_offers_what_fits() {
    let home = Home::new();
    let script = script(&home, "bash");
    for (words, yes, no) in TYPED {
        let ask = format!(
            "source {}; f=$(complete -p ringfence | sed 's/.*-F \\([^ ]*\\).*/\\1/'); \
             COMP_WORDS=(ringfence {}); COMP_CWORD={}; \"$f\" ringfence '{}' '{}'; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            script.display(),
            words.join(" "),
            words.len(),
            words[words.len() - 1],
            if words.len() > 1 { words[words.len() - 2] } else { "ringfence" },
        );
        let Some(said) = asked(&home, "bash", &["--norc", "--noprofile", "-c", &ask]) else {
            return;
        };
        let offered: Vec<&str> = said.lines().collect();
        assert!(offered.contains(yes) && !offered.contains(no), "{words:?}: {offered:?}");
    }
}

#[test]
fn fish_offers_what_fits() {
    let home = Home::new();
    let script = script(&home, "fish");
    // Its script has no words for operands.
    for (words, yes, no) in TYPED.iter().filter(|(words, ..)| words[0] != "completions") {
        let ask =
            format!("source {}; complete -C 'ringfence {}'", script.display(), words.join(" "));
        let Some(said) = asked(&home, "fish", &["--no-config", "-c", &ask]) else { return };
        let offered: Vec<&str> = said.lines().filter_map(|line| line.split('\t').next()).collect();
        assert!(offered.contains(yes) && !offered.contains(no), "{words:?}: {offered:?}");
    }
}

#[test]
fn zsh_offers_what_fits() {
    let home = Home::new();
    let script = script(&home, "zsh");
    for (words, yes, no) in TYPED {
        // A terminal of its own, because zsh completes for nobody else.
        let ask = format!(
            "zmodload zsh/zpty; zpty z zsh -f -i; \
             zpty -w z \"PS1=; autoload -U compinit; compinit -u -D; source {}; \
                 zstyle ':completion:*' list-separator '#'; LISTMAX=1000; bindkey '^I' complete-word; print -r -- RE''ADY\"; \
             zpty -r -m z out '*READY*'; zpty -n -w z $'ringfence {}\\t\\x04\\x05'; \
             zpty -n -w z $'; print -r -- EN\\'\\'D\\n'; zpty -r -m z out '*END*'; print -r -- \"$out\"; zpty -d z",
            script.display(),
            words.join(" "),
        );
        let Some(said) = asked(&home, "timeout", &["20", "zsh", "-f", "-c", &ask]) else { return };
        if said.contains("No such file") || said.is_empty() {
            eprintln!("skipped: there is no zsh: {said}");
            return;
        }
        let full = format!("{} {yes}", words[..words.len() - 1].join(" "));
        let full = format!("ringfence {}", full.trim_start());
        let screen: String = said.chars().filter(|letter| !letter.is_control()).collect();
        assert!(screen.contains(yes), "{full}: {screen:?}");
        assert!(!screen.contains(&format!("ringfence {no}")), "{screen:?}");
    }
}

#[test]
fn powershell_s_script_is_one() {
    let home = Home::new();
    let script = script(&home, "powershell");
    let text = std::fs::read_to_string(&script).unwrap();
    for yes in ["install", "--scope", "--purge"] {
        assert!(text.contains(&format!("'{yes}'")), "{yes}");
    }
    let ask = format!(
        ". {}; [System.Management.Automation.CommandCompletion]::CompleteInput('ringfence ins', 13, $null).CompletionMatches.CompletionText",
        script.display()
    );
    if let Some(said) = asked(&home, "pwsh", &["-NoProfile", "-Command", &ask]) {
        assert!(said.lines().any(|line| line == "install"), "{said}");
    }
}
