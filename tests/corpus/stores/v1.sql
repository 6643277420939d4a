-- The first stores: no scopes, no agents, no items, and no version in `meta`.
PRAGMA journal_mode = WAL;
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    parent_session_id TEXT REFERENCES sessions (id) ON DELETE SET NULL,
    started_at TEXT NOT NULL,
    ended_at TEXT,
    focus TEXT,
    agent_type TEXT NOT NULL DEFAULT 'primary',
    status TEXT NOT NULL DEFAULT 'active'
);
CREATE TABLE notes (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    timestamp TEXT NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT,
    content TEXT NOT NULL,
    alternatives TEXT,
    status TEXT NOT NULL DEFAULT 'active',
    conflict INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX idx_notes_session ON notes (session_id);
INSERT INTO sessions (id, parent_session_id, started_at, ended_at, agent_type, status) VALUES
    ('E', NULL, '2026-11-29T08:00:00.000Z', '2026-11-29T09:00:00.000Z', 'primary', 'ended');
INSERT INTO sessions (id, parent_session_id, started_at, ended_at, agent_type, status) VALUES
    ('G', NULL, '2026-11-30T08:00:00.000Z', '2026-11-30T09:00:00.000Z', 'primary', 'ended');
INSERT INTO sessions (id, parent_session_id, started_at, ended_at, agent_type, status) VALUES
    ('P', NULL, '2026-12-01T08:00:00.000Z', NULL, 'primary', 'active');
INSERT INTO notes (id, session_id, timestamp, kind, subject, content, status, conflict) VALUES
    ('F', 'E', '2026-11-29T08:30:00.000Z', 'decision', 'retry ceiling', 'The ceiling is sixty seconds.', 'active', 0);
INSERT INTO notes (id, session_id, timestamp, kind, subject, content, status, conflict) VALUES
    ('O', 'P', '2026-12-01T08:05:00.000Z', 'decision', 'own subject', 'Written here.', 'active', 0);
INSERT INTO notes (id, session_id, timestamp, kind, subject, content, status, conflict) VALUES
    ('M', 'G', '2026-11-30T08:30:00.000Z', 'decision', 'retry ceiling', 'The ceiling is ninety seconds.', 'active', 0);
INSERT INTO notes (id, session_id, timestamp, kind, subject, content, status, conflict) VALUES
    ('B', 'E', '2026-11-29T08:40:00.000Z', 'blocker', 'retry ceiling', 'No access to the gateway.', 'active', 0);
INSERT INTO notes (id, session_id, timestamp, kind, subject, content, status, conflict) VALUES
    ('R', 'E', '2026-11-29T08:41:00.000Z', 'decision', 'retry ceiling', 'An older word.', 'superseded', 0);
INSERT INTO notes (id, session_id, timestamp, kind, subject, content, status, conflict) VALUES
    ('U', 'E', '2026-11-29T08:42:00.000Z', 'insight', 'été', 'Accents fold in no index.', 'active', 1);
