//! One line of the protocol: what it asks, and the lines that answer. Pure.
//!
//! Clients send halves of surrogate pairs and arguments nested 300 levels deep, so values stay raw
//! until they are used.

#![forbid(unsafe_code)]

use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::payload;

/// A failure of the protocol, as opposed to one of a tool: its code and what was wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) code: i32,
    pub(super) what: String,
}

impl Fault {
    pub(super) fn not_json() -> Self {
        Self { code: -32700, what: "the line is not JSON".to_owned() }
    }

    pub(super) fn request(what: &str) -> Self {
        Self { code: -32600, what: what.to_owned() }
    }

    pub(super) fn no_method(what: String) -> Self {
        Self { code: -32601, what }
    }

    pub(super) fn params(what: impl Into<String>) -> Self {
        Self { code: -32602, what: what.into() }
    }
}

/// What one line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Message<'l> {
    /// It wants an answer; the id as it was written.
    Request { id: &'l str, method: String, params: Params<'l> },
    /// It wants none.
    Notification { method: String, params: Params<'l> },
    /// An answer of the client; nothing was asked of it.
    Answer,
    /// It cannot be answered as it is.
    Bad { id: Option<&'l str>, fault: Fault },
}

/// The parameters of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Params<'l>(Vec<(String, &'l [u8])>);

impl<'l> Params<'l> {
    /// The raw value of a parameter; of equal names the last one.
    pub(super) fn get(&self, name: &str) -> Option<&'l [u8]> {
        self.0.iter().rev().find(|(known, _)| known == name).map(|(_, value)| *value)
    }

    /// The text of a parameter, if it is one.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.get(name).and_then(payload::string)
    }

    /// The members of a parameter that is an object.
    pub(super) fn object(&self, name: &str) -> Option<Self> {
        self.get(name).and_then(payload::object).map(Self)
    }
}

/// The messages of a line: one, or those of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Parsed<'l> {
    One(Message<'l>),
    Batch(Vec<Message<'l>>),
}

/// Reads a line, which must be valid JSON in whole.
pub(super) fn parse(line: &str) -> Parsed<'_> {
    let bad = |fault| Parsed::One(Message::Bad { id: None, fault });
    let Ok(whole) = serde_json::from_str::<&RawValue>(line) else {
        return bad(Fault::not_json());
    };
    if !whole.get().starts_with('[') {
        return Parsed::One(message(whole.get()));
    }
    match serde_json::from_str::<Vec<&RawValue>>(whole.get()) {
        Ok(all) if !all.is_empty() => {
            Parsed::Batch(all.into_iter().map(|one| message(one.get())).collect())
        }
        Ok(_) | Err(_) => bad(Fault::request("the batch is empty")),
    }
}

fn message(text: &str) -> Message<'_> {
    let bad = |id, what: &str| Message::Bad { id, fault: Fault::request(what) };
    let Some(members) = payload::object(text.as_bytes()) else {
        return bad(None, "the message is no object");
    };
    let members = Params(members);
    let id = match members.get("id").map(std::str::from_utf8) {
        None => None,
        Some(Ok(raw)) if raw.starts_with(['"', '-']) || is_number(raw) => Some(raw),
        Some(_) => return bad(None, "`id` is neither a text nor a number"),
    };
    let Some(method) = members.get("method") else {
        let answers = members.get("result").is_some() || members.get("error").is_some();
        return if answers { Message::Answer } else { bad(id, "there is no `method`") };
    };
    let Some(method) = payload::string(method) else {
        return bad(id, "`method` is no text");
    };
    if members.text("jsonrpc").as_deref() != Some("2.0") {
        return bad(id, "`jsonrpc` is not \"2.0\"");
    }
    let params = match members.get("params") {
        None => Params::default(),
        Some(_) => match (members.object("params"), id) {
            (Some(params), _) => params,
            (None, Some(_)) => {
                let fault = Fault::params("`params` is no object");
                return Message::Bad { id, fault };
            }
            // A notification is never answered.
            (None, None) => Params::default(),
        },
    };
    match id {
        Some(id) => Message::Request { id, method, params },
        None => Message::Notification { method, params },
    }
}

fn is_number(raw: &str) -> bool {
    raw.starts_with(|first: char| first.is_ascii_digit())
}

/// The id of the request that a line takes back, if it does.
pub(super) fn cancelled(line: &[u8]) -> Option<String> {
    memchr::memmem::find(line, b"cancelled")?;
    let text = std::str::from_utf8(line).ok()?;
    match parse(text) {
        Parsed::One(Message::Notification { method, params })
            if method == "notifications/cancelled" =>
        {
            let id = params.get("requestId")?;
            Some(String::from_utf8_lossy(id).into_owned())
        }
        Parsed::One(_) | Parsed::Batch(_) => None,
    }
}

/// The answer to a request.
pub(super) fn answer(id: &str, result: &Value) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

/// The answer to a request, or to a line without any, that failed.
pub(super) fn failure(id: Option<&str>, fault: &Fault) -> String {
    let error = json!({ "code": fault.code, "message": fault.what });
    format!(r#"{{"jsonrpc":"2.0","id":{},"error":{error}}}"#, id.unwrap_or("null"))
}

/// What a tool did, or why it did not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) text: String,
    pub(super) failed: bool,
}

impl Outcome {
    pub(super) fn done(text: impl Into<String>) -> Self {
        Self { text: text.into(), failed: false }
    }

    /// A failure in Cortex's form: its text begins with `Error:`.
    pub(super) fn failed(sentence: &str) -> Self {
        Self { text: format!("Error: {sentence}"), failed: true }
    }

    pub(super) fn result(&self) -> Value {
        json!({ "content": [{ "type": "text", "text": self.text }], "isError": self.failed })
    }
}
