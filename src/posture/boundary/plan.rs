//! What a boundary bounds and what it does not, for a person and as a document.

#![forbid(unsafe_code)]

use super::Backend;

/// The plan of one backend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// How it is drawn.
    pub backend: Backend,
    /// What it bounds.
    pub bounds: Vec<&'static str>,
    /// What it does not bound.
    pub leaves: Vec<&'static str>,
}

/// The plan of `backend`; `level` is the kernel's Landlock level, `net` whether the network stays.
pub fn plan(backend: Backend, level: u32, net: bool) -> Plan {
    let mut bounds = vec![
        "files: only the workspace can be changed",
        "home: hidden, but for tool chains without their credentials",
        "terminal: no input can be pushed into it",
    ];
    let mut leaves = Vec::new();
    match backend {
        Backend::Bwrap => {
            bounds.extend([
                "processes: only its own can be seen or signalled",
                "sockets: those in /tmp, /var/tmp, /run and home are hidden",
                "wiring: .claude, .mcp.json, .git/hooks and .git/config stay as they are",
            ]);
            leaves.push("sockets elsewhere in the file system can be connected to");
        }
        Backend::Landlock => {
            bounds.push("sockets: no local one can be made, so no tmux server can be reached");
            if level >= 6 {
                bounds.push("processes: those outside cannot be signalled");
            } else {
                leaves.push("processes outside can be signalled");
            }
            leaves.extend([
                "the list of processes and their command lines can be read",
                "modes, times and attributes of files outside can be changed by their owner",
                ".claude, .mcp.json, .git/hooks and .git/config in the workspace can be changed",
            ]);
        }
    }
    if net {
        leaves.push("the network is open");
    } else {
        bounds.push("network: none, not even the host's own loopback");
    }
    Plan { backend, bounds, leaves }
}
