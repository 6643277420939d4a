//! Words that can be several things: the command runs once for each.

use super::eval::{Printed, Reader};
use super::scope::Scope;

/// The most runs of one command.
const MAX_RUNS: usize = 16;

/// Decisions of the run at hand.
#[derive(Default)]
pub(super) struct Choices {
    /// What was taken, of how many.
    taken: Vec<(usize, usize)>,
    next: usize,
    open: bool,
    /// What every run begins with; kept only where there are several.
    before: Option<Box<Scope>>,
}

impl Reader<'_> {
    /// Which of `count` ways a word takes in this run; `None` when they are too many to tell apart.
    pub(super) fn choose(&mut self, count: usize) -> Option<usize> {
        let choices = &mut self.choices;
        if !choices.open {
            return None;
        }
        if let Some((taken, _)) = choices.taken.get(choices.next) {
            choices.next += 1;
            return Some(*taken);
        }
        let runs: usize = choices.taken.iter().map(|(_, count)| *count).product();
        if runs * count > MAX_RUNS {
            return None;
        }
        choices.taken.push((0, count));
        choices.next += 1;
        Some(0)
    }

    /// Keeps the scope for the other runs, once the words of the command are chosen.
    pub(super) fn chosen(&mut self, scope: &Scope) {
        if !self.choices.taken.is_empty() && self.choices.before.is_none() {
            self.choices.before = Some(Box::new(scope.clone()));
        }
    }

    /// Runs `work` once for each way that the words in it can be, and joins what the runs leave.
    pub(super) fn each_choice(
        &mut self,
        scope: &mut Scope,
        mut work: impl FnMut(&mut Self, &mut Scope) -> Printed,
    ) -> Printed {
        let outer =
            std::mem::replace(&mut self.choices, Choices { open: true, ..Choices::default() });
        let mut printed = work(self, scope);
        while self.choices.advance() {
            let Some(before) = &self.choices.before else { break };
            let mut own = Scope::clone(before);
            self.spend(own.vars.len() / 8);
            let more = work(self, &mut own);
            if more != printed {
                printed = None;
            }
            scope.join(own);
        }
        self.choices = outer;
        printed
    }
}

impl Choices {
    /// Goes on to the next set of decisions, if there is one.
    fn advance(&mut self) -> bool {
        self.next = 0;
        while let Some((taken, count)) = self.taken.last_mut() {
            if *taken + 1 < *count {
                *taken += 1;
                return true;
            }
            self.taken.pop();
        }
        false
    }
}
