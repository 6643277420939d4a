//! The judge of the engine: every combination of facts, each sentence as a snapshot.

use std::path::{Path, PathBuf};

use insta::assert_snapshot;
use ringfence::audit::{
    EngineBackend, MemoryPersistenceConfig, MemoryWriteBoundaryFacts, WarningTag,
    build_memory_write_boundary_audit, effective_memory_persistence_capable, is_inside,
};

fn facts() -> MemoryWriteBoundaryFacts {
    MemoryWriteBoundaryFacts {
        memory_root: Some("/data/memory".into()),
        lane: "in-process".into(),
        host_semantics_lane: true,
        core_remote_execution_env: false,
        declared_capable: None,
        engine_backend: EngineBackend::File,
        containment_roots: vec!["/work".into()],
    }
}

/// The table of the specification, by itself: which row decides.
fn expected(facts: &MemoryWriteBoundaryFacts, covered: bool) -> Option<WarningTag> {
    match facts {
        MemoryWriteBoundaryFacts { memory_root: None, .. }
        | MemoryWriteBoundaryFacts { declared_capable: Some(_), .. } => None,
        MemoryWriteBoundaryFacts { core_remote_execution_env: true, .. } => {
            Some(WarningTag::MemoryRemoteLaneWriteInstructionDropped)
        }
        MemoryWriteBoundaryFacts { host_semantics_lane: false, .. } => None,
        MemoryWriteBoundaryFacts { containment_roots, .. } if containment_roots.is_empty() => None,
        _ if covered => None,
        _ => Some(WarningTag::MemoryRootOutsideWriteBoundary),
    }
}

#[test]
fn every_combination_of_facts_has_the_warning_of_the_first_row_that_fits() {
    let roots: [(&[&str], bool); 6] = [
        (&[], false),
        (&["/work"], false),
        (&["/data"], true),
        (&["/data/memory"], true),
        (&["/data/mem", "/data/memory/x"], false),
        (&["/work", "/data"], true),
    ];
    let mut seen = 0;
    for memory_root in [None, Some(PathBuf::from("/data/memory"))] {
        for declared_capable in [None, Some(true), Some(false)] {
            for core_remote_execution_env in [false, true] {
                for host_semantics_lane in [false, true] {
                    for engine_backend in
                        [EngineBackend::File, EngineBackend::Pg, EngineBackend::Tidb]
                    {
                        for (inside, covers) in roots {
                            for lane in ["in-process", "host", "e2b"] {
                                let facts = MemoryWriteBoundaryFacts {
                                    memory_root: memory_root.clone(),
                                    lane: lane.into(),
                                    host_semantics_lane,
                                    core_remote_execution_env,
                                    declared_capable,
                                    engine_backend,
                                    containment_roots: inside.iter().map(PathBuf::from).collect(),
                                };
                                let audit = build_memory_write_boundary_audit(&facts);
                                let tags: Vec<_> =
                                    audit.warnings.iter().map(|warning| warning.tag).collect();
                                let expected: Vec<_> =
                                    expected(&facts, covers).into_iter().collect();
                                assert_eq!(tags, expected, "{facts:?}");
                                seen += 1;
                            }
                        }
                    }
                }
            }
        }
    }
    assert_eq!(seen, 2 * 3 * 2 * 2 * 3 * 6 * 3);
}

#[test]
fn inside_goes_by_whole_components() {
    for (path, root, inside) in [
        ("/a/b", "/a/b", true),
        ("/a/b/c", "/a/b", true),
        ("/a/bc", "/a/b", false),
        ("/a", "/a/b", false),
        ("/a/b", "/", true),
        ("/A/b", "/a", false),
    ] {
        assert_eq!(is_inside(Path::new(path), Path::new(root)), inside, "{path} in {root}");
    }
}

#[test]
fn what_the_operator_says_wins_and_only_host_counts_as_declared() {
    for (provider, said, effective) in [
        (None, None, None),
        (None, Some(true), Some(true)),
        (None, Some(false), Some(false)),
        (Some("host"), None, Some(true)),
        (Some("host"), Some(true), Some(true)),
        (Some("host"), Some(false), Some(false)),
        (Some("ssh"), None, None),
        (Some("ssh"), Some(true), Some(true)),
        (Some("Host"), None, None),
        (Some(""), None, None),
    ] {
        let config = MemoryPersistenceConfig {
            remote_exec_provider: provider.map(str::to_owned),
            memory_persistence_capable: said,
        };
        let found = effective_memory_persistence_capable(&config);
        assert_eq!(found, effective, "{provider:?} {said:?}");
    }
}

fn detail(facts: &MemoryWriteBoundaryFacts) -> String {
    let audit = build_memory_write_boundary_audit(facts);
    let [warning] = audit.warnings.as_slice() else { panic!("{audit:?}") };
    // One sentence, and never the way that would open the engine's own files.
    assert!(!warning.detail.contains('\n') && warning.detail.matches(". ").count() == 0);
    assert!(!warning.detail.contains("dditional"), "{}", warning.detail);
    format!("{}: {}", warning.tag.as_str(), warning.detail)
}

#[test]
fn a_remote_lane_is_told_what_to_declare() {
    let facts = MemoryWriteBoundaryFacts {
        lane: "e2b".into(),
        host_semantics_lane: false,
        core_remote_execution_env: true,
        ..facts()
    };
    assert_snapshot!(detail(&facts), @r#"memory_remote_lane_write_instruction_dropped: On the remote executor `e2b` the engine leaves the memory-write instruction out of the prompt, so the model is never told to save anything; where this deployment has a shared mount or another writer, declare `MEMORY_PERSISTENCE_CAPABLE=true`."#);
}

#[test]
fn a_root_outside_is_told_the_knob_that_works_for_its_backend() {
    assert_snapshot!(detail(&facts()), @r#"memory_root_outside_write_boundary: On the lane `in-process` the model will be told to write its memory below `/data/memory`, which its file tools cannot reach (`path_not_in_root`; they reach `/work`): move the root inside with `MEMORY_ENGINE_DIR`, or declare `MEMORY_PERSISTENCE_CAPABLE=true` where another writer brings it there, or `false`, by which the session becomes read-only for memory: changes on disk without a committed record are neither adopted nor served."#);
    let pg = MemoryWriteBoundaryFacts { engine_backend: EngineBackend::Pg, ..facts() };
    assert_snapshot!(detail(&pg), @r#"memory_root_outside_write_boundary: On the lane `in-process` the model will be told to write its memory below `/data/memory`, which its file tools cannot reach (`path_not_in_root`; they reach `/work`): move the root inside with `LOCAL_DATA_ROOT` (it is `memory-work` below that), or declare `MEMORY_PERSISTENCE_CAPABLE=true` where another writer brings it there, or `false`, by which the session becomes read-only for memory: that is disclosed, writes are refused, and nothing is harvested."#);
    let tidb = MemoryWriteBoundaryFacts { engine_backend: EngineBackend::Tidb, ..facts() };
    assert_eq!(detail(&tidb), detail(&pg));
    assert!(!detail(&pg).contains("MEMORY_ENGINE_DIR"));
    let many = MemoryWriteBoundaryFacts {
        containment_roots: ["/a", "/b", "/c", "/d"].map(PathBuf::from).to_vec(),
        ..facts()
    };
    assert!(detail(&many).contains("they reach `/a`, `/b` and 2 more"), "{}", detail(&many));
}
