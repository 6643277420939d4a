//! A settings file as the client reads it: strict JSON, with the place of every value.
//!
//! The client decodes the bytes leniently (one byte order mark is cut, bytes that are not UTF-8
//! become U+FFFD) and then parses strictly. Parsers on the registry are stricter in the first step
//! or looser in the second, and an edit must be gated by what the client does, so this one is ours.
//! Pure.

#![forbid(unsafe_code)]

use std::collections::HashSet;
use std::fmt;

/// Values nested deeper are refused; the client ignores what lies below 64.
pub const DEEPEST: usize = 512;

/// A value and the bytes it covers.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The first byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// What it is.
    pub value: Value,
}

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as the client's arithmetic sees it: `1e400` is infinite.
    Number(f64),
    /// A string, decoded; what is not text is U+FFFD.
    Text(String),
    /// An array.
    List(Vec<Node>),
    /// An object; of equal keys the last one counts.
    Object(Vec<Member>),
}

/// One `"key": value` of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// The key, decoded.
    pub key: String,
    /// The first byte of the key.
    pub start: usize,
    /// The value.
    pub node: Node,
}

/// Why the client would not parse a file, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// What is wrong there.
    pub what: &'static str,
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} at line {}, column {}", self.what, self.line, self.column)
    }
}

impl Node {
    /// The value of `key`, if this is an object that has it.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.members().iter().rev().find(|member| member.key == key).map(|member| &member.node)
    }

    /// The members of an object; of anything else, none.
    pub fn members(&self) -> &[Member] {
        if let Value::Object(members) = &self.value { members } else { &[] }
    }

    /// The members that count: of equal keys only the last one.
    pub fn counted(&self) -> impl Iterator<Item = &Member> {
        let mut seen = HashSet::new();
        let mut counted: Vec<&Member> =
            self.members().iter().rev().filter(|one| seen.insert(one.key.as_str())).collect();
        counted.reverse();
        counted.into_iter()
    }

    /// The items of a list; of anything else, none.
    pub fn items(&self) -> &[Self] {
        if let Value::List(items) = &self.value { items } else { &[] }
    }

    /// The text of a string.
    pub fn text(&self) -> Option<&str> {
        if let Value::Text(text) = &self.value { Some(text) } else { None }
    }

    /// The number.
    pub fn number(&self) -> Option<f64> {
        if let Value::Number(number) = self.value { Some(number) } else { None }
    }

    /// Whether it is `true` or `false`.
    pub fn truth(&self) -> Option<bool> {
        if let Value::Bool(truth) = self.value { Some(truth) } else { None }
    }

    /// Whether this is an object.
    pub fn is_object(&self) -> bool {
        matches!(self.value, Value::Object(_))
    }

    /// Whether this is a list.
    pub fn is_list(&self) -> bool {
        matches!(self.value, Value::List(_))
    }

    /// What the client's messages call it.
    pub fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            Value::Text(_) => "string",
            Value::List(_) => "array",
            Value::Object(_) => "object",
        }
    }
}

/// Reads a whole file; `None` is a file with nothing in it, which the client takes as `{}`.
///
/// # Errors
/// The first place where the client's parser would stop.
pub fn read(bytes: &[u8]) -> Result<Option<Node>, Fault> {
    let mut reader = Reader { bytes, at: if bytes.starts_with(BOM) { BOM.len() } else { 0 } };
    reader.skip_blank();
    if reader.at == bytes.len() {
        return Ok(None);
    }
    let node = reader.value(0)?;
    reader.skip_blank();
    if reader.at < bytes.len() {
        return Err(reader.fault("there is text after the end of the settings"));
    }
    Ok(Some(node))
}

/// The UTF-8 byte order mark.
pub const BOM: &[u8] = b"\xef\xbb\xbf";

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn skip_blank(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    fn fault(&self, what: &'static str) -> Fault {
        let (line, column) = place(self.bytes, self.at);
        Fault { line, column, what }
    }

    fn value(&mut self, depth: usize) -> Result<Node, Fault> {
        if depth > DEEPEST {
            return Err(self.fault("values are nested more than 512 levels deep"));
        }
        let start = self.at;
        let value = match self.peek() {
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.list(depth)?,
            Some(b'"') => Value::Text(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b't') => self.word(b"true", Value::Bool(true))?,
            Some(b'f') => self.word(b"false", Value::Bool(false))?,
            Some(b'n') => self.word(b"null", Value::Null)?,
            Some(b'/' | b'#') => return Err(self.fault("a comment is not JSON")),
            Some(b'}' | b']') => {
                return Err(self.fault("a comma with nothing after it is not JSON"));
            }
            Some(b'\'') => return Err(self.fault("single quotes are not JSON")),
            Some(_) => return Err(self.fault("this is no JSON value")),
            None => return Err(self.fault("the file ends too early")),
        };
        Ok(Node { start, end: self.at, value })
    }

    fn object(&mut self, depth: usize) -> Result<Value, Fault> {
        self.at += 1;
        let mut members = Vec::new();
        self.skip_blank();
        if self.take(b'}') {
            return Ok(Value::Object(members));
        }
        loop {
            self.skip_blank();
            let start = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.fault(match self.peek() {
                    Some(b'}') => "a comma with nothing after it is not JSON",
                    Some(b'/' | b'#') => "a comment is not JSON",
                    None => "the file ends too early",
                    Some(_) => "a key in double quotes is missing",
                }));
            }
            let key = self.string()?;
            self.skip_blank();
            if !self.take(b':') {
                return Err(self.fault("a colon is missing"));
            }
            self.skip_blank();
            let node = self.value(depth + 1)?;
            members.push(Member { key, start, node });
            if self.closes(b'}')? {
                return Ok(Value::Object(members));
            }
        }
    }

    fn list(&mut self, depth: usize) -> Result<Value, Fault> {
        self.at += 1;
        let mut items = Vec::new();
        self.skip_blank();
        if self.take(b']') {
            return Ok(Value::List(items));
        }
        loop {
            self.skip_blank();
            items.push(self.value(depth + 1)?);
            if self.closes(b']')? {
                return Ok(Value::List(items));
            }
        }
    }

    /// After a child: true at the closing byte, false after a comma.
    fn closes(&mut self, close: u8) -> Result<bool, Fault> {
        self.skip_blank();
        if self.take(close) {
            return Ok(true);
        }
        if self.take(b',') {
            return Ok(false);
        }
        Err(self.fault(match self.peek() {
            Some(b'/' | b'#') => "a comment is not JSON",
            None => "the file ends too early",
            Some(_) => "a comma or a closing bracket is missing",
        }))
    }

    fn word(&mut self, word: &[u8], value: Value) -> Result<Value, Fault> {
        if !self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(word)) {
            return Err(self.fault("this is no JSON value"));
        }
        self.at += word.len();
        Ok(value)
    }

    fn number(&mut self) -> Result<Value, Fault> {
        let start = self.at;
        self.take(b'-');
        if !self.take(b'0') && self.digits() == 0 {
            return Err(self.fault("this is no JSON number"));
        }
        if self.take(b'.') && self.digits() == 0 {
            return Err(self.fault("this is no JSON number"));
        }
        if self.take(b'e') || self.take(b'E') {
            let _ = self.take(b'+') || self.take(b'-');
            if self.digits() == 0 {
                return Err(self.fault("this is no JSON number"));
            }
        }
        let spelled = self.bytes.get(start..self.at).unwrap_or_default();
        let number = std::str::from_utf8(spelled).ok().and_then(|text| text.parse().ok());
        Ok(Value::Number(number.unwrap_or(f64::NAN)))
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        self.at - start
    }

    fn string(&mut self) -> Result<String, Fault> {
        self.at += 1;
        let mut decoded = Vec::new();
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(String::from_utf8_lossy(&decoded).into_owned());
                }
                Some(b'\\') => self.escape(&mut decoded)?,
                Some(0..=0x1f) => return Err(self.fault("a control character stands in a string")),
                Some(byte) => {
                    decoded.push(byte);
                    self.at += 1;
                }
                None => return Err(self.fault("the file ends within a string")),
            }
        }
    }

    fn escape(&mut self, decoded: &mut Vec<u8>) -> Result<(), Fault> {
        let plain = match self.bytes.get(self.at + 1) {
            Some(byte @ (b'"' | b'\\' | b'/')) => *byte,
            Some(b'b') => 8,
            Some(b'f') => 12,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'u') => return self.unicode(decoded),
            _ => return Err(self.fault("this escape is not JSON")),
        };
        decoded.push(plain);
        self.at += 2;
        Ok(())
    }

    fn unicode(&mut self, decoded: &mut Vec<u8>) -> Result<(), Fault> {
        let Some(first) = self.unit(self.at) else {
            return Err(self.fault("this escape is not JSON"));
        };
        self.at += 6;
        let mut units = vec![first];
        if (0xd800..0xdc00).contains(&first)
            && let Some(second) = self.unit(self.at).filter(|unit| (0xdc00..0xe000).contains(unit))
        {
            units.push(second);
            self.at += 6;
        }
        decoded.extend_from_slice(String::from_utf16_lossy(&units).as_bytes());
        Ok(())
    }

    /// The code unit of `\uXXXX` at `at`.
    fn unit(&self, at: usize) -> Option<u16> {
        let digits = self.bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
        let digits = std::str::from_utf8(digits).ok()?;
        // `from_str_radix` takes a sign, JSON does not.
        digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then_some(())?;
        u16::from_str_radix(digits, 16).ok()
    }
}

/// Line and column (in characters) of a byte, from 1.
pub fn place(bytes: &[u8], at: usize) -> (usize, usize) {
    let before = bytes.get(..at).unwrap_or(bytes);
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |found| found + 1);
    let text = String::from_utf8_lossy(before.get(start..).unwrap_or_default());
    (line, text.trim_start_matches('\u{feff}').chars().count() + 1)
}
