//! The library: lanes, ids, adapters, and the decoration of an environment.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex};

use proptest::prelude::*;
use ringfence::scratchpad::adapter::Adapter;
use ringfence::scratchpad::{
    EnvHandle, ExecEnv, ExecEnvFactory, ExecFailed, ExecOptions, ExecOutput, FAILED,
    ScratchpadLogger, UNSAFE_ID, is_remote_scratchpad_lane, make_command,
    remote_scratchpad_dir_for, with_remote_scratchpad,
};

#[test]
fn four_lanes_are_remote() {
    for lane in ["e2b", "k8s", "local-docker", "ssh"] {
        assert!(is_remote_scratchpad_lane(Some(lane)), "{lane}");
    }
    for lane in
        [None, Some("host"), Some("adb"), Some(""), Some("SSH"), Some("ssh "), Some("docker")]
    {
        assert!(!is_remote_scratchpad_lane(lane), "{lane:?}");
    }
}

#[test]
fn only_plain_ids_have_a_directory() {
    let longest = "x".repeat(128);
    for id in ["a", "0b3f-1.2_Z", "...", "-rf", ".hidden", &longest] {
        assert_eq!(remote_scratchpad_dir_for(Some(id)), Some(format!("/tmp/scratchpad/{id}")));
    }
    let too_long = "x".repeat(129);
    for id in [
        "",
        ".",
        "..",
        "a/b",
        "../x",
        "a;b",
        "a b",
        "a\nb",
        "a'b",
        "a\"b",
        "$(x)",
        "`x`",
        "a\0b",
        "ä",
        "a\u{202e}",
        "~",
        "*",
        "{a,b}",
        &too_long,
    ] {
        assert_eq!(remote_scratchpad_dir_for(Some(id)), None, "{id:?}");
    }
    assert_eq!(remote_scratchpad_dir_for(None), None);
}

/// Ids that try to be more than a name.
fn ids() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[A-Za-z0-9._-]{1,130}",
        "[.]{1,4}",
        "[A-Za-z0-9._/;$`'\"\\\\\n -]{1,20}",
    ]
}

proptest! {
    #[test]
    fn no_id_that_passes_changes_the_command_or_leaves_the_directory(id in ids()) {
        let Some(dir) = remote_scratchpad_dir_for(Some(&id)) else { return Ok(()) };
        let path = Path::new(&dir);
        prop_assert_eq!(path.parent(), Some(Path::new("/tmp/scratchpad")));
        prop_assert_eq!(path.file_name().and_then(|name| name.to_str()), Some(id.as_str()));
        // The command with a plain id in its place has the same words, but for the directory's.
        let plain = remote_scratchpad_dir_for(Some("PLAIN")).unwrap();
        let words = shell_words::split(&make_command(&dir)).unwrap();
        let expected = shell_words::split(&make_command(&plain)).unwrap();
        prop_assert_eq!(words.len(), 3);
        let inner = |words: &[String]| -> Vec<String> { words[2].split(' ').map(str::to_owned).collect() };
        let swapped: Vec<String> =
            inner(&expected).iter().map(|word| word.replace(&plain, &dir)).collect();
        prop_assert_eq!(inner(&words), swapped);
    }
}

/// Targets that try to be more than a name.
fn targets() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "[!-~]{1,20}", "-[a-zA-Z=/]{1,20}", "[a-z@:./%~^\\[\\]-]{1,600}"]
}

proptest! {
    #[test]
    fn no_target_that_passes_is_an_option_or_a_word_more(target in targets()) {
        for lane in ["ssh", "local-docker", "k8s", "e2b"] {
            let plain = Adapter::new(lane, Some("PLAIN"), None).unwrap();
            let Ok(adapter) = Adapter::new(lane, Some(&target), None) else { continue };
            let swapped: Vec<String> =
                plain.argv("id").iter().map(|word| word.replace("PLAIN", &target)).collect();
            prop_assert_eq!(adapter.argv("id"), swapped);
            prop_assert!(!target.starts_with('-') && !target.contains(char::is_whitespace));
            prop_assert!(!target.contains(['\'', '"', '`', '$', '\\', ';', '&', '|', '<', '>', '\0']));
        }
    }
}

#[test]
fn each_lane_has_exact_arguments() {
    let argv =
        |lane, template| Adapter::new(lane, Some("box"), template).unwrap().argv("echo 'a b'; id");
    assert_eq!(
        argv("ssh", None),
        ["ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "--", "box", "echo 'a b'; id"]
    );
    assert_eq!(
        argv("local-docker", None),
        ["docker", "exec", "-i", "box", "sh", "-c", "echo 'a b'; id"]
    );
    assert_eq!(
        argv("k8s", None),
        ["kubectl", "exec", "-i", "box", "--", "sh", "-c", "echo 'a b'; id"]
    );
    assert_eq!(
        argv("e2b", None),
        ["e2b", "sandbox", "exec", "box", "--", "sh", "-c", "echo 'a b'; id"]
    );
    assert_eq!(
        argv("ssh", Some("env 'A=b c' podman exec {target} sh -c {command}")),
        ["env", "A=b c", "podman", "exec", "box", "sh", "-c", "echo 'a b'; id"]
    );
}

#[test]
fn what_could_be_an_option_or_a_second_word_is_no_target() {
    for target in ["", "-oProxyCommand=x", "--", "a b", "a\nb", "a;b", "$(x)", "a'b", "ä", "a\0"] {
        for lane in ["ssh", "local-docker", "k8s", "e2b"] {
            assert!(Adapter::new(lane, Some(target), None).is_err(), "{lane} {target:?}");
        }
    }
    for target in ["box", "user@box", "user@[::1]", "ns/pod-0", "deploy/x", "a_b.c:22"] {
        assert!(Adapter::new("ssh", Some(target), None).is_ok(), "{target}");
    }
    assert!(Adapter::new("ssh", None, None).is_err());
    assert!(Adapter::new("host", Some("x"), None).is_err());
    for template in [
        "",
        "ssh",
        "{command}",
        "sh -c 'x {command}'",
        "a {command} {command}",
        "a 'b",
        "a --x={command} {command}",
    ] {
        assert!(Adapter::new("ssh", Some("x"), Some(template)).is_err(), "{template:?}");
    }
}

/// Records what is run; the first `mkdir` waits for all others to have asked.
struct Recording {
    ran: Mutex<Vec<(String, ExecOptions)>>,
    status: i32,
    makes: AtomicUsize,
}

impl ExecEnv for Recording {
    fn exec(&self, command: &str, options: &ExecOptions) -> Result<ExecOutput, ExecFailed> {
        self.ran.lock().unwrap().push((command.to_owned(), options.clone()));
        if command.contains("mkdir") {
            self.makes.fetch_add(1, Ordering::SeqCst);
            // Whoever comes meanwhile must wait for this, and not run before it.
            std::thread::yield_now();
            return match self.status {
                -1 => Err(ExecFailed("the lane is down".into())),
                status => Ok(ExecOutput { status: Some(status), ..ExecOutput::default() }),
            };
        }
        Ok(ExecOutput { status: Some(7), stdout: command.into(), stderr: b"err".to_vec() })
    }
}

struct One(Arc<EnvHandle>);

impl ExecEnvFactory for One {
    fn make(&self, _: Option<&str>) -> Result<Arc<EnvHandle>, ExecFailed> {
        Ok(Arc::clone(&self.0))
    }
}

#[derive(Default)]
struct Warnings(Mutex<Vec<String>>);

impl ScratchpadLogger for Warnings {
    fn warn(&self, event: &str, fields: &[(&str, &str)]) {
        self.0.lock().unwrap().push(format!("{event} {fields:?}"));
    }
}

struct World {
    env: Arc<Recording>,
    registered: Arc<EnvHandle>,
    handle: Arc<EnvHandle>,
    warnings: Arc<Warnings>,
}

fn world(session: Option<&str>, status: i32) -> World {
    let env = Arc::new(Recording { ran: Mutex::default(), status, makes: AtomicUsize::new(0) });
    let registered = EnvHandle::new(Arc::<Recording>::clone(&env));
    let warnings = Arc::new(Warnings::default());
    let logger: Arc<dyn ScratchpadLogger> = Arc::<Warnings>::clone(&warnings);
    let factory = with_remote_scratchpad(Arc::new(One(Arc::clone(&registered))), logger);
    let handle = factory.make(session).unwrap();
    World { env, registered, handle, warnings }
}

#[test]
fn nothing_runs_before_the_first_command_and_the_handle_stays_the_same() {
    let world = world(Some("s-1"), 0);
    assert!(Arc::ptr_eq(&world.registered, &world.handle));
    assert!(world.env.ran.lock().unwrap().is_empty());
    let options =
        ExecOptions { cwd: Some("/w".into()), timeout_ms: Some(5), ..ExecOptions::default() };
    // By the handle that a registry knew before it was decorated.
    let ended = world.registered.exec("ls", &options).unwrap();
    assert_eq!(
        (ended.status, ended.stdout.as_slice(), ended.stderr.as_slice()),
        (Some(7), &b"ls"[..], &b"err"[..])
    );
    let ran = world.env.ran.lock().unwrap().clone();
    assert_eq!(
        ran,
        [(make_command("/tmp/scratchpad/s-1"), ExecOptions::default()), ("ls".to_owned(), options)]
    );
    assert!(world.warnings.0.lock().unwrap().is_empty());
}

#[test]
fn commands_at_once_wait_for_one_mkdir() {
    let world = world(Some("s-1"), 0);
    let all = 8;
    let barrier = Arc::new(Barrier::new(all));
    std::thread::scope(|scope| {
        for number in 0..all {
            let (handle, barrier) = (Arc::clone(&world.handle), Arc::clone(&barrier));
            scope.spawn(move || {
                barrier.wait();
                handle.exec(&format!("c{number}"), &ExecOptions::default()).unwrap();
            });
        }
    });
    assert_eq!(world.env.makes.load(Ordering::SeqCst), 1);
    let ran = world.env.ran.lock().unwrap();
    assert!(ran[0].0.contains("mkdir") && ran.len() == all + 1);
}

#[test]
fn a_failed_mkdir_warns_once_and_the_commands_still_run() {
    for (status, why) in [
        (73, "status 73"),
        (74, "is a link"),
        (75, "belongs to another user"),
        (255, "status 255"),
        (-1, "the lane is down"),
    ] {
        let world = world(Some("s-1"), status);
        for _ in 0..3 {
            assert_eq!(world.handle.exec("ls", &ExecOptions::default()).unwrap().status, Some(7));
        }
        assert_eq!(world.env.makes.load(Ordering::SeqCst), 1, "no retry");
        let warnings = world.warnings.0.lock().unwrap();
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(warnings[0].starts_with(FAILED) && warnings[0].contains(why), "{warnings:?}");
    }
}

#[test]
fn an_unsafe_id_is_not_decorated_and_warns_once() {
    for session in [None, Some("a;b"), Some("..")] {
        let world = world(session, 0);
        world.handle.exec("ls", &ExecOptions::default()).unwrap();
        world.handle.exec("ls", &ExecOptions::default()).unwrap();
        assert_eq!(world.env.makes.load(Ordering::SeqCst), 0);
        let warnings = world.warnings.0.lock().unwrap();
        assert_eq!(warnings.len(), 1);
        assert!(warnings[0].starts_with(UNSAFE_ID) && !warnings[0].contains(';'), "{warnings:?}");
    }
}
