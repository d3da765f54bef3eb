-- What other programs are told of this database. chiebukuro-mcp reads this table by
-- its name; names of its columns are given by it. It guesses where the texts lie as the
-- first table whose definition holds a certain word, so that word is not in this one.
CREATE TABLE _sqlite_mcp_meta (
    object_type  TEXT NOT NULL,        -- db, table, column or recipe
    object_name  TEXT NOT NULL,
    description  TEXT,
    hints_json   TEXT,                 -- of a column
    recipe_sql   TEXT,                 -- of a recipe, with :named slots
    recipe_label TEXT,
    PRIMARY KEY (object_type, object_name)
);

INSERT INTO _sqlite_mcp_meta (object_type, object_name, description) VALUES
    ('db', 'long_term_memory', 'What was said and done with Claude Code, captured by hooks, and what was stored by hand (長期記憶). Read memories with deleted_at IS NULL. Times are ISO 8601 in UTC.'),
    ('table', 'memories', 'Long-term memories: a turn of a conversation, the result of a tool, or a text that was stored by hand.'),
    ('table', 'notes', 'Markdown files of notes, as they were when last indexed.'),
    ('table', 'note_chunks', 'Sections of the notes. The file is the truth, this is its shadow.'),
    ('table', 'search_index', 'The full-text index of the program itself, over tokens of its own making: MATCH does not find plain words here. Use LIKE, or the search of the program.'),
    ('table', 'events', 'Hook events: what came, what was done, how long it took. The payload is compressed.'),
    ('table', 'shown', 'Which memories and notes a model was told, when and where.'),
    ('table', 'transcripts', 'How far each transcript was read.'),
    ('table', 'meta', 'Facts about the file itself.');

INSERT INTO _sqlite_mcp_meta (object_type, object_name, description, hints_json) VALUES
    ('column', 'memories.content', 'The text. Secrets are replaced by [redacted:kind].', NULL),
    ('column', 'memories.source', 'Who made it.', '{"sample_values": ["session", "tool:Write", "tool:Edit", "tool:WebFetch", "tool:WebSearch", "claude_code"], "note": "a word of the one who stored it by hand is possible too"}'),
    ('column', 'memories.project', 'Name of the project, or NULL.', '{"note": "two projects may have one name; project_key tells them apart"}'),
    ('column', 'memories.tags', 'JSON array of words, or NULL.', '{"note": "json_each(tags) lists them"}'),
    ('column', 'memories.created_at', 'The moment it is of, UTC.', '{"sample_values": ["2026-06-11T09:30:00.000Z"], "note": "date(created_at, ''localtime'') is the local day"}'),
    ('column', 'memories.summary', 'The beginning of the text, on one line, at most 200 characters.', NULL),
    ('column', 'memories.content_hash', 'SHA-256 of the text, hex.', NULL),
    ('column', 'memories.session_id', 'The session of Claude Code that it comes from.', NULL),
    ('column', 'memories.target', 'The path or address that the tool worked on.', NULL),
    ('column', 'memories.skills', 'JSON array of the skills that ran in it.', NULL),
    ('column', 'memories.host', 'The machine that it was captured on.', NULL),
    ('column', 'memories.is_global', '1: told in every project.', '{"enum_values": [0, 1]}'),
    ('column', 'memories.is_pinned', '1: never cleaned up.', '{"enum_values": [0, 1]}'),
    ('column', 'memories.deleted_at', 'When it was deleted; NULL for what is there.', '{"note": "leave deleted ones alone: deleted_at IS NULL"}'),
    ('column', 'note_chunks.source', 'Path of the file.', '{"related_tables": ["notes"]}'),
    ('column', 'note_chunks.heading_path', 'The heading, below those it stands under.', NULL),
    ('column', 'note_chunks.date', 'The day it is about, YYYY-MM-DD, or NULL; date_origin says where that was read.', '{"note": "an origin of file time is the last change, which says little"}'),
    ('column', 'events.outcome', 'What became of it.', '{"sample_values": ["ok", "failed", "ignored"]}');

INSERT INTO _sqlite_mcp_meta (object_type, object_name, recipe_label, description, recipe_sql) VALUES
    ('recipe', 'newest', 'The newest memories', 'Of a kind and a time.', 'SELECT id, created_at, source, project, summary FROM memories WHERE deleted_at IS NULL AND source LIKE :source_like AND created_at >= :from_date AND created_at < :to_date ORDER BY created_at DESC LIMIT :limit'),
    ('recipe', 'with_words', 'Memories that hold a text', 'As it stands, case aside for ASCII.', 'SELECT id, created_at, source, project, summary FROM memories WHERE deleted_at IS NULL AND content LIKE ''%'' || :words || ''%'' ORDER BY created_at DESC LIMIT :limit'),
    ('recipe', 'one', 'One memory, whole', NULL, 'SELECT * FROM memories WHERE id = :id AND deleted_at IS NULL'),
    ('recipe', 'session', 'A session from beginning to end', NULL, 'SELECT id, created_at, source, content FROM memories WHERE deleted_at IS NULL AND session_id = :session_id ORDER BY created_at, id LIMIT :limit'),
    ('recipe', 'per_day', 'How many memories a day', 'By the local calendar.', 'SELECT date(created_at, ''localtime'') AS day, count(*) AS memories FROM memories WHERE deleted_at IS NULL AND created_at >= :from_date AND created_at < :to_date GROUP BY day ORDER BY day DESC LIMIT :limit'),
    ('recipe', 'per_project', 'How many memories a project has', NULL, 'SELECT coalesce(project, ''-'') AS project, source, count(*) AS memories, max(created_at) AS newest FROM memories WHERE deleted_at IS NULL GROUP BY project, source ORDER BY memories DESC LIMIT :limit'),
    ('recipe', 'tagged', 'Memories with a tag', NULL, 'SELECT id, created_at, source, summary FROM memories WHERE deleted_at IS NULL AND EXISTS (SELECT 1 FROM json_each(memories.tags) WHERE value = :tag) ORDER BY created_at DESC LIMIT :limit'),
    ('recipe', 'notes', 'Sections of notes by day', NULL, 'SELECT source, heading_path, date, date_origin, substr(content, 1, 400) AS beginning FROM note_chunks WHERE date >= :from_date AND date < :to_date ORDER BY date DESC LIMIT :limit');
