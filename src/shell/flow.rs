//! Branches and loops: each way through has a scope of its own, and the scopes are joined where the
//! ways meet.

use std::rc::Rc;

use super::eval::{Printed, Reader, joined};
use super::scope::{Scope, Value};
use super::tree::{Join, Node, Raw};
use super::types::{Stdin, Word};

/// Passes over a loop's body before what still changes counts as not known.
const PASSES: usize = 3;
/// The commands at a text's end that are run when the steps are used up, and the steps for them.
const TAIL: usize = 64;
const TAIL_STEPS: usize = 10_000;
const TAIL_BYTES: usize = 2_048;
/// Loops deeper than this are read once.
const DEEP: usize = 3;

/// A scope that left a loop or a function before its end.
pub(super) struct Jump {
    /// How many loops of the function at hand it leaves; `None` leaves the function.
    pub(super) loops: Option<usize>,
    pub(super) scope: Scope,
}

impl Reader<'_> {
    /// Commands one after the other.
    pub(super) fn sequence(
        &mut self,
        items: &[(Node, Join)],
        scope: &mut Scope,
        input: &Stdin,
    ) -> Printed {
        let mut printed = Some(String::new());
        // Ways around the command at hand: what comes after the whole chain may follow on any.
        let mut around: Vec<Scope> = Vec::new();
        let mut last = Join::Then;
        let mut index = 0;
        while let Some((node, join)) = items.get(index) {
            index = self.following(items.len(), index);
            match join {
                Join::Then => self.meet(scope, &mut around, last),
                Join::And if last != Join::Or => {
                    // Once is enough for each change.
                    if !around.last().is_some_and(|other| other.same(scope)) {
                        around.push(scope.clone());
                    }
                }
                Join::And | Join::Or => {
                    self.meet(scope, &mut around, last);
                    around.push(scope.clone());
                }
            }
            if *join == Join::Or
                && let Some(went_well) = around.last_mut()
            {
                went_well.if_failed = Rc::default();
            }
            last = *join;
            let more = match join {
                Join::Then => {
                    scope.settle();
                    self.eval(node, scope, input)
                }
                Join::And => {
                    scope.if_failed = Rc::default();
                    self.perhaps(node, scope, input)
                }
                Join::Or => {
                    scope.settle();
                    self.perhaps(node, scope, input)
                }
            };
            printed = joined(printed, more);
        }
        self.meet(scope, &mut around, last);
        printed
    }

    /// The command after the one at `index`. When the steps are used up, the last commands of the
    /// text are run all the same: what a long text is for most often stands at its end.
    fn following(&mut self, count: usize, index: usize) -> usize {
        let next = index + 1;
        if !self.exhausted || self.depth > 0 || self.tail {
            return next;
        }
        self.tail = true;
        self.exhausted = false;
        self.steps = TAIL_STEPS;
        next.max(count.saturating_sub(TAIL))
    }

    /// Runs a whole text; returns the steps that were added for it.
    pub(super) fn posix(&mut self, text: &str, scope: &mut Scope) -> usize {
        let unclear = &mut self.reading.unclear;
        let node = super::scan::parse(text, 0, None, 0, &mut self.steps, unclear);
        let is_cut = self.steps == 0;
        // What was scanned before the steps ran out is run all the same.
        let refill = (super::BASE_STEPS / 2).saturating_sub(self.steps);
        self.steps += refill;
        self.exhausted = false;
        self.eval(&node, scope, &Stdin::Inherited);
        if is_cut {
            self.last_commands(text, scope);
        }
        self.finish(scope);
        self.written_code(scope);
        self.peculiar(text);
        refill
    }

    /// Runs the last commands of a text that was not scanned to its end.
    pub(super) fn last_commands(&mut self, text: &str, scope: &mut Scope) {
        let from = text.len().saturating_sub(TAIL_BYTES);
        let Some(end) = (from..text.len()).find_map(|at| text.get(at..)) else { return };
        let Some((_, commands)) = end.split_once([';', '\n']) else { return };
        self.tail = true;
        self.exhausted = false;
        self.steps = self.steps.max(TAIL_STEPS);
        self.code("the end", commands, scope, &Stdin::Inherited);
    }

    /// Joins the ways around a chain of commands, the last of which was joined by `last`.
    fn meet(&mut self, scope: &mut Scope, around: &mut Vec<Scope>, last: Join) {
        for mut other in around.drain(..) {
            self.spend(1 + other.vars.len() / 2);
            // A chain of `cd a && b` most likely went all its way.
            if last == Join::And && !scope.gone {
                let before = std::mem::replace(&mut other.cwd, scope.cwd.clone());
                scope.may_be_in(before);
            }
            scope.join(other);
        }
    }

    /// Runs what may not be run at all: the files that it writes may still be as they were.
    fn perhaps(&mut self, node: &Node, scope: &mut Scope, input: &Stdin) -> Printed {
        let branches = Rc::clone(&scope.branches);
        branches.set(branches.get() + 1);
        let printed = self.eval(node, scope, input);
        branches.set(branches.get().saturating_sub(1));
        printed
    }

    pub(super) fn if_chain(
        &mut self,
        arms: &[(Node, Node)],
        otherwise: Option<&Node>,
        scope: &mut Scope,
        input: &Stdin,
    ) -> Printed {
        let mut printed = Some(String::new());
        let mut ends = Vec::new();
        for (condition, body) in arms {
            let more = self.eval(condition, scope, input);
            printed = joined(printed, more);
            let mut own = scope.clone();
            own.if_failed = Rc::default();
            scope.settle();
            let more = self.perhaps(body, &mut own, input);
            printed = joined(printed, more);
            ends.push(own);
        }
        if let Some(otherwise) = otherwise {
            let more = self.perhaps(otherwise, scope, input);
            printed = joined(printed, more);
        }
        for end in ends {
            self.spend(end.vars.len() / 2);
            scope.join(end);
        }
        printed
    }

    pub(super) fn case(
        &mut self,
        subject: &Raw,
        arms: &[(Vec<Raw>, Node, bool)],
        scope: &mut Scope,
        input: &Stdin,
    ) -> Printed {
        self.single(subject, scope);
        let mut printed = Some(String::new());
        let mut ends = Vec::new();
        let mut through: Option<Scope> = None;
        for (patterns, body, falls) in arms {
            for pattern in patterns {
                self.single(pattern, scope);
            }
            let mut own = scope.clone();
            if let Some(before) = through.take() {
                own.join(before);
            }
            let more = self.perhaps(body, &mut own, input);
            printed = joined(printed, more);
            if *falls {
                through = Some(own.clone());
            }
            ends.push(own);
        }
        for end in ends {
            self.spend(end.vars.len() / 2);
            scope.join(end);
        }
        printed
    }

    /// `while` and its like: the condition, then the body, until nothing changes any more.
    pub(super) fn repeated(
        &mut self,
        condition: &Node,
        body: &Node,
        scope: &mut Scope,
        input: &Stdin,
    ) -> Printed {
        let mut printed = Some(String::new());
        let outer_names = std::mem::take(&mut self.read_names);
        let jumps = self.jumps.len();
        self.loops += 1;
        for pass in 1.. {
            let more = self.eval(condition, scope, input);
            printed = joined(printed, more);
            let names = std::mem::take(&mut self.read_names);
            let before = scope.clone();
            let mut own = scope.clone();
            let more = self.perhaps(body, &mut own, input);
            if pass == 1 {
                printed = joined(printed, more);
            }
            self.landed(jumps, &mut own);
            scope.join(own);
            // The last `read` finds nothing, and empties its variables.
            for name in &names {
                if let Some(Value::Scalar(word)) = scope.get(name) {
                    let word = word.or(&Word::empty());
                    scope.set(name, Value::Scalar(word));
                }
            }
            if scope.same(&before) || !names.is_empty() && pass > 1 {
                break;
            }
            if pass == PASSES || self.loops > DEEP {
                scope.forget_changes(&before);
                if self.loops > 2 * DEEP {
                    self.note(super::types::What::Bound, "loops");
                } else if pass < PASSES {
                    self.eval(body, &mut scope.clone(), input);
                }
                break;
            }
        }
        self.loops -= 1;
        self.read_names = outer_names;
        printed
    }

    pub(super) fn for_loop(
        &mut self,
        name: &str,
        words: Option<&[Raw]>,
        body: &Node,
        scope: &mut Scope,
        input: &Stdin,
    ) -> Printed {
        let values = match words {
            Some(words) => self.words(words, scope),
            None => scope.args.get(1..).unwrap_or(&[]).to_vec(),
        };
        let each =
            values.len() <= super::values::MAX_VALUES && values.iter().all(|word| !word.is_many());
        if !each && values.len() <= super::values::MAX_VALUES && values.iter().all(Word::is_listed)
        {
            // Each pattern stands for any number of files.
            for value in values {
                let before = scope.clone();
                scope.set(name, Value::Scalar(value));
                self.repeated(&Node::List(Vec::new()), body, scope, input);
                scope.join(before);
            }
            return None;
        }
        if !each {
            let all: Option<Vec<String>> =
                values.iter().map(|word| word.literal().map(str::to_owned)).collect();
            let word = all.map_or_else(|| Word::hole(format!("${name}"), false), Word::one_of);
            let before = scope.clone();
            scope.set(name, Value::Scalar(word));
            self.repeated(&Node::List(Vec::new()), body, scope, input);
            scope.join(before);
            return None;
        }
        let mut printed = Some(String::new());
        let jumps = self.jumps.len();
        self.loops += 1;
        let mut left = Vec::new();
        for value in values {
            scope.set(name, Value::Scalar(value));
            let more = self.eval(body, scope, input);
            printed = joined(printed, more);
            // `continue` and `break` alike: the next round may or may not follow.
            let mut own = scope.clone();
            if self.landed(jumps, &mut own) {
                left.push(own.clone());
                *scope = own;
            }
        }
        for own in left {
            scope.join(own);
        }
        self.loops -= 1;
        printed
    }

    /// Joins what left the loop at hand; whether anything did.
    fn landed(&mut self, jumps: usize, scope: &mut Scope) -> bool {
        let mut any = false;
        let mut kept = Vec::new();
        while self.jumps.len() > jumps {
            let Some(mut jump) = self.jumps.pop() else { break };
            if let Some(loops) = &mut jump.loops {
                any = true;
                scope.join(jump.scope.clone());
                *loops = loops.saturating_sub(1);
            }
            if jump.loops != Some(0) {
                kept.push(jump);
            }
        }
        kept.truncate(MAX_JUMPS);
        self.jumps.append(&mut kept);
        any
    }

    /// `break`, `continue`, `return`: the way ends here, unless there is nothing to leave.
    pub(super) fn jump(&mut self, loops: Option<usize>, scope: &mut Scope) {
        let inside = match loops {
            Some(_) => self.loops > 0,
            None => self.via.iter().any(|label| matches!(*label, "function" | "source")),
        };
        if !inside || scope.gone {
            return;
        }
        if self.jumps.len() < MAX_JUMPS {
            self.jumps.push(Jump { loops, scope: scope.clone() });
            scope.gone = true;
        }
    }

    /// Runs a function's or a sourced file's text: loops around it cannot be left from inside, and
    /// what returned early is joined.
    pub(super) fn returning(
        &mut self,
        scope: &mut Scope,
        work: impl FnOnce(&mut Self, &mut Scope) -> Printed,
    ) -> Printed {
        let loops = std::mem::take(&mut self.loops);
        let outer = std::mem::take(&mut self.jumps);
        let gone = scope.gone;
        let printed = work(self, scope);
        for jump in std::mem::replace(&mut self.jumps, outer) {
            scope.join(jump.scope);
        }
        scope.gone |= gone;
        self.loops = loops;
        printed
    }
}

/// The most ways out of loops and functions that are followed.
const MAX_JUMPS: usize = 32;
