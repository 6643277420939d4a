//! tmux's commands: names, aliases, options with a value, and what each does to a server.

/// What a command does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Does {
    /// Reads; any target.
    Reads,
    /// Reads with `-p`, else it leaves something on the server.
    ReadsToStandardOutput,
    /// Drives a target: `-t`, and for some `-s`, must be the run's own.
    Drives,
    /// Drives a target and starts a program on the server.
    Starts,
    /// Creates a session.
    Creates,
    /// Attaches a terminal to a target.
    Attaches,
    /// Concerns the whole server or someone's client; no target makes it the run's own.
    Server,
    /// Reads commands from files.
    Sources,
}

/// One command.
pub(super) struct Verb {
    pub(super) name: &'static str,
    pub(super) alias: &'static str,
    pub(super) does: Does,
    /// Letters of the options that take a value.
    pub(super) valued: &'static str,
    /// Letters whose value names what is acted on.
    pub(super) targets: &'static str,
    /// Letters that widen it beyond its target.
    pub(super) wide: &'static str,
}

const fn verb(
    name: &'static str,
    alias: &'static str,
    does: Does,
    valued: &'static str,
    targets: &'static str,
    wide: &'static str,
) -> Verb {
    Verb { name, alias, does, valued, targets, wide }
}

use Does::{Attaches, Creates, Drives, Reads, ReadsToStandardOutput, Server, Sources, Starts};

/// Every command of tmux 3.6 and of the versions before it.
pub(super) const VERBS: &[Verb] = &[
    verb("attach-session", "attach", Attaches, "cft", "t", ""),
    verb("bind-key", "bind", Server, "NT", "", ""),
    verb("break-pane", "breakp", Drives, "Fnst", "st", ""),
    verb("capture-pane", "capturep", ReadsToStandardOutput, "bESt", "", ""),
    verb("choose-buffer", "", Drives, "FfKOt", "t", ""),
    verb("choose-client", "", Drives, "FfKOt", "t", ""),
    verb("choose-session", "", Drives, "FfKOt", "t", ""),
    verb("choose-tree", "", Drives, "FfKOt", "t", ""),
    verb("choose-window", "", Drives, "FfKOt", "t", ""),
    verb("clear-history", "clearhist", Drives, "t", "t", ""),
    verb("clear-prompt-history", "clearphist", Server, "T", "", ""),
    verb("clock-mode", "", Drives, "t", "t", ""),
    verb("command-prompt", "", Server, "IpTt", "", ""),
    verb("confirm-before", "confirm", Server, "cpt", "", ""),
    verb("copy-mode", "", Drives, "st", "st", ""),
    verb("customize-mode", "", Drives, "Fft", "t", ""),
    verb("delete-buffer", "deleteb", Server, "b", "", ""),
    verb("detach-client", "detach", Drives, "Est", "st", "a"),
    verb("display-menu", "menu", Server, "bcCHsStTxy", "", ""),
    verb("display-message", "display", ReadsToStandardOutput, "cdFt", "", ""),
    verb("display-panes", "displayp", Server, "dt", "", ""),
    verb("display-popup", "popup", Starts, "bcdehsStTwxy", "ct", ""),
    verb("find-window", "findw", Drives, "t", "t", ""),
    verb("has-session", "has", Reads, "t", "", ""),
    verb("if-shell", "if", Starts, "t", "t", ""),
    verb("info", "", Reads, "", "", ""),
    verb("join-pane", "joinp", Drives, "lpst", "st", ""),
    verb("kill-pane", "killp", Drives, "t", "t", "a"),
    verb("kill-server", "", Server, "", "", ""),
    verb("kill-session", "", Drives, "t", "t", "a"),
    verb("kill-window", "killw", Drives, "t", "t", "a"),
    verb("last-pane", "lastp", Drives, "t", "t", ""),
    verb("last-window", "last", Drives, "t", "t", ""),
    verb("link-window", "linkw", Drives, "st", "st", ""),
    verb("list-buffers", "lsb", Reads, "FfO", "", ""),
    verb("list-clients", "lsc", Reads, "FfOt", "", ""),
    verb("list-commands", "lscm", Reads, "F", "", ""),
    verb("list-keys", "lsk", Reads, "FOPT", "", ""),
    verb("list-panes", "lsp", Reads, "FfOt", "", ""),
    verb("list-sessions", "ls", Reads, "FfO", "", ""),
    verb("list-windows", "lsw", Reads, "FfOt", "", ""),
    verb("load-buffer", "loadb", Server, "bt", "", ""),
    verb("lock-client", "lockc", Server, "t", "", ""),
    verb("lock-server", "lock", Server, "", "", ""),
    verb("lock-session", "locks", Drives, "t", "t", ""),
    verb("move-pane", "movep", Drives, "lpst", "st", ""),
    verb("move-window", "movew", Drives, "st", "st", ""),
    verb("new-session", "new", Creates, "ceFfnstxy", "t", ""),
    verb("new-window", "neww", Starts, "ceFnt", "t", ""),
    verb("next-layout", "nextl", Drives, "t", "t", ""),
    verb("next-window", "next", Drives, "t", "t", ""),
    verb("paste-buffer", "pasteb", Drives, "bst", "t", ""),
    verb("pipe-pane", "pipep", Starts, "t", "t", ""),
    verb("previous-layout", "prevl", Drives, "t", "t", ""),
    verb("previous-window", "prev", Drives, "t", "t", ""),
    verb("refresh-client", "refresh", Server, "ABCfrt", "", ""),
    // A new name may look like the run's own, or hide one that is.
    verb("rename-session", "rename", Server, "t", "", ""),
    verb("rename-window", "renamew", Drives, "t", "t", ""),
    verb("resize-pane", "resizep", Drives, "txy", "t", ""),
    verb("resize-window", "resizew", Drives, "txy", "t", ""),
    verb("respawn-pane", "respawnp", Starts, "cet", "t", ""),
    verb("respawn-window", "respawnw", Starts, "cet", "t", ""),
    verb("rotate-window", "rotatew", Drives, "t", "t", ""),
    verb("run-shell", "run", Starts, "cdt", "t", ""),
    verb("save-buffer", "saveb", Server, "b", "", ""),
    verb("select-layout", "selectl", Drives, "t", "t", ""),
    verb("select-pane", "selectp", Drives, "PtT", "t", ""),
    verb("select-window", "selectw", Drives, "t", "t", ""),
    verb("send-keys", "send", Drives, "cNt", "ct", ""),
    verb("send-prefix", "", Drives, "t", "t", ""),
    verb("server-access", "", Server, "", "", ""),
    verb("server-info", "", Reads, "", "", ""),
    verb("set-buffer", "setb", Server, "bnt", "", ""),
    verb("set-environment", "setenv", Drives, "t", "t", "g"),
    verb("set-hook", "", Starts, "Bt", "t", "g"),
    verb("set-option", "set", Drives, "t", "t", "gs"),
    verb("set-window-option", "setw", Drives, "t", "t", "g"),
    verb("show-buffer", "showb", Reads, "b", "", ""),
    verb("show-environment", "showenv", Reads, "t", "", ""),
    verb("show-hooks", "", Reads, "t", "", ""),
    verb("show-messages", "showmsgs", Reads, "t", "", ""),
    verb("show-options", "show", Reads, "t", "", ""),
    verb("show-prompt-history", "showphist", Reads, "T", "", ""),
    verb("show-window-options", "showw", Reads, "t", "", ""),
    verb("source-file", "source", Sources, "t", "", ""),
    verb("split-pane", "splitp", Starts, "ceFlpt", "t", ""),
    verb("split-window", "splitw", Starts, "ceFlpt", "t", ""),
    verb("start-server", "start", Reads, "", "", ""),
    verb("suspend-client", "suspendc", Server, "t", "", ""),
    verb("swap-pane", "swapp", Drives, "st", "st", ""),
    verb("swap-window", "swapw", Drives, "st", "st", ""),
    verb("switch-client", "switchc", Server, "ctT", "", ""),
    verb("unbind-key", "unbind", Server, "T", "", ""),
    verb("unlink-window", "unlinkw", Drives, "t", "t", "a"),
    verb("wait-for", "wait", Reads, "", "", ""),
];

/// The commands that `word` can be: an alias or a whole name is one, a beginning may be several.
pub(super) fn find(word: &str) -> Vec<&'static Verb> {
    let exact = |verb: &&Verb| verb.name == word || (!verb.alias.is_empty() && verb.alias == word);
    match VERBS.iter().find(exact) {
        Some(verb) => vec![verb],
        None => VERBS.iter().filter(|verb| verb.name.starts_with(word)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_each_target_takes_a_value() {
        assert!(VERBS.windows(2).all(|two| two[0].name < two[1].name));
        for verb in VERBS {
            assert!(verb.targets.chars().all(|t| verb.valued.contains(t)), "{}", verb.name);
            assert!(verb.wide.chars().all(|w| !verb.valued.contains(w)), "{}", verb.name);
        }
    }

    #[test]
    fn a_beginning_that_fits_one_command_is_that_command() {
        for (word, name) in
            [("send", "send-keys"), ("kill-ses", "kill-session"), ("resp", "respawn-pane")]
        {
            assert_eq!(find(word).first().map(|verb| verb.name), Some(name), "{word}");
        }
        assert!(find("nonsense").is_empty());
    }
}
