//! What an agent or a repository plants: programs that git would run, changes that it would not show.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use super::{World, git};
use ringfence::sandbox::{EvidenceSandbox, RefusalKind};

/// Makes git run a program that leaves a mark, in every way it has on a checkout or a status.
fn plant(world: &mut World, mark: &Path) {
    let program = world.records.with_file_name("program");
    std::fs::write(&program, format!("#!/bin/sh\ntouch '{}'\ncat\n", mark.display())).unwrap();
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    let program = program.to_str().unwrap().to_owned();
    for hook in ["post-checkout", "post-index-change", "reference-transaction"] {
        let path = world.repository.join(".git/hooks").join(hook);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::copy(&program, path).unwrap();
    }
    world.write(".gitattributes", "*.txt filter=planted\n*.md filter=server\n");
    world.write("read.md", "x\n");
    world.commit();
    for (key, value) in [
        ("filter.planted.smudge", program.as_str()),
        ("filter.planted.clean", &program),
        ("filter.planted.required", "true"),
        ("filter.server.process", &program),
        ("core.fsmonitor", &program),
        ("core.sshCommand", &program),
        ("core.pager", &program),
        ("alias.status", &format!("!{program}")),
        ("alias.worktree", &format!("!{program}")),
    ] {
        world.git(&["config", key, value]);
    }
    drop(std::fs::remove_file(mark));
}

#[test]
fn no_planted_program_runs() {
    let mut world = World::new();
    let mark = world.records.with_file_name("mark");
    plant(&mut world, &mark);
    let sandbox = world.make().unwrap();
    std::fs::write(sandbox.dir.join("kept.txt"), "changed\n").unwrap();
    assert!(!sandbox.porcelain().unwrap().is_empty());
    assert!(!mark.exists(), "a planted program ran");
    // The same commands without our care do run it: the trap works.
    git(&sandbox.dir, &["status", "--porcelain"]);
    assert!(mark.exists());
    sandbox.dispose();
}

#[test]
fn a_filter_that_cannot_be_switched_off_is_refused() {
    let world = World::new();
    world.git(&["config", "filter.a=b.smudge", "cat"]);
    assert_eq!(world.make().unwrap_err().kind, RefusalKind::Git);
    assert_eq!(world.left(), Vec::<std::path::PathBuf>::new());
}

/// A name for the shape, and what an agent does in its sandbox.
type Shape = (&'static str, fn(&EvidenceSandbox));

#[test]
fn every_change_of_the_work_tree_shows() {
    let shapes: [Shape; 9] = [
        ("new file", |sandbox| write(sandbox, "new", "x")),
        ("ignored file", |sandbox| write(sandbox, "x.log", "x")),
        ("ignored directory", |sandbox| write(sandbox, "build/x", "x")),
        ("changed file", |sandbox| write(sandbox, "kept.txt", "KEPT\n")),
        ("removed file", |sandbox| std::fs::remove_file(sandbox.dir.join("kept.txt")).unwrap()),
        ("changed mode", |sandbox| {
            let mode = PermissionsExt::from_mode(0o755);
            std::fs::set_permissions(sandbox.dir.join("kept.txt"), mode).unwrap();
        }),
        ("assume-unchanged", |sandbox| {
            git(&sandbox.dir, &["update-index", "--assume-unchanged", "kept.txt"]);
            write(sandbox, "kept.txt", "KEPT\n");
        }),
        ("skip-worktree", |sandbox| {
            git(&sandbox.dir, &["update-index", "--skip-worktree", "kept.txt"]);
            write(sandbox, "kept.txt", "KEPT\n");
        }),
        ("a link instead of a file", |sandbox| {
            std::fs::remove_file(sandbox.dir.join("kept.txt")).unwrap();
            symlink("/etc/passwd", sandbox.dir.join("kept.txt")).unwrap();
        }),
    ];
    let world = World::new();
    for (name, escape) in shapes {
        let sandbox = world.make().unwrap();
        escape(&sandbox);
        assert_ne!(sandbox.porcelain().unwrap(), b"", "{name}");
        sandbox.dispose();
    }
}

#[test]
fn what_leads_git_is_compared_before_git_runs() {
    let shapes: [Shape; 7] = [
        ("pointer", |sandbox| write(sandbox, ".git", "gitdir: /nowhere\n")),
        ("pointer is a link", |sandbox| {
            let pointer = sandbox.dir.join(".git");
            let elsewhere = sandbox.dir.join("elsewhere");
            std::fs::rename(&pointer, &elsewhere).unwrap();
            symlink(&elsewhere, &pointer).unwrap();
        }),
        ("commit in the sandbox", |sandbox| {
            git(&sandbox.dir, &["commit", "--quiet", "--allow-empty", "--message", "x"]);
        }),
        ("own configuration", |sandbox| {
            let admin = git(&sandbox.dir, &["rev-parse", "--absolute-git-dir"]);
            std::fs::write(Path::new(&admin).join("config.worktree"), "[core]\n").unwrap();
        }),
        ("shared exclusions", |sandbox| shared(sandbox, "info/exclude", "*\n")),
        ("alternates", |sandbox| shared(sandbox, "objects/info/alternates", "/x\n")),
        ("shared configuration", |sandbox| {
            git(&sandbox.dir, &["config", "core.fsmonitor", "touch x"]);
        }),
    ];
    for (name, escape) in shapes {
        let world = World::new();
        let sandbox = world.make().unwrap();
        escape(&sandbox);
        assert_eq!(sandbox.porcelain().unwrap_err().kind, RefusalKind::Tampered, "{name}");
        sandbox.dispose();
    }
}

fn write(sandbox: &EvidenceSandbox, name: &str, text: &str) {
    let path = sandbox.dir.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn shared(sandbox: &EvidenceSandbox, name: &str, text: &str) {
    let common = git(&sandbox.dir, &["rev-parse", "--path-format=absolute", "--git-common-dir"]);
    let path = Path::new(&common).join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}
