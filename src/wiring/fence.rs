//! What one settings file of the client says about where its tools may write. Pure.

#![forbid(unsafe_code)]

use super::document::Node;

/// The keys of one file that concern writing, as they stand there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fence {
    /// `sandbox.enabled`.
    pub sandboxed: Option<bool>,
    /// `sandbox.failIfUnavailable`.
    pub fails_without: Option<bool>,
    /// `sandbox.bwrapPath`.
    pub bubblewrap: Option<String>,
    /// `sandbox.filesystem.disabled`.
    pub files_open: Option<bool>,
    /// `sandbox.filesystem.allowWrite`.
    pub allow_write: Vec<String>,
    /// `sandbox.filesystem.denyWrite`.
    pub deny_write: Vec<String>,
    /// `sandbox.excludedCommands`.
    pub excluded: Vec<String>,
    /// `permissions.additionalDirectories`.
    pub directories: Vec<String>,
    /// `permissions.allow`.
    pub allow: Vec<String>,
    /// `permissions.deny`.
    pub deny: Vec<String>,
    /// `permissions.ask`.
    pub ask: Vec<String>,
    /// `autoMemoryEnabled`.
    pub auto_memory: Option<bool>,
    /// `autoMemoryDirectory`.
    pub auto_memory_dir: Option<String>,
}

impl Fence {
    /// Reads the file's top level.
    pub fn of(root: &Node) -> Self {
        let sandbox = root.get("sandbox");
        let files = sandbox.and_then(|sandbox| sandbox.get("filesystem"));
        let permissions = root.get("permissions");
        let truth = |node: Option<&Node>, key: &str| node?.get(key)?.truth();
        let text = |node: Option<&Node>, key: &str| Some(node?.get(key)?.text()?.to_owned());
        let texts = |node: Option<&Node>, key: &str| -> Vec<String> {
            let items = node.and_then(|node| node.get(key)).map(Node::items).unwrap_or_default();
            items.iter().filter_map(Node::text).map(str::to_owned).collect()
        };
        Self {
            sandboxed: truth(sandbox, "enabled"),
            fails_without: truth(sandbox, "failIfUnavailable"),
            bubblewrap: text(sandbox, "bwrapPath"),
            files_open: truth(files, "disabled"),
            allow_write: texts(files, "allowWrite"),
            deny_write: texts(files, "denyWrite"),
            excluded: texts(sandbox, "excludedCommands"),
            directories: texts(permissions, "additionalDirectories"),
            allow: texts(permissions, "allow"),
            deny: texts(permissions, "deny"),
            ask: texts(permissions, "ask"),
            auto_memory: truth(Some(root), "autoMemoryEnabled"),
            auto_memory_dir: text(Some(root), "autoMemoryDirectory"),
        }
    }
}
