"""Compare the search index with what its records say it should hold."""

import sqlite3
from collections import Counter

from runtime.store.neighbours import said_before
from runtime.tokens.index import index_tokens

TRUTH = """
SELECT id * 4, coalesce(target || char(10), '') || content, coalesce(before, '')
FROM memories WHERE deleted_at IS NULL
UNION ALL
SELECT id * 4 + 1, heading_path || char(10) || content, '' FROM note_chunks
UNION ALL
SELECT id * 4 + 2, title || char(10) || body_md, '' FROM permanent_posts
"""
TURNS = """
SELECT id, content, session_id FROM memories
WHERE source = 'session' AND session_id IS NOT NULL AND deleted_at IS NULL
ORDER BY session_id, created_at, id
"""


def check_index(path: str) -> None:
    """
    Fail when the index is damaged or holds anything but the tokens of its records.

    FTS5's own check tells damage only: without a content table it cannot know
    that a row is missing or stale, so an index built anew is compared.
    """
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.create_function("index_tokens", 1, index_tokens, deterministic=True)
        connection.execute("INSERT INTO search_index (search_index) VALUES ('integrity-check')")
        connection.execute(
            "CREATE VIRTUAL TABLE temp.fresh USING fts5"
            " (tokens, neighbours, tokenize = 'porter ascii')"
        )
        for row, *texts in connection.execute(TRUTH).fetchall():
            connection.execute(
                "INSERT INTO temp.fresh (rowid, tokens, neighbours) VALUES (?, ?, ?)",
                (row, *map(index_tokens, texts)),
            )
        connection.execute(
            "CREATE VIRTUAL TABLE temp.is_ USING fts5vocab (main, search_index, instance)"
        )
        connection.execute(
            "CREATE VIRTUAL TABLE temp.ought USING fts5vocab (temp, fresh, instance)"
        )
        found = Counter(connection.execute("SELECT term, doc, col, offset FROM temp.is_"))
        assert found == Counter(connection.execute("SELECT term, doc, col, offset FROM temp.ought"))
        check_neighbours(connection)
    finally:
        connection.close()


def check_neighbours(connection: sqlite3.Connection) -> None:
    """Fail when a turn does not know the living turns before it, or anything else does."""
    said: dict[str, list[str]] = {}
    known = {}
    for memory, content, session in connection.execute(TURNS).fetchall():
        earlier = said.setdefault(session, [])
        if earlier:
            known[memory] = said_before(*[None, *earlier][-2:])
        earlier.append(content)
    rows = connection.execute("SELECT id, before FROM memories WHERE before IS NOT NULL")
    assert dict(rows) == known
