"""Installs the pinned client from npm into a cache outside the repository.

The client is proprietary: it is never committed, and only its native program is run.
"""

import os
import platform
import re
import shutil
import subprocess
from pathlib import Path

PACKAGE = "@anthropic-ai/claude-code"
VERSION = "2.1.328"
MACHINES = {"x86_64": "x64", "aarch64": "arm64"}


class NotInstalled(Exception):
    """Why the client is not there."""


def install(version):
    """The path of the client's program; installs it once."""
    if platform.system() != "Linux" or platform.machine() not in MACHINES:
        raise NotInstalled("the client is tested on Linux, x86-64 and arm64, only")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ringfence-tests"
    place = cache / f"client-{version}"
    return _program(place) or _download(version, place)


def _program(place):
    """The native program, or for old versions a script for node; none when it is not there."""
    modules = place / "node_modules"
    native = modules / f"{PACKAGE}-linux-{MACHINES[platform.machine()]}" / "claude"
    return next((path for path in (native, modules / PACKAGE / "cli.js") if path.is_file()), None)


def is_pinned_or_newer(program):
    """Whether a client's program is of the pinned version or a later one."""
    found = re.search(r"/client-([0-9.]+)/", str(program))[1]
    return [int(part) for part in found.split(".")] >= [int(part) for part in VERSION.split(".")]


def _download(version, place):
    if not shutil.which("npm"):
        raise NotInstalled("npm is not installed (Debian: apt-get install npm), so there is no client")
    fresh = place.with_name(f"{place.name}.{os.getpid()}")
    fresh.mkdir(parents=True)
    try:
        # No install scripts: the package's own only links the native program, which is run directly.
        done = subprocess.run(
            ["npm", "install", "--prefix", str(fresh), "--ignore-scripts", "--no-audit", "--no-fund",
             "--loglevel=error", f"{PACKAGE}@{version}"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode != 0:
            said = [line for line in done.stderr.splitlines() if " code " not in line and line.strip()]
            why = said[0] if said else f"status {done.returncode}"
            raise NotInstalled(f"npm could not install {PACKAGE}@{version}: {why}")
        if not _program(fresh):
            raise NotInstalled(f"npm installed {PACKAGE}@{version} without a program for this machine")
        shutil.rmtree(place, ignore_errors=True)
        fresh.rename(place)
        return _program(place)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
