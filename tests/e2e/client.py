"""Installs the pinned client from npm into a cache outside the repository.

The client is proprietary: it is never committed, and only its native program is run.
"""

import os
import platform
import shutil
import subprocess
from pathlib import Path

PACKAGE = "@anthropic-ai/claude-code"
VERSION = "2.1.328"


class NotInstalled(Exception):
    """Why the client is not there."""


def install(version):
    """The path of the client's program; installs it once."""
    machine = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine())
    if platform.system() != "Linux" or not machine:
        raise NotInstalled("the client is tested on Linux, x86-64 and arm64, only")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ringfence-tests"
    place = cache / f"client-{version}"
    program = Path("node_modules") / f"{PACKAGE}-linux-{machine}" / "claude"
    if not (place / program).is_file():
        _download(version, place, program)
    return place / program


def _download(version, place, program):
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
        if done.returncode != 0 or not (fresh / program).is_file():
            said = [line for line in done.stderr.splitlines() if " code " not in line and line.strip()]
            why = said[0] if said else "it left no native program"
            raise NotInstalled(f"npm could not install {PACKAGE}@{version}: {why}")
        shutil.rmtree(place, ignore_errors=True)
        fresh.rename(place)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
