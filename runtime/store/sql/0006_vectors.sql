-- What an encoder makes of records, for the search by meaning (docs/how-to/semantic-search.md).
-- Both stay empty until somebody switches that on.
CREATE TABLE encoders (
    id         INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    version    TEXT NOT NULL,
    dimensions INTEGER NOT NULL,
    UNIQUE (name, version)
);

-- A row is the number that the record has in the search index: its id times 4, plus
-- 0 for a memory and 1 for a section. A vector is one signed byte for each
-- dimension, the longest of them 127: only its direction says anything.
CREATE TABLE vectors (
    row       INTEGER NOT NULL,
    encoder   INTEGER NOT NULL REFERENCES encoders (id),
    text_hash BLOB NOT NULL,        -- first 8 bytes of the SHA-256 of the text that was encoded
    vector    BLOB NOT NULL,
    PRIMARY KEY (row, encoder)
) WITHOUT ROWID;

-- A text that is gone, or is another one, has no vector until it is encoded again.
CREATE TRIGGER memories_ad_vectors AFTER DELETE ON memories BEGIN
    DELETE FROM vectors WHERE row = old.id * 4;
END;
CREATE TRIGGER memories_au_vectors AFTER UPDATE OF id, content, target, deleted_at ON memories BEGIN
    DELETE FROM vectors WHERE row = old.id * 4;
END;
CREATE TRIGGER note_chunks_ad_vectors AFTER DELETE ON note_chunks BEGIN
    DELETE FROM vectors WHERE row = old.id * 4 + 1;
END;
CREATE TRIGGER note_chunks_au_vectors AFTER UPDATE OF id, heading_path, content ON note_chunks BEGIN
    DELETE FROM vectors WHERE row = old.id * 4 + 1;
END;

INSERT INTO _sqlite_mcp_meta (object_type, object_name, description) VALUES
    ('table', 'encoders', 'Programs that have made vectors of records, for the search by meaning.'),
    ('table', 'vectors', 'Vectors of records, one signed byte for each dimension: of no use in SQL.');
