//! The host's JSON in: as tolerant as the clients are careless.
//!
//! Unknown and missing fields, camelCase twins, duplicate keys (the last one wins, as in the
//! clients), a byte order mark, lone surrogates, bytes that are not UTF-8, any nesting, and anything
//! after the document are all accepted. One pass over the bytes, no recursion. Pure.

#![forbid(unsafe_code)]

pub mod canary;

use crate::request::{Argument, Arguments, Caller, MemoryGuardRequest, Proof};

/// A payload, as far as we use it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Payload {
    /// The host's session id.
    pub session: String,
    /// The subagent's id: a non-empty string at the top level, else none.
    pub agent: Option<String>,
    /// The agent's type; not a mark.
    pub agent_type: Option<String>,
    /// The directory of the call.
    pub cwd: String,
    /// The tool's name.
    pub tool: String,
    /// The host's id of the call.
    pub call: Option<String>,
    /// Why a session starts (`startup`, `resume`, `clear`, `compact`).
    pub source: Option<String>,
    /// The file of a configuration change.
    pub file_path: Option<String>,
    /// The tool's arguments.
    pub input: Arguments,
}

impl Payload {
    /// Reads a payload; `None` when it is no JSON object.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let mut payload = Self::default();
        let mut twin_agent = None;
        for (key, value) in object(bytes)? {
            let text = || string(value);
            match key.as_str() {
                "session_id" | "sessionId" => payload.session = text().unwrap_or_default(),
                "agent_id" => payload.agent = text().filter(|id| !id.is_empty()),
                "agentId" => twin_agent = text().filter(|id| !id.is_empty()),
                "agent_type" | "agentType" => payload.agent_type = text(),
                "cwd" => payload.cwd = text().unwrap_or_default(),
                "tool_name" | "toolName" => payload.tool = text().unwrap_or_default(),
                "tool_use_id" | "toolUseId" => payload.call = text(),
                "source" => payload.source = text(),
                "file_path" | "filePath" => payload.file_path = text(),
                "tool_input" | "toolInput" => payload.input = arguments(value),
                _ => {}
            }
        }
        payload.agent = payload.agent.or(twin_agent);
        Some(payload)
    }

    /// The call as the guard judges it. `child_of` is the session whose subagent started this client.
    pub fn request(self, child_of: Option<String>, project: Option<String>) -> MemoryGuardRequest {
        MemoryGuardRequest {
            tool: self.tool,
            input: self.input,
            caller: Caller {
                session: self.session,
                agent: self.agent,
                agent_type: self.agent_type,
                child_of,
                proof: Proof::Hook,
            },
            cwd: self.cwd,
            project,
            call_id: self.call,
        }
    }
}

/// The arguments of a call from their raw JSON; none when it is no object.
pub fn arguments(value: &[u8]) -> Arguments {
    let Some(pairs) = object(value) else { return Arguments::default() };
    Arguments::new(
        pairs
            .into_iter()
            .map(|(key, value)| {
                let argument = match value.first() {
                    Some(b'"') => string(value).map_or(Argument::Null, Argument::Text),
                    Some(b'n') => Argument::Null,
                    _ => Argument::Other(String::from_utf8_lossy(value).into_owned()),
                };
                (key, argument)
            })
            .collect(),
    )
}

/// The string at a key of a JSON object; the last one of equal keys counts.
pub fn text_at(bytes: &[u8], key: &str) -> Option<String> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let pairs = object(bytes)?;
    let (_, value) = pairs.iter().rev().find(|(name, _)| name == key)?;
    string(value)
}

/// The pairs of a JSON object with their raw values; `None` when it is none or ends too early.
pub fn object(bytes: &[u8]) -> Option<Vec<(String, &[u8])>> {
    let mut at = blanks(bytes, 0);
    if bytes.get(at) != Some(&b'{') {
        return None;
    }
    at = blanks(bytes, at + 1);
    let mut pairs = Vec::new();
    if bytes.get(at) == Some(&b'}') {
        return Some(pairs);
    }
    loop {
        let end = string_end(bytes, at)?;
        let key = string(bytes.get(at..end)?)?;
        at = blanks(bytes, end);
        if bytes.get(at) != Some(&b':') {
            return None;
        }
        at = blanks(bytes, at + 1);
        let end = value_end(bytes, at)?;
        pairs.push((key, bytes.get(at..end)?));
        at = blanks(bytes, end);
        match bytes.get(at)? {
            b',' => at = blanks(bytes, at + 1),
            b'}' => return Some(pairs),
            _ => return None,
        }
    }
}

/// Every string in a JSON text, keys included, decoded; the text need not be valid.
pub fn strings(text: &str) -> Vec<String> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(offset) = bytes.get(at..).and_then(|rest| memchr::memchr(b'"', rest)) {
        let start = at + offset;
        let Some(end) = string_end(bytes, start) else { break };
        found.extend(bytes.get(start..end).and_then(string));
        at = end;
    }
    found
}

fn blanks(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
        at += 1;
    }
    at
}

/// The place after the string that begins at `at`.
fn string_end(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes.get(at) != Some(&b'"') {
        return None;
    }
    let mut at = at + 1;
    loop {
        at += memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            _ => at += 2,
        }
    }
}

/// The place after the value that begins at `at`; brackets are counted, not matched by kind.
fn value_end(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at)? {
        b'"' => string_end(bytes, at),
        b'{' | b'[' => {
            let mut depth = 0_usize;
            let mut at = at;
            loop {
                match bytes.get(at)? {
                    b'"' => {
                        at = string_end(bytes, at)?;
                        continue;
                    }
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' => {
                        depth -= 1;
                        if depth == 0 {
                            return Some(at + 1);
                        }
                    }
                    _ => {}
                }
                at += 1;
            }
        }
        b',' | b'}' | b']' | b':' => None,
        _ => {
            let rest = bytes.get(at..)?;
            let length = rest.iter().position(|byte| {
                matches!(byte, b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r')
            })?;
            Some(at + length)
        }
    }
}

/// Decodes a JSON string with its quotes; lone surrogates and bad bytes become U+FFFD.
pub fn string(raw: &[u8]) -> Option<String> {
    let inner = raw.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    if memchr::memchr(b'\\', inner).is_none() {
        return Some(String::from_utf8_lossy(inner).into_owned());
    }
    let mut out = Vec::with_capacity(inner.len());
    let mut at = 0;
    while at < inner.len() {
        let rest = inner.get(at..)?;
        let Some(plain) = memchr::memchr(b'\\', rest) else {
            out.extend_from_slice(rest);
            break;
        };
        out.extend_from_slice(rest.get(..plain)?);
        at += plain + 2;
        match inner.get(at - 1)? {
            b'n' => out.push(b'\n'),
            b't' => out.push(b'\t'),
            b'r' => out.push(b'\r'),
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'u' => at = unicode(inner, at, &mut out),
            other => out.push(*other),
        }
    }
    Some(String::from_utf8_lossy(&out).into_owned())
}

/// Decodes the four digits at `at`, and a second escape when they are half of a pair.
fn unicode(bytes: &[u8], at: usize, out: &mut Vec<u8>) -> usize {
    let Some(first) = hex4(bytes, at) else {
        out.extend_from_slice("\u{fffd}".as_bytes());
        return at;
    };
    let mut end = at + 4;
    let mut value = u32::from(first);
    if (0xd800..0xdc00).contains(&first)
        && bytes.get(end..end + 2) == Some(b"\\u")
        && let Some(second) = hex4(bytes, end + 2).filter(|unit| (0xdc00..0xe000).contains(unit))
    {
        value = 0x10000 + ((value - 0xd800) << 10) + (u32::from(second) - 0xdc00);
        end += 6;
    }
    let character = char::from_u32(value).unwrap_or('\u{fffd}');
    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    end
}

fn hex4(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = std::str::from_utf8(bytes.get(at..at + 4)?).ok()?;
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(text: &str) -> Option<Option<String>> {
        Payload::read(text.as_bytes()).map(|payload| payload.agent)
    }

    #[test]
    fn only_a_string_at_the_top_level_is_an_agent_mark() {
        let mark = |id: &str| Some(Some(id.to_owned()));
        for (text, expected) in [
            (r#"{"agent_id":"a"}"#, mark("a")),
            (r#"{"agentId":"a"}"#, mark("a")),
            (r#"{"agent_id":"a","agentId":"b"}"#, mark("a")),
            (r#"{"agent_id":"","agentId":"b"}"#, mark("b")),
            (r#"{"agent\u005fid":"a"}"#, mark("a")),
            (r#"{"agent_id":"a","agent_id":"b"}"#, mark("b")),
            (r#"{"agent_id":"\ud800"}"#, mark("\u{fffd}")),
            (r#"{"agent_id":12}"#, Some(None)),
            (r#"{"agent_id":null}"#, Some(None)),
            (r#"{"tool_input":{"agent_id":"a"}}"#, Some(None)),
            (r#"{"agent_id":"a"} trailing"#, mark("a")),
            ("\u{feff} {\"agent_id\":\"a\"}", mark("a")),
            (r#"{"agent_id":"a""#, None),
            (r#"["agent_id"]"#, None),
            ("", None),
            ("{ this is not json", None),
        ] {
            assert_eq!(agent(text), expected, "{text}");
        }
    }

    #[test]
    fn arguments_keep_their_order_and_nesting_is_no_limit() {
        let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        let text =
            format!(r#"{{"tool_input":{{"a":{deep},"command":"x\ny","b":null,"command":"z"}}}}"#);
        let payload = Payload::read(text.as_bytes()).unwrap();
        assert_eq!(payload.input.text(&["command"]), Some("z"));
        assert_eq!(payload.input.get("a"), Some(&Argument::Other(deep)));
        assert_eq!(payload.input.get("b"), Some(&Argument::Null));
    }

    #[test]
    fn strings_are_decoded_wherever_they_stand() {
        assert_eq!(
            strings(r#"{"a":["b\"c",{"\u0064":"\ud83d\ude00"}]}"#),
            ["a", "b\"c", "d", "😀"]
        );
    }
}
