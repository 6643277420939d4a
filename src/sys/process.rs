//! Processes: who our ancestors are, and the raw descriptors of this one.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "this is the edge")]

use std::io::Read;

/// A process as it can be told from another with the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// When it started, in the kernel's ticks since boot.
    pub start: u64,
    /// Its parent's number.
    pub parent: u32,
    /// Its kernel session: the number of the process that called `setsid`.
    pub session: u32,
    /// Whether it has a controlling terminal.
    pub has_terminal: bool,
}

/// The most ancestors that are looked at.
const MAX_ANCESTORS: usize = 64;

/// How much of a process's environment is read.
const ENVIRONMENT_LIMIT: u64 = 1 << 20;

/// The process with number `pid`.
pub fn process(pid: u32) -> Option<Process> {
    let bytes = super::file::read_bounded_special(&format!("/proc/{pid}/stat"), 4096).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    // The name stands in parentheses and may hold any character.
    let (_, rest) = text.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    Some(Process {
        pid,
        parent: fields.get(1)?.parse().ok()?,
        session: fields.get(3)?.parse().ok()?,
        has_terminal: fields.get(4).is_some_and(|device| *device != "0"),
        start: fields.get(19)?.parse().ok()?,
    })
}

/// The short name of a process, as the kernel has it.
pub fn name(pid: u32) -> Option<String> {
    let bytes = super::file::read_bounded_special(&format!("/proc/{pid}/comm"), 256).ok()?;
    Some(String::from_utf8_lossy(&bytes).trim_end().to_owned())
}

/// A variable of the environment that a process was started with; its own later changes do not show.
pub fn variable(pid: u32, name: &str) -> Option<String> {
    let bytes =
        super::file::read_bounded_special(&format!("/proc/{pid}/environ"), ENVIRONMENT_LIMIT)
            .ok()?;
    bytes.split(|byte| *byte == 0).find_map(|pair| {
        let value = pair.strip_prefix(name.as_bytes())?.strip_prefix(b"=")?;
        Some(String::from_utf8_lossy(value).into_owned())
    })
}

/// The words that a process was started with; empty when they cannot be read.
pub fn arguments(pid: u32) -> Vec<String> {
    let path = format!("/proc/{pid}/cmdline");
    let bytes = super::file::read_bounded_special(&path, ENVIRONMENT_LIMIT).unwrap_or_default();
    let bytes = bytes.strip_suffix(b"\0").unwrap_or(&bytes);
    bytes.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

/// The directory that a process is in.
pub fn directory(pid: u32) -> Option<std::path::PathBuf> {
    std::fs::read_link(format!("/proc/{pid}/cwd")).ok()
}

/// The user that this process acts as.
pub fn user_id() -> u32 {
    // SAFETY: only asks; it cannot fail.
    unsafe { libc::geteuid() }
}

/// This process.
pub fn own() -> Option<Process> {
    process(std::process::id())
}

/// A number that this process has not given out before.
pub fn unique() -> u64 {
    static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
}

/// The processes of this user, but for this one, that have the file at `path` open; those of others are
/// not seen.
pub fn holders(path: &std::path::Path) -> Vec<u32> {
    use std::os::unix::fs::MetadataExt;
    let Ok(file) = std::fs::metadata(path) else { return Vec::new() };
    let holds = |pid: u32| {
        let Ok(open) = std::fs::read_dir(format!("/proc/{pid}/fd")) else { return false };
        open.flatten().any(|one| {
            std::fs::metadata(one.path())
                .is_ok_and(|meta| (meta.dev(), meta.ino()) == (file.dev(), file.ino()))
        })
    };
    let Ok(all) = std::fs::read_dir("/proc") else { return Vec::new() };
    let mut found: Vec<u32> = all
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|pid| *pid != std::process::id() && holds(*pid))
        .collect();
    found.sort_unstable();
    found
}

/// The ancestors of this process, nearest first.
pub fn ancestors() -> Vec<Process> {
    let mut found = Vec::new();
    let mut pid = std::os::unix::process::parent_id();
    while pid > 1 && found.len() < MAX_ANCESTORS {
        let Some(process) = process(pid) else { break };
        pid = process.parent;
        found.push(process);
    }
    found
}

/// Reads standard input to its end, an error, or `limit` bytes; what is beyond is left.
pub fn read_input(limit: u64) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(4096);
    // What came before an error is kept: a mark in it is worth a line in the log.
    drop(std::io::stdin().lock().take(limit).read_to_end(&mut bytes));
    bytes
}

/// Writes to standard output in as few calls as it takes; a reader that has left is no error.
pub fn write_output(bytes: &[u8]) {
    let mut rest = bytes;
    while !rest.is_empty() {
        // SAFETY: the pointer and length are those of a live slice.
        let written = unsafe { libc::write(1, rest.as_ptr().cast(), rest.len()) };
        match usize::try_from(written) {
            Ok(count) if count > 0 => rest = rest.get(count..).unwrap_or(&[]),
            _ => return,
        }
    }
}

/// Ends the process at once with status 0: nothing is flushed, closed or dropped.
pub fn leave() -> ! {
    // SAFETY: `_exit` has no preconditions; open stores were only read.
    unsafe { libc::_exit(0) }
}

/// Whether standard input is a terminal.
pub fn has_terminal() -> bool {
    std::io::IsTerminal::is_terminal(&std::io::stdin())
}
