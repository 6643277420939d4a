//! Paths that are compared.

use std::os::unix::fs::symlink;
use std::path::Path;

use ringfence::sandbox::{canonicalize_path, is_inside};

#[test]
fn paths_are_resolved_as_the_kernel_does_it_or_not_at_all() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    std::fs::create_dir_all(root.join("a/b")).unwrap();
    std::fs::write(root.join("file"), "").unwrap();
    symlink(root.join("a/b"), root.join("link")).unwrap();
    symlink("loop", root.join("loop")).unwrap();
    symlink("gone", root.join("dangling")).unwrap();
    for (path, expected) in [
        ("a/b", Some("a/b")),
        ("link", Some("a/b")),
        ("link/..", Some("a")),
        ("link/../new/deep", Some("a/new/deep")),
        ("a/./new/x", Some("a/new/x")),
        ("new/../a", None),
        ("new/..", None),
        ("loop/x", None),
        ("dangling", None),
        ("dangling/x", None),
        ("file/x", None),
        ("file/..", None),
    ] {
        let found = canonicalize_path(&root.join(path)).ok();
        assert_eq!(found, expected.map(|expected| root.join(expected)), "{path}");
    }
    assert!(canonicalize_path(Path::new("a/b")).is_err());
}

#[test]
fn inside_is_by_whole_components() {
    for (child, parent, expected) in [
        ("/a/b", "/a/b", true),
        ("/a/b/c", "/a/b", true),
        ("/a/bc", "/a/b", false),
        ("/a", "/a/b", false),
    ] {
        assert_eq!(is_inside(Path::new(child), Path::new(parent)), expected, "{child} {parent}");
    }
}
