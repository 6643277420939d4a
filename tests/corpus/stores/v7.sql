-- A later schema that only adds: columns in the middle and at the end, a table. One index kept its name.
PRAGMA journal_mode = WAL;
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO meta VALUES ('schema_version', '7');
CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    parent_session_id TEXT REFERENCES sessions (id) ON DELETE SET NULL,
    started_at TEXT NOT NULL,
    ended_at TEXT,
    focus TEXT,
    agent_type TEXT NOT NULL DEFAULT 'primary',
    status TEXT NOT NULL DEFAULT 'active',
    git_root TEXT,
    worktree_path TEXT,
    branch_ref TEXT,
    head_oid TEXT,
    scope_type TEXT NOT NULL DEFAULT 'project',
    scope_key TEXT,
    agent_id TEXT,
    host_session TEXT NOT NULL DEFAULT ''
);
CREATE TABLE notes (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    timestamp TEXT NOT NULL,
    author TEXT NOT NULL DEFAULT 'nobody',
    kind TEXT NOT NULL,
    subject TEXT,
    content TEXT NOT NULL,
    alternatives TEXT,
    status TEXT NOT NULL DEFAULT 'active',
    conflict INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX idx_notes_session ON notes (session_id);
CREATE INDEX idx_notes_kind_subject ON notes (kind, author, subject) WHERE status = 'active';
CREATE INDEX idx_notes_status ON notes (status);
CREATE UNIQUE INDEX idx_sessions_agent ON sessions (scope_key, agent_id) WHERE agent_id IS NOT NULL;
CREATE TABLE memory_items (
    id TEXT PRIMARY KEY,
    session_id TEXT REFERENCES sessions (id) ON DELETE CASCADE,
    scope_type TEXT NOT NULL,
    scope_key TEXT NOT NULL,
    kind TEXT NOT NULL,
    source_table TEXT,
    source_id TEXT,
    subject TEXT,
    text TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'warm',
    importance REAL NOT NULL DEFAULT 0,
    access_count INTEGER NOT NULL DEFAULT 0,
    last_accessed_at TEXT,
    created_at TEXT NOT NULL
);
CREATE UNIQUE INDEX idx_memory_items_source ON memory_items (source_table, source_id)
    WHERE source_table IS NOT NULL AND source_id IS NOT NULL;
CREATE TABLE note_embeddings (note_id TEXT PRIMARY KEY, vector BLOB NOT NULL);
INSERT INTO sessions (id, parent_session_id, started_at, ended_at, agent_type, status, scope_key, agent_id) VALUES
    ('E', NULL, '2026-11-29T08:00:00.000Z', '2026-11-29T09:00:00.000Z', 'primary', 'ended', 'branch:/repo/.git:/repo:feature/hooks', NULL);
INSERT INTO sessions (id, parent_session_id, started_at, ended_at, agent_type, status, scope_key, agent_id) VALUES
    ('G', NULL, '2026-11-30T08:00:00.000Z', '2026-11-30T09:00:00.000Z', 'primary', 'ended', 'branch:/repo/.git:/repo:main', NULL);
INSERT INTO sessions (id, parent_session_id, started_at, ended_at, agent_type, status, scope_key, agent_id) VALUES
    ('P', NULL, '2026-12-01T08:00:00.000Z', NULL, 'primary', 'active', 'branch:/repo/.git:/repo:feature/hooks', NULL);
INSERT INTO sessions (id, parent_session_id, started_at, ended_at, agent_type, status, scope_key, agent_id) VALUES
    ('C', 'P', '2026-12-01T08:10:00.000Z', NULL, 'general-purpose', 'active', 'branch:/repo/.git:/repo:feature/hooks', 'a');
INSERT INTO notes (id, session_id, timestamp, kind, subject, content, status, conflict) VALUES
    ('F', 'E', '2026-11-29T08:30:00.000Z', 'decision', 'retry ceiling', 'The ceiling is sixty seconds.', 'active', 0);
INSERT INTO memory_items (id, session_id, scope_type, scope_key, kind, source_table, source_id, subject, text, created_at) VALUES
    ('notes:F', 'E', 'branch', 'branch:/repo/.git:/repo:feature/hooks', 'note:decision', 'notes', 'F', 'retry ceiling', 'The ceiling is sixty seconds.', '2026-11-29T08:30:00.000Z');
INSERT INTO notes (id, session_id, timestamp, kind, subject, content, status, conflict) VALUES
    ('O', 'P', '2026-12-01T08:05:00.000Z', 'decision', 'own subject', 'Written here.', 'active', 0);
INSERT INTO memory_items (id, session_id, scope_type, scope_key, kind, source_table, source_id, subject, text, created_at) VALUES
    ('notes:O', 'P', 'branch', 'branch:/repo/.git:/repo:feature/hooks', 'note:decision', 'notes', 'O', 'own subject', 'Written here.', '2026-12-01T08:05:00.000Z');
INSERT INTO notes (id, session_id, timestamp, kind, subject, content, status, conflict) VALUES
    ('M', 'G', '2026-11-30T08:30:00.000Z', 'decision', 'retry ceiling', 'The ceiling is ninety seconds.', 'active', 0);
INSERT INTO memory_items (id, session_id, scope_type, scope_key, kind, source_table, source_id, subject, text, created_at) VALUES
    ('notes:M', 'G', 'branch', 'branch:/repo/.git:/repo:main', 'note:decision', 'notes', 'M', 'retry ceiling', 'The ceiling is ninety seconds.', '2026-11-30T08:30:00.000Z');
INSERT INTO notes (id, session_id, timestamp, kind, subject, content, status, conflict) VALUES
    ('B', 'E', '2026-11-29T08:40:00.000Z', 'blocker', 'retry ceiling', 'No access to the gateway.', 'active', 0);
INSERT INTO memory_items (id, session_id, scope_type, scope_key, kind, source_table, source_id, subject, text, created_at) VALUES
    ('notes:B', 'E', 'branch', 'branch:/repo/.git:/repo:feature/hooks', 'note:blocker', 'notes', 'B', 'retry ceiling', 'No access to the gateway.', '2026-11-29T08:40:00.000Z');
INSERT INTO notes (id, session_id, timestamp, kind, subject, content, status, conflict) VALUES
    ('R', 'E', '2026-11-29T08:41:00.000Z', 'decision', 'retry ceiling', 'An older word.', 'superseded', 0);
INSERT INTO memory_items (id, session_id, scope_type, scope_key, kind, source_table, source_id, subject, text, created_at) VALUES
    ('notes:R', 'E', 'branch', 'branch:/repo/.git:/repo:feature/hooks', 'note:decision', 'notes', 'R', 'retry ceiling', 'An older word.', '2026-11-29T08:41:00.000Z');
INSERT INTO notes (id, session_id, timestamp, kind, subject, content, status, conflict) VALUES
    ('U', 'E', '2026-11-29T08:42:00.000Z', 'insight', 'été', 'Accents fold in no index.', 'active', 1);
INSERT INTO memory_items (id, session_id, scope_type, scope_key, kind, source_table, source_id, subject, text, created_at) VALUES
    ('notes:U', 'E', 'branch', 'branch:/repo/.git:/repo:feature/hooks', 'note:insight', 'notes', 'U', 'été', 'Accents fold in no index.', '2026-11-29T08:42:00.000Z');
INSERT INTO memory_items (id, session_id, scope_type, scope_key, kind, source_table, source_id, text, created_at) VALUES
    ('command_runs:X', 'E', 'branch', 'branch:/repo/.git:/repo:feature/hooks', 'command_run', 'command_runs', 'X', 'make', '2026-11-29T08:50:00.000Z'),
    ('project_snapshots:X', NULL, 'project', 'project:/repo', 'project_snapshot', 'project_snapshots', 'X', 'a tree', '2026-11-29T08:51:00.000Z');
