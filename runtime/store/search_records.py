"""
The records behind rows of the index. Standard library only: the hook process imports this.
"""

from runtime.store.search_index import KINDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from sqlite3 import Connection, Row

POST = 2
SUMMARY_CHARS = 200
"""What a hook process can show of a section without the means to clean it."""


def beginning(content: str) -> str:
    """Return how a text begins, on one line; not cleaned, and cut between any two characters."""
    line = " ".join(content.split())
    return line if len(line) <= SUMMARY_CHARS else line[: SUMMARY_CHARS - 1].rstrip() + "…"


def load(connection: "Connection", rows: "Sequence[int]") -> "dict[int, Row]":
    """Return the records of index rows, by index row, read by name; what is gone is left out."""
    memories = [row // KINDS for row in rows if row % KINDS == 0]
    chunks = [row // KINDS for row in rows if row % KINDS == 1]
    posts = [row // KINDS for row in rows if row % KINDS == POST]
    found = {}
    for statement, ids in ((_MEMORIES, memories), (_CHUNKS, chunks), (_POSTS, posts)):
        if ids:
            for record in connection.execute(statement, (f"[{','.join(map(str, ids))}]",)):
                found[record["row"]] = record
    return found


_MEMORIES = """
SELECT id * 4 AS row, id, 'long-term' AS kind, source, '' AS heading, created_at AS date,
    'event' AS date_origin, content, summary, project, host, tool, target, is_pinned,
    before, NULL AS line, NULL AS root, NULL AS mtime_ns, NULL AS size, NULL AS revision,
    NULL AS seen_at
FROM memories WHERE id IN (SELECT value FROM json_each(?)) AND deleted_at IS NULL
"""
_CHUNKS = """
SELECT chunk.id * 4 + 1 AS row, chunk.id, 'note' AS kind, chunk.source, heading_path AS heading,
    date, date_origin, content, summary, NULL AS project, NULL AS host, NULL AS tool,
    NULL AS target, 0 AS is_pinned, NULL AS before, start_line AS line, root, mtime_ns, size,
    NULL AS revision, NULL AS seen_at
FROM note_chunks AS chunk LEFT JOIN notes ON notes.path = chunk.source
WHERE chunk.id IN (SELECT value FROM json_each(?))
"""
# A folder is read before it is searched; of esa there is a copy, whose age is told.
_POSTS = """
SELECT post.id * 4 + 2 AS row, post.id, 'permanent' AS kind, source, title AS heading,
    saved_at AS date, 'saved' AS date_origin, body_md AS content, summary, NULL AS project,
    NULL AS host, NULL AS tool, NULL AS target, 0 AS is_pinned, NULL AS before, NULL AS line,
    place AS root, mtime_ns, size, revision,
    CASE WHEN is_copy THEN max(seen_at, coalesce(refreshed_at, '')) END AS seen_at
FROM permanent_posts AS post JOIN permanent_place
WHERE post.id IN (SELECT value FROM json_each(?))
"""
