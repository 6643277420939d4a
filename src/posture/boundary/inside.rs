//! The first process inside: proves the boundary, gives up the rest, becomes the command.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::Backend;
use super::start::Task;
use crate::sys::confine::{self, NoSockets, Reach};
use crate::sys::{child, file, place};

/// The hidden subcommand's name.
pub const NAME: &str = "contain-inside";

/// More processes than this are somebody else's too: bubblewrap, its init, and this one.
const OWN_PROCESSES: usize = 4;

/// What the process is to prove and to give up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// Who drew the boundary.
    pub backend: Option<Backend>,
    /// The network stays.
    pub net: bool,
    /// Signals that the command finds ignored, as its starter left them.
    pub ignored: Vec<i32>,
    /// Directories in which nothing may be made.
    pub closed: Vec<PathBuf>,
    /// What must not be readable.
    pub secret: Vec<PathBuf>,
    /// What Landlock leaves.
    pub reach: Reach,
}

/// The words of an order and its task, for the process inside.
pub fn words(order: &Order, task: &Task<'_>) -> Vec<OsString> {
    let mut words: Vec<OsString> = vec![NAME.into()];
    let mut add = |option: &str, value: OsString| words.extend([option.into(), value]);
    add("--backend", order.backend.map_or("", Backend::as_str).into());
    for signal in &order.ignored {
        add("--ignore", signal.to_string().into());
    }
    for (option, paths) in [
        ("--closed", &order.closed),
        ("--secret", &order.secret),
        ("--read", &order.reach.read),
        ("--write", &order.reach.write),
        ("--device", &order.reach.devices),
    ] {
        for path in paths {
            add(option, path.clone().into());
        }
    }
    if order.net {
        words.push("--net".into());
    }
    match task {
        Task::Proof => words.push("--proof".into()),
        Task::Command(argv) => {
            words.push("--".into());
            words.extend(argv.iter().cloned());
        }
    }
    words
}

/// Reads the words back: the order, and the command or `None` for the proof alone.
fn read(args: impl Iterator<Item = OsString>) -> Option<(Order, Option<Vec<OsString>>)> {
    let mut order = Order::default();
    let mut args = args.peekable();
    loop {
        let word = args.next()?;
        match word.to_str()? {
            "--" => return Some((order, Some(args.collect()))),
            "--proof" => return Some((order, None)),
            "--net" => order.net = true,
            "--backend" => {
                let name = args.next()?;
                order.backend = Backend::ALL.into_iter().find(|backend| backend.as_str() == name);
            }
            "--ignore" => order.ignored.push(args.next()?.to_str()?.parse().ok()?),
            "--closed" => order.closed.push(args.next()?.into()),
            "--secret" => order.secret.push(args.next()?.into()),
            "--read" => order.reach.read.push(args.next()?.into()),
            "--write" => order.reach.write.push(args.next()?.into()),
            "--device" => order.reach.devices.push(args.next()?.into()),
            _ => return None,
        }
    }
}

/// How it ended: a status for the process, and a sentence for a refusal.
pub struct Ended {
    /// 125 for a boundary that does not hold, 126 and 127 as env(1).
    pub status: u8,
    /// Why.
    pub sentence: Option<String>,
}

/// Runs with the words after [`NAME`]. Comes back only when the command does not run.
pub fn run(args: impl Iterator<Item = OsString>) -> Ended {
    let refused = |sentence: String| Ended { status: 125, sentence: Some(sentence) };
    let Some((mut order, command)) = read(args) else {
        return refused("this command is `ringfence contain`'s own".to_owned());
    };
    order.reach.net = order.net;
    if let Err(sentence) = give_up(&order).and_then(|()| prove(&order)) {
        return refused(sentence);
    }
    let Some(command) = command else { return Ended { status: 0, sentence: None } };
    confine::reset_signals(&order.ignored);
    confine::close_other_files();
    let error = confine::become_program(&command);
    let name = command.first().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let status = if error.kind() == std::io::ErrorKind::NotFound { 127 } else { 126 };
    Ended { status, sentence: Some(format!("`{name}` did not start: {error}")) }
}

fn give_up(order: &Order) -> Result<(), String> {
    let sockets = match order.backend {
        Some(Backend::Landlock) => {
            // Root looks into other processes by a capability that Landlock does not ask about.
            confine::drop_capabilities()?;
            confine::restrict(&order.reach)?;
            NoSockets { local: true, network: !order.net }
        }
        Some(Backend::Bwrap) => {
            // Namespaces bound it already; this closes abstract sockets where the network stays.
            if confine::landlock_level() >= 6 {
                confine::restrict_scope()?;
            }
            NoSockets { local: false, network: false }
        }
        None => return Err("no backend is named".to_owned()),
    };
    confine::filter_calls(sockets)
}

/// Tries to break the boundary.
fn prove(order: &Order) -> Result<(), String> {
    for dir in &order.closed {
        if child::try_write(dir).is_ok() {
            return Err(format!("the boundary does not hold: `{}` can be changed", dir.display()));
        }
    }
    for secret in &order.secret {
        if is_readable(secret) {
            return Err(format!("the boundary does not hold: `{}` can be read", secret.display()));
        }
    }
    prove_no_capabilities()?;
    match order.backend {
        Some(Backend::Bwrap) => prove_namespaces(order.net),
        Some(Backend::Landlock) => prove_no_sockets(order.net),
        None => Ok(()),
    }
}

/// A directory with something in it, or a file with bytes in it. An empty one hides the real one.
fn is_readable(path: &Path) -> bool {
    if place::is_directory(path) {
        return !file::names(path).is_empty();
    }
    file::read_bounded_special(&path.to_string_lossy(), 1).is_ok_and(|bytes| !bytes.is_empty())
}

fn prove_no_capabilities() -> Result<(), String> {
    let status = file::read_bounded_special("/proc/self/status", 64 << 10).unwrap_or_default();
    let status = String::from_utf8_lossy(&status).into_owned();
    let none = |name: &str| {
        let set = status.lines().find_map(|line| line.strip_prefix(name));
        set.is_some_and(|set| set.trim().bytes().all(|digit| digit == b'0'))
    };
    if none("CapEff:") && none("CapPrm:") && none("CapBnd:") {
        return Ok(());
    }
    Err("the boundary does not hold: the process keeps capabilities".to_owned())
}

fn prove_namespaces(net: bool) -> Result<(), String> {
    let numbered = |name: &String| name.bytes().all(|byte| byte.is_ascii_digit());
    let processes = file::names(Path::new("/proc")).iter().filter(|name| numbered(name)).count();
    if processes == 0 || processes > OWN_PROCESSES {
        return Err("the boundary does not hold: processes outside can be seen".to_owned());
    }
    if net {
        return Ok(());
    }
    let devices = file::read_bounded_special("/proc/self/net/dev", 64 << 10).unwrap_or_default();
    let devices = String::from_utf8_lossy(&devices).into_owned();
    let mut names =
        devices.lines().filter_map(|line| line.split_once(':')).map(|(name, _)| name.trim());
    if names.any(|name| name != "lo") {
        return Err("the boundary does not hold: there is a network".to_owned());
    }
    Ok(())
}

fn prove_no_sockets(net: bool) -> Result<(), String> {
    if confine::can_make_socket(true) {
        return Err("the boundary does not hold: local sockets can be made".to_owned());
    }
    if !net && confine::can_make_socket(false) {
        return Err("the boundary does not hold: network sockets can be made".to_owned());
    }
    Ok(())
}
