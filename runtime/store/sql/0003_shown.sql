-- What a model was told: one row for each record of an answer, in the order in
-- which it stood there. A note's record is known by its file, since the ids of
-- sections change whenever they are indexed again.
CREATE TABLE shown (
    event_id    TEXT NOT NULL,
    rank        INTEGER NOT NULL,      -- from 1
    kind        TEXT NOT NULL,         -- long-term or note
    record_id   INTEGER,               -- of a memory
    path        TEXT,                  -- of a note
    place       TEXT NOT NULL,         -- session start or skill
    project_key TEXT,
    shown_at    TEXT NOT NULL,
    PRIMARY KEY (event_id, rank)
) WITHOUT ROWID;
CREATE INDEX shown_memories ON shown (record_id, shown_at) WHERE record_id IS NOT NULL;

-- Since when that is so: what was told before nobody knows.
INSERT INTO meta (name, value) VALUES ('shown_since', strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));

-- A purged memory is a deleted one without content. Nothing is left to restore.
CREATE TRIGGER memories_purged BEFORE UPDATE OF deleted_at ON memories
WHEN old.content = '' AND new.content = '' AND new.deleted_at IS NULL BEGIN
    SELECT raise(IGNORE);
END;
