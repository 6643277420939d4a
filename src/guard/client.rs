//! A client that is started without our hooks, or told to change what it runs by itself.

use super::case::{Case, Tamper};
use super::options::{Options, Value};
use super::settings;
use crate::shell::{Invocation, Word};

/// Options of the client that take the next word.
const WITH_VALUE: [&str; 12] = [
    "--settings",
    "--setting-sources",
    "--model",
    "--permission-mode",
    "--output-format",
    "--input-format",
    "--mcp-config",
    "--agents",
    "--agent",
    "--plugin-dir",
    "--session-id",
    "--append-system-prompt",
];

const MAY_NOT: &str = "start a client without its hooks";

/// Judges one program start.
pub(super) fn judge(case: &mut Case, invocation: &Invocation, windows: bool) {
    let Some(args) = client_args(invocation, windows) else { return };
    let options = Options::read(args, &WITH_VALUE);
    if ["--help", "-h", "--version", "-v"].iter().any(|name| options.has(name)) {
        return;
    }
    let first = options.all_operands().first().and_then(Value::literal);
    match first {
        Some("mcp" | "plugin" | "plugins" | "config") => return administered(case, &options),
        Some("doctor" | "update" | "install" | "auth") => return,
        Some(_) | None => {}
    }
    if let Some(how) = without_hooks(case, invocation, &options) {
        refuse(case, MAY_NOT, format!("start `claude` {how}"));
    }
}

fn refuse(case: &mut Case, may_not: &'static str, would: String) {
    case.tamper(Tamper { may_not, would, path: "claude".into(), label: "`claude`".into() });
}

/// The client's words, when the invocation starts it.
fn client_args(invocation: &Invocation, windows: bool) -> Option<&[Word]> {
    let program = super::command::program_of(invocation, windows)?;
    let args = invocation.argv.get(1..)?;
    match program.as_str() {
        "claude" => Some(args),
        "npx" | "bunx" | "pnpx" | "node" | "bun" => {
            let at = args.iter().position(|word| {
                word.literal().is_some_and(|text| {
                    text.contains("@anthropic-ai/claude-code") || text.ends_with("/claude")
                })
            })?;
            args.get(at + 1..)
        }
        _ => None,
    }
}

/// How a start leaves the hooks out.
fn without_hooks(case: &Case, invocation: &Invocation, options: &Options) -> Option<&'static str> {
    for (name, how) in [
        ("--safe-mode", "with `--safe-mode`, which loads no hooks"),
        ("--bare", "with `--bare`, which loads no hooks"),
        ("--restricted", "with `--restricted`, which loads no hooks"),
    ] {
        if options.has(name) {
            return Some(how);
        }
    }
    let sources = options.literals("--setting-sources");
    for sources in sources {
        if !sources.split(',').any(|source| source.trim() == "user") {
            return Some("with `--setting-sources` that leave the user's hooks out");
        }
    }
    if options.literals("--settings").any(|text| disables(case, invocation, &text)) {
        return Some("with `--settings` that switch all hooks off");
    }
    for (name, value) in &invocation.env {
        let value = value.literal().unwrap_or_default();
        match name.as_str() {
            "CLAUDE_CODE_SIMPLE" | "CLAUDE_CODE_SAFE_MODE" if settings::is_on(value) => {
                return Some("with a variable that loads no hooks");
            }
            "CLAUDE_CONFIG_DIR" if !is_own_folder(case, value) => {
                return Some("with another configuration folder, without the user's hooks");
            }
            "HOME" if !value.is_empty() && value != case.facts.home() => {
                return Some("with another home, without the user's hooks");
            }
            _ => {}
        }
    }
    None
}

fn is_own_folder(case: &Case, value: &str) -> bool {
    value.is_empty() || value.trim_end_matches('/') == format!("{}/.claude", case.facts.home())
}

/// `--settings` takes JSON or a file.
fn disables(case: &Case, invocation: &Invocation, text: &str) -> bool {
    if text.trim_start().starts_with('{') {
        return settings::disables(text);
    }
    let cwd = invocation.cwd.as_deref().unwrap_or(&case.request.cwd);
    case.facts.text(&case.resolve(cwd, text)).is_some_and(|text| settings::disables(&text))
}

/// `claude mcp add …`, `claude plugin install …`: entries by the client's own commands.
fn administered(case: &mut Case, options: &Options) {
    let words: Vec<&str> = options.all_operands().iter().filter_map(Value::literal).collect();
    let would = match words.as_slice() {
        ["mcp", "add" | "add-json" | "add-from-claude-desktop", ..] => {
            "add an MCP server to the client's settings (`claude mcp`)"
        }
        ["config", "set" | "add" | "remove", key, ..] if settings::speaks_of_hooks(key) => {
            "change the client's hooks, helpers or servers (`claude config`)"
        }
        ["plugin" | "plugins", "install" | "i" | "enable", ..] => {
            "add a plugin's hooks and servers (`claude plugin`)"
        }
        // `disable --all` has no name.
        ["plugin" | "plugins", "disable"] => "take Ringfence's hook away (`claude plugin`)",
        ["plugin" | "plugins", "uninstall" | "remove" | "rm" | "disable", name, ..]
        | ["plugin" | "plugins", "marketplace", "remove" | "rm", name, ..]
            if name.starts_with("ringfence") =>
        {
            "take Ringfence's hook away (`claude plugin`)"
        }
        _ => return,
    };
    refuse(case, "change what the client runs by itself", would.to_owned());
}
