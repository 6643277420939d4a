//! A temporary HOME and the built binary.

#![allow(dead_code, reason = "each test module uses its own part")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The built binary.
pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_ringfence");

/// A HOME of its own with nothing in it; removed on drop.
pub(crate) struct Home {
    path: PathBuf,
    /// Removes it.
    _dir: Option<tempfile::TempDir>,
    env: BTreeMap<String, String>,
}

/// What a run left.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Output {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Home {
    pub(crate) fn new() -> Self {
        let dir = tempfile::Builder::new().prefix("ringfence-it-").tempdir().unwrap();
        Self { path: dir.path().to_owned(), _dir: Some(dir), env: BTreeMap::new() }
    }

    /// A HOME at a place of the test's own, which it removes itself.
    pub(crate) fn at(path: &Path) -> Self {
        Self { path: path.to_owned(), _dir: None, env: BTreeMap::new() }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// `$HOME/below`, its parents made.
    pub(crate) fn file(&self, below: &str, text: &str) -> PathBuf {
        let path = self.path().join(below);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn dir(&self, below: &str) -> PathBuf {
        let path = self.path().join(below);
        std::fs::create_dir_all(&path).unwrap();
        path
    }

    pub(crate) fn env(mut self, key: &str, value: &str) -> Self {
        self.env.insert(key.into(), value.into());
        self
    }

    /// Runs the binary in `$HOME` with nothing but HOME and PATH in its environment.
    pub(crate) fn run(&self, args: &[&str], stdin: &[u8]) -> Output {
        self.run_in(self.path(), args, stdin)
    }

    pub(crate) fn run_in(&self, cwd: &Path, args: &[&str], stdin: &[u8]) -> Output {
        let mut child = Command::new(BINARY)
            .args(args)
            .current_dir(cwd)
            .env_clear()
            .env("HOME", self.path())
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .envs(&self.env)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut pipe = child.stdin.take().unwrap();
        let bytes = stdin.to_vec();
        // A program that does not read its input closes the pipe: that is not the test's failure.
        let feeder = std::thread::spawn(move || drop(pipe.write_all(&bytes)));
        let output = child.wait_with_output().unwrap();
        feeder.join().unwrap();
        Output {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// What a person at a terminal of `columns` columns sees of a run, colours left out.
    pub(crate) fn on_terminal(&self, args: &[&str], columns: u16) -> String {
        let text = self.painted_on_terminal(args, columns);
        let paint = regex::Regex::new("\u{1b}\\[[0-9;]*m").unwrap();
        paint.replace_all(&text, "").into_owned()
    }

    /// The same with its colours.
    pub(crate) fn painted_on_terminal(&self, args: &[&str], columns: u16) -> String {
        let (mut ours, theirs) = terminal(columns);
        let mut child = Command::new(BINARY)
            .args(args)
            .current_dir(self.path())
            .env_clear()
            .env("HOME", self.path())
            .env("TERM", "xterm-256color")
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .envs(&self.env)
            .stdin(Stdio::null())
            .stderr(theirs.try_clone().unwrap())
            .stdout(theirs)
            .spawn()
            .unwrap();
        let mut bytes = Vec::new();
        // When the last writer has left, Linux answers the reader with an error.
        drop(std::io::Read::read_to_end(&mut ours, &mut bytes));
        child.wait().unwrap();
        String::from_utf8_lossy(&bytes).replace("\r\n", "\n")
    }
}

/// Both ends of a terminal of its own.
fn terminal(columns: u16) -> (std::fs::File, std::fs::File) {
    use std::os::fd::FromRawFd;
    let size = libc::winsize { ws_row: 50, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    let (mut ours, mut theirs) = (0, 0);
    // SAFETY: the places for the descriptors and the size outlive the call; name and settings are
    // not asked for.
    let failed = unsafe {
        libc::openpty(&mut ours, &mut theirs, std::ptr::null_mut(), std::ptr::null(), &size)
    };
    assert_eq!(failed, 0);
    // SAFETY: both descriptors are new and nobody else's.
    unsafe { (std::fs::File::from_raw_fd(ours), std::fs::File::from_raw_fd(theirs)) }
}

/// Text of a corpus file.
pub(crate) fn corpus(below: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(below);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Whether the long figures are wanted (`tests/run --long`).
pub(crate) fn is_long() -> bool {
    std::env::var("RINGFENCE_LONG").is_ok_and(|value| value == "1")
}

/// Counts what each thread allocates: tests run beside each other.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

/// How often this thread allocated so far, and how many bytes.
pub(crate) fn allocated() -> (usize, usize) {
    ALLOCATIONS.get()
}

fn count(bytes: usize) {
    // A thread that is about to end has no counter any more.
    _ = ALLOCATIONS.try_with(|all| {
        let (times, sum) = all.get();
        all.set((times + 1, sum + bytes));
    });
}

// SAFETY: every call is handed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // What an allocation grows by, not all of it: a vector that doubles is not quadratic.
        count(size.saturating_sub(layout.size()));
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;
