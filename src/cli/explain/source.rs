//! The text of a command with marks under it.

use unicode_width::UnicodeWidthChar;

use crate::cli::screen::{columns, shown_letter};

/// The most rows of text that are shown.
const MOST_ROWS: usize = 30;
/// The most marks that are drawn.
const MOST_MARKS: usize = 60;
/// The most rows of marks below one row of text.
const LANES: usize = 8;

/// A part of the text with a name of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// Byte offsets.
    pub(super) at: usize,
    pub(super) end: usize,
    /// A number or a letter.
    pub(super) name: String,
}

/// A row of the screen: which bytes of the text stand in it.
struct Row {
    from: usize,
    to: usize,
}

/// `text` in rows of at most `width` columns, the marks below: each begins with its name and goes on
/// with carets. Only rows that hold a mark's beginning, and the first, when there are too many.
pub(super) fn drawn(text: &str, marks: &[Mark], width: usize) -> String {
    let rows = rows(text, width.max(8));
    let mut marks: Vec<&Mark> = marks.iter().collect();
    marks.sort_by_key(|mark| (mark.at, std::cmp::Reverse(mark.end)));
    let left_out = marks.len().saturating_sub(MOST_MARKS);
    marks.truncate(MOST_MARKS);
    let wanted = wanted(&rows, &marks);
    let mut out = String::new();
    let mut before = None;
    for index in wanted {
        let skipped = index - before.map_or(0, |before| before + 1);
        out.push_str(&gap(skipped));
        before = Some(index);
        if let Some(row) = rows.get(index) {
            draw(&mut out, text, row, &marks);
        }
    }
    out.push_str(&gap(rows.len() - before.map_or(0, |before| before + 1)));
    if left_out > 0 {
        out.push_str(&format!("  ({left_out} more marks are not drawn)\n"));
    }
    if text.chars().any(|letter| letter != '\n' && shown_letter(letter).is_some()) {
        out.push_str("  (controls and what shows nothing are spelled as \\t, \\u{…})\n");
    }
    out
}

fn gap(skipped: usize) -> String {
    match skipped {
        0 => String::new(),
        1 => "  … 1 row\n".into(),
        skipped => format!("  … {skipped} rows\n"),
    }
}

/// The rows that are shown.
fn wanted(rows: &[Row], marks: &[&Mark]) -> Vec<usize> {
    if rows.len() <= MOST_ROWS {
        return (0..rows.len()).collect();
    }
    let at = |mark: &&Mark| {
        rows.partition_point(|row| row.to <= mark.at).min(rows.len().saturating_sub(1))
    };
    let mut wanted: Vec<usize> = std::iter::once(0).chain(marks.iter().map(at)).collect();
    wanted.sort_unstable();
    wanted.dedup();
    wanted.truncate(MOST_ROWS);
    wanted
}

fn rows(text: &str, width: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    let (mut from, mut used) = (0, 0);
    for (at, letter) in text.char_indices() {
        if letter == '\n' {
            rows.push(Row { from, to: at + 1 });
            (from, used) = (at + 1, 0);
            continue;
        }
        let wide = width_of(letter);
        if used + wide > width && used > 0 {
            rows.push(Row { from, to: at });
            (from, used) = (at, 0);
        }
        used += wide;
    }
    if from < text.len() || rows.is_empty() {
        rows.push(Row { from, to: text.len() });
    }
    rows
}

/// How many columns a letter takes as it is shown.
fn width_of(letter: char) -> usize {
    match shown_letter(letter) {
        Some(spelled) => columns(&spelled),
        None => letter.width().unwrap_or(0),
    }
}

fn draw(out: &mut String, text: &str, row: &Row, marks: &[&Mark]) {
    let piece = text.get(row.from..row.to).unwrap_or_default();
    // The column of each byte offset in the row, and of its end.
    let mut places = Vec::with_capacity(piece.len() + 1);
    let mut column = 0;
    let mut line = String::new();
    for (at, letter) in piece.char_indices() {
        places.push((row.from + at, column));
        if letter == '\n' {
            continue;
        }
        column += width_of(letter);
        match shown_letter(letter) {
            Some(spelled) => line.push_str(&spelled),
            None => line.push(letter),
        }
    }
    let of = |offset: usize| {
        let next = places.partition_point(|(at, _)| *at < offset);
        places.get(next).map_or(column, |(_, column)| *column)
    };
    out.push_str(format!("  {line}").trim_end());
    out.push('\n');
    let mut lanes: Vec<(String, usize)> = Vec::new();
    for mark in marks.iter().filter(|mark| mark.at < row.to && mark.end > row.from) {
        let from = of(mark.at.max(row.from));
        let to = of(mark.end.min(row.to)).max(from + 1);
        let name = if mark.at >= row.from { mark.name.as_str() } else { "" };
        let length = (to - from).max(name.len());
        let run = format!("{name}{}", "^".repeat(length - name.len()));
        let free = lanes.iter().position(|(_, used)| *used < from || *used == 0);
        if free.is_none() && lanes.len() < LANES {
            lanes.push((String::new(), 0));
        }
        let free = free.or((lanes.len() <= LANES).then(|| lanes.len() - 1));
        let Some((lane, used)) = free.and_then(|free| lanes.get_mut(free)) else { continue };
        // The last lane is full, and no further one is drawn.
        if *used > from {
            continue;
        }
        lane.push_str(&" ".repeat(from - *used));
        lane.push_str(&run);
        *used = from + run.len();
    }
    for (lane, _) in lanes {
        out.push_str(&format!("  {lane}\n"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(all: &[(usize, usize, &str)]) -> Vec<Mark> {
        all.iter()
            .map(|(at, end, name)| Mark { at: *at, end: *end, name: (*name).into() })
            .collect()
    }

    #[test]
    fn marks_stand_below_their_text() {
        let text = "a; sudo b $(c)\nd";
        let drawn =
            drawn(text, &marks(&[(0, 1, "1"), (3, 14, "2"), (12, 13, "3"), (15, 16, "10")]), 40);
        insta::assert_snapshot!(drawn, @r##"
        a; sudo b $(c)
        1  2^^^^^^^^^^
                    3
        d
        10
        "##);
    }

    #[test]
    fn wide_hidden_and_moving_characters_do_not_shift_a_mark() {
        let text = "日本\t\u{202e}\u{1b}e\u{301} cortex";
        let at = text.find("cortex").unwrap();
        insta::assert_snapshot!(drawn(text, &marks(&[(at, text.len(), "1")]), 60), @r##"
        日本\t\u{202e}\u{1b}é cortex
                              1^^^^^
        (controls and what shows nothing are spelled as \t, \u{…})
        "##);
    }

    #[test]
    fn a_long_text_is_shown_where_its_marks_are() {
        let text = format!("{}cortex x{}", "true;".repeat(1000), ";true".repeat(1000));
        insta::assert_snapshot!(drawn(&text, &marks(&[(5000, 5008, "1")]), 40), @r##"
        true;true;true;true;true;true;true;true;
        … 124 rows
        cortex x;true;true;true;true;true;true;t
        1^^^^^^^
        … 125 rows
        "##);
    }

    #[test]
    fn a_mark_goes_on_in_the_next_row() {
        insta::assert_snapshot!(drawn("cortex delete-memory x", &marks(&[(0, 22, "1")]), 12), @r##"
        cortex delet
        1^^^^^^^^^^^
        e-memory x
        ^^^^^^^^^^
        "##);
    }

    #[test]
    fn no_text_and_no_mark_is_too_odd() {
        for text in ["", "\n", "\n\n", "a\n", "日", "\u{301}", &"\0".repeat(100)] {
            for (at, end) in [(0, 0), (0, 1), (1, 0), (0, 999), (999, 1000)] {
                drawn(text, &marks(&[(at, end, "1")]), 0);
            }
        }
        assert_eq!(drawn("", &[], 40), "\n");
    }
}
