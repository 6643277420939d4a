"""Runs scenarios in a network namespace of their own and prints one line for each.

Touches: the client's cache directory, temporary directories, nothing else of the user's.
"""

import argparse
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import client
from scenario import Scenario
from world import World

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
INSIDE = "RINGFENCE_E2E_INSIDE"
# Own network, mounts and processes: no way out, nothing left behind.
UNSHARE = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]


class Skip(Exception):
    """Why nothing can be run here."""


def main():
    args = arguments()
    names = args.scenario or sorted(path.stem for path in (HERE / "scenarios").glob("*.json"))
    if args.list:
        print("\n".join(names))
        return 0
    try:
        if INSIDE in os.environ:
            return run_all(args, names)
        need_programs()
        binary = args.binary or built_binary()
        program = client.install(args.client)
        return enter(binary, program)
    except (Skip, client.NotInstalled) as reason:
        print(f"e2e: skipped: {reason}", file=sys.stderr)
        return 1 if os.environ.get("CI") == "true" else 0


def arguments():
    parser = argparse.ArgumentParser(prog="tests/e2e/run", description=(
        "Runs the real client against a scripted model and checks what the guard did. "
        "Needs a network namespace (root, or unprivileged user namespaces), git, npm and python3; "
        "where one is missing it says so and skips."))
    parser.add_argument("binary", nargs="?", type=Path,
                        help="the ringfence to test (default: the newest build found)")
    parser.add_argument("-s", "--scenario", action="append", metavar="NAME", help="only this one; again for more")
    parser.add_argument("-j", "--jobs", type=int, default=(os.cpu_count() or 2) + 1)
    parser.add_argument("-k", "--keep", type=Path, metavar="DIR",
                        help="keep each scenario's directory below DIR (requests, logs, stores)")
    parser.add_argument("--client", default=client.VERSION, metavar="VERSION", help="default: %(default)s")
    parser.add_argument("--list", action="store_true", help="print the scenarios' names")
    return parser.parse_args()


def need_programs():
    missing = [name for name in ("git", "unshare") if not shutil.which(name)]
    if missing:
        raise Skip(f"{' and '.join(missing)} not installed (Debian: apt-get install git util-linux)")
    if not namespace():
        raise Skip("no network namespace can be made here (it needs root, or unprivileged user namespaces)")


def namespace():
    """The words that start a program in namespaces of its own; none when that cannot be done."""
    # Root needs no user namespace; anybody else becomes root in one where the kernel allows it.
    for words in (UNSHARE, [*UNSHARE, "--map-root-user"]):
        if subprocess.run([*words, "true"], capture_output=True).returncode == 0:
            return words
    return []


def built_binary():
    target = Path(os.environ.get("CARGO_TARGET_DIR") or REPOSITORY / "target")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ringfence" / "target"
    found = [path for place in (target, cache) for pattern in ("*/ringfence", "*/*/ringfence")
             for path in place.glob(pattern) if path.is_file()]
    if not found:
        raise Skip("no ringfence is built (cargo build)")
    return max(found, key=lambda path: path.stat().st_mtime)


def enter(binary, program):
    """Runs this program again inside the namespaces."""
    environment = {**os.environ, INSIDE: f"{binary.resolve()}\n{program}"}
    words = [sys.executable, str(HERE / "runner.py"), *sys.argv[1:]]
    return subprocess.run([*namespace(), *words], env=environment).returncode


def run_all(args, names):
    loopback_up()
    hide_the_machine()
    binary, program = map(Path, os.environ[INSIDE].split("\n"))
    place = args.keep or Path(tempfile.mkdtemp(prefix="e2e-"))
    scenarios = [Scenario.load(HERE / "scenarios" / f"{name}.json") for name in names]
    for scenario in [one for one in scenarios if lacks(one)]:
        print(f"SKIPPED {scenario.name}: {lacks(scenario)}", flush=True)
        scenarios.remove(scenario)
    # The slow ones first, so that none of them runs alone at the end.
    scenarios.sort(key=lambda scenario: -scenario.weight)
    passed = failed = 0
    try:
        with ThreadPoolExecutor(max_workers=args.jobs) as pool:
            def one(scenario):
                try:
                    return scenario, World(place / scenario.name, scenario, binary, program).play()
                except Exception as error:  # a mistake of the harness fails its scenario, not the run
                    traceback.print_exc()
                    return scenario, [f"harness: {error!r}"]

            for scenario, problems in pool.map(one, scenarios):
                passed, failed = passed + (not problems), failed + bool(problems)
                print(f"FAIL {scenario.name}: {'; '.join(problems)}" if problems else f"ok {scenario.name}",
                      flush=True)
    finally:
        if not args.keep:
            shutil.rmtree(place, ignore_errors=True)
    print(f"e2e: {passed} scenarios passed, {failed} failed")
    return 1 if failed or not passed else 0


def lacks(scenario):
    """What a scenario needs and this machine has not got, or cannot run; empty when nothing is missing."""
    trial = {"bwrap": ["bwrap", "--unshare-user", "--ro-bind", "/", "/", "true"]}
    for name in scenario.needs:
        if not shutil.which(name):
            return f"{name} is not installed"
        if name in trial and subprocess.run(trial[name], capture_output=True).returncode != 0:
            return f"{name} cannot make a namespace here"
    return ""


def loopback_up():
    """Switches `lo` on, as `ip link set lo up` does, without needing iproute2."""
    import fcntl
    import socket
    import struct
    siocsifflags, up_running = 0x8914, 0x41
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, siocsifflags, struct.pack("16sH14x", b"lo", up_running))


def hide_the_machine():
    """Covers root's configuration of ringfence and of the client with empty directories."""
    libc = ctypes.CDLL(None, use_errno=True)
    for directory in (b"/etc/ringfence", b"/etc/claude-code"):
        if os.path.isdir(directory) and libc.mount(b"tmpfs", directory, b"tmpfs", 0, None) != 0:
            raise OSError(ctypes.get_errno(), "mount", directory)


if __name__ == "__main__":
    sys.exit(main())
