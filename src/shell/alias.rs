//! Aliases: a name that stands for text, expanded from the line after its definition on.

use super::scope::Scope;
use super::tree::{Join, Node, Simple};

/// An alias that applies.
pub(super) struct Expanded {
    pub(super) text: String,
}

/// The alias that the command's first word names, when it was defined on an earlier line.
pub(super) fn expanded(simple: &Simple, scope: &Scope) -> Option<Expanded> {
    if scope.aliases.is_empty() {
        return None;
    }
    let name = simple.words.first()?.bare()?;
    let (text, line) = scope.aliases.get(name)?;
    (simple.line > *line).then(|| Expanded { text: text.clone() })
}

/// The alias's commands with the caller's other words after its last one.
pub(super) fn joined(text: &Node, simple: &Simple) -> Node {
    let mut node = text.clone();
    append(&mut node, simple);
    node
}

fn append(node: &mut Node, simple: &Simple) -> bool {
    match node {
        Node::Simple(inner) => {
            let mut own = Simple::clone(inner);
            own.words.extend(simple.words.iter().skip(1).cloned());
            own.redirects.extend(simple.redirects.iter().cloned());
            own.assigns.extend(simple.assigns.iter().cloned());
            // Never expanded a second time: `alias ls='ls -l'`.
            own.line = 0;
            *inner = std::rc::Rc::new(own);
            true
        }
        Node::List(items) => {
            items.iter_mut().rev().any(|(node, _): &mut (Node, Join)| append(node, simple))
        }
        Node::Pipeline(stages) => stages.last_mut().is_some_and(|node| append(node, simple)),
        _ => false,
    }
}
