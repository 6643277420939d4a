//! How a new piece of JSON is laid out: as the file around it is. Pure.

#![forbid(unsafe_code)]

use super::document::Node;

/// A piece of JSON to be written, its keys in our order.
#[derive(Clone, Debug)]
pub enum Piece {
    /// A string.
    Text(String),
    /// A number, `true`, `null`: as it is.
    Word(String),
    /// An array.
    List(Vec<Self>),
    /// An object.
    Object(Vec<(String, Self)>),
}

/// The layout of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Style {
    /// `\n` or `\r\n`.
    pub newline: &'static str,
    /// One level of indentation.
    pub unit: String,
    /// What stands between a key and its value.
    pub colon: &'static str,
    /// What stands between two things on one line.
    pub comma: &'static str,
    /// Everything is on one line.
    pub one_line: bool,
}

impl Default for Style {
    fn default() -> Self {
        Self { newline: "\n", unit: "  ".to_owned(), colon: ": ", comma: ", ", one_line: false }
    }
}

impl Style {
    /// Reads the layout off a file: its first line end, its first indented key, its first colon.
    pub fn of(bytes: &[u8], root: &Node) -> Self {
        let mut style = Self::default();
        let mut breaks = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        if let Some((at, _)) = breaks.next()
            && at.checked_sub(1).and_then(|at| bytes.get(at)) == Some(&b'\r')
        {
            style.newline = "\r\n";
        }
        let Some(first) = root.members().first() else { return style };
        let inside = bytes.get(root.start..root.end).unwrap_or_default();
        style.one_line = !inside.contains(&b'\n');
        let blank = first.node.start.checked_sub(1).and_then(|at| bytes.get(at));
        if blank == Some(&b':') {
            (style.colon, style.comma) = (":", ",");
        }
        let indented = root.members().iter().find(|one| starts_its_line(bytes, one.start));
        let unit = indented.map(|one| indent_of_line(bytes, one.start)).unwrap_or_default();
        if !unit.is_empty() {
            style.unit = unit;
        }
        style
    }

    /// The same layout without line ends.
    pub fn on_one_line(&self) -> Self {
        Self { one_line: true, ..self.clone() }
    }
}

impl Piece {
    /// A string.
    pub fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }

    /// The JSON text; lines after the first are indented by `indent` and more.
    pub fn print(&self, style: &Style, indent: &str) -> String {
        match self {
            // A string always has a JSON form.
            Self::Text(text) => serde_json::to_string(text).unwrap_or_default(),
            Self::Word(word) => word.clone(),
            Self::List(items) => {
                let print =
                    |inner: &str| items.iter().map(|item| item.print(style, inner)).collect();
                wrap(style, indent, ('[', ']'), &print)
            }
            Self::Object(members) => {
                let print = |inner: &str| {
                    let member = |(key, value): &(String, Self)| {
                        let key = Self::text(key).print(style, "");
                        format!("{key}{}{}", style.colon, value.print(style, inner))
                    };
                    members.iter().map(member).collect()
                };
                wrap(style, indent, ('{', '}'), &print)
            }
        }
    }
}

fn wrap(
    style: &Style,
    indent: &str,
    (open, close): (char, char),
    children: &dyn Fn(&str) -> Vec<String>,
) -> String {
    let inner = format!("{indent}{}", style.unit);
    let children = children(&inner);
    if style.one_line || children.is_empty() {
        return format!("{open}{}{close}", children.join(style.comma));
    }
    let newline = style.newline;
    let lines = children.join(&format!(",{newline}{inner}"));
    format!("{open}{newline}{inner}{lines}{newline}{indent}{close}")
}

/// Whether only blanks stand before `at` on its line, and there is a line before.
pub fn starts_its_line(bytes: &[u8], at: usize) -> bool {
    let before = bytes.get(..at).unwrap_or_default();
    let blanks = before.iter().rev().find(|byte| !matches!(byte, b' ' | b'\t'));
    blanks == Some(&b'\n')
}

/// The blanks at the start of the line on which `at` lies.
pub fn indent_of_line(bytes: &[u8], at: usize) -> String {
    let before = bytes.get(..at).unwrap_or_default();
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |found| found + 1);
    let line = bytes.get(start..).unwrap_or_default();
    let blanks = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t'));
    blanks.map(|byte| char::from(*byte)).collect()
}
