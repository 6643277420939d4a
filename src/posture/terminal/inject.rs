//! Programs that put input into someone's terminal or window.

use super::screen::only_reads;
use super::words::{known_texts, literals};
use super::{Call, Judged, Wrong, target};
use crate::shell::{Stdin, Word};

/// Judges the programs of this kind; every other passes.
pub(super) fn judge(call: &Call<'_>) -> Judged {
    let args = call.args();
    match call.name {
        "kitty" | "kitten" => kitty(call),
        "wezterm" | "wezterm-gui" => wezterm(args),
        "osascript" => osascript(call),
        "xdotool" => xdotool(args),
        "ttyecho" | "reptyr" | "wtype" | "dotool" | "dotoolc" | "ydotool" | "ydotoold"
        | "wlrctl" | "conspy" | "openvt" | "chvt" | "write" | "wall" | "injcode" => {
            if only_reads(args, &["help"]) { Ok(()) } else { Err(puts_input(call)) }
        }
        "tmuxp" => sessions(call, &["ls", "convert", "debug-info", "edit"]),
        "tmuxinator" | "mux" | "teamocil" | "smug" => sessions(
            call,
            &["list", "ls", "l", "version", "doctor", "help", "commands", "completions", "debug"],
        ),
        "dtach" | "abduco" => holders(call),
        "vi" | "vim" | "gvim" | "nvim" => remote_editor(args),
        _ => interpreter(call),
    }
}

fn puts_input(call: &Call<'_>) -> Wrong {
    Wrong::new(format!("`{}` puts input or text into someone's terminal or window", call.name))
}

/// `kitty @ …` speaks to the person's kitty.
fn kitty(call: &Call<'_>) -> Judged {
    let args = call.args();
    let Some(at) = args.iter().position(|word| matches!(word.literal(), Some("@") | Some("@ ")))
    else {
        return Ok(());
    };
    let rest = args.get(at + 1..).unwrap_or(&[]);
    let own = literals(rest).zip(literals(rest).skip(1)).any(|(option, value)| {
        option == "--to"
            && value.strip_prefix("unix:").is_some_and(|socket| call.is_own_path(socket))
    });
    if own || only_reads(rest, &["ls", "get-text", "get-colors"]) {
        return Ok(());
    }
    Err(Wrong::new("remote-controls the person's kitty"))
}

fn wezterm(args: &[Word]) -> Judged {
    let mut texts = args.iter().skip_while(|word| word.literal() != Some("cli"));
    if texts.next().is_none() {
        return Ok(());
    }
    let rest: Vec<Word> = texts.cloned().collect();
    if only_reads(&rest, &["list", "list-clients", "get-text", "get-pane-direction", "help"]) {
        return Ok(());
    }
    Err(Wrong::new("remote-controls the person's WezTerm"))
}

/// A script that makes a terminal run or write something, or presses keys.
fn osascript(call: &Call<'_>) -> Judged {
    let mut texts: Vec<String> =
        call.args().iter().flat_map(known_texts).map(str::to_lowercase).collect();
    if let Stdin::Text(text) = &call.invocation.stdin {
        texts.push(text.to_lowercase());
    }
    for word in literals(call.args()).filter(|text| !text.starts_with('-')) {
        let path = crate::shell::absolute(call.invocation.cwd.as_deref(), word);
        texts.extend(path.and_then(|path| call.around.files.text(&path)));
    }
    let all = texts.join("\n").to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| all.contains(word));
    let terminal = has(&["terminal", "iterm", "warp", "ghostty", "kitty", "wezterm", "alacritty"]);
    let writes = has(&["do script", "doscript", "write text", "write contents", "create window"]);
    let keys = has(&["keystroke", "key code", "keycode"]);
    if keys || (terminal && writes) {
        return Err(Wrong::new("makes a person's terminal run or write something"));
    }
    Ok(())
}

fn xdotool(args: &[Word]) -> Judged {
    const ACTS: [&str; 16] = [
        "key",
        "keydown",
        "keyup",
        "type",
        "click",
        "mousedown",
        "mouseup",
        "windowkill",
        "windowclose",
        "windowquit",
        "exec",
        "set_window",
        "windowreparent",
        "windowunmap",
        "behave",
        "-",
    ];
    let known: Vec<&str> = literals(args).collect();
    let acts = known.iter().any(|text| ACTS.contains(text));
    // A script on standard input or in a file is not read.
    let asks = known.first().is_some_and(|first| {
        first.starts_with("get")
            || matches!(*first, "search" | "help" | "version")
            || first.starts_with('-')
    });
    if !acts && asks {
        return Ok(());
    }
    Err(Wrong::new("`xdotool` puts input into someone's window"))
}

/// Managers that build, change and end whole sessions from a file.
fn sessions(call: &Call<'_>, reads: &[&str]) -> Judged {
    if only_reads(call.args(), reads) {
        return Ok(());
    }
    Err(Wrong::new(format!("`{}` changes sessions of the owner's server", call.name))
        .instead(format!("tmux new-session -d -s {}", call.own_name())))
}

/// dtach and abduco: `-n`/`-c` create, `-a`/`-p` and a bare name reach what is there.
fn holders(call: &Call<'_>) -> Judged {
    let args = call.args();
    let known: Vec<&str> = literals(args).collect();
    let option = known.iter().find(|text| text.starts_with('-')).copied().unwrap_or("");
    if known.is_empty() && call.name == "abduco" {
        return Ok(());
    }
    if matches!(option, "-n" | "-N" | "-c") || only_reads(args, &[]) {
        return Ok(());
    }
    let name = args.iter().find(|word| word.literal().is_none_or(|text| !text.starts_with('-')));
    match name {
        Some(word)
            if word
                .literal()
                .is_some_and(|path| call.is_own_path(path) && call.name == "dtach") =>
        {
            Ok(())
        }
        Some(word) => target::require(call, word),
        None => Err(puts_input(call)),
    }
}

/// An editor told to send keys to another one.
fn remote_editor(args: &[Word]) -> Judged {
    if literals(args)
        .any(|text| text.starts_with("--remote-send") || text.starts_with("--remote-expr"))
    {
        return Err(Wrong::new("sends keys to an editor that someone else may have open"));
    }
    Ok(())
}

/// Code that pushes bytes into a terminal's input, as far as it can be read.
fn interpreter(call: &Call<'_>) -> Judged {
    const NAMES: [&str; 9] =
        ["python", "perl", "ruby", "node", "php", "lua", "bun", "deno", "tclsh"];
    let base = call.name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    if !NAMES.contains(&base) {
        return Ok(());
    }
    let mut texts: Vec<&str> = call.args().iter().flat_map(known_texts).collect();
    if let Stdin::Text(text) = &call.invocation.stdin {
        texts.push(text);
    }
    for text in texts {
        if ["TIOCSTI", "0x5412", "21522", "0x80017472"].iter().any(|word| text.contains(word)) {
            return Err(Wrong::new("pushes input into a terminal (TIOCSTI)"));
        }
        let device = ["/dev/pts/", "/dev/tty1", "/dev/tty2", "/dev/ttys"]
            .iter()
            .any(|device| text.contains(device));
        let writes =
            ["'w'", "\"w\"", "'a'", "\"a\"", "write", "'r+", "\"r+", "O_WRONLY", "O_RDWR", ">"]
                .iter()
                .any(|word| text.contains(word));
        if device && writes {
            return Err(Wrong::new("writes to another terminal's device"));
        }
    }
    Ok(())
}
