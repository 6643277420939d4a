-- The part of Cortex's schema 6 that a decision reads, and the base fixture:
-- P = active primary of agent a's child C in scope S; E = an ended primary in S;
-- F = E's decision; O = P's own decision. Every note has its item.
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO meta VALUES('schema_version', '6');
CREATE TABLE sessions(
  id TEXT PRIMARY KEY, parent_session_id TEXT REFERENCES sessions(id) ON DELETE SET NULL,
  started_at TEXT NOT NULL, ended_at TEXT, focus TEXT, agent_type TEXT NOT NULL DEFAULT 'primary',
  agent_id TEXT, status TEXT NOT NULL DEFAULT 'active', git_root TEXT, worktree_path TEXT,
  branch_ref TEXT, head_oid TEXT, scope_type TEXT NOT NULL DEFAULT 'project', scope_key TEXT);
CREATE INDEX idx_sessions_parent ON sessions(parent_session_id);
CREATE UNIQUE INDEX idx_sessions_agent ON sessions(scope_key, agent_id) WHERE agent_id IS NOT NULL;
CREATE TABLE notes(
  id TEXT PRIMARY KEY, session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  timestamp TEXT NOT NULL, kind TEXT NOT NULL, subject TEXT, content TEXT NOT NULL,
  alternatives TEXT, status TEXT NOT NULL DEFAULT 'active', conflict INTEGER NOT NULL DEFAULT 0);
CREATE INDEX idx_notes_kind_subject ON notes(kind, subject);
CREATE TABLE memory_items(
  id TEXT PRIMARY KEY, session_id TEXT REFERENCES sessions(id) ON DELETE CASCADE,
  scope_type TEXT NOT NULL, scope_key TEXT NOT NULL, kind TEXT NOT NULL, source_table TEXT,
  source_id TEXT, subject TEXT, text TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'warm',
  importance REAL NOT NULL DEFAULT 0, access_count INTEGER NOT NULL DEFAULT 0,
  last_accessed_at TEXT, created_at TEXT NOT NULL);
CREATE UNIQUE INDEX idx_memory_items_source ON memory_items(source_table, source_id)
  WHERE source_table IS NOT NULL AND source_id IS NOT NULL;
-- A note's item follows it, as Cortex projects it.
CREATE TRIGGER project_note AFTER INSERT ON notes BEGIN
  INSERT INTO memory_items(id, session_id, scope_type, scope_key, kind, source_table, source_id, subject, text, created_at)
  SELECT 'notes:' || new.id, new.session_id, s.scope_type, coalesce(s.scope_key, ''), 'note:' || new.kind, 'notes', new.id,
         new.subject, new.content, new.timestamp
  FROM sessions s WHERE s.id = new.session_id;
END;
INSERT INTO sessions(id, parent_session_id, started_at, ended_at, agent_type, agent_id, status, scope_type, scope_key) VALUES
  ('E', NULL, '2026-11-01T08:00:00.000Z', '2026-11-01T09:00:00.000Z', 'primary', NULL, 'ended', 'branch', 'branch:/repo/.git:/repo:feature/hooks'),
  ('P', NULL, '2026-12-01T08:00:00.000Z', NULL, 'primary', NULL, 'active', 'branch', 'branch:/repo/.git:/repo:feature/hooks'),
  ('C', 'P', '2026-12-01T08:10:00.000Z', NULL, 'general-purpose', 'a', 'active', 'branch', 'branch:/repo/.git:/repo:feature/hooks');
INSERT INTO notes(id, session_id, timestamp, kind, subject, content) VALUES
  ('F', 'E', '2026-11-01T08:30:00.000Z', 'decision', 'retry ceiling', 'The ceiling is sixty seconds.'),
  ('O', 'P', '2026-12-01T08:20:00.000Z', 'decision', 'own subject', 'Ours.');
