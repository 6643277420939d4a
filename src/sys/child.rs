//! Other programs, run to an end with a time limit.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "this is the edge")]

use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What is to be run.
#[derive(Clone, Debug)]
pub struct Run<'a> {
    /// The program and its arguments.
    pub argv: &'a [String],
    /// The directory to run it in.
    pub cwd: &'a Path,
    /// Variables to set; `None` takes one away.
    pub env: &'a [(&'a str, Option<String>)],
    /// What it reads.
    pub input: &'a [u8],
    /// After that it is killed.
    pub limit: Duration,
}

/// How it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Its status; `None` when a signal ended it, or we did.
    pub status: Option<i32>,
    /// What it printed.
    pub output: Vec<u8>,
    /// How long it took.
    pub took: Duration,
    /// It did not end in time.
    pub too_late: bool,
}

/// Runs a program without a terminal, in a session of its own, as clients run hooks.
///
/// # Errors
/// When it cannot be started.
pub fn run(order: &Run<'_>) -> io::Result<Ended> {
    let Some((program, args)) = order.argv.split_first() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "no program"));
    };
    let mut command = Command::new(program);
    command.args(args).current_dir(order.cwd).process_group(0);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    for (name, value) in order.env {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let started = Instant::now();
    let mut child = command.spawn()?;
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    std::thread::scope(|scope| {
        // A program that does not read its input is none of our business.
        scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(order.input).is_ok()));
        let reader = scope.spawn(move || {
            let mut output = Vec::new();
            if let Some(stdout) = stdout {
                drop(stdout.take(1 << 20).read_to_end(&mut output));
            }
            output
        });
        let mut too_late = false;
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if started.elapsed() > order.limit {
                too_late = true;
                child.kill()?;
                break child.wait()?;
            }
            std::thread::sleep(Duration::from_millis(1));
        };
        let took = started.elapsed();
        let output = reader.join().unwrap_or_default();
        Ok(Ended { status: status.code().filter(|_| !too_late), output, took, too_late })
    })
}

/// How much of a program is taken.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// After that it is killed; `None` = it may take as long as it does.
    pub time: Option<Duration>,
    /// Of what it prints, and of what it prints as errors, the last bytes that are kept.
    pub bytes: usize,
}

/// How a program ended that was listened to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// Its status; `None` when a signal ended it, or we did.
    pub status: Option<i32>,
    /// What it printed.
    pub output: Vec<u8>,
    /// What it printed as errors.
    pub errors: Vec<u8>,
    /// It did not end in time.
    pub too_late: bool,
}

/// Runs a program without input to its end. What it leaves running may keep its pipes open, as the
/// master of shared `ssh` connections does: that is not waited for.
///
/// # Errors
/// When it cannot be started.
pub fn capture(argv: &[String], bounds: Bounds) -> io::Result<Captured> {
    let Some((program, args)) = argv.split_first() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "no program"));
    };
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let started = Instant::now();
    let mut child = command.spawn()?;
    let output = child.stdout.take().map(|pipe| Listener::new(pipe, bounds.bytes));
    let errors = child.stderr.take().map(|pipe| Listener::new(pipe, bounds.bytes));
    let mut too_late = false;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if bounds.time.is_some_and(|limit| started.elapsed() > limit) {
            too_late = true;
            child.kill()?;
            break child.wait()?;
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    Ok(Captured {
        status: status.code().filter(|_| !too_late),
        output: output.map(Listener::heard).unwrap_or_default(),
        errors: errors.map(Listener::heard).unwrap_or_default(),
        too_late,
    })
}

/// Takes in what comes out of a pipe, so that no program has to wait to be heard.
struct Listener(Arc<Mutex<Heard>>);

#[derive(Default)]
struct Heard {
    bytes: Vec<u8>,
    total: usize,
    has_ended: bool,
}

/// A pipe out of which nothing came for so long after its program's end was left to somebody else.
const QUIET: Duration = Duration::from_millis(250);

impl Listener {
    fn new(mut pipe: impl Read + Send + 'static, most: usize) -> Self {
        let heard = Arc::new(Mutex::new(Heard::default()));
        let all = Arc::clone(&heard);
        std::thread::spawn(move || {
            let held = || all.lock().unwrap_or_else(PoisonError::into_inner);
            let mut part = vec![0; 16 << 10];
            while let Ok(count @ 1..) = pipe.read(&mut part) {
                let mut heard = held();
                heard.total = heard.total.saturating_add(count);
                heard.bytes.extend(part.iter().take(count));
                let surplus = heard.bytes.len().saturating_sub(most);
                heard.bytes.drain(..surplus);
            }
            held().has_ended = true;
        });
        Self(heard)
    }

    /// All that came until the pipe ended, or fell silent.
    fn heard(self) -> Vec<u8> {
        let (mut total, mut since) = (0, Instant::now());
        loop {
            let mut heard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if heard.total != total {
                (total, since) = (heard.total, Instant::now());
            }
            if heard.has_ended || since.elapsed() > QUIET {
                return std::mem::take(&mut heard.bytes);
            }
            drop(heard);
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Starts a program and leaves it alone: in a session of its own, with these variables only, at low
/// priority, and with none of our descriptors, so that nobody who waits for ours to be closed waits for
/// it.
///
/// # Errors
/// When it cannot be started.
pub fn detach(argv: &[String], cwd: &Path, env: &[(&str, String)]) -> io::Result<()> {
    let Some((program, args)) = argv.split_first() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "no program"));
    };
    let mut command = Command::new(program);
    command.args(args).current_dir(cwd).env_clear();
    command.envs(env.iter().map(|(name, value)| (*name, value.as_str())));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // SAFETY: between fork and exec only system calls are made that are safe there.
    unsafe {
        command.pre_exec(|| {
            libc::setsid();
            libc::setpriority(libc::PRIO_PROCESS, 0, 10);
            // What the client handed down besides the usual three closes when the program starts.
            libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC);
            Ok(())
        });
    }
    // Not waited for: it outlives us, and init takes it over.
    command.spawn().map(drop)
}

/// Runs a program at this terminal, with our input and output, to its end; its status, `None` when a
/// signal ended it.
///
/// # Errors
/// When it cannot be started.
pub fn attend(argv: &[String]) -> io::Result<Option<i32>> {
    let Some((program, args)) = argv.split_first() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "no program"));
    };
    Ok(Command::new(program).args(args).status()?.code())
}

/// A directory of its own below the system's place for temporary things; removed on drop.
pub struct Scratch {
    dir: tempfile::TempDir,
}

impl Scratch {
    /// Makes one.
    ///
    /// # Errors
    /// As the system says.
    pub fn new() -> io::Result<Self> {
        Ok(Self { dir: tempfile::Builder::new().prefix("ringfence-").tempdir()? })
    }

    /// Where it is, links resolved.
    pub fn path(&self) -> std::path::PathBuf {
        let path = self.dir.path();
        path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
    }
}

/// Whether files can be made in `dir`: makes one and removes it.
///
/// # Errors
/// As the system says.
pub fn try_write(dir: &Path) -> io::Result<()> {
    let mut file = tempfile::Builder::new().prefix(".ringfence-").tempfile_in(dir)?;
    file.write_all(b"x")
}
