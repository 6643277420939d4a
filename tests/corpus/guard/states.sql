-- What each state adds to the base fixture.
-- state: rotated
UPDATE sessions SET status = 'ended', ended_at = '2026-12-01T09:00:00.000Z' WHERE id IN ('P', 'C');
INSERT INTO sessions(id, started_at, status, scope_type, scope_key) VALUES
  ('P2', '2026-12-01T09:00:01.000Z', 'active', 'branch', 'branch:/repo/.git:/repo:feature/hooks');
INSERT INTO notes(id, session_id, timestamp, kind, subject, content) VALUES
  ('N', 'P2', '2026-12-01T09:10:00.000Z', 'decision', 'newer', 'x');
-- state: no-primary
UPDATE sessions SET status = 'ended', ended_at = '2026-12-01T09:00:00.000Z' WHERE id = 'P';
-- state: no-scope
UPDATE sessions SET scope_key = NULL WHERE id = 'P';
-- state: no-child
DELETE FROM sessions WHERE id = 'C';
-- state: child-ended
UPDATE sessions SET status = 'ended', ended_at = '2026-12-01T09:00:00.000Z' WHERE id = 'C';
-- state: schema-7
UPDATE meta SET value = '7';
-- state: schema-v6
UPDATE meta SET value = 'v6';
-- state: no-agent-column
DROP INDEX idx_sessions_agent;
ALTER TABLE sessions DROP COLUMN agent_id;
-- state: second-window
INSERT INTO sessions(id, started_at, status, scope_type, scope_key) VALUES
  ('P2', '2026-12-01T08:30:00.000Z', 'active', 'branch', 'branch:/repo/.git:/repo:main');
-- state: compacted
UPDATE sessions SET status = 'ended', ended_at = '2026-12-01T08:30:00.000Z' WHERE id = 'P';
INSERT INTO sessions(id, started_at, status, scope_type, scope_key) VALUES
  ('P2', '2026-12-01T08:30:01.000Z', 'active', 'branch', 'branch:/repo/.git:/repo:feature/hooks');
UPDATE sessions SET parent_session_id = 'P2' WHERE id = 'C';
INSERT INTO notes(id, session_id, timestamp, kind, subject, content) VALUES
  ('N', 'P', '2026-12-01T08:25:00.000Z', 'decision', 'earlier in this sitting', 'x');
-- state: early-own
INSERT INTO notes(id, session_id, timestamp, kind, subject, content) VALUES
  ('N', 'P', '2026-12-01T04:00:00.000Z', 'decision', 'hours ago', 'x');
-- state: f-intent
UPDATE notes SET kind = 'intent' WHERE id = 'F';
-- state: f-blocker
UPDATE notes SET kind = 'blocker' WHERE id = 'F';
-- state: f-contested
UPDATE notes SET conflict = 1 WHERE id = 'F';
-- state: f-postgres
UPDATE notes SET content = 'use postgres for the primary store' WHERE id = 'F';
-- state: f-cyrillic
UPDATE notes SET content = 'Используем очередь' WHERE id = 'F';
-- state: f-superseded
UPDATE notes SET status = 'superseded' WHERE id = 'F';
-- state: f-resolved
UPDATE notes SET status = 'resolved' WHERE id = 'F';
-- state: f-summer
UPDATE notes SET subject = 'été' WHERE id = 'F';
-- state: f-project-scope
UPDATE sessions SET scope_key = 'project:/repo', scope_type = 'project' WHERE id = 'E';
-- state: f-on-main-too
INSERT INTO sessions(id, started_at, ended_at, status, scope_type, scope_key) VALUES
  ('M', '2026-11-02T08:00:00.000Z', '2026-11-02T09:00:00.000Z', 'ended', 'branch', 'branch:/repo/.git:/repo:main');
INSERT INTO notes(id, session_id, timestamp, kind, subject, content) VALUES
  ('G', 'M', '2026-11-02T08:30:00.000Z', 'decision', 'retry ceiling', 'The ceiling is ninety seconds.');
-- state: n-on-main
INSERT INTO sessions(id, started_at, ended_at, status, scope_type, scope_key) VALUES
  ('M', '2026-11-02T08:00:00.000Z', '2026-11-02T09:00:00.000Z', 'ended', 'branch', 'branch:/repo/.git:/repo:main');
INSERT INTO notes(id, session_id, timestamp, kind, subject, content) VALUES
  ('N', 'M', '2026-11-02T08:30:00.000Z', 'decision', 'of main', 'x');
-- state: o-retired-by-f2
UPDATE notes SET status = 'superseded' WHERE id = 'O';
INSERT INTO notes(id, session_id, timestamp, kind, subject, content) VALUES
  ('F2', 'E', '2026-11-01T08:40:00.000Z', 'decision', 'own subject', 'Theirs.');
-- state: o-retired-by-contested-f2
UPDATE notes SET status = 'superseded' WHERE id = 'O';
INSERT INTO notes(id, session_id, timestamp, kind, subject, content, conflict) VALUES
  ('F2', 'E', '2026-11-01T08:40:00.000Z', 'decision', 'own subject', 'Theirs.', 1);
-- state: newest-is-own
INSERT INTO notes(id, session_id, timestamp, kind, subject, content) VALUES
  ('B', 'P', '2026-12-01T08:40:00.000Z', 'blocker', 'retry ceiling', 'x');
-- state: two-contested
UPDATE notes SET conflict = 1 WHERE id = 'F';
INSERT INTO notes(id, session_id, timestamp, kind, subject, content, conflict) VALUES
  ('B', 'P', '2026-10-01T08:40:00.000Z', 'decision', 'retry ceiling', 'x', 1);
-- state: other-items
INSERT INTO memory_items(id, session_id, scope_type, scope_key, kind, source_table, source_id, text, created_at) VALUES
  ('command_runs:X', 'E', 'branch', 'branch:/repo/.git:/repo:feature/hooks', 'command_run', 'command_runs', 'X', 'x', '2026-11-01T08:30:00.000Z'),
  ('episodes:X', 'E', 'branch', 'branch:/repo/.git:/repo:feature/hooks', 'episode:x', 'episodes', 'X', 'x', '2026-11-01T08:30:00.000Z'),
  ('state:X', 'E', 'branch', 'branch:/repo/.git:/repo:feature/hooks', 'session_state', 'state', 'X', 'x', '2026-11-01T08:30:00.000Z'),
  ('project_snapshots:X', NULL, 'project', 'project:/repo', 'project_snapshot', 'project_snapshots', 'X', 'x', '2026-11-01T08:30:00.000Z'),
  ('episodes:own', 'C', 'branch', 'branch:/repo/.git:/repo:feature/hooks', 'episode:subagent_conclusion', 'episodes', 'own', 'x', '2026-12-01T08:30:00.000Z');
-- state: item-on-main
INSERT INTO sessions(id, started_at, ended_at, status, scope_type, scope_key) VALUES
  ('M', '2026-11-02T08:00:00.000Z', '2026-11-02T09:00:00.000Z', 'ended', 'branch', 'branch:/repo/.git:/repo:main');
INSERT INTO memory_items(id, session_id, scope_type, scope_key, kind, source_table, source_id, text, created_at) VALUES
  ('episodes:M', 'M', 'branch', 'branch:/repo/.git:/repo:main', 'episode:x', 'episodes', 'M', 'x', '2026-11-02T08:30:00.000Z');
-- state: owner-gone
INSERT INTO notes(id, session_id, timestamp, kind, subject, content) VALUES
  ('N', 'nobody', '2026-11-01T08:30:00.000Z', 'decision', 'of nobody', 'x');
-- state: agent-in-two-windows
INSERT INTO sessions(id, started_at, status, scope_type, scope_key) VALUES
  ('P2', '2026-12-01T08:30:00.000Z', 'active', 'branch', 'branch:/repo/.git:/repo:main');
INSERT INTO sessions(id, parent_session_id, started_at, agent_type, agent_id, status, scope_type, scope_key) VALUES
  ('C2', 'P2', '2026-12-01T08:31:00.000Z', 'general-purpose', 'a', 'active', 'branch', 'branch:/repo/.git:/repo:main');
