//! Which posture a hosted session gets, and what follows where there is no boundary.

use ringfence::posture::{
    Because, Boundary, CONVERSATIONAL_CONTAINMENT, Execution, HostedSessionExecPosture as Posture,
    PostureInput, PostureRule, WORKSTREAM_CONTAINMENT, containment_for, execution, resolve,
    resolve_hosted_exec_posture,
};

const INPUT: PostureInput<'_> = PostureInput { session_id: "s1", workspace_root: "/srv/chains/a" };

#[test]
fn only_the_exact_word_grants_the_host() {
    for word in
        ["", "Workstream", "WORKSTREAM", " workstream", "workstream\n", "host", "conversational"]
    {
        assert_eq!(Posture::of_word(word), Posture::Conversational, "{word:?}");
    }
    assert_eq!(Posture::of_word("workstream"), Posture::Workstream);
}

#[test]
fn what_is_not_granted_is_required() {
    assert_eq!(containment_for(None), CONVERSATIONAL_CONTAINMENT);
    assert_eq!(containment_for(Some(Posture::Conversational)), CONVERSATIONAL_CONTAINMENT);
    assert_eq!(containment_for(Some(Posture::Workstream)), WORKSTREAM_CONTAINMENT);
}

#[test]
fn a_decider_that_fails_has_granted_nothing() {
    let granting = |_: PostureInput<'_>| Ok(Posture::Workstream);
    let failing = |_: PostureInput<'_>| Err("it took longer than 2 s".to_owned());
    assert_eq!(resolve_hosted_exec_posture(None, INPUT), Posture::Conversational);
    assert_eq!(resolve_hosted_exec_posture(Some(&granting), INPUT), Posture::Workstream);
    assert_eq!(resolve_hosted_exec_posture(Some(&failing), INPUT), Posture::Conversational);
}

#[test]
fn the_first_rule_that_matches_comes_before_the_decider() {
    let rule = |workspace: Option<&str>, session: Option<&str>, posture: &str| PostureRule {
        workspace: workspace.map(str::to_owned),
        session: session.map(str::to_owned),
        posture: posture.to_owned(),
    };
    let granting = |_: PostureInput<'_>| Ok(Posture::Workstream);
    for (rules, posture, because) in [
        (vec![], Posture::Workstream, Because::Decider),
        (
            vec![rule(Some("/srv/chains"), None, "workstream")],
            Posture::Workstream,
            Because::Rule(1),
        ),
        (
            vec![rule(Some("/srv/chains/"), None, "workstream")],
            Posture::Workstream,
            Because::Rule(1),
        ),
        (
            vec![rule(Some("/srv/chain"), None, "conversational")],
            Posture::Workstream,
            Because::Decider,
        ),
        (vec![rule(None, Some("s1"), "conversational")], Posture::Conversational, Because::Rule(1)),
        (vec![rule(None, Some("s1"), "yes")], Posture::Conversational, Because::Rule(1)),
        (
            vec![
                rule(Some("/srv"), Some("other"), "workstream"),
                rule(Some("/srv"), None, "conversational"),
                rule(Some("/srv/chains/a"), None, "workstream"),
            ],
            Posture::Conversational,
            Because::Rule(2),
        ),
        // A rule that names nothing would be a grant for everyone.
        (vec![rule(None, None, "workstream")], Posture::Workstream, Because::Decider),
    ] {
        let found = resolve(&rules, Some(&granting), INPUT);
        assert_eq!((found.posture, found.because), (posture, because), "{rules:?}");
    }
    let nothing = resolve(&[rule(None, None, "workstream")], None, INPUT);
    assert_eq!((nothing.posture, nothing.because), (Posture::Conversational, Because::Default));
    let failing = |_: PostureInput<'_>| Err("exit status 1".to_owned());
    let failed = resolve(&[], Some(&failing), INPUT);
    assert_eq!(failed.posture, Posture::Conversational);
    assert_eq!(failed.because, Because::DeciderFailed("exit status 1".into()));
}

#[test]
fn the_whole_table_of_requirement_and_boundary() {
    let (required, preferred) = (CONVERSATIONAL_CONTAINMENT, WORKSTREAM_CONTAINMENT);
    let why = "user namespaces are forbidden".to_owned();
    for (boundary, lack) in [
        (Boundary::Disabled, "the boundary is not enabled"),
        (Boundary::Unavailable(why), "no boundary is available: user namespaces are forbidden"),
        (Boundary::Missing, "no boundary is wired"),
    ] {
        assert_eq!(execution(required, &boundary), Execution::Refused(lack.into()));
        assert_eq!(execution(preferred, &boundary), Execution::OnHost(lack.into()));
    }
    assert_eq!(execution(required, &Boundary::Available), Execution::Contained);
    assert_eq!(execution(preferred, &Boundary::Available), Execution::Contained);
}
