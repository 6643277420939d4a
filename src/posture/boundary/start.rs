//! Draws the boundary and runs a command in it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::Backend;
use super::ground::LEADS_OUT;
use super::inside::{self, Order};
use super::layout::{self, Ground};
use crate::sys::child::Scratch;
use crate::sys::confine::{self, Reach};
use crate::sys::ward::{self, Ward};
use crate::sys::{env, file, place};

/// Where bubblewrap tells the process that signals go to.
const TELLS_PID_ON: i32 = 9;

/// Devices that every program may use.
const DEVICES: [&str; 6] =
    ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/// What is run inside.
pub enum Task<'a> {
    /// A command.
    Command(&'a [OsString]),
    /// The proof alone.
    Proof,
}

/// Runs `task` inside a boundary drawn by `backend`: the command's own status.
///
/// # Errors
/// A sentence, when the boundary cannot be drawn; what is not proved inside is status 125 and a
/// sentence on standard error.
pub fn run(backend: Backend, ground: &Ground, task: &Task<'_>) -> Result<i32, String> {
    if let Some(why) = layout::refuse(ground) {
        return Err(why);
    }
    match backend {
        Backend::Bwrap => run_bwrap(ground, task),
        Backend::Landlock => run_landlock(ground, task),
    }
}

fn run_bwrap(ground: &Ground, task: &Task<'_>) -> Result<i32, String> {
    let bwrap = bubblewrap().ok_or("bubblewrap (`bwrap`) is not installed")?;
    let mut argv: Vec<OsString> = vec![bwrap.clone().into()];
    argv.extend(["--info-fd".into(), TELLS_PID_ON.to_string().into()]);
    argv.extend(layout::bwrap(ground));
    argv.extend(["--".into(), layout::INNER.into()]);
    argv.extend(inside::words(&order(Backend::Bwrap, ground, Reach::default()), task));
    let tmp = Some(OsString::from("/tmp"));
    start(&argv, Path::new("/"), tmp, Some(TELLS_PID_ON))
        .map_err(|error| format!("`{}` did not start: {error}", bwrap.display()))
}

/// Where bubblewrap is. Not by a name that PATH could give to another program.
pub fn bubblewrap() -> Option<PathBuf> {
    ["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap"]
        .iter()
        .map(PathBuf::from)
        .find(|path| env::is_program(path))
}

fn run_landlock(ground: &Ground, task: &Task<'_>) -> Result<i32, String> {
    let level = confine::landlock_level();
    if level == 0 {
        return Err("the kernel has no Landlock".to_owned());
    }
    let scratch = Scratch::new().map_err(|error| format!("no private TMPDIR: {error}"))?;
    let tmp = scratch.path();
    let mut reach = Reach {
        devices: DEVICES.iter().map(PathBuf::from).collect(),
        net: ground.net,
        ..Reach::default()
    };
    open_around_hidden(ground, Path::new("/"), &mut reach.read);
    reach.read.extend(ground.read.iter().cloned());
    // It becomes the command, and has to be read for that.
    reach.read.push(ground.binary.clone());
    reach.write.extend([ground.workspace.clone(), tmp.clone()]);
    reach.write.extend(ground.write.iter().cloned());
    let mut argv: Vec<OsString> = vec![ground.binary.clone().into()];
    argv.extend(inside::words(&order(Backend::Landlock, ground, reach), task));
    start(&argv, &ground.cwd, Some(tmp.into()), None)
        .map_err(|error| format!("the boundary's process did not start: {error}"))
}

fn order(backend: Backend, ground: &Ground, reach: Reach) -> Order {
    Order {
        backend: Some(backend),
        net: ground.net,
        ignored: confine::ignored_signals(),
        closed: vec![PathBuf::from("/"), PathBuf::from("/etc"), PathBuf::from("/usr")],
        secret: ground.secrets.clone(),
        reach,
    }
}

/// Everything readable but for what is hidden: whole directories where they can be.
fn open_around_hidden(ground: &Ground, dir: &Path, open: &mut Vec<PathBuf>) {
    for name in file::names(dir) {
        let path = dir.join(name);
        // A link's target is reached by its own path.
        if place::is_link(&path) || layout::is_hidden(ground, &path) || path == Path::new("/dev") {
            continue;
        }
        if layout::is_above_hidden(ground, &path) {
            open_around_hidden(ground, &path, open);
        } else {
            open.push(path);
        }
    }
}

fn start(
    argv: &[OsString],
    cwd: &Path,
    tmp: Option<OsString>,
    tells_pid_on: Option<i32>,
) -> std::io::Result<i32> {
    let mut env: Vec<(&str, Option<OsString>)> =
        LEADS_OUT.iter().map(|name| (*name, None)).collect();
    env.push(("TMPDIR", tmp));
    env.push(("RINGFENCE_CONTAINED", Some("1".into())));
    ward::run(&Ward { argv, cwd, env: &env, tells_pid_on })
}
