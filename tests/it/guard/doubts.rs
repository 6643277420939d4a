//! What is let through unproven, and what the owner and the parent can change about a verdict.

use ringfence::decision::{Code, GuardedAction};
use ringfence::guard::{Policy, evaluate_memory_guard};

use super::world::{Where, World, line};

fn codes(states: &str, tool: &str, input: &str) -> Vec<Code> {
    let world = World::new(Where::InProject, states);
    let verdict = world.judge(tool, &world.fill(input));
    assert_eq!(verdict.denial, None, "{input}");
    verdict.doubts.iter().map(|doubt| doubt.code).collect()
}

#[test]
fn a_relevant_call_that_is_let_through_unproven_says_why() {
    let resolve = "mcp__cortex__cortex_resolve";
    for (states, tool, input, expected) in [
        ("base", resolve, r#"{"note_id":"unknown"}"#, vec![Code::TargetUnknown]),
        ("rotated", resolve, r#"{"note_id":"N"}"#, vec![Code::SameSitting]),
        ("no-primary", resolve, r#"{"note_id":"F"}"#, vec![Code::NoSession]),
        ("no-scope", resolve, r#"{"note_id":"F"}"#, vec![Code::ScopeUnknown]),
        ("no-agent-column", resolve, r#"{"note_id":"F"}"#, vec![Code::StoreSchema]),
        ("agent-in-two-windows", resolve, r#"{"note_id":"F"}"#, vec![Code::CallerAmbiguous]),
        ("owner-gone", resolve, r#"{"note_id":"N"}"#, vec![Code::OwnerUnknown]),
        (
            "other-items",
            "Bash",
            "cortex delete-memory project_snapshots:X --yes",
            vec![Code::TargetOwnerless],
        ),
        ("base", "Bash", "cortex delete-memory \"$ID\" --yes", vec![Code::TargetRuntime]),
        ("base", "Bash", "cortex delete-memory F $FLAGS", vec![Code::TargetRuntime]),
        ("base", "Bash", "cortex note-resolve --id \"$ID\"", vec![Code::TargetRuntime]),
        ("base", "Bash", "cortex gc --apply", vec![Code::MaintenanceAllowed]),
        ("base", "Bash", "cortex adopt --yes", vec![Code::MaintenanceAllowed]),
        ("base", "Bash", "rm \"$D/cortex.db\"", vec![Code::TargetRuntime]),
        ("base", "Bash", "rm $(ls -a | sed -n /cortex.db/p)", vec![Code::TargetRuntime]),
        ("base", "Bash", "mytool .cortex.db", vec![Code::ProgramUnknown]),
    ] {
        assert_eq!(codes(states, tool, input), expected, "{states} {input}");
    }
}

#[test]
fn calls_that_concern_nobody_leave_no_doubt() {
    for input in [
        "ls",
        "git status",
        "rm \"$X\"",
        "cargo test",
        "$RUN x",
        "cortex delete-memory O --yes",
        "cortex delete-memory F",
        "cat .cortex.db",
        "sqlite3 -readonly .cortex.db 'SELECT 1'",
        "cortex list-memory",
        "cp .cortex.db x",
        "echo $(date) > out.txt",
        "cortex gc",
    ] {
        assert_eq!(codes("base", "Bash", input), [], "{input}");
    }
}

#[test]
fn a_store_that_cannot_be_read_is_a_doubt_and_not_a_refusal() {
    let world = World::new(Where::InProject, "base");
    std::fs::write(&world.store, "no database").unwrap();
    let verdict = world.judge("Bash", "cortex delete-memory F --yes");
    assert_eq!(verdict.denial, None);
    assert_eq!(verdict.doubts[0].code, Code::StoreCorrupt);
}

#[test]
fn a_grant_lets_one_call_through() {
    let world = World::new(Where::InProject, "base");
    world.grants.borrow_mut().push(("F".into(), GuardedAction::Delete));
    let resolve = world.judge("Bash", "cortex note-resolve --id F");
    assert_eq!(line(&resolve), "retire F", "a grant is bound to its action");
    let first = world.judge("Bash", "cortex delete-memory notes:F --yes");
    assert_eq!(line(&first), "delete notes:F", "and to the id that was shown");
    let granted = world.judge("Bash", "cortex delete-memory F --yes");
    assert_eq!(line(&granted), "allow");
    assert_eq!(granted.doubts[0].code, Code::Granted);
    assert_eq!(line(&world.judge("Bash", "cortex delete-memory F --yes")), "delete F");
}

#[test]
fn a_call_that_stays_refused_uses_no_grant_up() {
    let world = World::new(Where::InProject, "f-on-main-too");
    world.grants.borrow_mut().push(("F".into(), GuardedAction::Delete));
    for input in [
        "cortex delete-memory F --yes; cortex delete-memory G --yes",
        "cortex delete-memory F --yes; rm .cortex.db",
    ] {
        assert_ne!(line(&world.judge("Bash", input)), "allow");
        assert_eq!(world.grants.borrow().len(), 1, "{input}");
    }
}

#[test]
fn a_trusted_agent_may_keep_memory_but_not_touch_its_file() {
    let world = World::new(Where::InProject, "base");
    let policy = Policy { trusted_agents: vec!["general-purpose".into()], ..Policy::default() };
    let judge = |input: &str| {
        let verdict = evaluate_memory_guard(&world, &world.request("Bash", input), &policy);
        (line(&verdict), verdict.doubts.first().map(|doubt| doubt.code))
    };
    let delete = "cortex delete-memory F --yes";
    assert_eq!(judge(delete).0, "delete F", "its definition must be the owner's");
    world.write("home/.claude/agents/general-purpose.md", "---\nname: general-purpose\n---\n");
    assert_eq!(judge(delete), ("allow".into(), Some(Code::AgentTrusted)));
    assert!(judge("rm .cortex.db").0.starts_with("tamper"));
    world.write("w/.claude/agents/general-purpose.md", "---\nname: general-purpose\n---\n");
    assert_eq!(judge(delete).0, "delete F", "a file in the project shadows it");
}

#[test]
fn an_owner_who_wants_proof_still_gets_everyday_calls_through() {
    let world = World::new(Where::InProject, "base");
    let policy = Policy { deny_unproven: true, ..Policy::default() };
    let judge =
        |input: &str| line(&evaluate_memory_guard(&world, &world.request("Bash", input), &policy));
    for input in
        ["ls", "cortex list-memory", "cortex delete-memory O --yes", "cortex gc --apply", "rm x"]
    {
        assert_eq!(judge(input), "allow", "{input}");
    }
    for input in ["cortex delete-memory $X --yes", "cortex delete-memory unknown --yes"] {
        assert_eq!(judge(input), "retire ", "{input}");
    }
}
