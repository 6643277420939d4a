//! Text of others as HTML: nothing of it is taken for markup, and nothing of it moves the reader's eye.

#![forbid(unsafe_code)]

use crate::guard::label;

/// A text of several lines, for the content of an element or an attribute in double quotes.
pub(super) fn text(text: &str) -> String {
    escape(&label::lines(text))
}

/// A text on one line of at most `max` characters.
pub(super) fn line(text: &str, max: usize) -> String {
    let mut shown: String = text.chars().take(max).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    escape(&label::lines(&shown.replace(['\n', '\r', '\t'], " ")))
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(letter),
        }
    }
    out
}

/// A time of ours as a `time` element: minutes are enough to read, the rest is in the attribute.
pub(super) fn time(at: &str) -> String {
    format!("<time datetime=\"{}\">{}</time>", text(at), minute(at))
}

/// A time of ours to the minute.
pub(super) fn minute(at: &str) -> String {
    line(&at.get(..16).unwrap_or(at).replace('T', " "), 20)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_taken_for_markup() {
        assert_eq!(
            text("</pre><a href='x' b=\"y\">&amp;"),
            "&lt;/pre&gt;&lt;a href=&#39;x&#39; b=&quot;y&quot;&gt;&amp;amp;"
        );
        assert_eq!(text("a\n\u{202e}b\0"), "a\n\\u{202e}b\\u{0}");
        assert_eq!(line("a\nbcd", 3), "a b…");
    }
}
