//! A real `sshd` on loopback, with keys, configuration and port of its own.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::support::{Home, Output};

/// A server; it ends with this.
struct Server {
    child: Child,
    dir: tempfile::TempDir,
    home: Home,
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn sshd() -> Option<PathBuf> {
    let found = ["/usr/sbin/sshd", "/usr/local/sbin/sshd"]
        .iter()
        .map(PathBuf::from)
        .find(|path| path.exists());
    if found.is_none() {
        eprintln!("SKIPPED: no sshd (Debian: openssh-server)");
    }
    found
}

fn keygen(path: &Path) {
    let made =
        Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(path).status();
    assert!(made.unwrap().success());
}

impl Server {
    /// `before` is done in a mount namespace of the server's own, in which `/tmp` is empty.
    fn start(before: &str) -> Option<Self> {
        let sshd = sshd()?;
        let namespace = Command::new("unshare").args(["-m", "true"]).stderr(Stdio::null()).status();
        if !namespace.is_ok_and(|status| status.success()) {
            eprintln!("SKIPPED: no mount namespace for the server's /tmp");
            return None;
        }
        let dir =
            tempfile::Builder::new().prefix("ringfence-sshd-").tempdir_in("/var/tmp").unwrap();
        let at = |name: &str| dir.path().join(name);
        keygen(&at("host"));
        keygen(&at("user"));
        std::fs::copy(at("user.pub"), at("authorized")).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let text = |name: &str| at(name).display().to_string();
        let config = format!(
            "Port {port}\nListenAddress 127.0.0.1\nHostKey {}\nAuthorizedKeysFile {}\nPidFile none\n\
             StrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin yes\nMaxStartups 100\n",
            text("host"),
            text("authorized")
        );
        std::fs::write(at("sshd_config"), config).unwrap();
        let client = format!(
            "Host box\n HostName 127.0.0.1\n Port {port}\n IdentityFile {}\n IdentitiesOnly yes\n\
             StrictHostKeyChecking no\n UserKnownHostsFile {}\n LogLevel ERROR\n BatchMode yes\n\
             Host down\n HostName 127.0.0.1\n Port 1\n BatchMode yes\n",
            text("user"),
            text("known")
        );
        std::fs::write(at("ssh_config"), client).unwrap();
        // Privilege separation wants it; the namespace keeps it from the machine.
        let script = format!(
            "mount -t tmpfs -o mode=1777 none /tmp; mkdir -p /run/sshd; {before}\nexec {} -D -e -f {}",
            sshd.display(),
            text("sshd_config")
        );
        let child = Command::new("unshare")
            .args(["-m", "sh", "-euc", &script])
            .stdin(Stdio::null())
            .stderr(std::fs::File::create(at("log")).unwrap())
            .spawn()
            .unwrap();
        let home = Home::new();
        let count = home.path().join("ssh");
        let wrapper = format!(
            "#!/bin/sh\ncase \"$*\" in *mkdir*) echo mkdir >> {}/made;; esac\nexec ssh -F {} -- \"$@\"\n",
            home.path().display(),
            text("ssh_config")
        );
        std::fs::write(&count, wrapper).unwrap();
        std::fs::set_permissions(&count, std::os::unix::fs::PermissionsExt::from_mode(0o755))
            .unwrap();
        home.file(
            ".config/ringfence/config.toml",
            &format!("[scratchpad]\nlane = \"ssh\"\ntarget = \"box\"\nexec = \"{} {{target}} {{command}}\"\n", count.display()),
        );
        let server = Self { child, dir, home };
        for _ in 0..500 {
            if std::net::TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return server.admits().then_some(server);
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        panic!("no server: {}", std::fs::read_to_string(server.dir.path().join("log")).unwrap());
    }

    /// Whether this user can log in at all: an account may be locked.
    fn admits(&self) -> bool {
        let config = self.dir.path().join("ssh_config");
        let tried = Command::new("ssh").arg("-F").arg(config).args(["box", "true"]).output();
        let tried = tried.unwrap();
        if !tried.status.success() {
            let said = String::from_utf8_lossy(&tried.stderr).into_owned();
            eprintln!("SKIPPED: this user cannot log in to a server of its own: {said}");
        }
        tried.status.success()
    }

    fn exec(&self, session: &str, command: &[&str]) -> Output {
        let mut words = vec!["scratchpad", "exec", "--session", session, "--"];
        words.extend(command);
        self.home.run(&words, b"")
    }

    fn makes(&self) -> usize {
        std::fs::read_to_string(self.home.path().join("made")).unwrap_or_default().lines().count()
    }
}

#[test]
fn two_first_commands_of_two_processes_make_one_directory_over_ssh() {
    let Some(server) = Server::start("") else { return };
    let outputs: Vec<Output> = std::thread::scope(|scope| {
        let run = || server.exec("s-1", &["stat", "-c", "%a %F", "/tmp/scratchpad/s-1"]);
        let both = [scope.spawn(run), scope.spawn(run)];
        both.into_iter().map(|one| one.join().unwrap()).collect()
    });
    for output in outputs {
        assert_eq!(
            (output.code, output.stdout.as_str(), output.stderr.as_str()),
            (Some(0), "700 directory\n", "")
        );
    }
    assert_eq!(server.makes(), 1);
    // Words come through as they are, and the status too.
    let odd = server.exec("s-1", &["printf", "[%s]", "a b", "'\"$HOME;", "x\ny"]);
    assert_eq!(odd.stdout, "[a b]['\"$HOME;][x\ny]");
    assert_eq!(server.exec("s-1", &["sh", "-c", "exit 42"]).code, Some(42));
    // Ids that are no names run nothing of their own.
    for id in ["x;touch /tmp/pwned", "'", "$(touch /tmp/pwned)", "a\ntouch /tmp/pwned", ".."] {
        let output = server.exec(id, &["ls", "/tmp"]);
        assert_eq!((output.code, output.stdout.as_str()), (Some(0), "scratchpad\n"), "{id:?}");
        assert!(output.stderr.starts_with("warning: a session called"), "{output:?}");
    }
    assert_eq!(server.makes(), 1);
}

#[test]
fn a_read_only_tmp_warns_once_and_the_commands_run() {
    let Some(server) = Server::start("mount -o remount,ro /tmp") else { return };
    let first = server.exec("s-1", &["echo", "here"]);
    assert_eq!((first.code, first.stdout.as_str()), (Some(0), "here\n"));
    assert!(
        first
            .stderr
            .starts_with("warning: the scratch directory /tmp/scratchpad/s-1 was not made: ")
            && first.stderr.contains("Read-only file system"),
        "{first:?}"
    );
    let second = server.exec("s-1", &["echo", "here"]);
    assert_eq!(
        (second.code, second.stdout.as_str(), second.stderr.as_str()),
        (Some(0), "here\n", "")
    );
    assert_eq!(server.makes(), 1);
}

#[test]
fn links_and_directories_of_others_are_told() {
    let before = "mkdir -p /tmp/scratchpad/real; ln -s /etc /tmp/scratchpad/s-1; mkdir -m 777 /tmp/scratchpad/s-2; chown 65534 /tmp/scratchpad/s-2";
    let Some(server) = Server::start(before) else { return };
    for (session, why) in [("s-1", "is a link"), ("s-2", "belongs to another user")] {
        let output = server.exec(session, &["echo", "here"]);
        assert_eq!((output.code, output.stdout.as_str()), (Some(0), "here\n"), "{session}");
        assert!(output.stderr.contains(why), "{output:?}");
    }
}

#[test]
fn a_host_that_is_down_warns_and_gives_the_command_s_own_failure() {
    let Some(server) = Server::start("") else { return };
    let words = ["scratchpad", "exec", "--target", "down", "--session", "s-1", "--", "true"];
    let output = server.home.run(&words, b"");
    assert_eq!(output.code, Some(255));
    assert!(output.stderr.starts_with("warning: the scratch directory"), "{output:?}");
    assert!(output.stderr.contains("Connection refused"), "{output:?}");
}
