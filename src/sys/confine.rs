//! What a process gives up for good before it becomes another program: Landlock, seccomp,
//! inherited files, ignored signals.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "this is the edge")]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use landlock::{
    ABI, Access, AccessFs, AccessNet, LandlockStatus, Ruleset, RulesetAttr, RulesetCreatedAttr,
    RulesetStatus, Scope, path_beneath_rules,
};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};

/// The newest Landlock that we know how to use; older kernels give what they have.
const NEWEST: ABI = ABI::V6;

/// Push input into the controlling terminal, and the console's ways to do so.
const TYPING_REQUESTS: [u64; 2] = [0x5412, 0x541c];
/// On x86_64 the same calls can be made by numbers of their own, with this bit.
const X32_BIT: i64 = 0x4000_0000;
/// The x32 number of `ioctl`, which is not the usual one with the bit.
const X32_IOCTL: i64 = 0x4000_0202;

/// The paths that stay reachable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// May be read and executed, with all below.
    pub read: Vec<PathBuf>,
    /// May be changed in every way, with all below.
    pub write: Vec<PathBuf>,
    /// Files and devices that may be read and written, but not replaced.
    pub devices: Vec<PathBuf>,
    /// TCP stays.
    pub net: bool,
}

/// What the kernel really enforces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enforced {
    /// Landlock's level, as far as it is used.
    pub abi: u32,
    /// All that was asked for is enforced.
    pub fully: bool,
}

/// The Landlock level of the kernel; 0 without it.
pub fn landlock_level() -> u32 {
    // SAFETY: with the version flag the call takes no pointer and creates nothing.
    let level = unsafe {
        libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<u8>(), 0_usize, 1_u32)
    };
    u32::try_from(level).unwrap_or(0)
}

/// Restricts this process to `reach`, its children too, for good.
///
/// # Errors
/// A sentence, when the kernel enforces nothing of it.
pub fn restrict(reach: &Reach) -> Result<Enforced, String> {
    let sentence = |error: landlock::RulesetError| format!("Landlock: {error}");
    let (read, all) = (AccessFs::from_read(NEWEST), AccessFs::from_all(NEWEST));
    let device = AccessFs::from_file(NEWEST) & !AccessFs::Execute;
    let mut ruleset = Ruleset::default().handle_access(all).map_err(sentence)?;
    if !reach.net {
        ruleset = ruleset.handle_access(AccessNet::from_all(NEWEST)).map_err(sentence)?;
    }
    let status = ruleset
        .scope(Scope::from_all(NEWEST))
        .and_then(Ruleset::create)
        .and_then(|created| created.add_rules(path_beneath_rules(&reach.read, read)))
        .and_then(|created| created.add_rules(path_beneath_rules(&reach.write, all)))
        .and_then(|created| created.add_rules(path_beneath_rules(&reach.devices, device)))
        .and_then(landlock::RulesetCreated::restrict_self)
        .map_err(sentence)?;
    enforced(&status)
}

/// Keeps this process from signalling others and from abstract sockets outside; files stay as they
/// are, so that it does not get in the way of mounts.
///
/// # Errors
/// A sentence, when the kernel cannot.
pub fn restrict_scope() -> Result<Enforced, String> {
    let sentence = |error: landlock::RulesetError| format!("Landlock: {error}");
    let status = Ruleset::default()
        .scope(Scope::from_all(NEWEST))
        .and_then(Ruleset::create)
        .and_then(landlock::RulesetCreated::restrict_self)
        .map_err(sentence)?;
    enforced(&status)
}

fn enforced(status: &landlock::RestrictionStatus) -> Result<Enforced, String> {
    if status.ruleset == RulesetStatus::NotEnforced || !status.no_new_privs {
        return Err("the kernel enforces nothing of Landlock".to_owned());
    }
    let abi = match status.landlock {
        LandlockStatus::Available { effective_abi, .. } => effective_abi as u32,
        LandlockStatus::NotEnabled | LandlockStatus::NotImplemented => 0,
    };
    Ok(Enforced { abi, fully: status.ruleset == RulesetStatus::FullyEnforced })
}

/// The kinds of sockets that cannot be made any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoSockets {
    /// Pathname and abstract sockets: the owner's tmux, agents for keys, the display.
    pub local: bool,
    /// Everything but local and kernel sockets.
    pub network: bool,
}

/// Filters system calls of this process and its children, for good: typing into a terminal, sockets
/// as asked, and what would make sockets past the filter.
///
/// # Errors
/// A sentence, when the filter cannot be set.
pub fn filter_calls(sockets: NoSockets) -> Result<(), String> {
    let sentence = |error: &dyn std::fmt::Display| format!("seccomp: {error}");
    let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(|error| sentence(&error))?;
    let filter = SeccompFilter::new(
        call_rules(sockets).map_err(|error| sentence(&error))?,
        SeccompAction::Allow,
        SeccompAction::Errno(u32::try_from(libc::EPERM).unwrap_or(1)),
        arch,
    )
    .map_err(|error| sentence(&error))?;
    let program = BpfProgram::try_from(filter).map_err(|error| sentence(&error))?;
    seccompiler::apply_filter(&program).map_err(|error| sentence(&error))
}

fn call_rules(
    sockets: NoSockets,
) -> Result<BTreeMap<i64, Vec<SeccompRule>>, seccompiler::BackendError> {
    let equal = |argument: u8, value: u64| {
        SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value)
            .and_then(|condition| SeccompRule::new(vec![condition]))
    };
    let differs =
        |value: u64| SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, value);
    let (unix, netlink) = (libc::AF_UNIX as u64, libc::AF_NETLINK as u64);
    let mut socket = Vec::new();
    if sockets.local {
        socket.push(equal(0, unix)?);
    }
    if sockets.network {
        socket.push(SeccompRule::new(vec![differs(unix)?, differs(netlink)?])?);
    }
    let typing =
        TYPING_REQUESTS.iter().map(|request| equal(1, *request)).collect::<Result<Vec<_>, _>>()?;
    let mut rules = BTreeMap::new();
    rules.insert(libc::SYS_ioctl, typing.clone());
    if !socket.is_empty() {
        rules.insert(libc::SYS_socket, socket.clone());
        // Rings make sockets that no filter sees.
        rules.insert(libc::SYS_io_uring_setup, Vec::new());
    }
    if cfg!(target_arch = "x86_64") {
        rules.insert(X32_IOCTL, typing);
        if !socket.is_empty() {
            rules.insert(libc::SYS_socket | X32_BIT, socket);
            rules.insert(libc::SYS_io_uring_setup | X32_BIT, Vec::new());
        }
    }
    Ok(rules)
}

/// Gives up every capability, also those that root would get back by starting a program.
///
/// # Errors
/// A sentence, when some are left.
pub fn drop_capabilities() -> Result<(), String> {
    const VERSION_3: u32 = 0x2008_0522;
    const LAST: libc::c_ulong = 63;
    for capability in 0..=LAST {
        // SAFETY: takes numbers only; an unknown capability is an error that means nothing.
        unsafe { libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0) };
    }
    // SAFETY: takes numbers only.
    unsafe { libc::prctl(libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) };
    let header: [u32; 2] = [VERSION_3, 0];
    let none = [0_u32; 6];
    // SAFETY: the header says version 3 and this process; the data is two structs of three words.
    let set = unsafe { libc::syscall(libc::SYS_capset, header.as_ptr(), none.as_ptr()) };
    if set == 0 { Ok(()) } else { Err("capabilities could not be given up".to_owned()) }
}

/// Closes every file that this process holds besides its three standard ones.
pub fn close_other_files() {
    // SAFETY: closes descriptors that nothing in this process uses any more; it becomes another
    // program next.
    let closed = unsafe { libc::syscall(libc::SYS_close_range, 3_u32, u32::MAX, 0_u32) };
    if closed != 0 {
        for descriptor in 3..1024 {
            // SAFETY: as above, one by one for kernels without the range call.
            unsafe { libc::close(descriptor) };
        }
    }
}

/// Whether a socket of that family can be made.
pub fn can_make_socket(local: bool) -> bool {
    let family = if local { libc::AF_UNIX } else { libc::AF_INET };
    // SAFETY: makes a descriptor or fails; no pointers.
    let socket = unsafe { libc::socket(family, libc::SOCK_STREAM | libc::SOCK_CLOEXEC, 0) };
    if socket >= 0 {
        // SAFETY: it was just made and nobody else has it.
        unsafe { libc::close(socket) };
    }
    socket >= 0
}

/// The signals that this process ignores, of those that a terminal or a service manager sends.
pub fn ignored_signals() -> Vec<i32> {
    super::ward::FORWARDED
        .iter()
        .copied()
        .filter(|signal| {
            let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
            // SAFETY: only asks; `action` is valid for the kernel's answer.
            let asked = unsafe { libc::sigaction(*signal, std::ptr::null(), action.as_mut_ptr()) };
            // SAFETY: the call filled it, or it is all zero, which is a valid value.
            asked == 0 && unsafe { action.assume_init() }.sa_sigaction == libc::SIG_IGN
        })
        .collect()
}

/// Gives every forwarded signal its default back, but for `ignored`.
pub fn reset_signals(ignored: &[i32]) {
    for signal in super::ward::FORWARDED {
        let action = if ignored.contains(&signal) { libc::SIG_IGN } else { libc::SIG_DFL };
        // SAFETY: sets a disposition without a handler.
        unsafe { libc::signal(signal, action) };
    }
}

/// Becomes another program; comes back only with why not.
pub fn become_program(argv: &[OsString]) -> io::Error {
    let Some((program, args)) = argv.split_first() else {
        return io::Error::from(io::ErrorKind::InvalidInput);
    };
    Command::new(program).args(args).exec()
}
