//! What a write would retire: the same predicate for the guard's preview and for our own writes.

#![forbid(unsafe_code)]

use super::Note;
use super::contradiction::contradict;
use super::note::supersedes;

/// Whether the write looks for contradictions before it retires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detection {
    /// As an ordinary note does.
    On,
    /// As a replacement does.
    Skipped,
}

/// How far a write reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The whole store, whatever the scope: Cortex.
    Store,
    /// The writer's scope only, and nothing when that is not known: ours.
    Scope,
}

/// A write in thought.
#[derive(Clone, Copy, Debug)]
pub struct Write<'w> {
    /// Its kind, as given: only the exact words count.
    pub kind: &'w str,
    /// Its text.
    pub content: &'w str,
    /// The scope it would be written in.
    pub scope: Option<&'w str>,
    /// Whether contradictions are looked for.
    pub detection: Detection,
    /// How far it reaches.
    pub reach: Reach,
}

/// What a write would do to the notes on its subject.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// Ids of the notes that would be superseded.
    pub superseded: Vec<String>,
    /// Ids of the decisions that would be marked as contested.
    pub contested: Vec<String>,
}

/// Previews a write against the active notes on its subject.
///
/// A prior counts if it is a decision or of the write's own kind. A decision of the same scope that
/// the text contradicts is contested instead of retired, and so is never retired; nor is any prior
/// that is contested already. Only a decision and an intent retire, and only their own kind.
pub fn preview(write: &Write<'_>, priors: &[Note]) -> Effect {
    let mut effect = Effect::default();
    for prior in priors {
        if prior.status != "active" || !(prior.kind == "decision" || prior.kind == write.kind) {
            continue;
        }
        let same_scope = prior.scope.as_deref() == write.scope;
        let contested = write.detection == Detection::On
            && prior.kind == "decision"
            && same_scope
            && contradict(&prior.content, write.content);
        if contested {
            effect.contested.push(prior.id.clone());
        }
        let vetoed = contested || prior.contested;
        let reached = write.reach == Reach::Store || (same_scope && write.scope.is_some());
        if supersedes(write.kind) && prior.kind == write.kind && !vetoed && reached {
            effect.superseded.push(prior.id.clone());
        }
    }
    effect
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prior(id: &str, kind: &str, content: &str, scope: &str) -> Note {
        Note {
            id: id.into(),
            session: "s".into(),
            agent: None,
            kind: kind.into(),
            subject: Some("x".into()),
            content: content.into(),
            status: "active".into(),
            contested: false,
            scope: Some(scope.into()),
            created_at: String::new(),
        }
    }

    fn write<'w>(kind: &'w str, content: &'w str) -> Write<'w> {
        Write { kind, content, scope: Some("a"), detection: Detection::On, reach: Reach::Store }
    }

    #[test]
    fn only_decisions_and_intents_retire_and_only_their_own_kind() {
        let priors = [
            prior("d", "decision", "The ceiling is sixty.", "a"),
            prior("i", "intent", "do it", "a"),
        ];
        let retired = |kind| preview(&write(kind, "thirty"), &priors).superseded;
        assert_eq!(retired("decision"), ["d"]);
        assert_eq!(retired("intent"), ["i"]);
        for kind in ["insight", "blocker", "focus", "Decision", " decision"] {
            assert_eq!(retired(kind), Vec::<String>::new(), "{kind}");
        }
    }

    #[test]
    fn a_contradiction_contests_in_its_own_scope_and_vetoes_the_retirement() {
        let text = "The ceiling is not sixty seconds.";
        let mut priors = [
            prior("own", "decision", "The ceiling is sixty seconds.", "a"),
            prior("far", "decision", "The ceiling is sixty seconds.", "b"),
        ];
        let effect = preview(&write("decision", text), &priors);
        assert_eq!(effect.contested, ["own"]);
        assert_eq!(effect.superseded, ["far"]);
        let skipped = Write { detection: Detection::Skipped, ..write("decision", text) };
        assert_eq!(preview(&skipped, &priors).superseded, ["own", "far"]);
        for prior in &mut priors {
            prior.contested = true;
        }
        assert_eq!(preview(&skipped, &priors).superseded, Vec::<String>::new());
    }

    #[test]
    fn our_own_writes_reach_their_scope_only() {
        let priors = [prior("own", "decision", "one", "a"), prior("far", "decision", "one", "b")];
        let own = Write { reach: Reach::Scope, ..write("decision", "two") };
        assert_eq!(preview(&own, &priors).superseded, ["own"]);
        let unknown = [Note { scope: None, ..prior("x", "decision", "one", "a") }];
        let lost = Write { scope: None, ..own };
        assert_eq!(preview(&lost, &unknown).superseded, Vec::<String>::new());
    }
}
