-- Permanent memories as they were last seen, so that they are found beside notes and
-- long-term memories. The folder, or esa, is the truth: this is its shadow, of one
-- place at a time.
CREATE TABLE permanent_posts (
    id        INTEGER PRIMARY KEY,     -- the number of the post
    revision  INTEGER NOT NULL,
    title     TEXT NOT NULL,
    body_md   TEXT NOT NULL,
    tags      TEXT NOT NULL,           -- JSON array of words
    category  TEXT,
    source    TEXT NOT NULL,           -- path of the file, or address at esa
    saved_at  TEXT NOT NULL,           -- of this revision: ISO 8601, UTC
    saved_by  TEXT NOT NULL,
    seen_at   TEXT NOT NULL,           -- when it was last read from its place
    text_hash BLOB NOT NULL,           -- first 8 bytes of the SHA-256 of body_md
    summary   TEXT,                    -- where it is not simply how the text begins
    mtime_ns  INTEGER,                 -- of the file, as it was read
    size      INTEGER
);

-- One row: the place that the shadow is of, and how far it follows.
CREATE TABLE permanent_place (
    id           INTEGER PRIMARY KEY CHECK (id = 1),
    place        TEXT NOT NULL,        -- the folder's absolute path, or the team's address at esa
    tag          TEXT NOT NULL,
    is_copy      INTEGER NOT NULL,     -- 1: of esa, refreshed from time to time
    state        TEXT,                 -- of the folder's files when they were last read
    refreshed_at TEXT,                 -- when all that has changed was last read
    listed_at    TEXT,                 -- when all posts were last listed
    tried_at     TEXT,
    problem      TEXT                  -- why the last try failed
);

-- A text that is gone, or is another one, has no vector until it is encoded again.
CREATE TRIGGER permanent_posts_ad_vectors AFTER DELETE ON permanent_posts BEGIN
    DELETE FROM vectors WHERE row = old.id * 4 + 2;
END;
CREATE TRIGGER permanent_posts_au_vectors AFTER UPDATE OF id, title, body_md ON permanent_posts BEGIN
    DELETE FROM vectors WHERE row = old.id * 4 + 2;
END;

INSERT INTO _sqlite_mcp_meta (object_type, object_name, description) VALUES
    ('table', 'permanent_posts', 'Permanent memories (永続記憶), what a person chose to keep, as they were last seen in their folder or in esa. That place is the truth, this is its shadow.'),
    ('table', 'permanent_place', 'Where the permanent memories live, and when they were last read from there.');

INSERT INTO _sqlite_mcp_meta (object_type, object_name, description, hints_json) VALUES
    ('column', 'permanent_posts.id', 'The number of the post.', NULL),
    ('column', 'permanent_posts.revision', 'Counts its saves, from 1.', NULL),
    ('column', 'permanent_posts.tags', 'JSON array of words.', '{"note": "json_each(tags) lists them"}'),
    ('column', 'permanent_posts.saved_at', 'When this revision was saved, UTC.', '{"sample_values": ["2026-06-11T09:30:00.000Z"]}'),
    ('column', 'permanent_posts.seen_at', 'When it was last read from its place; permanent_place.refreshed_at may be later.', NULL);

INSERT INTO _sqlite_mcp_meta (object_type, object_name, recipe_label, description, recipe_sql) VALUES
    ('recipe', 'permanent', 'Permanent memories that hold a text', 'As it stands, case aside for ASCII; the newest change first.', 'SELECT id AS number, revision, title, saved_at, source, substr(body_md, 1, 400) AS beginning FROM permanent_posts WHERE title || char(10) || body_md LIKE ''%'' || :words || ''%'' ORDER BY saved_at DESC LIMIT :limit');
