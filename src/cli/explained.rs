//! What `ringfence explain` prints, as text and as a document.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::decision::{Doubt, Verdict};
use crate::guard::label::one_line;
use crate::memory::Family;
use crate::shell::{self, Invocation, Reading, What};

/// A call with all that was seen of it.
pub(super) struct Explained {
    pub(super) tool: String,
    /// `None` when the payload has no agent mark: the parent's calls are not judged.
    pub(super) judged: bool,
    pub(super) reading: Reading,
    /// File, family, whether it is this project's.
    pub(super) stores: Vec<(String, Family, bool)>,
    /// Why others could not be read.
    pub(super) missing: Vec<Doubt>,
    pub(super) verdict: Verdict,
}

impl Explained {
    pub(super) fn to_text(&self) -> String {
        let mut text = String::new();
        if !self.reading.invocations.is_empty() {
            text.push_str("would run\n");
        }
        for invocation in &self.reading.invocations {
            let _ = writeln!(text, "  {}{}", spelled(invocation), circumstances(invocation));
        }
        if !self.reading.unclear.is_empty() {
            text.push_str("could not read\n");
        }
        for unclear in &self.reading.unclear {
            let detail = one_line(&unclear.detail, 80);
            let _ =
                writeln!(text, "  {} at byte {}: {detail}", unclear_word(unclear.what), unclear.at);
        }
        text.push_str("stores\n");
        for (path, family, own) in &self.stores {
            let whose = if *own { "this project's" } else { "another project's" };
            let _ = writeln!(text, "  {}, {whose} ({})", one_line(path, 200), family_word(*family));
        }
        if self.stores.is_empty() {
            text.push_str("  none found\n");
        }
        for doubt in &self.missing {
            let _ = writeln!(text, "  {}", doubt_line(doubt));
        }
        text.push_str("verdict\n");
        match &self.verdict.denial {
            Some(denial) => {
                let _ = writeln!(text, "  refused ({})", denial.action.as_str());
                for line in denial.reason.lines() {
                    let _ = writeln!(text, "  | {line}");
                }
            }
            None if self.judged => text.push_str("  allowed\n"),
            None => text.push_str("  allowed: without an agent mark it is the parent's call\n"),
        }
        for doubt in &self.verdict.doubts {
            let _ = writeln!(text, "  unproven: {}", doubt_line(doubt));
        }
        text
    }

    pub(super) fn to_json(&self) -> Value {
        let invocations: Vec<Value> =
            self.reading.invocations.iter().map(invocation_json).collect();
        let unclear: Vec<Value> = self
            .reading
            .unclear
            .iter()
            .map(|unclear| {
                json!({"what": unclear_word(unclear.what), "at": unclear.at, "detail": unclear.detail})
            })
            .collect();
        let stores: Vec<Value> = self
            .stores
            .iter()
            .map(|(path, family, own)| {
                json!({"path": path, "family": family_word(*family), "own_project": own})
            })
            .collect();
        let unreadable: Vec<Value> = self.missing.iter().map(doubt_json).collect();
        let doubts: Vec<Value> = self.verdict.doubts.iter().map(doubt_json).collect();
        let denial = self.verdict.denial.as_ref().map(|denial| {
            let targets: Vec<Value> = denial
                .targets
                .iter()
                .map(|target| json!({"id": target.id, "label": target.label}))
                .collect();
            json!({"action": denial.action.as_str(), "targets": targets, "reason": denial.reason})
        });
        json!({
            "version": 1,
            "tool": self.tool,
            "judged": self.judged,
            "invocations": invocations,
            "unclear": unclear,
            "stores": stores,
            "unreadable": unreadable,
            "verdict": if denial.is_some() { "deny" } else { "allow" },
            "denial": denial,
            "doubts": doubts,
        })
    }
}

fn spelled(invocation: &Invocation) -> String {
    one_line(&shell::spell(&invocation.argv), 160)
}

/// Where an invocation was found, where it runs, and what is known of its surroundings.
fn circumstances(invocation: &Invocation) -> String {
    let mut notes: Vec<String> = invocation.via.iter().map(|via| format!("by {via}")).collect();
    match &invocation.cwd {
        Some(cwd) => notes.push(format!("in {}", one_line(cwd, 80))),
        None => notes.push("in a directory that only run time knows".into()),
    }
    if invocation.remote {
        notes.push("on another machine or in a container".into());
    }
    if invocation.typed {
        notes.push("typed into a terminal".into());
    }
    format!("  ({})", notes.join(", "))
}

fn invocation_json(invocation: &Invocation) -> Value {
    let words: Vec<Value> = invocation
        .argv
        .iter()
        .map(|word| match word.values() {
            Some([only]) => json!(only),
            Some(all) => json!({"one_of": all}),
            None => json!({"unknown": shell::spell(std::slice::from_ref(word))}),
        })
        .collect();
    json!({
        "argv": words,
        "cwd": invocation.cwd,
        "via": invocation.via,
        "at": invocation.at,
        "remote": invocation.remote,
        "typed": invocation.typed,
    })
}

fn doubt_line(doubt: &Doubt) -> String {
    let meaning = doubt.code.meaning();
    let detail = one_line(&doubt.detail, 100);
    if detail.is_empty() {
        format!("{}: {meaning}", doubt.code.as_str())
    } else {
        format!("{}: {meaning} [{detail}]", doubt.code.as_str())
    }
}

fn doubt_json(doubt: &Doubt) -> Value {
    json!({"code": doubt.code.as_str(), "meaning": doubt.code.meaning(), "detail": doubt.detail})
}

fn family_word(family: Family) -> &'static str {
    match family {
        Family::Cortex => "cortex",
        Family::Native => "ringfence",
    }
}

fn unclear_word(what: What) -> &'static str {
    match what {
        What::Bound => "bound",
        What::Nul => "nul",
        What::Program => "program",
        What::Code => "code",
        What::Script => "script",
        What::Launcher => "launcher",
        What::Syntax => "syntax",
    }
}
