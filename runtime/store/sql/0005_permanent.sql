-- Saves of permanent memories that live in a folder: the files hold the newest
-- text, this is how they were before. Place is the folder's absolute path.
CREATE TABLE permanent_revisions (
    place    TEXT NOT NULL,
    number   INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    title    TEXT NOT NULL,
    body_md  TEXT NOT NULL,
    saved_at TEXT NOT NULL,            -- ISO 8601, UTC
    saved_by TEXT NOT NULL,
    message  TEXT NOT NULL,
    PRIMARY KEY (place, number, revision)
) WITHOUT ROWID;

INSERT INTO _sqlite_mcp_meta (object_type, object_name, description) VALUES
    ('table', 'permanent_revisions', 'Every save of a permanent memory that lives in a folder of Markdown files.');
