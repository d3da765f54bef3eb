-- Long-term memories. The first nine columns are those of the system that
-- chiebukuro-mcp reads, under the same names.
CREATE TABLE memories (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    content      TEXT NOT NULL,
    source       TEXT NOT NULL,
    project      TEXT,
    tags         TEXT,                 -- JSON array
    content_hash TEXT NOT NULL,        -- SHA-256 of content, hex
    created_at   TEXT NOT NULL,        -- ISO 8601, UTC
    summary      TEXT,
    keywords     TEXT,                 -- JSON array
    key          TEXT NOT NULL UNIQUE, -- what makes it the same memory
    project_key  TEXT,
    session_id   TEXT,
    event_id     TEXT,
    message_id   TEXT,
    host         TEXT,
    tool         TEXT,
    target       TEXT,
    skills       TEXT,                 -- JSON array
    is_global    INTEGER NOT NULL DEFAULT 0,
    is_pinned    INTEGER NOT NULL DEFAULT 0,
    updated_at   TEXT NOT NULL,
    deleted_at   TEXT
);
CREATE INDEX memories_created ON memories (created_at);
CREATE INDEX memories_project ON memories (project_key, created_at);
CREATE INDEX memories_session ON memories (session_id);
CREATE INDEX memories_skills ON memories (created_at) WHERE skills IS NOT NULL;

-- Files of notes, as they were when last indexed.
CREATE TABLE notes (
    id         INTEGER PRIMARY KEY,
    path       TEXT NOT NULL UNIQUE,
    root       TEXT NOT NULL,
    mtime_ns   INTEGER NOT NULL,
    size       INTEGER NOT NULL,
    indexed_at TEXT NOT NULL,
    error      TEXT
);

-- Sections of notes: a shadow of the files. Two files may hold the same text,
-- so the key is the place, never the content.
CREATE TABLE note_chunks (
    id           INTEGER PRIMARY KEY,
    source       TEXT NOT NULL,
    ordinal      INTEGER NOT NULL,
    heading      TEXT NOT NULL,
    heading_path TEXT NOT NULL,
    content      TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    start_line   INTEGER NOT NULL,
    end_line     INTEGER NOT NULL,
    date         TEXT,
    date_origin  TEXT,
    summary      TEXT NOT NULL DEFAULT '', -- clean, on one line
    UNIQUE (source, ordinal)
);

-- One index over both, so that one bm25 ranks both. A row's id is the record's
-- id times 4, plus 0 for a memory and 1 for a chunk. The text in it is the
-- output of index_tokens(), a function of our own connections: another program
-- that wrote to these tables would be refused rather than leave a stale index.
CREATE VIRTUAL TABLE search_index USING fts5 (tokens, content = '', tokenize = 'porter ascii');

CREATE TRIGGER memories_ai AFTER INSERT ON memories WHEN new.deleted_at IS NULL BEGIN
    INSERT INTO search_index (rowid, tokens)
    VALUES (new.id * 4, index_tokens(coalesce(new.target || char(10), '') || new.content));
END;
CREATE TRIGGER memories_ad AFTER DELETE ON memories WHEN old.deleted_at IS NULL BEGIN
    INSERT INTO search_index (search_index, rowid, tokens)
    VALUES ('delete', old.id * 4, index_tokens(coalesce(old.target || char(10), '') || old.content));
END;
-- One trigger for both steps: two would run in an order that SQLite does not
-- promise, and a delete after the insert leaves the new text out of the index.
CREATE TRIGGER memories_au AFTER UPDATE OF id, content, target, deleted_at ON memories BEGIN
    INSERT INTO search_index (search_index, rowid, tokens)
    SELECT 'delete', old.id * 4, index_tokens(coalesce(old.target || char(10), '') || old.content)
    WHERE old.deleted_at IS NULL;
    INSERT INTO search_index (rowid, tokens)
    SELECT new.id * 4, index_tokens(coalesce(new.target || char(10), '') || new.content)
    WHERE new.deleted_at IS NULL;
END;

CREATE TRIGGER note_chunks_ai AFTER INSERT ON note_chunks BEGIN
    INSERT INTO search_index (rowid, tokens)
    VALUES (new.id * 4 + 1, index_tokens(new.heading_path || char(10) || new.content));
END;
CREATE TRIGGER note_chunks_ad AFTER DELETE ON note_chunks BEGIN
    INSERT INTO search_index (search_index, rowid, tokens)
    VALUES ('delete', old.id * 4 + 1, index_tokens(old.heading_path || char(10) || old.content));
END;
CREATE TRIGGER note_chunks_au AFTER UPDATE OF id, heading_path, content ON note_chunks BEGIN
    INSERT INTO search_index (search_index, rowid, tokens)
    VALUES ('delete', old.id * 4 + 1, index_tokens(old.heading_path || char(10) || old.content));
    INSERT INTO search_index (rowid, tokens)
    VALUES (new.id * 4 + 1, index_tokens(new.heading_path || char(10) || new.content));
END;

-- Captured hook events. The payload is redacted JSON, zlib-compressed; it goes
-- first when room or time runs out, the row stays.
CREATE TABLE events (
    seq           INTEGER PRIMARY KEY,
    id            TEXT NOT NULL UNIQUE,
    name          TEXT NOT NULL,
    session_id    TEXT NOT NULL,
    project       TEXT,
    project_key   TEXT,
    received_at   TEXT NOT NULL,
    outcome       TEXT NOT NULL,
    reason        TEXT,
    duration_ms   REAL NOT NULL,
    handlers      TEXT NOT NULL,       -- JSON array of handler runs
    answer        TEXT,                -- JSON, NULL when nothing was printed
    facts         TEXT NOT NULL,       -- JSON object: what only the hook process knew
    payload_bytes INTEGER NOT NULL,
    payload       BLOB
);
CREATE INDEX events_session ON events (session_id);
CREATE INDEX events_name ON events (name, outcome);
CREATE INDEX events_payload ON events (seq) WHERE payload IS NOT NULL;

-- How far each transcript was read.
CREATE TABLE transcripts (
    path       TEXT PRIMARY KEY,
    read_to    INTEGER NOT NULL,       -- byte offset of the last turn's first line
    head       TEXT NOT NULL,          -- hash of the file's first bytes
    updated_at TEXT NOT NULL
) WITHOUT ROWID;

-- Facts about the file itself.
CREATE TABLE meta (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
