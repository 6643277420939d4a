//! What holds of a shell where several ways meet: of its variables, functions, aliases, its directory.

use std::collections::HashMap;
use std::rc::Rc;

use super::scope::{BYTES_KEPT, Function, Scope, Standing, Value};
use super::types::Word;

/// The most bodies of one name that are kept apart.
const MAX_BODIES: usize = 8;
/// The most directories besides the likely one that a shell may be in.
const MAX_PLACES: usize = 3;

impl Scope {
    /// What holds whether `self` or `other` is what happened.
    pub(super) fn join(&mut self, other: Self) {
        if other.gone {
            return;
        }
        if self.gone {
            *self = other;
            return;
        }
        if !Rc::ptr_eq(&self.vars, &other.vars) {
            self.join_variables(&other);
        }
        if !Rc::ptr_eq(&self.functions, &other.functions) {
            self.join_functions(&other);
        }
        if !Rc::ptr_eq(&self.args, &other.args) && self.args != other.args {
            // What both have in common in front, and then anything.
            let mut args: Vec<Word> =
                self.args.iter().zip(other.args.iter()).map(|(a, b)| a.or(b)).collect();
            if self.args.len() != other.args.len() {
                args.push(Word::hole("$@", true));
            }
            self.args = Rc::new(args);
        }
        for (name, alias) in other.aliases.iter() {
            if self.aliases.get(name) != Some(alias) {
                // Expanded in one case and not in the other.
                self.expands = false;
                Rc::make_mut(&mut self.aliases).insert(name.clone(), alias.clone());
            }
        }
        self.expands &= other.expands && self.aliases.len() == other.aliases.len();
        self.exports_all |= other.exports_all;
        for name in other.exported.iter() {
            self.export(name);
        }
        if !Rc::ptr_eq(&self.traps, &other.traps) {
            let new = other.traps.iter().filter(|code| !self.traps.contains(code));
            let new: Vec<Word> = new.cloned().collect();
            Rc::make_mut(&mut self.traps).extend(new);
        }
        let failed = self.if_failed.iter().chain(other.if_failed.iter());
        let others: Vec<String> = failed.chain(other.elsewhere.iter()).cloned().collect();
        self.may_be_in(others);
        if self.cwd != other.cwd {
            let own = self.cwd.take();
            self.may_be_in(own.into_iter().chain(other.cwd));
        }
    }

    /// Adds directories that the shell may be in as well.
    pub(super) fn may_be_in(&mut self, directories: impl IntoIterator<Item = String>) {
        for directory in directories {
            let is_known = self.cwd.as_ref() == Some(&directory)
                || self.elsewhere.contains(&directory)
                || self.elsewhere.len() >= MAX_PLACES;
            if !is_known {
                self.owe(self.elsewhere.len() + directory.len() / BYTES_KEPT);
                Rc::make_mut(&mut self.elsewhere).push(directory);
            }
        }
    }

    /// Whether the last command's `cd` went well no longer matters: the shell may be in either place.
    pub(super) fn settle(&mut self) {
        if !self.if_failed.is_empty() {
            let failed = std::mem::take(&mut self.if_failed);
            self.may_be_in(failed.iter().cloned());
        }
    }

    /// Goes to another directory, if there is one.
    pub(super) fn go(&mut self, next: Option<String>, path: Option<&str>) {
        let before: Vec<String> =
            self.cwd.take().into_iter().chain(self.elsewhere.iter().cloned()).collect();
        self.elsewhere = Rc::default();
        self.cwd = next;
        if let Some(path) = path {
            let others = before.iter().skip(1);
            let others = others.filter_map(|from| super::directory::absolute(Some(from), path));
            self.may_be_in(others.collect::<Vec<_>>());
        }
        self.if_failed = Rc::new(before);
    }

    fn join_functions(&mut self, other: &Self) {
        self.owe(self.functions.len() + other.functions.len());
        let functions = self.functions_mut();
        for (name, own) in functions.iter_mut() {
            let others =
                other.functions.get(name).map_or(Standing::Perhaps, |known| known.standing);
            own.standing = own.standing.min(others);
        }
        for (name, others) in other.functions.iter() {
            let Some(own) = functions.get_mut(name) else {
                let standing = others.standing.min(Standing::Perhaps);
                let perhaps = Function { standing, ..others.clone() };
                functions.insert(name.clone(), perhaps);
                continue;
            };
            for body in &others.bodies {
                let bodies = &mut own.bodies;
                if bodies.len() < MAX_BODIES && !bodies.iter().any(|known| Rc::ptr_eq(known, body))
                {
                    bodies.push(Rc::clone(body));
                }
            }
        }
    }

    fn join_variables(&mut self, other: &Self) {
        self.owe(self.vars.len() + other.vars.len() / 4);
        let unset = Rc::new(Value::Scalar(Word::empty()));
        let mut joined = HashMap::with_capacity(self.vars.len());
        let only_there = other.vars.keys().filter(|name| !self.vars.contains_key(*name));
        for name in self.vars.keys().chain(only_there) {
            let own = self.vars.get(name).unwrap_or(&unset);
            let others = other.vars.get(name).unwrap_or(&unset);
            let value = match (own.as_ref(), others.as_ref()) {
                _ if Rc::ptr_eq(own, others) => Rc::clone(own),
                (left, right) if left == right => Rc::clone(own),
                (Value::Scalar(left), Value::Scalar(right)) => {
                    Rc::new(Value::Scalar(left.or(right)))
                }
                _ => Rc::new(Value::Array(vec![Word::hole(format!("${name}[@]"), true)])),
            };
            joined.insert(Rc::clone(name), value);
        }
        self.vars = Rc::new(joined);
    }

    /// Variables that differ from `before` are only known at run time.
    pub(super) fn forget_changes(&mut self, before: &Self) {
        self.owe(self.vars.len() / 2);
        let vars = self.vars_mut();
        for (name, value) in vars.iter_mut() {
            if before.vars.get(name) == Some(value) {
                continue;
            }
            let word = Word::hole(format!("${name}"), true);
            *value = Rc::new(match value.as_ref() {
                Value::Array(_) => Value::Array(vec![word]),
                Value::Scalar(_) => Value::Scalar(word),
            });
        }
        if self.args != before.args {
            let first = self.args.first().cloned().unwrap_or(Word::empty());
            self.args = Rc::new(vec![first, Word::hole("$@", true)]);
        }
    }

    /// Whether what later commands read is as it was in `before`.
    pub(super) fn same(&self, before: &Self) -> bool {
        (Rc::ptr_eq(&self.vars, &before.vars) || self.vars == before.vars)
            && (Rc::ptr_eq(&self.args, &before.args) || self.args == before.args)
            && Rc::ptr_eq(&self.functions, &before.functions)
    }
}
