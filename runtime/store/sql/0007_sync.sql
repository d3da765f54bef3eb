-- What machines need to agree on memories whoever syncs when: beside the moment
-- of the text (updated_at) and of the deletion, those of the other changes.
-- lived_at: when it was last brought back after a deletion. marked_at: when it was
-- last marked. purged_at: when its text was taken out for good.
ALTER TABLE memories ADD COLUMN lived_at TEXT;
ALTER TABLE memories ADD COLUMN marked_at TEXT;
ALTER TABLE memories ADD COLUMN purged_at TEXT;

-- Whoever deletes or brings back a memory has seen its state, so the change comes
-- later than that state, whatever a clock says.
CREATE TRIGGER sync_deleted AFTER UPDATE OF deleted_at ON memories
WHEN old.deleted_at IS NULL AND new.deleted_at < coalesce(new.lived_at, new.created_at) BEGIN
    UPDATE memories SET deleted_at = coalesce(new.lived_at, new.created_at) WHERE id = new.id;
END;
CREATE TRIGGER sync_revived AFTER UPDATE OF deleted_at ON memories
WHEN old.deleted_at IS NOT NULL AND new.deleted_at IS NULL AND new.lived_at IS old.lived_at BEGIN
    UPDATE memories
    SET
        lived_at = max(
            new.updated_at, strftime('%Y-%m-%dT%H:%M:%fZ', old.deleted_at, '+0.001 seconds')
        ),
        marked_at = iif(
            new.is_global = old.is_global AND new.is_pinned = old.is_pinned,
            new.marked_at, new.updated_at
        )
    WHERE id = new.id;
END;
-- Not without a deletion: the triggers of the index run in an order that is not
-- promised, and only what is deleted already can be deleted again without them.
CREATE TRIGGER sync_purged AFTER UPDATE OF content ON memories
WHEN old.content <> '' AND new.content = '' AND new.deleted_at IS NOT NULL
    AND new.purged_at IS old.purged_at BEGIN
    UPDATE memories
    SET deleted_at = max(new.deleted_at, new.updated_at),
        purged_at = max(new.deleted_at, new.updated_at)
    WHERE id = new.id;
END;

-- Files of dumps that were read to their end: an unchanged one is not read again.
CREATE TABLE sync_files (
    folder   TEXT NOT NULL,
    name     TEXT NOT NULL,
    size     INTEGER NOT NULL,
    version  TEXT NOT NULL,           -- the file's time in ns, or the object's tag
    sha256   TEXT,                    -- the trailer's, NULL for a file without one
    taken_at TEXT NOT NULL,
    PRIMARY KEY (folder, name)
) WITHOUT ROWID;

INSERT INTO _sqlite_mcp_meta (object_type, object_name, description) VALUES
    ('table', 'sync_files', 'Files of dumps of other machines that were read to their end.');
