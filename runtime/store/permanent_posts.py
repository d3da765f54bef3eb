"""
Rows of `permanent_posts` and `permanent_place`: the shadow of the permanent memories.

What is put here has been read from their place just now. Title, text, tags and category
are kept without secrets; a path or address, by which a post is found again, and a name
of who saved it stay as they are.
"""

import json
from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any, Final, NamedTuple

from runtime.digest import sha256_hex
from runtime.redact import redact, redact_lines
from runtime.store.clock import utc
from runtime.store.connection import Connection, Row, fetch_all
from runtime.store.search_records import SUMMARY_CHARS, beginning
from runtime.text import one_line, replace_surrogates
from schemas.permanent import Post

HASH_BYTES: Final = 8


class Seen(NamedTuple):
    """A post as it was read from its place."""

    post: Post
    source: str
    """The path of its file, or its address."""
    mtime_ns: int | None = None
    size: int | None = None


async def place_row(connection: Connection) -> Row | None:
    """Return what is known of the place that the shadow is of."""
    rows = await fetch_all(connection, "SELECT * FROM permanent_place")
    return rows[0] if rows else None


async def begin_place(connection: Connection, name: str, tag: str, *, is_copy: bool) -> None:
    """Make the shadow one of this place, in the caller's transaction; one of another goes."""
    row = await place_row(connection)
    if row is not None and (row["place"], row["tag"]) == (name, tag):
        return
    await connection.execute("DELETE FROM permanent_posts")
    await connection.execute("DELETE FROM permanent_place")
    await connection.execute(_PLACE, {"place": name, "tag": tag, "is_copy": is_copy})


async def note_place(connection: Connection, **facts: str | None) -> None:
    """Write down facts of the place, by the names of its columns, in the caller's transaction."""
    columns = ", ".join(f"{name} = :{name}" for name in facts)
    await connection.execute(f"UPDATE permanent_place SET {columns}", facts)  # noqa: S608 - our own names


async def known_posts(connection: Connection) -> dict[int, Row]:
    """Return number, revision, moments and place of what is there, by number."""
    rows = await fetch_all(
        connection, "SELECT id, revision, saved_at, seen_at, source FROM permanent_posts"
    )
    return {row["id"]: row for row in rows}


async def put_posts(connection: Connection, posts: Iterable[Seen], now: datetime) -> int:
    """
    Put posts in, or in the place of what is there, in the caller's transaction.

    Returns how many of the texts are new or other ones: only these are indexed.
    """
    changed = 0
    for seen in posts:
        values = _values(seen, now)
        cursor = await connection.execute(_PUT, values)
        changed += cursor.rowcount
        await connection.execute(_FACTS, values)
    return changed


async def remove_posts(connection: Connection, numbers: Collection[int]) -> None:
    """Take posts out, in the caller's transaction."""
    await connection.execute(_REMOVE, {"ids": json.dumps(sorted(numbers))})


def _values(seen: Seen, now: datetime) -> dict[str, Any]:
    post = seen.post
    title, body = (replace_surrogates(text) for text in (post.title, post.body_md))
    body = redact_lines(body)
    summary = one_line(body, SUMMARY_CHARS)
    return {
        "id": post.number,
        "revision": post.revision,
        "title": redact(title),
        "body_md": body,
        "tags": json.dumps([redact(tag) for tag in post.tags], ensure_ascii=False),
        "category": post.category and redact(post.category),
        "source": replace_surrogates(seen.source),
        "saved_at": moment(post.updated_at),
        "saved_by": replace_surrogates(post.updated_by),
        "seen_at": utc(now),
        "text_hash": bytes.fromhex(sha256_hex(body))[:HASH_BYTES],
        "summary": None if summary == beginning(body) else summary,
        "mtime_ns": seen.mtime_ns,
        "size": seen.size,
    }


def moment(text: str) -> str:
    """Return a moment as the store keeps it; what is none, as a hand may write, stays as it is."""
    try:
        return utc(datetime.fromisoformat(text))
    except (ValueError, OverflowError):
        return text


_PLACE: Final = """
INSERT INTO permanent_place (id, place, tag, is_copy) VALUES (1, :place, :tag, :is_copy)
"""
_PUT: Final = """
INSERT INTO permanent_posts (
    id, revision, title, body_md, tags, category, source, saved_at, saved_by, seen_at, text_hash,
    summary, mtime_ns, size
) VALUES (
    :id, :revision, :title, :body_md, :tags, :category, :source, :saved_at, :saved_by, :seen_at,
    :text_hash, :summary, :mtime_ns, :size
)
ON CONFLICT (id) DO UPDATE SET
    title = excluded.title, body_md = excluded.body_md, text_hash = excluded.text_hash,
    summary = excluded.summary
WHERE title IS NOT excluded.title OR body_md IS NOT excluded.body_md
"""
_FACTS: Final = """
UPDATE permanent_posts SET
    revision = :revision, tags = :tags, category = :category, source = :source,
    saved_at = :saved_at, saved_by = :saved_by, seen_at = :seen_at, mtime_ns = :mtime_ns,
    size = :size
WHERE id = :id
"""
_REMOVE: Final = "DELETE FROM permanent_posts WHERE id IN (SELECT value FROM json_each(:ids))"
