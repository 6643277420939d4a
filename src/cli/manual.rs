//! `ringfence completions` and `ringfence man`: printed from the argument structs.

use std::io;

use clap::{Command, CommandFactory};
use clap_mangen::Man;

use super::Answer;
use super::args::{Cli, CompletionsArgs};
use super::output;

/// Prints the completion script of a shell.
pub(crate) fn completions(args: &CompletionsArgs) -> anyhow::Result<Answer> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "ringfence", &mut script);
    output::data(&String::from_utf8_lossy(&script));
    Ok(Answer::Yes)
}

/// Prints the manual page: one for all commands, because there is one file to install.
pub(crate) fn man() -> anyhow::Result<Answer> {
    let mut cli = Cli::command();
    cli.build();
    let man = Man::new(cli.clone());
    // Without a date: the page says the version.
    let mut page = format!(".TH ringfence 1 \"\" \"ringfence {}\"\n", env!("CARGO_PKG_VERSION"));
    page += &part(|to| man.render_name_section(to))?;
    page += SYNOPSIS;
    page += DESCRIPTION;
    page += ".SH COMMANDS\n";
    for command in cli.get_subcommands().filter(|command| !command.is_hide_set()) {
        page += &section(command)?;
    }
    page += REST;
    output::data(&page);
    Ok(Answer::Yes)
}

/// One command: how it is called, what it does, its options, its examples.
fn section(command: &Command) -> io::Result<String> {
    let man = Man::new(command.clone());
    let mut text = format!(".SS {}\n", escaped(command.get_bin_name().unwrap_or_default()));
    text += &body(&part(|to| man.render_synopsis_section(to))?);
    text += ".PP\n";
    text += &body(&part(|to| man.render_description_section(to))?);
    text += &body(&part(|to| man.render_options_section(to))?);
    if let Some(examples) = command.get_after_help() {
        // As it stands in the help, line for line.
        text += ".PP\n.nf\n";
        for line in examples.to_string().lines() {
            text += &format!("\\&{}\n", escaped(line));
        }
        text += ".fi\n";
    }
    Ok(text)
}

fn part(render: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> io::Result<String> {
    let mut text = Vec::new();
    render(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// A section without its heading, which is the page's own here, and without its preamble.
fn body(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with(".SH ") && !line.contains(".ds Aq"));
    let body: String = lines.map(|line| format!("{}\n", line.trim_end())).collect();
    // An empty line is a break already.
    body.replace(".br\n\n.br\n", ".sp\n")
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq")
}

const SYNOPSIS: &str = "\
.SH SYNOPSIS
\\fBringfence\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR]
.br
\\fBringfence\\fR \\fICOMMAND\\fR \\fB\\-\\-help\\fR
";

const DESCRIPTION: &str = "\
.SH DESCRIPTION
Ringfence is asked before every tool call of a coding agent, reads what the call would really do, and
refuses a subagent's call that would change memory of another session.
Everything else runs.
.PP
\\fBringfence install\\fR registers it, \\fBringfence doctor\\fR shows whether it works,
\\fBringfence log\\fR what it decided.
The client starts it as \\fBringfence hook\\fR \\fIEVENT\\fR; that line always ends with status 0.
";

const REST: &str = "\
.SH EXIT STATUS
.TP
0
Done.
.TP
1
The answer is no.
.TP
64
Wrong usage.
.TP
70
A fault of ours.
.SH FILES
.TP
\\fI~/.config/ringfence/config.toml\\fR, \\fI/etc/ringfence/config.toml\\fR
The owner's configuration; root's wins.
.TP
\\fI.ringfence.toml\\fR
A repository's, which can only tighten.
.TP
\\fI~/.local/state/ringfence\\fR
The log, the sessions, the grants.
.TP
\\fI~/.local/share/ringfence/projects\\fR
The notes, one store for each repository.
.SH ENVIRONMENT
.TP
\\fBRINGFENCE_STORE\\fR, \\fBRINGFENCE_CONFIG\\fR, \\fBRINGFENCE_STATE\\fR
Other places, for the commands and for what install writes; the hook itself does not read them.
.TP
\\fBNO_COLOR\\fR
No colour on a terminal.
";
