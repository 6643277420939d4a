//! `env`: variables, a directory, and a command.

use super::eval::{Printed, Reader};
use super::run::Call;
use super::scope::Scope;
use super::types::Word;

/// What env's own words say so far.
struct Options {
    env: Vec<(String, Word)>,
    scope: Scope,
    /// Words of `-S`.
    split: Vec<Word>,
    index: usize,
}

/// `env [-i] [-u NAME] [-C DIR] [-S TEXT] [NAME=VALUE]… command`.
pub(super) fn env(reader: &mut Reader<'_>, call: &Call<'_>, scope: &Scope) -> Printed {
    let mut options =
        Options { env: call.env.to_vec(), scope: scope.clone(), split: Vec::new(), index: 1 };
    while let Some(word) = call.argv.get(options.index) {
        if let Some(option) = word.literal().filter(|text| text.starts_with('-')) {
            options.read(option, call);
        } else {
            match super::declare::split_assignment(word) {
                Some(pair) => options.env.push(pair),
                None if super::lookup::function(reader, word, &mut options.scope) => {}
                None => break,
            }
        }
        options.index += 1;
    }
    let mut argv = options.split;
    argv.extend(call.argv.get(options.index..).unwrap_or(&[]).iter().cloned());
    while let Some(pair) = argv.first().and_then(super::declare::split_assignment) {
        options.env.push(pair);
        argv.remove(0);
    }
    reader.launched("env", &argv, &options.scope, call.input, &options.env)
}

impl Options {
    fn read(&mut self, option: &str, call: &Call<'_>) {
        match option {
            "-u" | "--unset" | "-a" | "--argv0" => self.index += 1,
            "-C" | "--chdir" => {
                self.index += 1;
                self.directory(call.arg(self.index));
            }
            "--split-string" => {
                self.index += 1;
                self.split.extend(split_string(call.arg(self.index).unwrap_or("")));
            }
            long if long.starts_with("--chdir=") => self.directory(long.get(8..)),
            long if long.starts_with("--split-string=") => {
                self.split.extend(split_string(long.get(15..).unwrap_or("")));
            }
            // `-vS`, `-iS`: letters in one word.
            short if !short.starts_with("--") && short.contains('S') => {
                let attached = short.split_once('S').map_or("", |(_, text)| text);
                if attached.is_empty() {
                    self.index += 1;
                    self.split.extend(split_string(call.arg(self.index).unwrap_or("")));
                } else {
                    self.split.extend(split_string(attached));
                }
            }
            _ => {}
        }
    }

    fn directory(&mut self, path: Option<&str>) {
        let outer = self.scope.cwd.take();
        self.scope.cwd = path.and_then(|path| super::directory::absolute(outer.as_deref(), path));
    }
}

/// The words of `env -S`: blanks and quotes, no expansion.
fn split_string(text: &str) -> Vec<Word> {
    let words = shell_words::split(text).unwrap_or_default();
    words.into_iter().map(Word::Literal).collect()
}
