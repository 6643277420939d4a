-- Our own memory store, one per project. Times are RFC 3339 in UTC with milliseconds, so that they
-- compare as text; ids of notes are UUIDv7, so that they sort by age.

-- "RgFn": tells our file from another program's, whatever its name.
PRAGMA application_id = 0x5267466e;

-- Host sessions that were seen in this project, and those that notes were written for. A row is never
-- deleted: a note whose session is known is somebody's.
CREATE TABLE sessions (
    id         TEXT PRIMARY KEY,
    parent     TEXT,            -- the session whose subagent's call started this client
    scope      TEXT,            -- the branch at its start; NULL = not known
    cwd        TEXT,
    started_at TEXT NOT NULL,
    ended_at   TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_parent ON sessions (parent) WHERE parent IS NOT NULL;

CREATE TABLE notes (
    seq          INTEGER PRIMARY KEY,   -- breaks ties of created_at; the row that notes_fts points to
    id           TEXT NOT NULL UNIQUE,
    kind         TEXT NOT NULL CHECK (kind IN ('insight', 'decision', 'intent', 'blocker', 'focus')),
    subject      TEXT,                  -- as it was given, trimmed
    subject_key  TEXT,                  -- normalised: what look-ups compare
    content      TEXT NOT NULL,
    alternatives TEXT NOT NULL DEFAULT '[]',    -- JSON list of texts
    status       TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'superseded', 'resolved')),
    conflict     INTEGER NOT NULL DEFAULT 0 CHECK (conflict IN (0, 1)),
    session      TEXT NOT NULL REFERENCES sessions (id),
    agent        TEXT,                  -- NULL = the parent, or not known to be a subagent
    scope        TEXT,                  -- the branch at the write; NULL = not known
    created_at   TEXT NOT NULL,
    updated_at   TEXT NOT NULL,
    CHECK ((subject IS NULL) = (subject_key IS NULL)),
    CHECK (subject IS NOT NULL OR kind = 'insight')
) STRICT;

-- The hook looks notes up by id and by subject among the active; both stay flat as the store grows.
CREATE INDEX notes_active_subject ON notes (subject_key, created_at) WHERE status = 'active';

-- Every change of a note with what was there before. No foreign key: it outlives the note.
CREATE TABLE note_history (
    seq         INTEGER PRIMARY KEY,
    note        TEXT NOT NULL,
    at          TEXT NOT NULL,
    action      TEXT NOT NULL CHECK (
        action IN ('create', 'supersede', 'contest', 'settle', 'resolve', 'edit', 'delete')
    ),
    before      TEXT,            -- the text before; NULL for create
    row_before  TEXT,            -- JSON of the other columns before; NULL for create
    session     TEXT NOT NULL,   -- who changed it
    agent       TEXT,
    tool_use_id TEXT             -- the host's id of the call; NULL = not known
) STRICT;

CREATE INDEX note_history_note ON note_history (note, seq);

-- Nothing is ever lost, also not by a slip of ours.
CREATE TRIGGER note_history_is_kept BEFORE DELETE ON note_history
BEGIN SELECT RAISE(ABORT, 'note_history is kept for ever'); END;

CREATE TRIGGER note_history_is_final BEFORE UPDATE ON note_history
BEGIN SELECT RAISE(ABORT, 'note_history never changes'); END;

-- Which subagent made which call, taken in from the hook's spool.
CREATE TABLE calls (
    seq     INTEGER PRIMARY KEY,
    at      TEXT NOT NULL,
    event   TEXT NOT NULL,       -- call, subagent-start, subagent-stop
    session TEXT NOT NULL,
    call    TEXT NOT NULL,       -- the host's id of the call; empty for the other events
    agent   TEXT,
    tool    TEXT NOT NULL,
    cwd     TEXT NOT NULL,
    scope   TEXT,
    digest  TEXT NOT NULL
) STRICT;

-- The spool is read again and again: a line counts once.
CREATE UNIQUE INDEX calls_once ON calls (session, call, event, at, coalesce(agent, ''));

CREATE VIRTUAL TABLE notes_fts USING fts5 (
    subject, content, content = 'notes', content_rowid = 'seq', tokenize = 'porter unicode61'
);

CREATE TRIGGER notes_fts_insert AFTER INSERT ON notes
BEGIN
    INSERT INTO notes_fts (rowid, subject, content) VALUES (new.seq, new.subject, new.content);
END;

CREATE TRIGGER notes_fts_delete AFTER DELETE ON notes
BEGIN
    INSERT INTO notes_fts (notes_fts, rowid, subject, content)
    VALUES ('delete', old.seq, old.subject, old.content);
END;

CREATE TRIGGER notes_fts_update AFTER UPDATE OF subject, content ON notes
BEGIN
    INSERT INTO notes_fts (notes_fts, rowid, subject, content)
    VALUES ('delete', old.seq, old.subject, old.content);
    INSERT INTO notes_fts (rowid, subject, content) VALUES (new.seq, new.subject, new.content);
END;
