-- What a turn of a conversation is also found by: the end of the turns before it.
-- Kept by the triggers of the index, which take out of it what they put in.
ALTER TABLE memories ADD COLUMN before TEXT;

-- The living turns of a session in order: nothing else lies between two of them.
CREATE INDEX memories_turns ON memories (session_id, created_at)
WHERE source = 'session' AND deleted_at IS NULL;

-- The index has two columns from here on. Its table and its triggers are made by
-- runtime/store/index_tables.py, beside the old one when there is something in it.
DROP TRIGGER memories_ai;
DROP TRIGGER memories_ad;
DROP TRIGGER memories_au;
DROP TRIGGER note_chunks_ai;
DROP TRIGGER note_chunks_ad;
DROP TRIGGER note_chunks_au;

-- Sections of notes in less room: no summary where the content says it, and half a
-- line of digits less for each hash. A number is never used again, so that what an
-- index says of a section that is gone is never said of another one.
CREATE TABLE smaller_chunks (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    source       TEXT NOT NULL,
    ordinal      INTEGER NOT NULL,
    heading      TEXT NOT NULL,
    heading_path TEXT NOT NULL,
    content      TEXT NOT NULL,
    content_hash BLOB NOT NULL,        -- first 8 bytes of the SHA-256 of content; older rows: hex
    start_line   INTEGER NOT NULL,
    end_line     INTEGER NOT NULL,
    date         TEXT,
    date_origin  TEXT,
    summary      TEXT,                 -- clean, on one line; NULL where that is how content begins
    UNIQUE (source, ordinal)
);
INSERT INTO smaller_chunks
SELECT
    id, source, ordinal, heading, heading_path, content, content_hash, start_line, end_line,
    date, date_origin, nullif(summary, content)
FROM note_chunks;
DROP TABLE note_chunks;
ALTER TABLE smaller_chunks RENAME TO note_chunks;
