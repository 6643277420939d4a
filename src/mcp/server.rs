//! The methods of the protocol: what each request is answered.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use crate::memory::store::native::StoreError;
use crate::payload;
use crate::request::Arguments;

use super::arguments::Given;
use super::caller::Caller;
use super::home::Home;
use super::keeper::Keeper;
use super::message::{self, Fault, Message, Outcome, Params, Parsed};
use super::tools::{self, Tool};
use super::{judge, reads, words, writes};

/// The versions of the protocol that are spoken, newest first.
const VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// Where the client says which of its calls a request is.
const CALL_ID: &str = "claudecode/toolUseId";

/// The server of one client.
pub(super) struct Server {
    home: Home,
    /// Shared with whoever closes it when a signal comes.
    keeper: Arc<Mutex<Keeper>>,
    /// The requests that a line which has arrived takes back.
    cancelled: HashSet<String>,
}

impl Server {
    pub(super) fn new(home: Home, keeper: Arc<Mutex<Keeper>>) -> Self {
        Self { home, keeper, cancelled: HashSet::new() }
    }

    /// Is told of a line when it arrives, before those that came earlier are answered.
    pub(super) fn arrives(&mut self, line: &[u8]) {
        self.cancelled.extend(message::cancelled(line));
    }

    /// Answers a line; `None` when it wants no answer.
    pub(super) fn answer(&mut self, line: &[u8]) -> Option<String> {
        // Bytes that are no text can only stand in strings, where they become U+FFFD.
        let text = String::from_utf8_lossy(line.trim_ascii());
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        if text.is_empty() {
            return None;
        }
        match message::parse(text) {
            Parsed::One(message) => self.message(message),
            Parsed::Batch(all) => {
                let answers: Vec<String> =
                    all.into_iter().filter_map(|one| self.message(one)).collect();
                (!answers.is_empty()).then(|| format!("[{}]", answers.join(",")))
            }
        }
    }

    fn message(&mut self, message: Message<'_>) -> Option<String> {
        match message {
            Message::Answer => None,
            Message::Bad { id, fault } => Some(message::failure(id, &fault)),
            Message::Notification { method, params } => {
                // Nothing before it is waiting any more, and an id may be used again.
                if let Some(id) = params.get("requestId").filter(|_| method.ends_with("cancelled"))
                {
                    self.cancelled.remove(&*String::from_utf8_lossy(id));
                }
                None
            }
            Message::Request { id, .. } if self.cancelled.contains(id) => None,
            Message::Request { id, method, params } => Some(match self.request(&method, &params) {
                Ok(result) => message::answer(id, &result),
                Err(fault) => message::failure(Some(id), &fault),
            }),
        }
    }

    fn request(&self, method: &str, params: &Params<'_>) -> Result<Value, Fault> {
        match method {
            "initialize" => initialize(params),
            "ping" => Ok(json!({})),
            "tools/list" => match params.text("cursor") {
                Some(_) => Err(Fault::params("there is no such cursor: all tools are on one page")),
                None => Ok(tools::list()),
            },
            "tools/call" => self.call(params),
            other => {
                let method = crate::guard::label::quoted(other, 60);
                Err(Fault::no_method(format!("there is no method {method}")))
            }
        }
    }

    fn call(&self, params: &Params<'_>) -> Result<Value, Fault> {
        let name = params.text("name").ok_or_else(|| Fault::params("`name` is no text"))?;
        let tool = Tool::named(&name).ok_or_else(|| {
            Fault::params(format!("there is no tool {}", crate::guard::label::quoted(&name, 60)))
        })?;
        let arguments = match params.get("arguments") {
            None => Arguments::default(),
            Some(raw) if raw.starts_with(b"{") => payload::arguments(raw),
            Some(b"null") => Arguments::default(),
            Some(_) => return Err(Fault::params("`arguments` is no object")),
        };
        let call = params.object("_meta").and_then(|meta| meta.text(CALL_ID));
        let outcome = self
            .run(tool, &arguments, call.as_deref().filter(|call| !call.is_empty()))
            .unwrap_or_else(|sentence| Outcome::failed(&sentence));
        Ok(outcome.result())
    }

    fn run(
        &self,
        tool: Tool,
        arguments: &Arguments,
        call: Option<&str>,
    ) -> Result<Outcome, String> {
        let given = Given::new(tool.name(), arguments, tool.arguments())?;
        let order = match tool {
            Tool::Note => writes::note(&given)?,
            Tool::Resolve => writes::resolve(&given)?,
            Tool::Recall | Tool::Brief | Tool::List | Tool::History => {
                return self.read(tool, &given);
            }
        };
        let caller = Caller::find(&self.home, call, tool.name()).once(&self.home, call);
        let permit = judge::permit(&self.home, &caller, tool.name(), arguments);
        let mut keeper = self.keeper.lock().unwrap_or_else(PoisonError::into_inner);
        let fail = |error: StoreError| words::failure(&error);
        if let writes::Order::Resolve { .. } = order
            && keeper.reader().map_err(fail)?.is_none()
        {
            // Nothing to resolve is no reason to make a store.
            return Err("there are no notes yet".to_owned());
        }
        let writer = keeper.writer(&self.home).map_err(fail)?;
        writes::carry_out(&order, writer, permit, &caller)
    }

    fn read(&self, tool: Tool, given: &Given<'_>) -> Result<Outcome, String> {
        let mut keeper = self.keeper.lock().unwrap_or_else(PoisonError::into_inner);
        let reader = keeper.reader().map_err(|error| words::failure(&error))?;
        let reader = reader.as_ref();
        match tool {
            Tool::Recall => reads::recall(given, &self.home, reader),
            Tool::Brief => reads::brief(given, &self.home, reader),
            Tool::List => reads::list(given, reader),
            Tool::History => reads::history(given, reader),
            Tool::Note | Tool::Resolve => Err("it does not only read".to_owned()),
        }
    }
}

/// The client's version of the protocol when it is spoken here, else the newest that is.
fn initialize(params: &Params<'_>) -> Result<Value, Fault> {
    let wanted = params
        .text("protocolVersion")
        .ok_or_else(|| Fault::params("`protocolVersion` is no text"))?;
    let newest = VERSIONS.first().copied().unwrap_or_default();
    let version = VERSIONS.into_iter().find(|known| *known == wanted).unwrap_or(newest);
    Ok(json!({
        "protocolVersion": version,
        "capabilities": { "tools": { "listChanged": false } },
        "serverInfo": {
            "name": "ringfence",
            "title": "Ringfence",
            "version": env!("CARGO_PKG_VERSION"),
        },
        "instructions": tools::INSTRUCTIONS,
    }))
}
