//! The answers: what the client takes as a decision, byte for byte.

#![forbid(unsafe_code)]

use serde::Serialize;

use crate::request::Argument;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Deny<'a> {
    hook_specific_output: Decision<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_message: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Decision<'a> {
    hook_event_name: &'static str,
    permission_decision: &'static str,
    permission_decision_reason: &'a str,
}

/// A refusal: one line. `message` is for the person at the terminal.
pub(crate) fn deny(reason: &str, message: Option<&str>) -> String {
    let answer = Deny {
        hook_specific_output: Decision {
            hook_event_name: "PreToolUse",
            permission_decision: "deny",
            permission_decision_reason: reason,
        },
        system_message: message,
    };
    line(&answer)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Block<'a> {
    decision: &'static str,
    reason: &'a str,
    system_message: &'a str,
}

/// A refusal of a change of the settings.
pub(crate) fn refuse_change(reason: &str, message: &str) -> String {
    line(&Block { decision: "block", reason, system_message: message })
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Notice<'a> {
    system_message: &'a str,
}

/// A line for the person at the terminal, and nothing else.
pub(crate) fn notice(message: &str) -> String {
    line(&Notice { system_message: message })
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Added<'a> {
    hook_specific_output: Context<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Context<'a> {
    hook_event_name: &'static str,
    additional_context: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Start<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    hook_specific_output: Option<Context<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_message: Option<&'a str>,
}

/// What is said when a session starts: to the person, and to the model.
pub(crate) fn session_start(message: Option<&str>, context: Option<&str>) -> String {
    let context =
        context.map(|text| Context { hook_event_name: "SessionStart", additional_context: text });
    line(&Start { hook_specific_output: context, system_message: message })
}

/// A line for the model about a call that goes on.
pub(crate) fn context(text: &str) -> String {
    line(&Added {
        hook_specific_output: Context { hook_event_name: "PreToolUse", additional_context: text },
    })
}

/// Other arguments for a call that goes on, without a decision about it: the client asks its own
/// rules as before. Every argument has to be there.
pub(crate) fn rewrite<'a>(input: impl Iterator<Item = (&'a str, Argument)>) -> String {
    let input: Vec<String> = input
        .map(|(name, value)| {
            let name = serde_json::to_string(name).unwrap_or_default();
            let value = match value {
                Argument::Null => "null".to_owned(),
                Argument::Text(text) => serde_json::to_string(&text).unwrap_or_default(),
                Argument::Other(raw) => raw,
            };
            format!("{name}:{value}")
        })
        .collect();
    format!(
        "{{\"hookSpecificOutput\":{{\"hookEventName\":\"PreToolUse\",\"updatedInput\":{{{}}}}}}}\n",
        input.join(",")
    )
}

/// Plain strings cannot fail to be written.
fn line(answer: &impl Serialize) -> String {
    let mut line = serde_json::to_string(answer).unwrap_or_default();
    line.push('\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_one_line_with_its_keys_in_order() {
        assert_eq!(
            deny("a \"b\"\nc", None),
            "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"deny\",\
             \"permissionDecisionReason\":\"a \\\"b\\\"\\nc\"}}\n"
        );
        assert!(deny("r", Some("m")).ends_with("},\"systemMessage\":\"m\"}\n"));
        assert_eq!(
            refuse_change("r", "m"),
            "{\"decision\":\"block\",\"reason\":\"r\",\"systemMessage\":\"m\"}\n"
        );
        assert_eq!(notice("m"), "{\"systemMessage\":\"m\"}\n");
    }
}
