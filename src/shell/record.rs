//! What is written down of a reading: the programs, and where each stands.

use super::eval::Reader;
use super::scope::{BYTES_KEPT, Scope};
use super::types::{Invocation, Redirect, Stdin, What, Word};
use super::values::UNKNOWN_PART;

/// The most invocations one reading holds.
const MAX_INVOCATIONS: usize = 10_000;
/// And so many more for the commands at its end.
const TAIL_INVOCATIONS: usize = 512;

impl Reader<'_> {
    /// Begins a command inside the one at hand; what it returns ends it.
    pub(super) fn begin_command(&mut self) -> [usize; 4] {
        let outer = [self.command, self.within, self.at, self.end];
        self.commands += 1;
        self.within = self.command;
        self.command = self.commands;
        outer
    }

    /// Goes back to the command around; at the top the last place stays.
    pub(super) fn end_command(&mut self, outer: [usize; 4]) {
        let [command, within, at, end] = outer;
        (self.command, self.within) = (command, within);
        if command > 0 {
            (self.at, self.end) = (at, end);
        }
    }

    /// Records one program.
    pub(super) fn invocation(
        &mut self,
        argv: Vec<Word>,
        scope: &Scope,
        redirects: Vec<Redirect>,
        stdin: Stdin,
        own_env: &[(String, Word)],
    ) {
        let most = MAX_INVOCATIONS + if self.tail { TAIL_INVOCATIONS } else { 0 };
        if self.reading.invocations.len() >= most {
            self.note(What::Bound, "invocations");
            // Nothing more would be kept, so nothing more is run.
            self.steps = 0;
            self.exhausted = true;
            return;
        }
        let mut env = scope.environment();
        for (name, value) in own_env {
            env.retain(|(known, _)| known != name);
            env.push((name.clone(), value.clone().with_holes()));
        }
        let stdin = match stdin {
            Stdin::Text(text) if text.contains(UNKNOWN_PART) => {
                Stdin::Text(text.replace(UNKNOWN_PART, ""))
            }
            other @ Stdin::Inherited
            | other @ Stdin::Text(_)
            | other @ Stdin::File(_)
            | other @ Stdin::Unknown => other,
        };
        let words = argv.iter().chain(env.iter().map(|(_, value)| value));
        let text = if let Stdin::Text(text) = &stdin { text.len() } else { 0 };
        let places = scope.cwd.iter().chain(scope.elsewhere.iter());
        let place: usize = places.map(String::len).sum();
        scope.owe((words.map(Word::size).sum::<usize>() + text + place) / BYTES_KEPT);
        let holes =
            |redirect: Redirect| Redirect { target: redirect.target.with_holes(), ..redirect };
        let redirects = redirects.into_iter().map(holes).collect();
        self.reading.invocations.push(Invocation {
            argv,
            cwd: scope.cwd.clone(),
            elsewhere: scope.elsewhere.to_vec(),
            env,
            redirects,
            stdin,
            via: self.via.clone(),
            at: self.at,
            end: self.end,
            command: self.command,
            within: self.within,
            remote: self.remote,
            typed: self.typed,
        });
    }
}
