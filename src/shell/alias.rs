//! Aliases: a name that stands for text, expanded from the line after its definition on.

use std::collections::HashMap;
use std::rc::Rc;

use super::eval::{Printed, Reader};
use super::scan::parse;
use super::scope::Scope;
use super::tree::{Join, Node, Simple};
use super::types::Stdin;

/// Name → text and the first line on which it is expanded.
type Aliases = Rc<HashMap<String, (String, usize)>>;

/// A text that is read now knows all aliases that were set before it.
pub(super) fn enter(scope: &mut Scope) -> Option<Aliases> {
    if scope.aliases.is_empty() {
        return None;
    }
    let outer = Rc::clone(&scope.aliases);
    let all = scope.aliases.iter().map(|(name, (text, _))| (name.clone(), (text.clone(), 0)));
    scope.aliases = Rc::new(all.collect());
    Some(outer)
}

/// Back in the text around, at `line`: what was set inside is known from the next line on.
pub(super) fn leave(scope: &mut Scope, outer: Option<Aliases>, line: usize) {
    if scope.aliases.is_empty() {
        return;
    }
    let outer = outer.unwrap_or_default();
    let all = scope.aliases.iter().map(|(name, (text, _))| match outer.get(name) {
        Some((known, from)) if known == text => (name.clone(), (text.clone(), *from)),
        _ => (name.clone(), (text.clone(), line + 1)),
    });
    scope.aliases = Rc::new(all.collect());
}

/// An alias that applies.
struct Expanded {
    text: String,
    names: Vec<String>,
}

impl Reader<'_> {
    /// Runs a command whose first word is an alias; `None` when it is none.
    pub(super) fn aliased(
        &mut self,
        simple: &Rc<Simple>,
        scope: &mut Scope,
        input: &Stdin,
    ) -> Option<Printed> {
        let found = expanded(simple, scope)?;
        let before = scope.clone();
        let outer = enter(scope);
        // Never expanded a second time: `alias ls='ls -l'`.
        let name = found.names.first()?;
        Rc::make_mut(&mut scope.aliases).remove(name);
        let printed = self.inside("alias", |reader| {
            let (depth, at) = (reader.depth, Some(reader.at));
            let unclear = &mut reader.reading.unclear;
            let mut node = parse(&found.text, depth, at, 0, &mut reader.steps, unclear);
            append(&mut node, simple, found.names.len());
            reader.eval(&node, scope, input)
        });
        if let (None, Some(alias)) = (scope.aliases.get(name), before.aliases.get(name)) {
            Rc::make_mut(&mut scope.aliases).insert(name.clone(), alias.clone());
        }
        leave(scope, outer, simple.line);
        if before.expands {
            return Some(printed);
        }
        // Not surely expanded: the words may run as they stand.
        let with = std::mem::replace(scope, before);
        self.each_choice(scope, |reader, scope| reader.once(simple, scope, input));
        scope.join(with);
        Some(None)
    }
}

/// The alias that the command's first word names, when it was defined on an earlier line. A text
/// that ends with a blank makes the next word an alias too.
fn expanded(simple: &Simple, scope: &Scope) -> Option<Expanded> {
    if scope.aliases.is_empty() {
        return None;
    }
    let mut text = String::new();
    let mut names: Vec<String> = Vec::new();
    while let Some(name) = simple.words.get(names.len()).and_then(|word| word.bare()) {
        let Some((own, from)) = scope.aliases.get(name) else { break };
        if simple.line < *from || names.len() > 16 {
            break;
        }
        if names.is_empty() {
            text.push_str(own);
        } else {
            // What stands there now is looked up again; for the first word the run of it does that.
            text.push_str(&in_full(own, name, scope));
        }
        names.push(name.to_owned());
        if !own.ends_with([' ', '\t']) {
            break;
        }
    }
    (!names.is_empty()).then_some(Expanded { text, names })
}

/// An alias's text whose first word may be an alias again.
fn in_full(text: &str, name: &str, scope: &Scope) -> String {
    let mut seen = vec![name.to_owned()];
    let mut text = text.to_owned();
    while seen.len() < 8 {
        let end = text.find([' ', '\t']).unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        let Some((next, _)) = scope.aliases.get(word).filter(|_| !seen.iter().any(|w| w == word))
        else {
            break;
        };
        seen.push(word.to_owned());
        text = format!("{next}{rest}");
    }
    text
}

/// The name that a function gets whose own name is an alias.
pub(super) fn renamed(name: &str, scope: &Scope) -> Option<String> {
    let mut known = name;
    // One may stand for another.
    for _ in 0..8 {
        let Some((text, _)) = scope.aliases.get(known) else { break };
        let text = text.trim();
        if text == known || text.is_empty() || text.contains(char::is_whitespace) {
            break;
        }
        known = text;
    }
    (known != name).then(|| known.to_owned())
}

/// The alias's commands with the caller's other words after its last one.
fn append(node: &mut Node, simple: &Simple, used: usize) -> bool {
    match node {
        Node::Simple(inner) => {
            let mut own = Simple::clone(inner);
            own.words.extend(simple.words.iter().skip(used).cloned());
            own.redirects.extend(simple.redirects.iter().cloned());
            own.assigns.extend(simple.assigns.iter().cloned());
            *inner = Rc::new(own);
            true
        }
        Node::List(items) => {
            items.iter_mut().rev().any(|(node, _): &mut (Node, Join)| append(node, simple, used))
        }
        Node::Pipeline(stages) => stages.last_mut().is_some_and(|node| append(node, simple, used)),
        Node::Subshell(_)
        | Node::If { .. }
        | Node::Loop { .. }
        | Node::For { .. }
        | Node::Case { .. }
        | Node::Function { .. }
        | Node::Test(_)
        | Node::Arithmetic { .. }
        | Node::Coproc(_)
        | Node::Redirected(..) => false,
    }
}
