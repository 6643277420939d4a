"""Compares what happened in a world with what its scenario expects."""

import json
import re
import sqlite3
import subprocess

from model import call_id
from scenario import fill

# What the client puts before a hook's reason, in the result that the model gets; old clients give
# the bare reason.
REFUSAL = re.compile(r"hook error:|^A (subagent|client that a subagent started) may not ")
HOOK_ENDED = re.compile(
    r"Hooks: (?P<event>\S+) \[(?P<command>.*)\] (?:\(plugin \S+\) )?(?P<ending>(?:failed|timed|finished) .*) \(\d+ms\)")
OURS = re.compile(r"/ringfence(?:\.sh)?[\"' ]")


def problems(world):
    found = list(_calls(world))
    after = fill(world.scenario.after, world.places)
    found += _cortex(world, after.get("cortex", {}))
    found += _native(world, after.get("native", {}))
    found += _wrote(world, after.get("wrote", []))
    found += _files(world, after.get("files", {}))
    if world.log_is_known:
        found += _hooks(world)
    if "primaries" in after:
        found += _primaries(world, after["primaries"])
    if "denials" in after:
        found += _logged(world, ["--denied"], after["denials"])
    if "lines" in after:
        found += _logged(world, [], after["lines"])
    found += _told(world, after.get("told", []))
    return found


def _calls(world):
    """Every scripted call was made, answered, and answered as the scenario says."""
    for script, turns in fill(world.scenario.scripts, world.places).items():
        for turn, calls in enumerate(turns):
            if isinstance(calls, str):
                continue
            for number, call in enumerate(calls):
                name = call_id(script, turn, number)
                where = f"{script}.{turn}.{number} {call['tool']}"
                if name not in world.model.sent:
                    yield f"{where}: never asked for"
                elif name not in world.model.results:
                    yield f"{where}: never answered"
                else:
                    yield from _outcome(where, call, *world.model.results[name])


def _outcome(where, call, is_error, text):
    refused = is_error and REFUSAL.search(text) is not None
    # What the client adds for the model is not part of the tool's answer.
    text = text.split("<system-reminder>")[0]
    short = " ".join(text.split())[:400]
    if call["outcome"] == "blocked" and not refused:
        yield f"{where}: ran, should be blocked: {short}"
    elif call["outcome"] != "blocked" and refused:
        yield f"{where}: blocked, should run: {short}"
    elif call["outcome"] == "runs" and is_error:
        yield f"{where}: failed: {short}"
    elif call["outcome"] == "fails" and not is_error:
        yield f"{where}: should end with an error: {short}"
    for word in call["words"]:
        if word.lower() not in text.lower():
            yield f"{where}: `{word}` is not in: {short}"


def _cortex(world, expected):
    for name, want in expected.items():
        note = world.scenario.cortex[name]
        project = world.other if note.get("in") == "other" else world.project
        with sqlite3.connect(world.cortex_place(project).file) as store:
            if not store.execute("SELECT 1 FROM sqlite_master WHERE name='notes'").fetchone():
                yield "the store itself was destroyed"
                continue
            row = store.execute("SELECT status, content FROM notes WHERE id=?", (world.places[name],)).fetchone()
            items = store.execute("SELECT count(*) FROM memory_items WHERE source_id=?",
                                  (world.places[name],)).fetchone()[0]
        got = "gone" if row is None else row[0]
        if got != want:
            yield f"cortex note {name} is {got}, should be {want}"
        elif want == "active" and (row[1] != note["content"] or items != 1):
            yield f"cortex note {name} was changed"


def _primaries(world, want):
    """How many sessions Cortex saw start: proof of a compaction, a resumed or a second session."""
    with sqlite3.connect(world.cortex_place(world.project).file) as store:
        got = store.execute("SELECT count(*) FROM sessions WHERE parent_session_id IS NULL"
                            " AND id<>'earlier-session'").fetchone()[0]
    if got != want:
        yield f"Cortex saw {got} sessions start, should be {want}"


def _native(world, expected):
    for name, want in expected.items():
        words = [str(world.ringfence), "show-memory", world.places[name], "--json"]
        done = subprocess.run(words, cwd=world.project, env=world.environment(), capture_output=True, text=True)
        document = json.loads(done.stdout) if done.returncode == 0 else {"status": "gone"}
        document = document.get("item", document)
        if document["status"] != want:
            yield f"note {name} is {document['status']}, should be {want}"
        elif want == "active" and document["content"] != world.scenario.native[name]["text"]:
            yield f"note {name} was changed"


def _wrote(world, expected):
    """Notes that were written in the run, by their subjects: whose they are and what became of them."""
    if not expected:
        return
    words = [str(world.ringfence), "list-memory", "--json", "--limit", "100"]
    done = subprocess.run(words, cwd=world.project, env=world.environment(), capture_output=True, text=True)
    notes = json.loads(done.stdout)["items"] if done.returncode == 0 else []
    for want in expected:
        found = [note for note in notes if note["subject"] == want["subject"]]
        if len(found) != 1:
            yield f"{len(found)} notes on `{want['subject']}`, should be one"
            continue
        agent = found[0]["agent"]
        got = "parent" if agent is None else "unknown" if agent == "unknown" else "subagent"
        if got != want["by"]:
            yield f"the note on `{want['subject']}` is by {got} ({agent}), should be by {want['by']}"
        if found[0]["session"] != want["session"]:
            yield f"the note on `{want['subject']}` is of session {found[0]['session']}"
        if found[0]["status"] != want["status"]:
            yield f"the note on `{want['subject']}` is {found[0]['status']}, should be {want['status']}"


def _files(world, expected):
    for name, words in expected.items():
        path = world.project / name
        if words is None:
            if path.exists():
                yield f"{name} should not be there"
        elif not path.exists():
            yield f"{name} is missing"
        else:
            text = path.read_text(errors="replace")
            for word in words:
                if word.startswith("!") and word[1:] in text:
                    yield f"{name} holds `{word[1:]}`"
                elif not word.startswith("!") and word not in text:
                    yield f"{name} does not hold `{word}`"


def _hooks(world):
    """Every hook of ours was asked and ended as its scenario says: silence alone proves nothing."""
    for number in range(len(world.scenario.clients)):
        log = (world.root / f"client{number}.debug").read_text(errors="replace")
        asked = [found for found in HOOK_ENDED.finditer(log) if OURS.search(found["command"])]
        judged = any(found["event"].startswith("PreToolUse") for found in asked)
        if world.scenario.ending is None:
            if judged:
                yield f"client {number} asked our hook"
            continue
        if not judged:
            yield f"client {number} never asked our hook"
        for found in asked:
            if not found["ending"].startswith(world.scenario.ending):
                yield f"our hook for {found['event']} {found['ending']}"


def _logged(world, filters, want):
    words = [str(world.ringfence), "log", *filters, "--lines", "1000", "--json"]
    done = subprocess.run(words, cwd=world.project, env=world.environment(), capture_output=True, text=True)
    got = len(json.loads(done.stdout)["lines"]) if done.returncode == 0 else done.stderr.strip()
    if got != want:
        yield f"`{' '.join(words[1:])}` shows {got} lines, should be {want}"


def _told(world, words):
    """What a hook of ours tells the person, as the client understood it."""
    log = (world.root / "client0.debug").read_text(errors="replace")
    told = [line for line in log.splitlines() if "Parsed initial response" in line]
    for word in words:
        if word.startswith("!"):
            if any(word[1:] in line for line in told):
                yield f"the person was told `{word[1:]}`"
        elif not any(word in line for line in told):
            yield f"the person was not told `{word}`"
