//! The lines by which two texts differ, for a person. Pure.

#![forbid(unsafe_code)]

/// Lines of unchanged text around a change.
const AROUND: usize = 2;

/// Above this product of line counts the middle is shown as replaced in one piece.
const MOST_PAIRS: usize = 4_000_000;

/// The lines that go (`-`) and come (`+`), with a little of what stays; empty if nothing changes.
pub fn lines(before: &[u8], after: &[u8]) -> String {
    let (before, after) = (String::from_utf8_lossy(before), String::from_utf8_lossy(after));
    let old: Vec<&str> = before.lines().collect();
    let new: Vec<&str> = after.lines().collect();
    let head = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let rest = |all: &[&str]| all.len() - head;
    let most = rest(&old).min(rest(&new));
    let tail = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take(most)
        .take_while(|(old, new)| old == new)
        .count();
    let old_middle = old.get(head..old.len() - tail).unwrap_or_default();
    let new_middle = new.get(head..new.len() - tail).unwrap_or_default();
    if old_middle.is_empty() && new_middle.is_empty() {
        return String::new();
    }
    let mut marked: Vec<(char, &str)> = Vec::new();
    let from = head.saturating_sub(AROUND);
    marked.extend(old.iter().skip(from).take(head - from).map(|line| (' ', *line)));
    marked.extend(compare(old_middle, new_middle));
    marked.extend(old.iter().skip(old.len() - tail).take(AROUND).map(|line| (' ', *line)));
    squeeze(&marked)
}

/// The longest common subsequence, walked.
fn compare<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<(char, &'a str)> {
    let goes = |lines: &[&'a str]| lines.iter().map(|line| ('-', *line)).collect::<Vec<_>>();
    let comes = |lines: &[&'a str]| lines.iter().map(|line| ('+', *line)).collect::<Vec<_>>();
    if old.len().saturating_mul(new.len()) > MOST_PAIRS {
        return [goes(old), comes(new)].concat();
    }
    let width = new.len() + 1;
    let mut longest = vec![0u32; (old.len() + 1) * width];
    let at = |table: &[u32], row: usize, column: usize| {
        table.get(row * width + column).copied().unwrap_or_default()
    };
    for (row, one) in old.iter().enumerate().rev() {
        for (column, other) in new.iter().enumerate().rev() {
            let best = if one == other {
                at(&longest, row + 1, column + 1) + 1
            } else {
                at(&longest, row + 1, column).max(at(&longest, row, column + 1))
            };
            if let Some(cell) = longest.get_mut(row * width + column) {
                *cell = best;
            }
        }
    }
    let (mut row, mut column) = (0, 0);
    let mut marked = Vec::new();
    while let (Some(one), Some(other)) = (old.get(row), new.get(column)) {
        if one == other {
            marked.push((' ', *one));
            (row, column) = (row + 1, column + 1);
        } else if at(&longest, row + 1, column) >= at(&longest, row, column + 1) {
            marked.push(('-', *one));
            row += 1;
        } else {
            marked.push(('+', *other));
            column += 1;
        }
    }
    marked.extend(goes(old.get(row..).unwrap_or_default()));
    marked.extend(comes(new.get(column..).unwrap_or_default()));
    marked
}

/// Prints the marked lines; long stretches without a change become `…`.
fn squeeze(marked: &[(char, &str)]) -> String {
    let mut out = String::new();
    let mut skipping = false;
    for (at, (mark, line)) in marked.iter().enumerate() {
        let from = at.saturating_sub(AROUND);
        let near = marked.iter().skip(from).take(at - from + AROUND + 1).any(|one| one.0 != ' ');
        if near {
            // A settings file can hold one line of megabytes.
            let line: String = line.chars().take(200).collect();
            out.push_str(&format!("{mark} {line}\n"));
        } else if !skipping {
            out.push_str("  …\n");
        }
        skipping = !near;
    }
    out
}
