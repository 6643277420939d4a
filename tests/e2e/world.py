"""One scenario's world: a home, two projects, stores, settings, clients; and what became of them."""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import client
import cortex
import judge
from model import Model
from scenario import fill

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
SHIM = REPOSITORY / "hooks" / "ringfence.sh"
PLUGIN = "ringfence@ringfence"
# A whole client run takes one to three seconds; the rest is for a busy machine.
CLIENT_SECONDS = 90
EARLIER = "00000000-0000-4000-8000-00000000ffff"
BROKEN_HOOKS = {
    "killed": "#!/bin/sh\nkill -KILL $$\n",
    "hanging": "#!/bin/sh\nexec sleep 60\n",
}


def session(number):
    """The host's session id of the scenario's client `number`."""
    return f"00000000-0000-4000-8000-{number:012d}"


class World:
    """A scenario's directory and how to play the scenario in it."""

    def __init__(self, root, scenario, binary, program):
        # Clients older than the pinned one write their hooks' ends in other words.
        self.log_is_known = client.is_pinned_or_newer(program)
        self.root = root = root / scenario.directory
        self.scenario = scenario
        self.home, self.bin = root / "home", root / "bin"
        self.config = root / "config" if scenario.moved else self.home / ".claude"
        self.project, self.other = root / "project", root / "other"
        for directory in (self.home, self.config, self.bin, root / "tmp"):
            directory.mkdir(parents=True)
        self.ringfence = self.bin / "ringfence"
        _link(binary, self.ringfence)
        if program.suffix == ".js":
            _program(self.bin / "claude", f'#!/bin/sh\nexec "{shutil.which("node")}" "{program}" "$@"\n')
        else:
            (self.bin / "claude").symlink_to(program)
        wrapper = f'#!/bin/sh\nexec "{sys.executable}" "{HERE}/cortex.py" "$@"\n'
        _program(self.bin / "cortex", wrapper)
        self.places = {
            "project": self.project, "other": self.other, "home": self.home, "config": self.config,
            "bin": self.bin, "root": root, "earlier": EARLIER, "ringfence": self.ringfence,
            **{f"session{number}": session(number) for number in range(len(scenario.clients))},
        }

    def play(self):
        """Plays the scenario; returns what was not as it should be."""
        try:
            self.make_projects()
            self.fill_cortex()
            self.write_settings()
            self.install()
            self.fill_native()
            self.write_files()
            self.break_hook()
        except (OSError, subprocess.CalledProcessError, KeyError, ValueError) as error:
            detail = getattr(error, "stderr", "") or ""
            return [f"set-up: {error!r} {detail}".strip()]
        self.model = Model(fill(self.scenario.scripts, self.places))
        try:
            endings = self.run_clients()
        finally:
            self.model.close()
            (self.root / "requests.json").write_text(json.dumps(self.model.requests, indent=1))
        return endings + judge.problems(self)

    def environment(self):
        """Built from nothing: no variable of the user's reaches a client or a command."""
        moved = {"CLAUDE_CONFIG_DIR": str(self.config)} if self.scenario.moved else {}
        return {
            **moved,
            "PATH": os.pathsep.join([str(self.bin), os.path.dirname(sys.executable),
                                     "/usr/local/bin", "/usr/bin", "/bin"]),
            "HOME": str(self.home), "SHELL": "/bin/bash", "LANG": "C.UTF-8", "TERM": "xterm",
            "GIT_CONFIG_NOSYSTEM": "1", "IS_SANDBOX": "1",
            "DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1", "DISABLE_ERROR_REPORTING": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }

    def client_environment(self):
        return {
            **self.environment(),
            "ANTHROPIC_API_KEY": "sk-ant-dummy", "ANTHROPIC_BASE_URL": self.model.url,
            "CLAUDE_CODE_TMPDIR": str(self.root / "tmp"),
        }

    def make_projects(self):
        for project in (self.project, self.other):
            project.mkdir()
            if self.scenario.git:
                self.command(["git", "init", "-q", "-b", "main"], project)
        self.places["store"] = self.cortex_place(self.project).file
        self.places["otherstore"] = self.cortex_place(self.other).file

    def cortex_place(self, project):
        return cortex.Place(project, home=self.home)

    def fill_cortex(self):
        """Seeds the notes of an ended session; notes marked `own` are written in the run."""
        for name, note in self.scenario.cortex.items():
            self.places[name] = cortex.note_id(note["kind"], note["subject"], note["content"])
            if note.get("own"):
                continue
            store = cortex.Store(self.other if note.get("in") == "other" else self.project, home=self.home)
            with store.db:
                if not store.db.execute("SELECT 1 FROM sessions").fetchone():
                    store.add_session("earlier-session", status="ended",
                                      started_at="2026-01-01T09:00:00.000Z",
                                      ended_at="2026-01-01T10:00:00.000Z")
                store.add_note("earlier-session", note["kind"], note["subject"], note["content"])
                store.db.execute("UPDATE notes SET timestamp='2026-01-01T09:30:00.000Z'")
            store.db.close()

    def write_settings(self):
        """The client's settings as Cortex's installer leaves them: `install` has to add to these."""
        def entry(event):
            command = f"{shlex.quote(f'{self.bin}/cortex')} hook {event}"
            return [{"hooks": [{"type": "command", "command": command}]}]

        settings = {"hooks": {"SessionStart": entry("session-start"), "SubagentStart": entry("subagent-start")}}
        (self.config / "settings.json").write_text(json.dumps(settings, indent=2) + "\n")
        server = {"type": "stdio", "command": sys.executable, "args": [f"{HERE}/cortex.py", "serve"]}
        (self.root / "mcp.json").write_text(json.dumps({"mcpServers": {"cortex": server}}))

    def install(self):
        kind = self.scenario.hook
        if kind.startswith("plugin") or kind == "both":
            self.install_plugin()
        if kind == "later" or kind.startswith("plugin"):
            return
        words = [str(self.ringfence), "install"]
        if self.scenario.arms:
            words += ["--with", self.scenario.arms]
        self.command(words + ["--shim"] if self.scenario.hook.startswith("shim") else words, self.project)

    def install_plugin(self):
        """By the client's own commands, from a checkout, without a network."""
        checkout = self.root / "checkout"
        ignored = shutil.ignore_patterns("target", ".git", "corpus", "__pycache__")
        shutil.copytree(REPOSITORY, checkout, ignore=ignored)
        self.places["checkout"] = checkout
        # Where install.sh puts the program: the plugin's shim looks for it there.
        program = self.home / ".local/bin/ringfence"
        program.parent.mkdir(parents=True)
        if self.scenario.hook != "plugin-missing":
            _link(self.ringfence, program)
        commands = [["validate", "--strict", str(checkout)], ["marketplace", "add", str(checkout)], ["install", PLUGIN]]
        if self.scenario.hook == "plugin-off":
            commands.append(["disable", PLUGIN])
        for words in commands:
            self.command([str(self.bin / "claude"), "plugin", *words], self.project)

    def fill_native(self):
        for name, note in self.scenario.native.items():
            words = [str(self.ringfence), "note", note["kind"], note["text"], "--subject", note["subject"],
                     "--session", fill(note.get("session", EARLIER), self.places), "--json"]
            answer = self.command(words, self.other if note.get("in") == "other" else self.project)
            self.places[name] = json.loads(answer)["id"]

    def write_files(self):
        for name, text in fill(self.scenario.files, self.places).items():
            path = self.project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text if isinstance(text, str) else json.dumps(text, indent=2))

    def break_hook(self):
        kind = self.scenario.hook
        if kind in ("exec", "shim", "later", "both", "server-only") or kind.startswith("plugin"):
            return
        self.ringfence.unlink()
        if kind in BROKEN_HOOKS:
            _program(self.ringfence, BROKEN_HOOKS[kind])
        if kind == "hanging":
            # The registered timeout times the number of hooks would be most of the time of all scenarios.
            path = self.config / "settings.json"
            settings = json.loads(path.read_text())
            for groups in settings["hooks"].values():
                for handler in (handler for group in groups for handler in group["hooks"]):
                    if "timeout" in handler:
                        handler["timeout"] = 1
            path.write_text(json.dumps(settings))

    def run_clients(self):
        problems, threads = [], []
        for number, one in enumerate(self.scenario.clients):
            thread = threading.Thread(target=self.run_client, args=(number, one, problems))
            thread.start()
            if one.get("together"):
                threads.append(thread)
            else:
                thread.join()
        for thread in threads:
            thread.join()
        return problems

    def run_client(self, number, one, problems):
        log = self.root / f"client{number}"
        if "when" in one and not self.appears(self.project / one["when"]):
            return problems.append(f"client {number}: `{one['when']}` never appeared")
        words = [str(self.bin / "claude"), "-p", "--model", "claude-sonnet-4-5",
                 "--dangerously-skip-permissions", "--debug-file", f"{log}.debug"]
        if not one.get("own servers"):
            words += ["--mcp-config", str(self.root / "mcp.json"), "--strict-mcp-config"]
        if "resume" in one:
            words += ["--resume", session(one["resume"])]
        elif one.get("continue"):
            words += ["--continue"]
        else:
            words += ["--session-id", session(number)]
        words += fill(one.get("arguments", []), self.places)
        several = len(one["prompts"]) > 1
        if several:
            words += ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]
        else:
            words += ["--", one["prompts"][0]]
        environment = {**self.client_environment(), **self.hosted(one), **fill(one.get("environment", {}), self.places)}
        with open(f"{log}.out", "w") as out, open(f"{log}.err", "w") as err:
            process = subprocess.Popen(
                words, cwd=self.project / one.get("in", "."), env=environment, start_new_session=True,
                stdin=subprocess.PIPE if several else subprocess.DEVNULL, stdout=out, stderr=err)
            try:
                if several:
                    self.feed(process, one["prompts"], Path(f"{log}.out"))
                status = process.wait(CLIENT_SECONDS)
                if status != 0:
                    problems.append(f"client {number} ended with {status}: {_tail(f'{log}.err')} {_tail(f'{log}.out')}")
            except subprocess.TimeoutExpired:
                problems.append(f"client {number} was still running after {CLIENT_SECONDS} seconds")
            finally:
                _end(process)

    def hosted(self, one):
        """What a launcher of hosted clients sets, as our own command prints it; `rewrite`: no prefix."""
        if "hosted" not in one:
            return {}
        lines = self.command([str(self.ringfence), "posture", "env"], self.project).splitlines()
        pairs = (shlex.split(line.removeprefix("export "))[0].split("=", 1) for line in lines)
        return {name: value for name, value in pairs if one["hosted"] == "prefix" or "PREFIX" not in name}

    @staticmethod
    def appears(path):
        deadline = time.monotonic() + CLIENT_SECONDS
        while not path.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        return path.exists()

    @staticmethod
    def feed(process, prompts, out):
        """Gives the prompts one by one, each when the one before has its result."""
        deadline = time.monotonic() + CLIENT_SECONDS
        for number, text in enumerate(prompts, 1):
            message = {"type": "user", "message": {"role": "user", "content": text}}
            process.stdin.write((json.dumps(message) + "\n").encode())
            process.stdin.flush()
            while out.read_text().count('"type":"result"') < number and process.poll() is None:
                if time.monotonic() > deadline:
                    raise subprocess.TimeoutExpired("claude", CLIENT_SECONDS)
                time.sleep(0.05)
        process.stdin.close()

    def command(self, words, directory):
        done = subprocess.run(words, cwd=directory, env=self.environment(), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60, check=True)
        return done.stdout


def _link(source, target):
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def _program(path, text):
    path.write_text(text)
    path.chmod(0o755)


def _tail(path):
    return Path(path).read_text(errors="replace").strip()[-300:]


def _end(process):
    """Ends what the client left running: background shells, monitors."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
