"""Asks our memory server through the official inspector's command line. usage: inspector.py BINARY

Prints one line a check, then `inspector: N checks passed, M failed`. The inspector comes from npm
into the cache of the tests; where it cannot be installed this says so and skips (a failure in CI).
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PACKAGE = "@modelcontextprotocol/inspector"
VERSION = "2.12.0"
TOOLS = ["cortex_note", "cortex_resolve", "cortex_recall", "cortex_brief", "cortex_list", "cortex_history"]


def installed():
    """The inspector's program; installs it once. None, and why, when that cannot be."""
    if not shutil.which("npm") or not shutil.which("node"):
        return None, "npm is not installed (Debian: apt-get install npm)"
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ringfence-tests"
    place = cache / f"inspector-{VERSION}"
    program = place / "node_modules" / ".bin" / "mcp-inspector"
    if not program.exists():
        place.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            ["npm", "install", "--prefix", str(place), "--ignore-scripts", "--no-audit", "--no-fund",
             "--loglevel=error", f"{PACKAGE}@{VERSION}"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode != 0 or not program.exists():
            return None, f"npm could not install {PACKAGE}@{VERSION}: {done.stderr.strip()[:200]}"
    return program, None


class Inspector:
    """One inspector and one home."""

    def __init__(self, program, binary, home):
        self.words = [shutil.which("node"), str(program), "--cli", str(binary), "mcp"]
        self.home, self.project = home, home / "project"
        self.project.mkdir()

    def ask(self, *words):
        """The status and the document that it prints."""
        environment = {"HOME": str(self.home), "PATH": os.environ["PATH"]}
        done = subprocess.run([*self.words, *words], cwd=self.project, env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        try:
            return done.returncode, json.loads(done.stdout)
        except json.JSONDecodeError:
            return done.returncode, {"unread": done.stdout[:300], "said": done.stderr[:300]}

    def call(self, tool, **arguments):
        """Whether the tool failed, and its text."""
        words = ["--method", "tools/call", "--tool-name", tool]
        for name, value in arguments.items():
            words += ["--tool-arg", f"{name}={value}"]
        _, document = self.ask(*words)
        content = document.get("content") or [{"text": str(document)}]
        return document.get("isError"), content[0]["text"]


def checks(inspector):
    """Each check's name and what was wrong with it; nothing when it passed."""
    _, listed = inspector.ask("--method", "tools/list")
    names = [tool["name"] for tool in listed.get("tools", [])]
    yield "the tools are listed", None if names == TOOLS else listed
    hints = {tool["name"]: tool["annotations"]["readOnlyHint"] for tool in listed.get("tools", [])}
    yield "those that only read say so", None if [hints.get(name) for name in TOOLS] == [False] * 2 + [True] * 4 else hints
    failed, text = inspector.call("cortex_note", kind="decision", subject="ceiling", content="The ceiling is sixty.")
    yield "a note is written", None if failed is False and "Noted decision" in text else text
    failed, text = inspector.call("cortex_recall", query="what is the ceiling?", max_tokens="300")
    yield "it is recalled", None if failed is False and "sixty" in text else text
    failed, text = inspector.call("cortex_note", kind="rule", content="x")
    yield "a wrong kind is an error of the tool", None if failed is True and "none of insight" in text else text
    failed, text = inspector.call("cortex_resolve", subject="ceiling")
    yield "without a client nothing is resolved", None if failed is True and "only read and add" in text else text
    failed, text = inspector.call("cortex_list")
    yield "the note is as it was", None if failed is False and "1 to 1 of 1" in text and "resolved" not in text else text


def main():
    binary = Path(sys.argv[1]).resolve()
    program, why = installed()
    if program is None:
        print(f"inspector: skipped: {why}", file=sys.stderr)
        return 1 if os.environ.get("CI") == "true" else 0
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="ringfence-inspector-") as home:
        for name, wrong in checks(Inspector(program, binary, Path(home))):
            print(f"ok {name}" if wrong is None else f"FAIL {name}: {wrong}")
            passed, failed = passed + (wrong is None), failed + (wrong is not None)
    print(f"inspector: {passed} checks passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
