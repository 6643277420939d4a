"""A stand-in for Cortex: its store (schema 6), its hooks, its MCP server and its commands.

Written from a description of Cortex's behaviour, as small as the scenarios need it: no
contradiction detection, no retrieval. It really changes the store, so that a scenario can check
what a call did. usage:
  cortex.py hook session-start | subagent-start     payload on stdin
  cortex.py serve                                   MCP server on stdio
  cortex.py note-resolve | edit-memory | delete-memory | list-memory …
"""

import argparse
import hashlib
import json
import os
import re
import sqlite3
import subprocess
import sys
import uuid
from datetime import datetime, timezone

SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE sessions (
  id TEXT PRIMARY KEY, parent_session_id TEXT REFERENCES sessions(id) ON DELETE SET NULL,
  started_at TEXT NOT NULL, ended_at TEXT, focus TEXT,
  agent_type TEXT NOT NULL DEFAULT 'primary', agent_id TEXT,
  status TEXT NOT NULL DEFAULT 'active', git_root TEXT, worktree_path TEXT, branch_ref TEXT,
  head_oid TEXT, scope_type TEXT NOT NULL DEFAULT 'project', scope_key TEXT);
CREATE TABLE notes (
  id TEXT PRIMARY KEY, session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  timestamp TEXT NOT NULL, kind TEXT NOT NULL, subject TEXT, content TEXT NOT NULL,
  alternatives TEXT, status TEXT NOT NULL DEFAULT 'active', conflict INTEGER NOT NULL DEFAULT 0);
CREATE TABLE memory_items (
  id TEXT PRIMARY KEY, session_id TEXT REFERENCES sessions(id) ON DELETE CASCADE,
  scope_type TEXT NOT NULL, scope_key TEXT NOT NULL, kind TEXT NOT NULL, source_table TEXT,
  source_id TEXT, subject TEXT, text TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'warm',
  importance REAL NOT NULL DEFAULT 0, access_count INTEGER NOT NULL DEFAULT 0,
  last_accessed_at TEXT, created_at TEXT NOT NULL);
CREATE TABLE memory_corrections (
  id TEXT PRIMARY KEY, memory_item_id TEXT NOT NULL, source_table TEXT, source_id TEXT,
  scope_key TEXT, operation TEXT NOT NULL, prior_text TEXT NOT NULL, new_text TEXT,
  prior_subject TEXT, created_at TEXT NOT NULL);
CREATE INDEX idx_notes_session ON notes(session_id);
CREATE INDEX idx_notes_kind_subject ON notes(kind, subject);
CREATE INDEX idx_notes_status ON notes(status);
CREATE INDEX idx_sessions_parent ON sessions(parent_session_id);
CREATE INDEX idx_sessions_status ON sessions(status);
CREATE INDEX idx_sessions_scope ON sessions(scope_key, status, started_at);
CREATE UNIQUE INDEX idx_sessions_agent ON sessions(scope_key, agent_id) WHERE agent_id IS NOT NULL;
CREATE UNIQUE INDEX idx_memory_items_source ON memory_items(source_table, source_id)
  WHERE source_table IS NOT NULL AND source_id IS NOT NULL;
INSERT INTO meta VALUES ('schema_version', '6');
"""

NAMES = uuid.UUID("6ba7b812-9dad-11d1-80b4-00c04fd430c8")


def note_id(kind, subject, content):
    """The id of a note; made from what it says, so that a scenario can name it beforehand."""
    return str(uuid.uuid5(NAMES, f"{kind}\n{subject}\n{content}"))


def now():
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


class Place:
    """The store and the scope of a directory."""

    def __init__(self, directory, home=None):
        directory = os.path.realpath(directory)
        top, common = _git(directory, "--show-toplevel"), _git(directory, "--git-common-dir")
        identity = os.path.realpath(common) if common else directory
        base = os.path.basename(identity)
        base = os.path.basename(os.path.dirname(identity)) if base == ".git" else base
        label = re.sub(r"[^A-Za-z0-9._-]+", "-", base)[:32].strip("-._") or "project"
        digest = hashlib.sha256(identity.encode()).hexdigest()[:16]
        moved = "" if home else os.environ.get("CORTEX_HOME", "").strip()
        cortex_home = moved or os.path.join(home or os.path.expanduser("~"), ".cortex")
        self.file = os.path.join(cortex_home, "projects", f"{label}-{digest}", "cortex.db")
        self.common, self.top = common, top
        self.branch = _git_line(directory, "symbolic-ref", "--quiet", "--short", "HEAD")
        if self.branch:
            self.scope_type = "branch"
            self.scope = f"branch:{common.lower()}:{top.lower()}:{self.branch}"
        else:
            self.scope_type, self.scope = "project", f"project:{directory.lower()}"


def _git(directory, question):
    return _git_line(directory, "rev-parse", "--path-format=absolute", question)


def _git_line(directory, *words):
    run = subprocess.run(["git", "-C", directory, *words], capture_output=True, text=True)
    return run.stdout.strip() if run.returncode == 0 else ""


class Store:
    """Cortex's store of one directory, opened for writing, made when missing."""

    def __init__(self, directory, home=None):
        self.place = Place(directory, home)
        os.makedirs(os.path.dirname(self.place.file), exist_ok=True)
        self.db = sqlite3.connect(self.place.file, timeout=1)
        self.db.execute("PRAGMA journal_mode=WAL")
        self.db.execute("PRAGMA foreign_keys=ON")
        if not self.db.execute("SELECT 1 FROM sqlite_master WHERE name='meta'").fetchone():
            self.db.executescript(SCHEMA)

    def add_session(self, identity, **columns):
        place = self.place
        row = {
            "id": identity, "started_at": now(), "git_root": place.common or None,
            "worktree_path": place.top or None, "branch_ref": place.branch or None,
            "scope_type": place.scope_type, "scope_key": place.scope, **columns,
        }
        names, marks = ", ".join(row), ", ".join("?" * len(row))
        self.db.execute(f"INSERT INTO sessions ({names}) VALUES ({marks})", list(row.values()))
        return identity

    def primary(self):
        row = self.db.execute(
            "SELECT id FROM sessions WHERE status='active' AND parent_session_id IS NULL"
            " ORDER BY started_at DESC, rowid DESC LIMIT 1").fetchone()
        return row[0] if row else None

    def start_session(self):
        """A session start of any kind ends the current tree and makes a new primary."""
        if primary := self.primary():
            self.db.execute(
                "UPDATE sessions SET status='ended', ended_at=? WHERE status='active'"
                " AND (id=? OR parent_session_id=?)", (now(), primary, primary))
        return self.add_session(str(uuid.uuid4()))

    def start_subagent(self, agent, agent_type):
        parent = self.primary()
        found = self.db.execute("SELECT 1 FROM sessions WHERE scope_key=? AND agent_id=?",
                                (self.place.scope, agent)).fetchone()
        if parent and not found:
            self.add_session(str(uuid.uuid4()), parent_session_id=parent, agent_id=agent,
                             agent_type=agent_type or "subagent")

    def add_note(self, session, kind, subject, content):
        subject = (subject or "").strip().lower() or None
        if subject and kind in ("decision", "intent"):
            for (prior,) in self.db.execute(
                    "SELECT id FROM notes WHERE kind=? AND subject=? AND status='active'"
                    " AND conflict=0", (kind, subject)).fetchall():
                self.set_status(prior, "superseded")
        identity = note_id(kind, subject, content)
        self.db.execute("INSERT INTO notes (id, session_id, timestamp, kind, subject, content)"
                        " VALUES (?, ?, ?, ?, ?, ?)",
                        (identity, session, now(), kind, subject, content))
        scope = self.db.execute("SELECT scope_type, scope_key FROM sessions WHERE id=?",
                                (session,)).fetchone()
        self.db.execute(
            "INSERT INTO memory_items (id, session_id, scope_type, scope_key, kind, source_table,"
            " source_id, subject, text, created_at) VALUES (?, ?, ?, ?, ?, 'notes', ?, ?, ?, ?)",
            (f"notes:{identity}", session, *scope, f"note:{kind}", identity, subject, content, now()))
        return identity

    def set_status(self, identity, status):
        self.db.execute("UPDATE notes SET status=? WHERE id=?", (status, identity))
        self.db.execute("UPDATE memory_items SET state='cold' WHERE source_id=?", (identity,))

    def find(self, identity=None, subject=None):
        if identity:
            identity = identity.removeprefix("notes:")
            where, value = "id=?", identity
        else:
            where, value = "subject=? COLLATE NOCASE AND status='active'", subject
        return self.db.execute(f"SELECT id, kind, subject, status, content FROM notes WHERE {where}"
                               " ORDER BY timestamp DESC LIMIT 1", (value,)).fetchone()

    def delete(self, identity):
        self.db.execute("DELETE FROM memory_items WHERE source_id=?", (identity,))
        self.db.execute("DELETE FROM notes WHERE id=?", (identity,))


def hook(event):
    payload = json.load(sys.stdin)
    store = Store(payload["cwd"])
    with store.db:
        if event == "session-start":
            store.start_session()
        elif isinstance(payload.get("agent_id"), str):
            store.start_subagent(payload["agent_id"], payload.get("agent_type"))


def tool_note(store, arguments):
    kind, subject, content = (arguments.get(key) for key in ("kind", "subject", "content"))
    identity = store.add_note(store.primary() or store.start_session(), kind, subject, content)
    return f"noted {kind} [{subject}] {identity}"


def tool_resolve(store, arguments):
    note = store.find(arguments.get("note_id"), arguments.get("subject"))
    if not note:
        return "Error: no such note"
    if arguments.get("replacement"):
        store.add_note(store.primary(), note[1], note[2], arguments["replacement"])
    store.set_status(note[0], arguments.get("status") or "resolved")
    return f"resolved {note[0]}"


def tool_disengage(store, arguments):
    return "disengaged"


TOOLS = {"cortex_note": tool_note, "cortex_resolve": tool_resolve, "cortex_disengage": tool_disengage}


def answer(method, params):
    if method == "initialize":
        return {"protocolVersion": params.get("protocolVersion", "2025-06-18"),
                "capabilities": {"tools": {}}, "serverInfo": {"name": "cortex", "version": "0.1.0"}}
    if method == "tools/list":
        schema = {"type": "object", "additionalProperties": True}
        return {"tools": [{"name": name, "description": name.replace("_", " "), "inputSchema": schema}
                          for name in TOOLS]}
    if method == "tools/call":
        store = Store(os.environ.get("CLAUDE_PROJECT_DIR") or os.getcwd())
        with store.db:
            text = TOOLS[params["name"]](store, params.get("arguments") or {})
        return {"content": [{"type": "text", "text": text}]}
    return {}


def serve():
    for line in sys.stdin:
        message = json.loads(line)
        if message.get("id") is not None:
            result = answer(message.get("method"), message.get("params") or {})
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)


def command(words):
    parser = argparse.ArgumentParser(prog="cortex")
    verbs = parser.add_subparsers(dest="verb", required=True)
    resolve = verbs.add_parser("note-resolve")
    resolve.add_argument("--id")
    resolve.add_argument("--subject")
    resolve.add_argument("--status", default="resolved")
    edit = verbs.add_parser("edit-memory")
    edit.add_argument("id")
    edit.add_argument("--text", required=True)
    delete = verbs.add_parser("delete-memory")
    delete.add_argument("id")
    delete.add_argument("--yes", action="store_true")
    verbs.add_parser("list-memory")
    args = parser.parse_args(words)
    store = Store(os.getcwd())
    if args.verb == "list-memory":
        for row in store.db.execute("SELECT id, kind, subject, status FROM notes"):
            print(*row)
        return
    by_subject = args.verb == "note-resolve" and not args.id
    note = store.find(subject=args.subject) if by_subject else store.find(args.id)
    if not note:
        sys.exit("error: no such memory")
    with store.db:
        if args.verb == "note-resolve":
            store.set_status(note[0], args.status)
        elif args.verb == "edit-memory":
            store.db.execute("UPDATE notes SET content=? WHERE id=?", (args.text, note[0]))
            store.db.execute("UPDATE memory_items SET text=? WHERE source_id=?", (args.text, note[0]))
        elif args.yes:
            store.delete(note[0])
    done = "would delete" if args.verb == "delete-memory" and not args.yes else "done:"
    print(done, args.verb, note[0])


if __name__ == "__main__":
    if sys.argv[1:2] == ["hook"]:
        hook(sys.argv[2])
    elif sys.argv[1:2] == ["serve"]:
        serve()
    else:
        command(sys.argv[1:])
