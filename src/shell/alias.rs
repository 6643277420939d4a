//! Aliases: a name that stands for text, expanded from the line after its definition on.

use super::scope::Scope;
use super::tree::{Join, Node, Simple};

/// An alias that applies.
pub(super) struct Expanded {
    pub(super) text: String,
    /// Words of the command that the text stands for.
    used: usize,
}

/// The alias that the command's first word names, when it was defined on an earlier line. A text
/// that ends with a blank makes the next word an alias too.
pub(super) fn expanded(simple: &Simple, scope: &Scope) -> Option<Expanded> {
    if scope.aliases.is_empty() {
        return None;
    }
    let mut text = String::new();
    let mut used = 0;
    while let Some(name) = simple.words.get(used).and_then(|word| word.bare()) {
        let Some((own, line)) = scope.aliases.get(name) else { break };
        if simple.line <= *line || used > 16 {
            break;
        }
        text.push_str(own);
        used += 1;
        if !own.ends_with([' ', '\t']) {
            break;
        }
    }
    (used > 0).then_some(Expanded { text, used })
}

/// The alias's commands with the caller's other words after its last one.
pub(super) fn joined(text: &Node, simple: &Simple, expanded: &Expanded) -> Node {
    let mut node = text.clone();
    append(&mut node, simple, expanded.used);
    node
}

fn append(node: &mut Node, simple: &Simple, used: usize) -> bool {
    match node {
        Node::Simple(inner) => {
            let mut own = Simple::clone(inner);
            own.words.extend(simple.words.iter().skip(used).cloned());
            own.redirects.extend(simple.redirects.iter().cloned());
            own.assigns.extend(simple.assigns.iter().cloned());
            // Never expanded a second time: `alias ls='ls -l'`.
            own.line = 0;
            *inner = std::rc::Rc::new(own);
            true
        }
        Node::List(items) => {
            items.iter_mut().rev().any(|(node, _): &mut (Node, Join)| append(node, simple, used))
        }
        Node::Pipeline(stages) => stages.last_mut().is_some_and(|node| append(node, simple, used)),
        Node::Subshell(_)
        | Node::Group { .. }
        | Node::For { .. }
        | Node::Case { .. }
        | Node::Function { .. }
        | Node::Test(_)
        | Node::Coproc(_)
        | Node::Redirected(..) => false,
    }
}
