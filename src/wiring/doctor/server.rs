//! Starts the registered memory server as the client does, and asks it for its tools.

use std::time::Duration;

use super::Row;
use crate::sys::child::{self, Run, Scratch};
use crate::wiring::server;
use crate::wiring::table::Places;

/// As long as the client waits at least.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a client says first. Nothing of it touches a store.
const LINES: &str = concat!(
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"ringfence doctor","version":"1"}}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    "\n",
    r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#,
    "\n",
);

/// One row for each registration of our server; none without any.
pub(super) fn rows(places: &Places) -> Vec<Row> {
    let servers = places.own_servers();
    let mut rows: Vec<Row> = servers
        .iter()
        .map(|(path, argv)| match tools(argv) {
            Ok(names) => {
                let said =
                    format!("the server in `{}` started: {}", path.display(), names.join(", "));
                Row::pass("mcp", said)
            }
            Err(what) => {
                let said = format!("the server in `{}` {what}", path.display());
                Row::fail("mcp", said, "ringfence install --with guard,mcp")
            }
        })
        .collect();
    let hiding = places
        .servers_named(server::NAME)
        .into_iter()
        .find(|path| servers.iter().all(|(own, _)| own != path));
    if let (Some(path), false) = (hiding, rows.is_empty()) {
        let said =
            format!("`{}` has another server of our name, which may hide ours", path.display());
        rows.push(Row::warn("mcp", said, "claude mcp remove ringfence --scope project"));
    }
    if let (Some(path), false) = (places.servers_named(server::CORTEX).first(), rows.is_empty()) {
        let said = format!("`{}` has a second memory server with the same tools", path.display());
        rows.push(Row::warn("mcp", said, "claude mcp remove cortex, or ringfence uninstall"));
    }
    rows
}

/// The names of the tools that the server lists, or what it did instead.
fn tools(argv: &[String]) -> Result<Vec<String>, String> {
    let scratch = Scratch::new().map_err(|error| format!("could not be tried: {error}"))?;
    let run =
        Run { argv, cwd: &scratch.path(), env: &[], input: LINES.as_bytes(), limit: PATIENCE };
    let ended = child::run(&run).map_err(|error| format!("does not start: {error}"))?;
    if ended.too_late {
        return Err("did not end in time".to_owned());
    }
    let text = String::from_utf8_lossy(&ended.output).into_owned();
    let answers =
        text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let names: Vec<String> = answers
        .filter_map(|answer| Some(answer.get("result")?.get("tools")?.as_array()?.clone()))
        .flatten()
        .filter_map(|tool| Some(tool.get("name")?.as_str()?.to_owned()))
        .collect();
    if names.is_empty() {
        return Err(format!("lists no tools (status {:?})", ended.status));
    }
    Ok(names)
}
