//! Tests of install and uninstall in the scopes of others: a project, the machine.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use insta::assert_snapshot;

use super::{bare_home, copy_binary};
use crate::support::{BINARY, Home, Output};

fn shown(home: &Home, output: &Output) -> String {
    let text = format!("exit {}\n{}--\n{}", output.code.unwrap(), output.stdout, output.stderr);
    let text = text.replace(home.path().to_str().unwrap(), "~").replace(BINARY, "RINGFENCE");
    let varies = regex::Regex::new(r"\d{8}T\d{9}Z").unwrap();
    varies.replace_all(&text, "TIME").into_owned()
}

#[test]
fn an_arm_that_is_not_there_is_refused_and_nothing_is_written() {
    let mut said = String::new();
    for with in ["ledger", "guard,posture", "guards", "", ",", "GUARD"] {
        let home = bare_home();
        let output = home.run(&["install", "--with", with], b"");
        said.push_str(&format!("# {with:?} {}\n", shown(&home, &output)));
        assert!(fs::read_dir(home.path()).unwrap().next().is_none(), "{with}");
    }
    assert_snapshot!(said, @r#"
    # "ledger" exit 64
    --
    error: this version has no `ledger` yet, so nothing was installed

    hint: ringfence install --with guard,audit,scratchpad,mcp

    # "guard,posture" exit 64
    --
    error: this version has no `posture` yet, so nothing was installed

    hint: ringfence install --with guard,audit,scratchpad,mcp

    # "guards" exit 64
    --
    error: `guards` is no arm

    hint: ringfence install --with guard,audit,scratchpad,mcp

    # "" exit 64
    --
    error: `--with` names no arm

    hint: ringfence install --with guard,audit,scratchpad,mcp

    # "," exit 64
    --
    error: `--with` names no arm

    hint: ringfence install --with guard,audit,scratchpad,mcp

    # "GUARD" exit 64
    --
    error: `GUARD` is no arm

    hint: ringfence install --with guard,audit,scratchpad,mcp
    "#);
    for with in ["guard,guard", " guard ", "guard,"] {
        let home = bare_home();
        assert_eq!(home.run(&["install", "--with", with], b"").code, Some(0));
        let text = fs::read_to_string(home.path().join(".claude/settings.json")).unwrap();
        let settings: serde_json::Value = serde_json::from_str(&text).unwrap();
        let args = settings["hooks"]["PreToolUse"][0]["hooks"][0]["args"].as_array().unwrap();
        assert_eq!(args[..5], ["hook", "pre-tool-use", "--with", "guard", "--config"], "{with:?}");
    }
}

#[test]
fn a_project_s_entry_comes_with_a_word_about_the_others() {
    let home = bare_home();
    let project = home.dir("work");
    home.dir("work/.git");
    let output = home.run_in(&project, &["install", "--scope", "project"], b"");
    assert_snapshot!(shown(&home, &output), @r#"
    exit 0
    made        ~/work/.claude/settings.json
    registered  RINGFENCE hook
    for         PreToolUse, PostToolUseFailure, SessionStart, SessionEnd, SubagentStart, SubagentStop, ConfigChange
    --
    warning: the project's settings are for all who work on it: where there is no `RINGFENCE`, nothing guards
    warning: no client was found: there is no `claude` on PATH; the hook runs once there is
    "#);
    let mode = |below: &str| fs::metadata(project.join(below)).unwrap().mode() & 0o777;
    assert_eq!((mode(".claude"), mode(".claude/settings.json")), (0o755, 0o644));
}

#[test]
fn what_an_uninstall_does_not_look_at_it_names() {
    let home = bare_home();
    let project = home.dir("work");
    home.dir("work/.git");
    home.run_in(&project, &["install", "--scope", "local"], b"");
    fs::remove_dir_all(home.path().join(".local")).unwrap();
    home.run_in(&project, &["install"], b"");
    let output = home.run_in(&project, &["uninstall"], b"");
    assert_snapshot!(shown(&home, &output), @"
    exit 0
    removed     ~/.claude/settings.json
    removed     ~/.local/state/ringfence/wiring
    removed     ~/.local/state/ringfence
    removed     ~/.local/state
    removed     ~/.claude
    removed     ~/.local
    --
    warning: `~/work/.claude/settings.local.json` still has entries of ours: ringfence uninstall --scope local
    ");
    let output = home.run_in(&project, &["uninstall", "--scope", "local"], b"");
    assert_snapshot!(shown(&home, &output), @"
    exit 0
    edited      ~/work/.claude/settings.local.json
    backup      ~/work/.claude/settings.local.json.ringfence-TIME.bak
    kept        ~/work/.claude/settings.local.json.ringfence-TIME.bak
    --
    ");
}

#[test]
fn settings_in_utf_16_are_read_and_never_written() {
    let utf16 = |text: &str| -> Vec<u8> {
        [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect()
    };
    let home = bare_home();
    let path = home.dir(".claude").join("settings.json");
    fs::write(&path, utf16("{\"model\": \"opus\"}")).unwrap();
    let refused = shown(&home, &home.run(&["install"], b""));
    assert_eq!(refused, shown(&home, &home.run(&["install", "--force"], b"")));
    assert_snapshot!(refused, @"
    exit 1
    --
    error: `~/.claude/settings.json` is left as it is: the file is written in UTF-16

    hint: save it as UTF-8, then run this again
    ");
    assert_eq!(fs::read(&path).unwrap(), utf16("{\"model\": \"opus\"}"));
    // The client takes such a file, so what it switches off is off.
    let home = bare_home();
    home.run(&["install"], b"");
    let project = home.dir("work");
    home.dir("work/.git");
    let path = home.dir("work/.claude").join("settings.json");
    fs::write(path, utf16("{\"disableAllHooks\": true}")).unwrap();
    let said = home.run_in(&project, &["doctor"], b"").stdout;
    assert!(said.contains("fail  switches    `disableAllHooks` in "), "{said}");
}

/// Runs a script as root with an `/etc` of its own; `None`, said aloud, where that cannot be done.
fn with_own_etc(home: &Home, script: &str) -> Option<String> {
    let program = home.path().join("bin/ringfence");
    if !program.exists() {
        home.dir("bin");
        copy_binary(&program);
    }
    let script = format!("mount -t tmpfs -o mode=755 none /etc && cd && {script}");
    let output = std::process::Command::new("unshare")
        .args(["--mount", "sh", "-c", &script])
        .env_clear()
        .env("HOME", home.path())
        .env("PATH", format!("{}:/usr/bin:/bin:/usr/sbin:/sbin", home.path().join("bin").display()))
        .output();
    let output = output.ok().filter(|_| fs::metadata("/proc/self").unwrap().uid() == 0);
    let Some(output) = output else {
        eprintln!("skipped: it needs root and unshare, for an /etc of its own");
        return None;
    };
    let text = format!(
        "{}--\n{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    let text = text.replace(home.path().to_str().unwrap(), "~");
    Some(
        text.lines()
            .filter(|line| !line.contains("`claude`"))
            .map(|line| format!("{line}\n"))
            .collect(),
    )
}

/// Where others can start the program.
fn open_home() -> Home {
    let home = Home::new();
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o755)).unwrap();
    home
}

#[test]
fn the_machine_s_settings_can_be_read_by_all_whatever_the_umask() {
    let home = open_home();
    let script = "umask 077; ringfence install --scope managed; stat -c '%a %n' /etc/claude-code/*.json /etc/claude-code; \
        ringfence install --scope managed; ringfence doctor | grep -e '^fail' -e registered; \
        ringfence uninstall; ls /etc";
    if let Some(said) = with_own_etc(&home, script) {
        assert_snapshot!(said, @r#"
        made        /etc/claude-code/managed-settings.json
        registered  ~/bin/ringfence hook
        for         PreToolUse, PostToolUseFailure, SessionStart, SessionEnd, SubagentStart, SubagentStop, ConfigChange
        644 /etc/claude-code/managed-settings.json
        755 /etc/claude-code
        unchanged   /etc/claude-code/managed-settings.json
        registered  ~/bin/ringfence hook
        for         PreToolUse, PostToolUseFailure, SessionStart, SessionEnd, SubagentStart, SubagentStop, ConfigChange
        pass  registered  for 7 events in /etc/claude-code/managed-settings.json
        warn  last call   registered, but we were not asked about a subagent's call yet
        removed     /etc/claude-code/managed-settings.json
        removed     ~/.local/state/ringfence/wiring
        removed     ~/.local/state/ringfence
        removed     ~/.local/state
        removed     ~/.local
        removed     /etc/claude-code
        --
        "#);
    }
}

#[test]
fn a_program_that_others_cannot_start_is_not_registered_for_them() {
    let home = Home::new();
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o700)).unwrap();
    let script = "ringfence install --scope managed; ls -A /etc; ringfence install --scope managed --force; \
        ringfence doctor | grep -A1 'other users'";
    if let Some(said) = with_own_etc(&home, script) {
        assert_snapshot!(said, @r#"
        made        /etc/claude-code/managed-settings.json
        registered  ~/bin/ringfence hook
        for         PreToolUse, PostToolUseFailure, SessionStart, SessionEnd, SubagentStart, SubagentStop, ConfigChange
        warn  program     other users of this machine cannot start ~/bin/ringfence, and so are not guarded
              fix: ./install.sh --prefix /usr/local --no-register
        --
        error: other users of this machine cannot start `~/bin/ringfence`

        hint: ./install.sh --prefix /usr/local --no-register, then `/usr/local/bin/ringfence install --scope managed`
        warning: other users of this machine cannot start `~/bin/ringfence`
        "#);
    }
}

#[test]
fn only_root_changes_the_machine_s_settings() {
    let home = open_home();
    let script = "install -d -o 65534 nobody; n=\"setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=$HOME/nobody\"; \
        $n ringfence install --scope managed; ringfence install --scope managed >/dev/null 2>&1; \
        $n ringfence doctor | grep registered; $n ringfence uninstall --scope managed; \
        $n ringfence uninstall; ringfence uninstall; find nobody -mindepth 1";
    if let Some(said) = with_own_etc(&home, script) {
        assert_snapshot!(said, @r#"
        pass  registered  for 7 events in /etc/claude-code/managed-settings.json
        warn  last call   registered, but we were not asked about a subagent's call yet
        nothing of ours was found
        nothing of ours was found
        removed     /etc/claude-code/managed-settings.json
        removed     ~/.local/state/ringfence/wiring
        removed     ~/.local/state/ringfence
        removed     ~/.local/state
        removed     ~/.local
        removed     /etc/claude-code
        --
        error: could not make `/etc/claude-code`: permission denied

        hint: run it as root: the settings of the machine are root's
        error: could not write `/etc/claude-code/managed-settings.json`: permission denied

        hint: run it as root: the settings of the machine are root's
        warning: `/etc/claude-code/managed-settings.json` still has entries of ours: ringfence uninstall --scope managed
        "#);
    }
}

#[test]
fn of_two_registrations_the_machine_s_stays() {
    let home = open_home();
    let script = "ringfence install >/dev/null 2>&1; ringfence install --scope managed >/dev/null 2>&1; \
        ringfence doctor | grep -A1 'registered  '";
    if let Some(said) = with_own_etc(&home, script) {
        assert_snapshot!(said, @"
        warn  registered  2 times, in ~/.claude/settings.json and /etc/claude-code/managed-settings.json: each call is judged so often, and logged once
              fix: ringfence uninstall && ringfence install --scope managed
        --
        ");
    }
}
