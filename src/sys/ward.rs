//! A child that this process stands for: signals go on to it, its status comes back.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "this is the edge")]

use std::ffi::OsString;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus};

/// The signals that go on to the child.
pub const FORWARDED: [i32; 8] = [
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGTERM,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGALRM,
    libc::SIGCONT,
];

/// What is to be run.
pub struct Ward<'a> {
    /// The program and its arguments.
    pub argv: &'a [OsString],
    /// Where it starts.
    pub cwd: &'a Path,
    /// Variables to set; `None` takes one away.
    pub env: &'a [(&'a str, Option<OsString>)],
    /// The child writes `{"child-pid": N …}` on this descriptor number: signals go to N's child.
    pub tells_pid_on: Option<RawFd>,
}

/// Runs it to its end: the status as a shell counts it, 128 and the signal for a killed one.
///
/// The child stays in this process's group and keeps its terminal. A signal from the terminal
/// reaches it by itself; one that was sent to this process alone is passed on.
///
/// # Errors
/// When it cannot be started.
pub fn run(ward: &Ward<'_>) -> io::Result<i32> {
    let Some((program, args)) = ward.argv.split_first() else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let waited = signal_set();
    let mut command = Command::new(program);
    command.args(args).current_dir(ward.cwd);
    for (name, value) in ward.env {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let pipe = ward.tells_pid_on.map(|number| Ok::<_, io::Error>((pipe()?, number))).transpose()?;
    let inherited = pipe.as_ref().map(|((_, writer), number)| (writer.as_raw_fd(), *number));
    let mut old = std::mem::MaybeUninit::<libc::sigset_t>::zeroed();
    // SAFETY: blocks signals for this thread, the only one; both sets are valid.
    unsafe { libc::sigprocmask(libc::SIG_BLOCK, &raw const waited, old.as_mut_ptr()) };
    // SAFETY: filled by the call above, or all zero: the empty set.
    let old = unsafe { old.assume_init() };
    // SAFETY: between fork and exec only async-signal-safe calls are made: signal, sigprocmask,
    // prctl, dup2.
    unsafe {
        command.pre_exec(move || {
            for signal in FORWARDED {
                // The middleman must outlive what the command itself may want to handle.
                libc::signal(signal, libc::SIG_IGN);
            }
            libc::sigprocmask(libc::SIG_SETMASK, &raw const old, std::ptr::null_mut());
            // Nothing contained outlives the one that answers for it.
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            if let Some((from, to)) = inherited
                && libc::dup2(from, to) < 0
            {
                return Err(io::Error::last_os_error());
            }
            Ok(())
        });
    }
    let mut child = command.spawn()?;
    let mut target = Target { child: child.id(), inner: None, source: None };
    if let Some(((reader, writer), _)) = pipe {
        drop(writer);
        target.source = Some(reader);
    }
    let status = wait(&mut child, &waited, &mut target)?;
    Ok(status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(125))
}

/// Whom signals go to.
struct Target {
    child: u32,
    inner: Option<i32>,
    source: Option<OwnedFd>,
}

impl Target {
    /// The command itself behind the middleman, once it is known; else the middleman.
    fn pid(&mut self) -> i32 {
        if let Some(source) = self.source.take() {
            let mut text = String::new();
            drop(std::fs::File::from(source).take(4096).read_to_string(&mut text));
            self.inner = number_after(&text, "\"child-pid\":");
        }
        let direct = i32::try_from(self.child).unwrap_or(0);
        self.inner.map_or(direct, |init| only_child(init).unwrap_or(init))
    }
}

fn wait(child: &mut Child, waited: &libc::sigset_t, target: &mut Target) -> io::Result<ExitStatus> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        let mut info = std::mem::MaybeUninit::<libc::siginfo_t>::zeroed();
        // SAFETY: waits for one of the blocked signals; `info` is valid for the answer.
        let signal = unsafe { libc::sigwaitinfo(waited, info.as_mut_ptr()) };
        if signal <= 0 || signal == libc::SIGCHLD {
            continue;
        }
        // SAFETY: filled by the call, which took a signal.
        let by_terminal = unsafe { info.assume_init() }.si_code > 0;
        if !by_terminal {
            // SAFETY: sends a signal to our own child or to the one below it.
            unsafe { libc::kill(target.pid(), signal) };
        }
    }
}

fn signal_set() -> libc::sigset_t {
    let mut set = std::mem::MaybeUninit::<libc::sigset_t>::zeroed();
    // SAFETY: makes the set empty, then adds valid signals to it.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        for signal in FORWARDED {
            libc::sigaddset(set.as_mut_ptr(), signal);
        }
        libc::sigaddset(set.as_mut_ptr(), libc::SIGCHLD);
        set.assume_init()
    }
}

fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends = [0; 2];
    // SAFETY: room for two descriptors.
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return Err(io::Error::last_os_error());
    }
    let [reader, writer] = ends;
    // SAFETY: both were just made and nobody else has them.
    Ok(unsafe { (OwnedFd::from_raw_fd(reader), OwnedFd::from_raw_fd(writer)) })
}

fn number_after(text: &str, key: &str) -> Option<i32> {
    let rest = text.split(key).nth(1)?.trim_start();
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

fn only_child(pid: i32) -> Option<i32> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).ok()?;
    text.split_whitespace().next()?.parse().ok()
}
