//! Which program starts which.

use std::collections::HashMap;

use crate::shell::Invocation;

/// For each program start the one that starts it: the launcher before it, or the command in whose
/// words or text it stands.
pub(super) fn parents(invocations: &[Invocation]) -> Vec<Option<usize>> {
    let mut of_command: HashMap<usize, Vec<usize>> = HashMap::new();
    for (index, invocation) in invocations.iter().enumerate() {
        of_command.entry(invocation.command).or_default().push(index);
    }
    let is_around = |outer: usize, inner: &Invocation| {
        invocations.get(outer).is_some_and(|outer| inner.via.starts_with(&outer.via))
    };
    invocations
        .iter()
        .enumerate()
        .map(|(index, invocation)| {
            let same = of_command.get(&invocation.command).map_or(&[][..], Vec::as_slice);
            let before = same.partition_point(|other| *other < index);
            // The same command number and a longer way: a launcher's.
            let launcher = same.iter().take(before).rev().copied().find(|other| {
                is_around(*other, invocation)
                    && invocations
                        .get(*other)
                        .is_some_and(|outer| outer.via.len() < invocation.via.len())
            });
            launcher.or_else(|| {
                let around =
                    of_command.get(&invocation.within).filter(|_| invocation.within > 0)?;
                // A launcher is written down before what it starts, a command after its words.
                let (before, after) = around.split_at(around.partition_point(|one| *one < index));
                let mut nearest = before.iter().rev().chain(after).copied();
                nearest.find(|other| is_around(*other, invocation))
            })
        })
        .collect()
}

/// The indices in the order of a tree, each with its depth; children in the order of the text.
pub(super) fn walk(parents: &[Option<usize>]) -> Vec<(usize, usize)> {
    let mut children: HashMap<Option<usize>, Vec<usize>> = HashMap::new();
    for (index, parent) in parents.iter().enumerate() {
        children.entry(*parent).or_default().push(index);
    }
    let mut order = Vec::with_capacity(parents.len());
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut push = |open: &mut Vec<(usize, usize)>, parent, depth| {
        let own = children.remove(&parent).unwrap_or_default();
        open.extend(own.into_iter().rev().map(|index| (index, depth)));
    };
    push(&mut open, None, 0);
    while let Some((index, depth)) = open.pop() {
        order.push((index, depth));
        push(&mut open, Some(index), depth + 1);
    }
    order
}

/// The number of each program start, from 1, as it is listed.
pub(super) fn numbers(parents: &[Option<usize>]) -> Vec<usize> {
    let mut numbers = vec![0; parents.len()];
    for (number, (index, _)) in walk(parents).into_iter().enumerate() {
        if let Some(slot) = numbers.get_mut(index) {
            *slot = number + 1;
        }
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::{Dialect, NoFiles, Start, read, spell};

    /// The tree of a text: two blanks for each level.
    fn tree(text: &str, dialect: Dialect) -> Vec<String> {
        let reading = read(text, dialect, &Start::default(), &NoFiles);
        let order = walk(&parents(&reading.invocations));
        assert_eq!(order.len(), reading.invocations.len(), "{text}: a cycle");
        order
            .into_iter()
            .map(|(index, depth)| {
                format!(
                    "{:width$}{}",
                    "",
                    spell(&reading.invocations[index].argv),
                    width = 2 * depth
                )
            })
            .collect()
    }

    #[test]
    fn what_starts_what_is_a_tree() {
        let posix = Dialect::Posix;
        for (text, dialect, expected) in [
            ("a; b | c", posix, &["a", "b", "c"][..]),
            ("sudo nice a x", posix, &["sudo nice a x", "  nice a x", "    a x"]),
            ("bash -c 'a; b $(c)'; d", posix, &["bash -c a; b $(c)", "  a", "  b …", "    c", "d"]),
            ("echo $(a $(b)) $(c)", posix, &["echo … …", "  a …", "    b", "  c"]),
            (
                "sudo bash -c 'env A=1 a'",
                posix,
                &["sudo bash -c env A=1 a", "  bash -c env A=1 a", "    env A=1 a", "      a"],
            ),
            ("X=$(a); b", posix, &["a", "b"]),
            ("for i in 1 2; do a $i; done", posix, &["a 1", "a 2"]),
            ("f() { a; }; f; f", posix, &["a", "a"]),
            ("pwsh -c 'a; b'", posix, &["pwsh -c a; b", "  a", "  b"]),
            ("bash -c 'a; b'; c", Dialect::PowerShell, &["bash -c a; b", "  a", "  b", "c"]),
            ("bash -c \"a\" & c", Dialect::Cmd, &["bash -c a", "  a", "c"]),
        ] {
            assert_eq!(tree(text, dialect), expected, "{text}");
        }
    }
}
