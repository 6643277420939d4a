//! The table of programs that start another program named in their arguments.
//!
//! Each row says how its own arguments end and the command begins. Programs whose grammar does not
//! fit a row are in `special.rs`.

/// How a launcher names its command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// After the options and `operands` words, the rest is the command.
    Tail,
    /// The same, but `name=value` words before the command are its environment.
    TailWithEnv,
    /// The rest, joined by blanks, is shell code.
    JoinedCode,
    /// A single word is shell code, several are a command.
    CodeOrTail,
    /// Each operand is shell code of its own.
    EachCode,
    /// Only the options in `code` start something.
    Options,
    /// Only after a `--`, the rest is the command.
    AfterDashes,
}

/// One launcher.
pub(super) struct Launcher {
    pub(super) names: &'static [&'static str],
    /// Options that take the next word as their value.
    pub(super) valued: &'static [&'static str],
    /// Options whose value is shell code.
    pub(super) code: &'static [&'static str],
    /// Words between the options and the command.
    pub(super) operands: usize,
    pub(super) shape: Shape,
    /// A subcommand that must come first (`direnv exec`), one of these.
    pub(super) verbs: &'static [&'static str],
    pub(super) remote: bool,
    /// A subcommand that may stand before the command.
    pub(super) perhaps: &'static [&'static str],
    /// A line that starts `cortex x`, for the test of the table.
    #[cfg_attr(not(test), expect(dead_code, reason = "read by the test of the table"))]
    pub(super) example: &'static str,
    /// A line that starts nothing of that kind.
    #[cfg_attr(not(test), expect(dead_code, reason = "read by the test of the table"))]
    pub(super) near_miss: &'static str,
}

const fn row(
    names: &'static [&'static str],
    shape: Shape,
    operands: usize,
    valued: &'static [&'static str],
    example: &'static str,
    near_miss: &'static str,
) -> Launcher {
    Launcher {
        names,
        valued,
        code: &[],
        operands,
        shape,
        verbs: &[],
        remote: false,
        perhaps: &[],
        example,
        near_miss,
    }
}

impl Launcher {
    const fn code(mut self, code: &'static [&'static str]) -> Self {
        self.code = code;
        self
    }

    const fn verbs(mut self, verbs: &'static [&'static str]) -> Self {
        self.verbs = verbs;
        self
    }

    const fn perhaps(mut self, perhaps: &'static [&'static str]) -> Self {
        self.perhaps = perhaps;
        self
    }

    const fn remote(mut self) -> Self {
        self.remote = true;
        self
    }
}

use Shape::{AfterDashes, CodeOrTail, EachCode, JoinedCode, Options, Tail, TailWithEnv};

/// All rows.
pub(super) const LAUNCHERS: &[Launcher] = &[
    // Other users and groups.
    row(
        &["sudo"],
        TailWithEnv,
        0,
        &[
            "-u",
            "-g",
            "-h",
            "-p",
            "-C",
            "-r",
            "-t",
            "-T",
            "-U",
            "-D",
            "-R",
            "--user",
            "--group",
            "--host",
            "--prompt",
            "--chdir",
            "--role",
            "--type",
            "--chroot",
            "--command-timeout",
        ],
        "sudo -E -u root -- A=1 cortex x",
        "sudo echo cortex x",
    ),
    row(&["doas"], Tail, 0, &["-u", "-C"], "doas -u me cortex x", "doas echo cortex x"),
    row(&["pkexec"], Tail, 0, &["--user"], "pkexec --user me cortex x", "pkexec echo cortex x"),
    row(&["gosu", "su-exec"], Tail, 1, &[], "gosu me cortex x", "gosu cortex echo x"),
    row(
        &["setpriv"],
        Tail,
        0,
        &[
            "--reuid",
            "--regid",
            "--groups",
            "--inh-caps",
            "--bounding-set",
            "--ruid",
            "--euid",
            "--rgid",
            "--egid",
        ],
        "setpriv --reuid 5 cortex x",
        "setpriv echo cortex x",
    ),
    row(
        &["runuser"],
        Tail,
        0,
        &["-u", "--user", "-g", "-G", "-s", "--shell"],
        "runuser -u me -- cortex x",
        "runuser -u cortex true x",
    )
    .code(&["-c", "--command"]),
    row(&["sg", "newgrp"], Options, 1, &[], "sg staff -c 'cortex x'", "sg cortex").code(&["-c"]),
    row(
        &["runcon"],
        Tail,
        1,
        &["-t", "-u", "-r", "-l"],
        "runcon ctx cortex x",
        "runcon cortex echo x",
    ),
    // The process's own circumstances.
    row(
        &[
            "nohup",
            "setsid",
            "catchsegv",
            "torsocks",
            "proxychains",
            "proxychains4",
            "rlwrap",
            "unbuffer",
            "fakeroot",
            "linux32",
            "linux64",
            "noti",
            "eatmydata",
            "firejail",
            "chronic",
            "systemd-inhibit",
            "ts-node-esm",
            "dbus-launch",
            "xdg-exec",
        ],
        Tail,
        0,
        &[],
        "setsid -w cortex x",
        "nohup echo cortex x",
    ),
    row(&["nice"], Tail, 0, &["-n", "--adjustment"], "nice -n 10 cortex x", "nice echo cortex x"),
    row(
        &["ionice"],
        Tail,
        0,
        &["-c", "-n", "-p", "--class", "--classdata"],
        "ionice -c3 cortex x",
        "ionice -c 3 echo cortex x",
    ),
    row(&["chrt"], Tail, 1, &["-T", "-P", "-D"], "chrt -f 10 cortex x", "chrt 10 echo cortex x"),
    row(&["taskset"], Tail, 1, &[], "taskset -c 0 cortex x", "taskset 1 echo cortex x"),
    row(
        &["numactl"],
        Tail,
        0,
        &["-m", "-N", "-C", "--membind", "--cpunodebind", "--physcpubind"],
        "numactl -N 0 cortex x",
        "numactl echo cortex x",
    ),
    row(
        &["timeout", "gtimeout"],
        Tail,
        1,
        &["-s", "-k", "--signal", "--kill-after"],
        "timeout -s KILL 5s cortex x",
        "timeout 5 echo cortex x",
    ),
    row(
        &["time", "gtime"],
        Tail,
        0,
        &["-f", "-o", "--format", "--output"],
        "/usr/bin/time -f %e cortex x",
        "/usr/bin/time echo cortex x",
    ),
    row(
        &["stdbuf"],
        Tail,
        0,
        &["-i", "-o", "-e", "--input", "--output", "--error"],
        "stdbuf -oL cortex x",
        "stdbuf -o L echo cortex x",
    ),
    row(&["prlimit"], Tail, 0, &["-p", "--pid"], "prlimit --nofile=5 cortex x", "prlimit --pid 5"),
    row(&["cpulimit"], AfterDashes, 0, &[], "cpulimit -l 5 -- cortex x", "cpulimit -l 5 -e cortex"),
    row(&["choom"], AfterDashes, 0, &[], "choom -n 5 -- cortex x", "choom -p 5"),
    row(
        &["faketime"],
        Tail,
        1,
        &["-f"],
        "faketime yesterday cortex x",
        "faketime now echo cortex x",
    ),
    row(&["caffeinate"], Tail, 0, &["-t", "-w"], "caffeinate -i cortex x", "caffeinate -t 5"),
    row(
        &["unshare"],
        Tail,
        0,
        &[
            "-S",
            "-G",
            "-R",
            "-w",
            "--wd",
            "--root",
            "--setuid",
            "--setgid",
            "--propagation",
            "--map-users",
            "--map-groups",
        ],
        "unshare -r cortex x",
        "unshare -r echo cortex x",
    ),
    row(
        &["nsenter"],
        Tail,
        0,
        &["-t", "--target", "-S", "-G"],
        "nsenter -t 1 -a cortex x",
        "nsenter -t 1 echo cortex x",
    ),
    row(&["chroot"], Tail, 1, &[], "chroot --userspec=u / cortex x", "chroot /cortex echo x"),
    row(
        &["flock"],
        Tail,
        1,
        &["-w", "-E", "--wait", "--timeout", "--conflict-exit-code"],
        "flock -w 5 /l cortex x",
        "flock /l echo cortex x",
    )
    .code(&["-c", "--command"]),
    row(
        &["setarch", "i386", "x86_64"],
        Tail,
        0,
        &[],
        "setarch -R cortex x",
        "setarch -R echo cortex x",
    ),
    row(
        &["ssh-agent", "dbus-run-session", "xvfb-run", "aa-exec", "cgexec", "capsh"],
        Tail,
        0,
        &["-n", "-s", "-e", "-f", "-p", "-g", "--config-file", "-l", "-t"],
        "dbus-run-session -- cortex x",
        "xvfb-run -n 5 echo cortex x",
    )
    .code(&["-c"]),
    row(
        &["systemd-run"],
        Tail,
        0,
        &[
            "-p",
            "--property",
            "-u",
            "--unit",
            "--uid",
            "--gid",
            "-E",
            "--setenv",
            "-M",
            "--machine",
            "--slice",
            "--working-directory",
            "--description",
            "--on-active",
            "--on-calendar",
            "-H",
            "--host",
        ],
        "systemd-run --user --wait cortex x",
        "systemd-run -u cortex echo x",
    ),
    row(
        &["daemonize"],
        Tail,
        0,
        &["-a", "-c", "-e", "-E", "-o", "-p", "-l", "-u"],
        "daemonize -p /p cortex x",
        "daemonize -p cortex /bin/echo x",
    ),
    row(
        &["ld.so", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1", "ld-musl-x86_64.so.1"],
        Tail,
        0,
        &["--library-path", "--preload", "--argv0", "--audit", "--inhibit-rpath"],
        "/lib64/ld-linux-x86-64.so.2 --argv0 y cortex x",
        "ld.so --argv0 cortex /bin/echo x",
    ),
    row(&["ip"], Tail, 1, &[], "ip netns exec n cortex x", "ip netns add cortex").verbs(&["exec"]),
    // Watching and tracing.
    row(
        &["strace", "ltrace", "dtruss"],
        Tail,
        0,
        &[
            "-e", "-o", "-p", "-s", "-u", "-E", "-a", "-b", "-I", "-O", "-P", "-S", "-U", "-X",
            "-n", "-l",
        ],
        "strace -f -o /t cortex x",
        "strace -o cortex echo x",
    ),
    row(
        &["valgrind", "heaptrack", "uftrace"],
        Tail,
        0,
        &[],
        "valgrind --tool=none cortex x",
        "valgrind echo cortex x",
    ),
    row(
        &["perf"],
        Tail,
        0,
        &["-e", "-o", "-F", "-g", "-p", "-t", "-r", "-C"],
        "perf stat -e x cortex x",
        "perf report cortex",
    )
    .verbs(&["stat", "record", "trace", "mem", "bench"]),
    row(
        &["script"],
        Tail,
        1,
        &["-T", "-B", "-I", "-O", "-E", "-o", "-m"],
        "script -qc 'cortex x' /dev/null",
        "script cortex",
    )
    .code(&["-c", "--command"]),
    row(
        &["watch"],
        JoinedCode,
        0,
        &["-n", "--interval", "-q", "--equexit"],
        "watch -n 60 cortex x",
        "watch -n 5 echo cortex x",
    ),
    row(
        &["hyperfine", "poop"],
        EachCode,
        0,
        &[
            "-w",
            "-r",
            "-m",
            "-M",
            "-n",
            "-S",
            "-L",
            "-P",
            "-D",
            "-N",
            "--warmup",
            "--runs",
            "--min-runs",
            "--max-runs",
            "--command-name",
            "--shell",
            "--export-json",
            "--export-csv",
            "--export-markdown",
            "--output",
            "--input",
            "--style",
            "--sort",
        ],
        "hyperfine -w 3 'cortex x'",
        "hyperfine --command-name 'cortex x' true",
    )
    .code(&[
        "-p",
        "--prepare",
        "-s",
        "--setup",
        "-c",
        "--cleanup",
        "-C",
        "--conclude",
        "--reference",
    ]),
    row(&["entr"], Tail, 0, &[], "entr -n cortex x", "entr echo cortex x")
        .code(&["-s", "-cs", "-ns", "-rs", "-as", "-crs", "-ncs", "-nrs", "-cns", "-acs", "-ars"]),
    row(
        &["watchexec", "cargo-watch"],
        CodeOrTail,
        0,
        &[
            "-e",
            "-w",
            "-i",
            "-f",
            "-d",
            "--exts",
            "--watch",
            "--ignore",
            "--filter",
            "--debounce",
            "--shell",
            "-N",
        ],
        "watchexec -e rs -- cortex x",
        "watchexec -e cortex -- echo x",
    ),
    row(
        &["cargo"],
        AfterDashes,
        0,
        &["-w", "-i", "-x"],
        "cargo watch -s 'cortex x'",
        "cargo test --package cortex",
    )
    .code(&["-s", "--shell"])
    .verbs(&["watch"]),
    row(&["rg"], Options, 0, &[], "rg --pre 'cortex x' y", "rg 'cortex x'")
        .code(&["--pre", "--hostname-bin"]),
    row(&["zip"], Options, 0, &[], "zip x.zip f -T -TT 'cortex x'", "zip cortex x")
        .code(&["-TT", "--unzip-command"]),
    row(&["man"], Options, 0, &[], "man -P 'cortex x' ls", "man cortex x")
        .code(&["-P", "--pager", "-H"]),
    row(
        &["split"],
        Options,
        0,
        &["-l", "-b", "-n", "-a"],
        "split --filter='cortex x' f",
        "split cortex x",
    )
    .code(&["--filter"]),
    row(
        &["sort"],
        Options,
        0,
        &["-k", "-t", "-o", "-S", "-T"],
        "sort --compress-program='cortex x' f",
        "sort cortex x",
    )
    .code(&["--compress-program"]),
    row(
        &["nodemon"],
        Options,
        0,
        &["-w", "-e", "-i"],
        "nodemon --exec 'cortex x'",
        "nodemon cortex.js.map",
    )
    .code(&["-x", "--exec"]),
    row(
        &["concurrently", "npm-run-all", "run-p", "run-s", "mprocs"],
        EachCode,
        0,
        &["-n", "-c", "--names", "--prefix-colors"],
        "concurrently 'cortex x'",
        "concurrently -n 'cortex x' true",
    ),
    row(&["srt"], CodeOrTail, 0, &["-s", "--settings"], "srt 'cortex x'", "srt echo cortex x")
        .code(&["-c"]),
    row(&["codex"], AfterDashes, 0, &[], "codex sandbox -- cortex x", "codex exec 'say cortex x'"),
    // Environments.
    row(&["direnv"], Tail, 1, &[], "direnv exec . cortex x", "direnv allow cortex")
        .verbs(&["exec"]),
    row(
        &["mise", "rtx", "asdf"],
        Tail,
        0,
        &["-C", "--cd", "-c"],
        "mise exec -- cortex x",
        "mise use cortex",
    )
    .verbs(&["exec", "x"]),
    row(
        &["uv"],
        Tail,
        0,
        &[
            "--with",
            "--python",
            "-p",
            "--project",
            "--directory",
            "--extra",
            "--group",
            "--env-file",
            "--with-requirements",
            "--package",
            "--index-url",
        ],
        "uv run --with x cortex x",
        "uv pip install cortex",
    )
    .verbs(&["run"]),
    row(
        &["uvx"],
        Tail,
        0,
        &["--with", "--from", "--python", "-p"],
        "uvx cortex x",
        "uvx echo cortex x",
    ),
    row(
        &["pipx"],
        Tail,
        0,
        &["--python", "--spec", "--with", "--index-url", "--pip-args"],
        "pipx run cortex x",
        "pipx install cortex x",
    )
    .verbs(&["run"]),
    row(
        &[
            "poetry", "pipenv", "pdm", "hatch", "rye", "bundle", "rbenv", "pyenv", "pixi", "fnm",
            "volta", "devbox", "devenv", "pkgx", "flox",
        ],
        Tail,
        0,
        &["--project", "-C", "-e", "--environment", "--using"],
        "poetry run cortex x",
        "poetry add cortex",
    )
    .verbs(&["run", "exec"]),
    row(
        &["conda", "mamba", "micromamba"],
        Tail,
        0,
        &["-n", "--name", "-p", "--prefix", "--cwd"],
        "conda run -n env cortex x",
        "conda install cortex",
    )
    .verbs(&["run"]),
    row(
        &["dotenv", "dotenvx", "env-cmd", "cross-env", "with-env"],
        TailWithEnv,
        0,
        &["-f", "--file", "-e", "-p", "-c"],
        "dotenv -- cortex x",
        "dotenv -f cortex echo x",
    )
    .perhaps(&["run"]),
    row(
        &["op", "doppler", "infisical", "teller", "vault-exec"],
        AfterDashes,
        0,
        &[],
        "op run -- cortex x",
        "op item get cortex",
    ),
    row(
        &["aws-vault", "chamber"],
        AfterDashes,
        0,
        &[],
        "aws-vault exec me -- cortex x",
        "aws-vault add cortex",
    ),
    row(
        &["nix-shell"],
        Options,
        0,
        &["-p", "-I", "-A", "--packages"],
        "nix-shell -p x --run 'cortex x'",
        "nix-shell -p cortex",
    )
    .code(&["--run", "--command"]),
    row(&["guix"], AfterDashes, 0, &[], "guix shell p -- cortex x", "guix install cortex"),
    row(
        &["flatpak", "snap", "steam-run", "appimage-run"],
        Tail,
        0,
        &["--command"],
        "steam-run cortex x",
        "flatpak install cortex",
    ),
    row(
        &["wine", "box64", "qemu-x86_64", "qemu-aarch64"],
        Tail,
        0,
        &["-L"],
        "wine cortex.exe x",
        "wine notepad cortex",
    ),
    row(&["busybox", "toybox"], Tail, 0, &[], "busybox env cortex x", "busybox echo cortex x"),
    row(&["corepack", "volta-run"], Tail, 0, &[], "corepack cortex x", "corepack enable cortex"),
    // Other machines and containers.
    row(
        &["kubectl", "oc", "k3s"],
        AfterDashes,
        0,
        &[],
        "kubectl exec pod -- cortex x",
        "kubectl get cortex",
    )
    .remote(),
    row(
        &[
            "lxc",
            "incus",
            "multipass",
            "distrobox",
            "toolbox",
            "lxc-attach",
            "machinectl",
            "az",
            "heroku",
        ],
        AfterDashes,
        0,
        &[],
        "lxc exec c -- cortex x",
        "lxc list cortex",
    )
    .remote(),
    row(&["vagrant"], Options, 0, &[], "vagrant ssh -c 'cortex x'", "vagrant up cortex")
        .code(&["-c", "--command"])
        .remote(),
    row(
        &["gh"],
        AfterDashes,
        0,
        &[],
        "gh codespace ssh -- cortex x",
        "gh issue list --search 'cortex x'",
    )
    .remote(),
    row(
        &["gcloud", "fly", "flyctl", "railway"],
        Options,
        0,
        &[],
        "gcloud compute ssh h --command 'cortex x'",
        "gcloud compute list cortex",
    )
    .code(&["--command", "-C"])
    .remote(),
    row(
        &["adb"],
        JoinedCode,
        0,
        &["-s", "-t", "-H", "-P"],
        "adb shell 'cortex x'",
        "adb push cortex /x",
    )
    .verbs(&["shell"])
    .remote(),
    row(
        &["tailscale"],
        JoinedCode,
        1,
        &[],
        "tailscale ssh host cortex x",
        "tailscale status cortex",
    )
    .verbs(&["ssh"])
    .remote(),
    row(&["mosh"], Tail, 1, &[], "mosh host -- cortex x", "mosh cortex").remote(),
    row(&["waypipe"], JoinedCode, 1, &[], "waypipe ssh host cortex x", "waypipe bench cortex")
        .verbs(&["ssh"])
        .remote(),
    row(&["conhost"], Tail, 0, &[], "conhost.exe cortex x", "conhost.exe echo cortex"),
    row(
        &["forfiles"],
        Options,
        0,
        &["/p", "/m", "/d"],
        "forfiles /m f /c 'cortex x'",
        "forfiles /m cortex",
    )
    .code(&["/c", "/C"]),
    row(
        &["schtasks"],
        Options,
        0,
        &[],
        "schtasks /create /tr 'cortex x'",
        "schtasks /query /tn cortex",
    )
    .code(&["/tr", "/TR"]),
    row(&["runas"], EachCode, 0, &[], "runas /user:x 'cortex x'", "runas /user:cortex echo"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::{Dialect, NoFiles, Start, read};

    fn starts_cortex(text: &str) -> bool {
        let reading = read(text, Dialect::Posix, &Start::default(), &NoFiles);
        reading
            .invocations
            .iter()
            .filter_map(|invocation| invocation.argv.first()?.literal())
            .any(|program| matches!(program, "cortex" | "cortex.exe"))
    }

    #[test]
    fn each_row_starts_its_example_and_not_its_near_miss() {
        for row in LAUNCHERS {
            assert!(starts_cortex(row.example), "{}", row.example);
            assert!(!starts_cortex(row.near_miss), "{}", row.near_miss);
        }
    }
}
