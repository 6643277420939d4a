-- A Cortex store of schema 6, as far as a decision reads it: an ended session E, a live one P, and
-- P's subagent `a`. The bench fills in E's notes.
PRAGMA journal_mode = WAL;
PRAGMA synchronous = OFF;
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO meta VALUES ('schema_version', '6');
CREATE TABLE sessions (
  id TEXT PRIMARY KEY, parent_session_id TEXT, started_at TEXT NOT NULL, ended_at TEXT, focus TEXT,
  agent_type TEXT NOT NULL DEFAULT 'primary', agent_id TEXT, status TEXT NOT NULL DEFAULT 'active',
  git_root TEXT, worktree_path TEXT, branch_ref TEXT, head_oid TEXT,
  scope_type TEXT NOT NULL DEFAULT 'project', scope_key TEXT
);
CREATE UNIQUE INDEX idx_sessions_agent ON sessions(scope_key, agent_id) WHERE agent_id IS NOT NULL;
CREATE INDEX idx_sessions_parent ON sessions(parent_session_id);
CREATE TABLE notes (
  id TEXT PRIMARY KEY, session_id TEXT NOT NULL, timestamp TEXT NOT NULL, kind TEXT NOT NULL,
  subject TEXT, content TEXT NOT NULL, alternatives TEXT, status TEXT NOT NULL DEFAULT 'active',
  conflict INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX idx_notes_kind_subject ON notes(kind, subject);
CREATE TABLE memory_items (
  id TEXT PRIMARY KEY, session_id TEXT, scope_type TEXT NOT NULL, scope_key TEXT NOT NULL,
  kind TEXT NOT NULL, source_table TEXT, source_id TEXT, subject TEXT, text TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'warm', importance REAL NOT NULL DEFAULT 0, access_count INTEGER NOT NULL DEFAULT 0,
  last_accessed_at TEXT, created_at TEXT NOT NULL
);
CREATE UNIQUE INDEX idx_memory_items_source ON memory_items(source_table, source_id)
  WHERE source_table IS NOT NULL AND source_id IS NOT NULL;
INSERT INTO sessions (id, started_at, ended_at, status, scope_key)
  VALUES ('E', '2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z', 'ended', 'S');
INSERT INTO sessions (id, started_at, scope_key) VALUES ('P', '2026-02-01T00:00:00.000Z', 'S');
INSERT INTO sessions (id, parent_session_id, started_at, agent_type, agent_id, scope_key)
  VALUES ('C', 'P', '2026-02-01T00:00:01.000Z', 'subagent', 'a', 'S');
