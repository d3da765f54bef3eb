"""
Everything that holds what is to be forgotten: found, and taken out to the last byte.

Memories become rows without content, so that they are not captured or synced
again; events, lines of the log, and files in the home go. Notes and permanent memories
stay: they are the person's, and are named.
"""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

import anyio

from runtime.events.scrubbing import HeldEvent, matching, take_out
from runtime.longterm.home_files import HomeFiles, Traces
from runtime.longterm.match_place import place_of
from runtime.longterm.purging import purge_rows
from runtime.longterm.wanted import Wanted
from runtime.paths import Home
from runtime.store.connection import Connection, Row, fetch_all
from runtime.store.permanent_posts import note_place, remove_posts
from runtime.store.permanent_revisions import held_revisions, remove_revisions
from runtime.store.store import Store
from schemas.forgetting import Forgotten, ForgottenMemory
from schemas.permanent import PostRevision

PAGE: Final = 500


class _Found(NamedTuple):
    memories: list[ForgottenMemory]
    pinned: list[ForgottenMemory]
    events: list[HeldEvent]
    notes: list[str]
    saves: list[tuple[str, int, int]]
    """Of permanent memories, as they were: place, post, revision."""
    posts: dict[int, str]
    """Permanent memories in the search, by number: the path or address of the original."""


async def forget(home: Home, store: Store, wanted: Wanted, *, is_dry: bool) -> Forgotten:
    """
    Take out everything that is wanted; with *is_dry* only say what that is.

    The store comes first, in one transaction. Raises StoreLockedError,
    StoreBusyError and OSError.
    """
    found = await _find(store.connection, wanted)
    sessions = frozenset(event.session_id for event in found.events)
    if not wanted.session and not wanted.projects:
        sessions = frozenset()
    files = HomeFiles(home, wanted, Traces(frozenset(e.id for e in found.events), sessions))
    if not is_dry:
        async with store.transaction() as connection:
            await _take_posts(connection, found.posts)  # before the index is merged
            await purge_rows(connection, [memory.id for memory in found.memories])
            await take_out(connection, [event.seq for event in found.events])
            await remove_revisions(connection, found.saves)
            await _take_marks(connection, sessions)
    lines = await anyio.to_thread.run_sync(partial(files.drop_log_lines, is_dry=is_dry))
    names = await anyio.to_thread.run_sync(partial(files.drop_files, is_dry=is_dry))
    others: tuple[str, ...] = ()
    if not is_dry:
        await store.write_anew()
        others = await anyio.to_thread.run_sync(files.still_holding)
    return Forgotten(
        done=not is_dry,
        memories=tuple(found.memories),
        pinned=tuple(found.pinned),
        events=len(found.events),
        saves=len(found.saves),
        log_lines=lines,
        files=names,
        notes=tuple(found.notes),
        permanent=tuple(found.posts.values()),
        others=others,
    )


async def _find(connection: Connection, wanted: Wanted) -> _Found:
    memories: list[ForgottenMemory] = []
    pinned: list[ForgottenMemory] = []
    after = 0
    while rows := await fetch_all(connection, _MEMORIES, {"after": after, "limit": PAGE}):
        for row in rows:
            if _is_wanted(row, wanted):
                memory = ForgottenMemory(
                    id=row["id"],
                    summary=row["summary"] or "",
                    is_deleted=bool(row["deleted_at"]),
                    found=place_of(row["content"], wanted.match),
                )
                # Only a deletion by its id takes a pinned memory.
                is_kept = row["is_pinned"] and not memory.is_deleted
                (pinned if is_kept else memories).append(memory)
        after = rows[-1]["id"]
    times = {row["id"]: row for row in await fetch_all(connection, _EVENTS)}

    def is_wanted(event: HeldEvent) -> bool:
        row = times[event.id]
        return (
            wanted.has_project(row["project"], row["project_key"])
            and wanted.has_session(event.session_id)
            and wanted.has_moment(row["received_at"])
            and wanted.has_text(event.texts)
        )

    events = await matching(connection, is_wanted)
    notes = await _notes(connection, wanted)
    saves, posts = await _saves(connection, wanted), await _posts(connection, wanted)
    return _Found(memories, pinned, events, notes, saves, posts)


def _is_wanted(row: Row, wanted: Wanted) -> bool:
    return (
        wanted.has_project(row["project"], row["project_key"])
        and wanted.has_session(row["session_id"])
        and wanted.has_moment(row["created_at"])
        and wanted.has_text(str(row[name] or "") for name in _TEXTS)
    )


async def _notes(connection: Connection, wanted: Wanted) -> list[str]:
    if not wanted.match or wanted.projects or wanted.session or wanted.since:
        return []
    return [
        f"{row['source']}:{row['start_line']}"
        for row in await fetch_all(connection, _CHUNKS)
        if wanted.has_text((row["heading_path"], row["content"]))
    ]


async def _saves(connection: Connection, wanted: Wanted) -> list[tuple[str, int, int]]:
    """Find a text in the history of permanent memories, which has no project and no session."""
    if not wanted.match or wanted.projects or wanted.session:
        return []

    def is_wanted(save: PostRevision) -> bool:
        return wanted.has_moment(save.saved_at) and wanted.has_text((save.title, save.body_md))

    return await held_revisions(connection, is_wanted)


async def _posts(connection: Connection, wanted: Wanted) -> dict[int, str]:
    """Find a text in what the search knows of permanent memories."""
    if not wanted.match or wanted.projects or wanted.session:
        return {}
    return {
        row["id"]: row["source"]
        for row in await fetch_all(connection, _POSTS)
        if wanted.has_moment(row["saved_at"])
        and wanted.has_text((row["title"], row["body_md"], row["tags"], row["source"]))
    }


async def _take_posts(connection: Connection, posts: Mapping[int, str]) -> None:
    """Take them out of the search; what their place still says is read again from there."""
    if posts:
        await remove_posts(connection, posts.keys())
        await note_place(connection, state=None, listed_at=None)


async def _take_marks(connection: Connection, sessions: Sequence[str] | frozenset[str]) -> None:
    """Forget how far the sessions' transcripts were read: the file's name tells the session."""
    await connection.execute(_NO_MARKS, {"sessions": json.dumps(sorted(sessions))})


_TEXTS: Final = ("content", "target", "tags", "skills", "summary", "project", "session_id")
_MEMORIES: Final = """
SELECT id, content, target, tags, skills, coalesce(summary, substr(content, 1, 200)) AS summary,
    project, project_key, session_id, created_at, is_pinned, deleted_at
FROM memories WHERE content <> '' AND id > :after ORDER BY id LIMIT :limit
"""
_EVENTS: Final = "SELECT id, project, project_key, received_at FROM events"
_CHUNKS: Final = """
SELECT source, start_line, heading_path, content FROM note_chunks ORDER BY source, start_line
"""
_POSTS: Final = "SELECT id, title, body_md, tags, source, saved_at FROM permanent_posts ORDER BY id"
_NO_MARKS: Final = """
DELETE FROM transcripts WHERE EXISTS (
    SELECT 1 FROM json_each(:sessions) WHERE value <> '' AND instr(transcripts.path, value)
)
"""
