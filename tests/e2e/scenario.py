"""Reads scenario files: the short forms written out, mistakes refused (README.md has the format)."""

import functools
import json
import re

from model import prompt

KEYS = {"about", "directory", "moved", "git", "cortex", "native", "files", "hook", "clients", "scripts", "after", "weight", "with", "needs"}
CLIENT_KEYS = {"prompts", "arguments", "resume", "continue", "in", "environment", "hosted", "together", "when", "own servers"}
CALL_KEYS = {"bash", "agent", "type", "background", "note", "tool", "input", "blocked", "runs", "fails"}
AFTER_KEYS = {"cortex", "native", "files", "denials", "lines", "told", "primaries", "wrote"}
OUTCOMES = ("blocked", "runs", "fails")
# How every hook of ours ends, in the words of the client's log, by what was done to the hook; none:
# no hook of ours is asked.
ENDINGS = {
    "exec": "finished with status 0",
    "shim": "finished with status 0",
    "later": "finished with status 0",
    "shim-missing": "finished with status 0",
    "missing": "failed to start",
    "killed": "finished with status 1",
    "hanging": "timed out",
    "plugin": "finished with status 0",
    "plugin-missing": "finished with status 0",
    "plugin-off": None,
    "both": "finished with status 0",
    "server-only": None,
}


class Scenario:
    """One scenario, as the file says it, with placeholders still in place."""

    def __init__(self, name, document):
        self.name = name
        _known(name, document, KEYS)
        self.about = document["about"]
        self.directory = document.get("directory", "")
        self.moved = document.get("moved", False)
        self.git = document.get("git", True)
        self.cortex = document.get("cortex", {})
        self.native = document.get("native", {})
        self.files = document.get("files", {})
        self.hook = document.get("hook", "exec")
        self.ending = ENDINGS[self.hook]
        # The arms that are installed; none: what install takes by itself.
        self.arms = "mcp" if self.hook == "server-only" else document.get("with")
        self.weight = document.get("weight", 1)
        self.needs = document.get("needs", [])
        self.clients = document.get("clients", [{"prompts": ["main"]}])
        for one in self.clients:
            _known(f"{name}: client", one, CLIENT_KEYS)
            one["prompts"] = [prompt(text) if text in document["scripts"] else text for text in one["prompts"]]
        self.after = document.get("after", {})
        _known(f"{name}: after", self.after, AFTER_KEYS)
        self.scripts = {script: [self._turn(f"{name}: {script}", turn) for turn in turns]
                        for script, turns in document["scripts"].items()}

    @classmethod
    def load(cls, path):
        return cls(path.stem, json.loads(path.read_text()))

    def _turn(self, place, turn):
        return turn if isinstance(turn, str) else [self._call(place, call) for call in turn]

    def _call(self, place, call):
        _known(place, call, CALL_KEYS)
        outcomes = [outcome for outcome in OUTCOMES if outcome in call]
        if len(outcomes) != 1:
            raise ValueError(f"{place}: {call}: exactly one of {', '.join(OUTCOMES)}")
        if outcomes == ["blocked"] and not call["blocked"]:
            raise ValueError(f"{place}: {call}: say which words the reason must hold")
        if "bash" in call:
            tool, given = "Bash", {"command": call["bash"], "description": "a step"}
        elif "agent" in call:
            tool, given = "Agent", {
                "description": "a task", "prompt": prompt(call["agent"]),
                "subagent_type": call.get("type", "general-purpose"),
                "run_in_background": call.get("background", False)}
        elif "note" in call:
            note = self.cortex[call["note"]]
            tool = "mcp__cortex__cortex_note"
            given = {key: note[key] for key in ("kind", "subject", "content")}
        else:
            tool, given = call["tool"], call["input"]
        return {"tool": tool, "input": given, "outcome": outcomes[0], "words": call[outcomes[0]]}


def fill(value, places):
    """`value` with every `{{NAME}}` replaced and every `{"$nested": n}` made; unknown names are errors."""
    if isinstance(value, str):
        return re.sub(r"\{\{([^{}]+)\}\}", lambda found: str(places[found[1]]), value)
    if isinstance(value, list):
        return [fill(item, places) for item in value]
    if isinstance(value, dict) and set(value) == {"$nested"}:
        return functools.reduce(lambda inner, _: [inner], range(value["$nested"]), [])
    if isinstance(value, dict):
        return {fill(key, places): fill(item, places) for key, item in value.items()}
    return value


def _known(place, mapping, keys):
    if unknown := set(mapping) - keys:
        raise ValueError(f"{place}: unknown: {', '.join(sorted(unknown))}")
