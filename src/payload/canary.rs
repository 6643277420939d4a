//! Payloads and answers for `doctor`: what a client would send, and how its answer is read.

#![forbid(unsafe_code)]

use serde_json::{Value, json};

/// A shell call as the client sends it; with `agent` it is a subagent's.
pub fn shell_call(session: &str, agent: Option<&str>, cwd: &str, command: &str) -> Vec<u8> {
    let mut payload = json!({
        "session_id": session,
        "transcript_path": format!("{cwd}/transcript.jsonl"),
        "cwd": cwd,
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": command, "description": "doctor"},
        "tool_use_id": "toolu_doctor",
    });
    if let (Some(agent), Some(members)) = (agent, payload.as_object_mut()) {
        members.insert("agent_id".to_owned(), json!(agent));
        members.insert("agent_type".to_owned(), json!("general-purpose"));
    }
    format!("{payload}\n").into_bytes()
}

/// The reason, if the client takes the answer as a refusal.
pub fn refusal(answer: &[u8]) -> Option<String> {
    let answer: Value = serde_json::from_slice(answer).ok()?;
    let decision = answer.get("hookSpecificOutput")?;
    let is = |key: &str, value: &str| decision.get(key).and_then(Value::as_str) == Some(value);
    if !is("hookEventName", "PreToolUse") || !is("permissionDecision", "deny") {
        return None;
    }
    let reason = decision.get("permissionDecisionReason").and_then(Value::as_str);
    Some(reason.unwrap_or_default().to_owned())
}
