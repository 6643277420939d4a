-- More of who and what in the history: a note can be restored and imported, and a change made from a
-- terminal has a process instead of a call. The list of actions is a CHECK, so the table is made anew.

CREATE TABLE history (
    seq         INTEGER PRIMARY KEY,
    note        TEXT NOT NULL,
    at          TEXT NOT NULL,
    action      TEXT NOT NULL CHECK (
        action IN (
            'create', 'supersede', 'contest', 'settle', 'resolve', 'edit', 'delete', 'restore', 'import'
        )
    ),
    before      TEXT,            -- the text before; NULL when the note was not there
    row_before  TEXT,            -- JSON of the other columns before; NULL when the note was not there
    session     TEXT NOT NULL,   -- who changed it
    agent       TEXT,
    tool_use_id TEXT,            -- the host's id of the call; NULL = not known
    pid         INTEGER          -- the process of a command line; NULL for a server
) STRICT;

INSERT INTO history (seq, note, at, action, before, row_before, session, agent, tool_use_id)
SELECT seq, note, at, action, before, row_before, session, agent, tool_use_id FROM note_history;

-- Its index and triggers go with it; dropping a table fires no trigger.
DROP TABLE note_history;
ALTER TABLE history RENAME TO note_history;

CREATE INDEX note_history_note ON note_history (note, seq);

CREATE TRIGGER note_history_is_kept BEFORE DELETE ON note_history
BEGIN SELECT RAISE(ABORT, 'note_history is kept for ever'); END;

CREATE TRIGGER note_history_is_final BEFORE UPDATE ON note_history
BEGIN SELECT RAISE(ABORT, 'note_history never changes'); END;

-- A list is newest first, and a page of it must not sort the whole store.
CREATE INDEX notes_by_age ON notes (created_at);
