//! A developer's tools at work inside.

use std::process::Command;

use super::{World, has};

/// Where the toolchain that builds this test lies.
fn toolchain() -> Option<String> {
    let rustc = Command::new("rustc").args(["--print", "sysroot"]).output().ok()?;
    Some(String::from_utf8_lossy(&rustc.stdout).trim().to_owned()).filter(|path| !path.is_empty())
}

#[test]
fn a_crate_is_built_offline() {
    let Some(sysroot) = toolchain() else {
        eprintln!("skipped: no rustc");
        return;
    };
    World::each(|world| {
        world.home.file(
            "work/Cargo.toml",
            "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
        );
        world.home.file("work/src/main.rs", "fn main() { println!(\"built\"); }\n");
        let text = format!(
            "export PATH={sysroot}/bin:$PATH; cargo run --offline --quiet && test -d target"
        );
        let output = world.contain(&["--read", &sysroot, "-c", &text], &[]);
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            "built\n",
            "{}: {output:?}",
            world.backend
        );
    });
}

#[test]
fn git_python_and_node_run_in_the_workspace() {
    World::each(|world| {
        world.lets("git init -q . && git add file && git -c user.name=a -c user.email=a@b.c commit -qm first && git status --short");
        if has("python3") {
            let text = "python3 -c 'import tempfile, subprocess; tempfile.NamedTemporaryFile(); print(subprocess.check_output([\"echo\", \"py\"]).decode(), end=\"\")'";
            assert_eq!(world.lets(text), "py\n");
        }
        if has("node") {
            let text = "node -e 'require(\"child_process\").execSync(\"echo node\", {stdio: \"inherit\"})'";
            assert_eq!(world.lets(text), "node\n");
        } else {
            eprintln!("skipped: node is not installed where the boundary shows it");
        }
        if has("npm") && has("node") {
            world.home.file(
                "work/package.json",
                "{\"name\":\"x\",\"scripts\":{\"test\":\"node -e \\\"console.log('tested')\\\"\"}}",
            );
            assert!(world.lets("npm test --silent").contains("tested"));
        }
    });
}
