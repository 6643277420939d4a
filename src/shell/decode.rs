//! Static decoders: `$'…'`, echo -e, printf, base64, hex, rev, tr.

use std::collections::{HashMap, HashSet};

/// Decodes the inside of `$'…'`; `\c`, octal, hex and unicode escapes as bash reads them.
pub(super) fn ansi_c(text: &str) -> String {
    escapes(text, Style::Ansi)
}

/// Decodes `echo -e` text.
pub(super) fn echo_escapes(text: &str) -> String {
    escapes(text, Style::Echo)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Ansi,
    Echo,
}

fn escapes(text: &str, style: Style) -> String {
    // Bytes, because `\xNN` may spell a character's parts.
    let mut out: Vec<u8> = Vec::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        if character != '\\' {
            push(&mut out, character);
            continue;
        }
        let Some(mark) = rest.next() else {
            out.push(b'\\');
            break;
        };
        match mark {
            'a' => out.push(7),
            'b' => out.push(8),
            'e' | 'E' => out.push(27),
            'f' => out.push(12),
            'n' => out.push(b'\n'),
            'r' => out.push(b'\r'),
            't' => out.push(b'\t'),
            'v' => out.push(11),
            'c' if style == Style::Echo => break,
            'c' => {
                if let Some(next) = rest.next() {
                    out.push(u8::try_from(next).unwrap_or(0) & 0x1f);
                }
            }
            'x' => match number(&mut rest, 16, 2, None) {
                Some(value) => out.push((value & 0xff) as u8),
                None => out.extend(b"\\x"),
            },
            'u' => unicode(&mut rest, &mut out, 4),
            'U' => unicode(&mut rest, &mut out, 8),
            '0'..='7' => {
                // echo wants `\0nnn`; `\nnn` is read as well.
                let first =
                    if style == Style::Echo && mark == '0' { None } else { mark.to_digit(8) };
                let digits = if first.is_none() { 3 } else { 2 };
                let value = number(&mut rest, 8, digits, first).unwrap_or(0);
                out.push((value & 0xff) as u8);
            }
            '\\' | '\'' | '"' | '?' if style == Style::Ansi || mark == '\\' => push(&mut out, mark),
            other => {
                out.push(b'\\');
                push(&mut out, other);
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn push(out: &mut Vec<u8>, character: char) {
    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
}

fn unicode(rest: &mut std::iter::Peekable<std::str::Chars<'_>>, out: &mut Vec<u8>, digits: usize) {
    match number(rest, 16, digits, None) {
        Some(value) => push(out, char::from_u32(value).unwrap_or('\u{fffd}')),
        None => out.extend(b"\\u"),
    }
}

fn number(
    rest: &mut std::iter::Peekable<std::str::Chars<'_>>,
    radix: u32,
    most: usize,
    first: Option<u32>,
) -> Option<u32> {
    let mut value = first;
    for _ in 0..most {
        let Some(digit) = rest.peek().and_then(|character| character.to_digit(radix)) else {
            break;
        };
        value = Some(value.unwrap_or(0).wrapping_mul(radix).wrapping_add(digit));
        rest.next();
    }
    value
}

/// Formats as `printf` would with known arguments; the format is used again while arguments last.
pub(super) fn printf(format: &str, args: &[String]) -> String {
    let mut out = String::new();
    let mut left = args.iter();
    for _ in 0..=args.len() {
        let (piece, used) = once(format, &mut left);
        out.push_str(&piece);
        if used == 0 || left.len() == 0 || out.len() > 65_536 {
            break;
        }
    }
    out
}

fn once(format: &str, args: &mut std::slice::Iter<'_, String>) -> (String, usize) {
    let mut out = String::new();
    let mut used = 0;
    let mut rest = format.chars().peekable();
    let mut plain = String::new();
    while let Some(character) = rest.next() {
        if character != '%' {
            plain.push(character);
            if character == '\\'
                && let Some(next) = rest.next()
            {
                plain.push(next);
            }
            continue;
        }
        if rest.peek() == Some(&'%') {
            rest.next();
            plain.push('%');
            continue;
        }
        out.push_str(&echo_escapes(&std::mem::take(&mut plain)));
        // Flags, width and precision do not change which words come out.
        while rest.peek().is_some_and(|c| c.is_ascii_digit() || "-+ #.*'".contains(*c)) {
            rest.next();
        }
        let Some(kind) = rest.next() else { break };
        used += 1;
        let value = args.next().map_or("", String::as_str);
        match kind {
            'b' => out.push_str(&echo_escapes(value)),
            'c' => out.extend(value.chars().next()),
            _ => out.push_str(value),
        }
    }
    out.push_str(&echo_escapes(&plain));
    (out, used)
}

/// Decodes base64 with or without padding, blanks ignored; `None` when it is none.
pub(super) fn base64(text: &str) -> Option<Vec<u8>> {
    let mut bits = 0_u32;
    let mut count = 0_u32;
    let mut out = Vec::with_capacity(text.len() * 3 / 4);
    for byte in text.bytes().filter(|byte| !byte.is_ascii_whitespace()) {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => continue,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count & 0xff) as u8);
        }
    }
    Some(out)
}

/// Encodes base64.
pub(super) fn to_base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len() * 4 / 3 + 4);
    for group in bytes.chunks(3) {
        let bits = (0..3)
            .fold(0_u32, |bits, at| bits << 8 | u32::from(group.get(at).copied().unwrap_or(0)));
        for place in 0..4_usize {
            let index = (bits >> (18 - 6 * place) & 63) as usize;
            let letter = LETTERS.get(index).copied().unwrap_or(b'=');
            out.push(if place <= group.len() { char::from(letter) } else { '=' });
        }
    }
    out
}

/// Decodes `xxd -r -p` input: pairs of hex digits, blanks ignored.
pub(super) fn hex(text: &str) -> Option<String> {
    let digits: Vec<u32> = text
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| c.to_digit(16))
        .collect::<Option<_>>()?;
    let bytes: Vec<u8> = digits
        .chunks_exact(2)
        .map(|pair| pair.iter().fold(0, |value, digit| value << 4 | (*digit as u8 & 0xf)))
        .collect();
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Reverses each line, as `rev` does.
pub(super) fn rev(text: &str) -> String {
    text.split_inclusive('\n')
        .map(|line| {
            let (body, end) = line.strip_suffix('\n').map_or((line, ""), |body| (body, "\n"));
            body.chars().rev().collect::<String>() + end
        })
        .collect()
}

/// Translates as `tr FROM TO` does, ranges and `-d` included.
pub(super) fn tr(text: &str, from: &str, to: Option<&str>) -> String {
    let from = ranges(from);
    let Some(to) = to.map(ranges) else {
        let from: HashSet<char> = from.into_iter().collect();
        return text.chars().filter(|c| !from.contains(c)).collect();
    };
    // A character that is listed twice becomes what the last one says.
    let table: HashMap<char, char> = from
        .into_iter()
        .enumerate()
        .filter_map(|(index, own)| Some((own, *to.get(index).or(to.last())?)))
        .collect();
    text.chars().map(|character| table.get(&character).copied().unwrap_or(character)).collect()
}

fn ranges(set: &str) -> Vec<char> {
    let set = match set {
        "[:upper:]" => "A-Z",
        "[:lower:]" => "a-z",
        "[:digit:]" => "0-9",
        "[:space:]" => " \\t\\n\\r",
        other => other,
    };
    let decoded: Vec<char> = echo_escapes(set).chars().collect();
    let mut out = Vec::new();
    let mut index = 0;
    while let Some(first) = decoded.get(index).copied() {
        match (decoded.get(index + 1), decoded.get(index + 2)) {
            (Some('-'), Some(last)) if *last >= first => {
                out.extend((first..=*last).take(4096));
                index += 3;
            }
            _ => {
                out.push(first);
                index += 1;
            }
        }
    }
    out
}

/// UTF-16LE bytes as text: what PowerShell's `-EncodedCommand` holds.
pub(super) fn utf16le(bytes: &[u8]) -> String {
    let units: Vec<u16> = bytes
        .chunks_exact(2)
        .filter_map(|pair| pair.try_into().ok().map(u16::from_le_bytes))
        .collect();
    String::from_utf16_lossy(&units)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decoders_agree_with_the_programs_they_stand_for() {
        assert_eq!(ansi_c(r"\x63\157\u0072\tx\'"), "cor\tx'");
        assert_eq!(echo_escapes(r"a\0101\n\q"), "aA\n\\q");
        assert_eq!(printf("%s-%s\\n", &["a".into(), "b".into(), "c".into()]), "a-b\nc-\n");
        assert_eq!(printf("100%%", &[]), "100%");
        assert_eq!(base64("Y29y dGV4\n").as_deref(), Some(b"cortex".as_slice()));
        assert_eq!(base64("no!"), None);
        assert_eq!(to_base64(b"cortex"), "Y29ydGV4");
        assert_eq!(to_base64(b"abcd"), "YWJjZA==");
        assert_eq!(hex("63 6f72").as_deref(), Some("cor"));
        assert_eq!(rev("abc\nde"), "cba\ned");
        assert_eq!(tr("pbegrk", "a-z", Some("n-za-m")), "cortex");
        assert_eq!(tr("a-b", "-", None), "ab");
    }
}
