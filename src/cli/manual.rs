//! `ringfence completions` and `ringfence man`: printed from the argument structs.

use clap::CommandFactory;

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

/// Prints the manual page.
pub(crate) fn man() -> anyhow::Result<Answer> {
    let mut page = Vec::new();
    clap_mangen::Man::new(Cli::command()).render(&mut page)?;
    output::data(&String::from_utf8_lossy(&page));
    Ok(Answer::Yes)
}
