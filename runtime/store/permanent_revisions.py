"""Rows of `permanent_revisions`: how the posts of a folder were before."""

from collections.abc import Callable, Iterable
from typing import Final

from runtime.store.connection import Connection, Row, fetch_all
from schemas.permanent import PostRevision


async def add_revision(
    connection: Connection, place: str, number: int, revision: PostRevision
) -> None:
    """Note a save, in the caller's transaction."""
    values = {**revision.model_dump(), "revision": revision.number, "number": number}
    await connection.execute(_ADD, {**values, "place": place})


async def revisions(connection: Connection, place: str, number: int) -> list[PostRevision]:
    """Return a post's revisions, newest first."""
    rows = await fetch_all(connection, _ALL, {"place": place, "number": number})
    return [_revision(row) for row in rows]


async def revision_of(
    connection: Connection, place: str, number: int, revision: int
) -> PostRevision | None:
    """Return one revision, None when there is none of this number."""
    values = {"place": place, "number": number, "revision": revision}
    rows = await fetch_all(connection, _ONE, values)
    return _revision(rows[0]) if rows else None


async def latest_revisions(connection: Connection, place: str) -> dict[int, PostRevision]:
    """Return the newest revision of every post of a place, by the post's number."""
    rows = await fetch_all(connection, _LATEST, {"place": place})
    return {row["post"]: _revision(row) for row in rows}


async def held_revisions(
    connection: Connection, is_wanted: Callable[[PostRevision], bool]
) -> list[tuple[str, int, int]]:
    """Return the saves of any place that are wanted: place, post, revision."""
    async with connection.execute(_EVERY) as cursor:
        return [
            (row["place"], row["post"], row["number"])
            async for row in cursor
            if is_wanted(_revision(row))
        ]


async def remove_revisions(connection: Connection, saves: Iterable[tuple[str, int, int]]) -> None:
    """Forget saves, in the caller's transaction; what a file says is noted at the next look."""
    for place, number, revision in saves:
        values = {"place": place, "number": number, "revision": revision}
        await connection.execute(_REMOVE, values)


def _revision(row: Row) -> PostRevision:
    return PostRevision(**{name: row[name] for name in PostRevision.model_fields})


_COLUMNS: Final = "revision AS number, title, body_md, saved_at, saved_by, message"
_ADD: Final = """
INSERT INTO permanent_revisions (
    place, number, revision, title, body_md, saved_at, saved_by, message
) VALUES (:place, :number, :revision, :title, :body_md, :saved_at, :saved_by, :message)
"""
_ALL: Final = f"""
SELECT {_COLUMNS} FROM permanent_revisions
WHERE place = :place AND number = :number ORDER BY revision DESC
"""  # noqa: S608 - a constant
_EVERY: Final = f"SELECT place, number AS post, {_COLUMNS} FROM permanent_revisions"  # noqa: S608 - a constant
_REMOVE: Final = """
DELETE FROM permanent_revisions
WHERE place = :place AND number = :number AND revision = :revision
"""
_ONE: Final = f"""
SELECT {_COLUMNS} FROM permanent_revisions
WHERE place = :place AND number = :number AND revision = :revision
"""  # noqa: S608 - a constant
_LATEST: Final = f"""
SELECT number AS post, {_COLUMNS} FROM permanent_revisions AS newest
WHERE place = :place AND revision = (
    SELECT max(revision) FROM permanent_revisions AS other
    WHERE other.place = newest.place AND other.number = newest.number
)
"""  # noqa: S608 - a constant
