//! Made, and gone again.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use super::{World, git};
use ringfence::sandbox::record::Record;
use ringfence::sandbox::{
    Kind, RefusalKind, create_in_place_sandbox, create_worktree_sandbox, list, prune,
};

#[test]
fn a_sandbox_is_the_commit_outside_the_repository_and_leaves_nothing() {
    let world = World::new();
    world.write("kept.txt", "not committed\n");
    let sandbox = world.make().unwrap();
    let dir = sandbox.dir.clone();
    assert_eq!(sandbox.kind, Kind::Worktree);
    assert!(!dir.starts_with(&world.repository) && !world.repository.starts_with(&dir));
    assert_eq!(dir.metadata().unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!(std::fs::read_to_string(dir.join("kept.txt")).unwrap(), "kept\n");
    assert_eq!(git(&dir, &["rev-parse", "HEAD"]), world.head);
    assert_eq!(git(&dir, &["branch", "--show-current"]), "");
    assert_eq!(sandbox.porcelain().unwrap(), b"");
    // A directory that its maker closed is removed too.
    std::fs::create_dir_all(dir.join("closed/below")).unwrap();
    std::fs::set_permissions(dir.join("closed"), PermissionsExt::from_mode(0o000)).unwrap();
    sandbox.dispose();
    assert!(!dir.exists());
    assert_eq!(world.left(), Vec::<PathBuf>::new());
    assert_eq!(world.git(&["worktree", "list", "--porcelain"]).matches("worktree ").count(), 1);
}

#[test]
fn only_the_full_id_of_a_commit_is_taken() {
    let world = World::new();
    world.git(&["tag", "--annotate", "--message", "x", "named"]);
    let tag = world.git(&["rev-parse", "named"]);
    let tree = world.git(&["rev-parse", "HEAD^{tree}"]);
    let upper = world.head.to_uppercase();
    for head in
        ["HEAD", "main", "--detach", "", &world.head[..12], &upper, &tag, &tree, &"0".repeat(40)]
    {
        let refused = create_worktree_sandbox(&world.repository, head, &world.records);
        assert_eq!(refused.unwrap_err().kind, RefusalKind::NoCommit, "{head}");
    }
    assert_eq!(world.left(), Vec::<PathBuf>::new());
}

#[test]
fn what_is_no_repository_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let records = dir.path().join("records");
    let refused = create_worktree_sandbox(dir.path(), &"0".repeat(40), &records).unwrap_err();
    assert_eq!(refused.kind, RefusalKind::NotARepository);
    assert!(!records.exists());
}

#[test]
fn an_empty_repository_has_no_commit() {
    let dir = tempfile::tempdir().unwrap();
    git(dir.path(), &["init", "--quiet"]);
    let records = dir.path().join("records");
    let refused = create_worktree_sandbox(dir.path(), &"0".repeat(40), &records).unwrap_err();
    assert_eq!(refused.kind, RefusalKind::NoCommit);
}

#[test]
fn odd_repositories_have_sandboxes_too() {
    let world = World::new();
    let beside = |name: &str| world.records.with_file_name(name);
    let path = world.repository.to_str().unwrap();
    let url = format!("file://{path}");
    let parent = world.records.parent().unwrap();
    world.git(&["worktree", "add", "--quiet", beside("linked").to_str().unwrap()]);
    git(parent, &["clone", "--quiet", "--bare", path, "bare.git"]);
    git(parent, &["clone", "--quiet", "--depth", "1", &url, "shallow"]);
    for name in ["linked", "bare.git", "shallow"] {
        let sandbox = create_worktree_sandbox(&beside(name), &world.head, &world.records).unwrap();
        assert_eq!(sandbox.porcelain().unwrap(), b"", "{name}");
        sandbox.dispose();
    }
    for name in [&b"with space"[..], b"new\nline", b"not-\xff-text", b"-option"] {
        let world = World::named(OsStr::from_bytes(name));
        let sandbox = world.make().unwrap();
        assert_eq!(sandbox.porcelain().unwrap(), b"", "{name:?}");
        sandbox.dispose();
        assert_eq!(world.left(), Vec::<PathBuf>::new(), "{name:?}");
    }
}

#[test]
fn eight_at_once_do_not_disturb_each_other() {
    let world = World::new();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let world = &world;
            scope.spawn(move || {
                let sandbox = world.make().unwrap();
                assert_eq!(sandbox.porcelain().unwrap(), b"");
                std::fs::write(sandbox.dir.join("mine"), number.to_string()).unwrap();
                assert_eq!(sandbox.porcelain().unwrap(), b"? mine\0");
                sandbox.dispose();
            });
        }
    });
    assert_eq!(world.left(), Vec::<PathBuf>::new());
}

#[test]
fn what_a_crash_left_is_pruned_and_what_lives_is_not() {
    let world = World::new();
    let (lives, crashed) = (world.make().unwrap(), world.make().unwrap());
    let name = crashed.dir.file_name().unwrap().to_str().unwrap().to_owned();
    let path = world.records.join(format!("{name}.json"));
    let mut record: Record = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    record.start -= 1;
    std::fs::write(&path, serde_json::to_vec(&record).unwrap()).unwrap();
    assert_eq!(list(&world.records).len(), 2);
    let (removed, failed) = prune(&world.records);
    assert_eq!((removed, failed), (vec![record], Vec::new()));
    assert!(!crashed.dir.exists() && lives.dir.exists());
    lives.dispose();
    assert_eq!(world.left(), Vec::<PathBuf>::new());
}

#[test]
fn a_planted_record_removes_nothing_else() {
    let world = World::new();
    world.make().unwrap().dispose();
    let precious = world.repository.join("deep");
    let id = format!("ringfence-sandbox-{}", "a".repeat(32));
    let admin = world.repository.join(".git/worktrees").join(&id);
    let named = world.repository.join(&id);
    for (id, dir, admin) in [
        (id.as_str(), &precious, &admin),
        (id.as_str(), &named, &precious),
        ("deep", &precious, &precious),
        ("../deep", &precious, &precious),
    ] {
        let record =
            Record { id: id.into(), dir: dir.clone(), admin: admin.clone(), pid: 1, start: 0 };
        let path = world.records.join(format!("{}.json", id.replace('/', "_")));
        std::fs::write(&path, serde_json::to_vec(&record).unwrap()).unwrap();
        assert_eq!(prune(&world.records).0, Vec::new(), "{id}");
        assert!(precious.join("other.txt").exists());
        std::fs::remove_file(path).unwrap();
    }
}

#[test]
fn in_place_there_is_no_boundary_and_it_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let sandbox = create_in_place_sandbox(dir.path()).unwrap();
    assert_eq!(sandbox.kind, Kind::InPlace);
    assert!(sandbox.porcelain().is_err());
    sandbox.dispose();
    assert!(dir.path().exists());
}
