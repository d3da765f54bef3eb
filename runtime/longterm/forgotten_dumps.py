"""
Dumps that hold what is forgotten: this machine's are replaced, the others' are named.

Looked into are the folder of the settings and all in which this store has written or
read a dump. Nobody but the machine that wrote a dump may take it away: the others
learn of the deletion by this machine's new one.
"""

import json
import os
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, Final, NamedTuple

import anyio

from runtime.context import AppContext
from runtime.errors import ExpectedError
from runtime.events.scrubbing import strings
from runtime.longterm.bounded import run_bounded
from runtime.longterm.dump import Order, dump
from runtime.longterm.dump_folder import NOT_THERE, DumpFolder
from runtime.longterm.dump_places import open_folder
from runtime.longterm.exchange import turn
from runtime.longterm.lines import moment_of
from runtime.longterm.own_dumps import own_dumps
from runtime.longterm.room import open_room
from runtime.longterm.sync_errors import DumpFolderError
from runtime.longterm.wanted import Wanted
from runtime.store.connection import Connection, fetch_all
from runtime.store.sync_files import dump_folders, machine_id
from schemas.forgetting import Forgotten

READ_S: Final = 120.0
"""For all dumps of a folder; a cloud may keep a reader waiting for ever."""
IsWanted = Callable[[dict[str, Any]], bool]


class _Held(NamedTuple):
    """Paths of dumps, and what could not be looked into."""

    own: list[str]
    others: list[str]
    unread: list[str]


async def forget_in_dumps(
    app: AppContext, wanted: Wanted, found: Forgotten, now: datetime
) -> Forgotten:
    """
    Return what was forgotten with the dumps that hold it; when it is done, those of ours go.

    A new full dump takes their place, so that other machines learn of it, too.
    """
    connection = app.opened.connection
    is_wanted = await _wanted_lines(connection, wanted, found)
    async with app.opened.transaction():
        machine = await machine_id(connection)
    places = dict.fromkeys(["", *await dump_folders(connection)])
    held = _Held([], [], [])
    seen: set[str] = set()
    for place in places:
        try:
            folder = await anyio.to_thread.run_sync(
                open_folder, place or app.settings.sync.dir, app.home
            )
            if folder.place in seen:
                continue
            seen.add(folder.place)
            here = await run_bounded(
                READ_S, _look, folder, app.host, machine, is_wanted, app.opened.path
            )
            if here.own and found.done:
                async with turn(app.home):
                    await dump(app.opened, folder, Order(app.host, now))
        except (ExpectedError, OSError, TimeoutError) as error:
            held.unread.append(f"{place or app.settings.sync.dir}: {str(error) or 'no answer'}")
            continue
        for paths, more in zip(held, here, strict=True):
            paths.extend(more)
    return found.model_copy(
        update={
            "dumps": tuple(held.own),
            "other_dumps": tuple(held.others),
            "unread_dumps": tuple(held.unread),
        }
    )


async def _wanted_lines(connection: Connection, wanted: Wanted, found: Forgotten) -> IsWanted:
    """Return what tells a line that goes: by what it says, or as a state of what is forgotten."""
    gone = await _keys(connection, (memory.id for memory in found.memories))
    kept = await _keys(connection, (memory.id for memory in found.pinned))

    def is_wanted(line: dict[str, Any]) -> bool:
        if not line.get("content") or line.get("uid") in kept:
            return False
        return line.get("uid") in gone or (
            wanted.has_project(_text(line, "project"), _text(line, "project_key"))
            and wanted.has_session(_text(line, "session_id"))
            and wanted.has_moment(moment_of(_text(line, "created_at")))
            and wanted.has_text(strings(line))
        )

    return is_wanted


def _text(line: dict[str, Any], name: str) -> str | None:
    value = line.get(name)
    return value if isinstance(value, str) else None


async def _keys(connection: Connection, ids: Iterable[int]) -> set[str]:
    return {row[0] for row in await fetch_all(connection, _KEYS, (json.dumps(list(ids)),))}


def _look(folder: DumpFolder, host: str, machine: str, is_wanted: IsWanted, beside: str) -> _Held:
    """Read all dumps of a folder; one that is not there yet holds nothing."""
    held = _Held([], [], [])
    try:
        entries = folder.entries()
    except DumpFolderError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            return held
        raise
    own = {dump.name for dump in own_dumps(folder, entries, host, machine)}
    for entry in entries:
        path = os.path.join(folder.place, entry.name)
        if entry.problem == NOT_THERE:
            held.unread.append(f"{path}: {entry.problem}")
        elif not entry.problem and _holds(folder, entry.name, is_wanted, beside):
            (held.own if entry.name in own else held.others).append(path)
    return held


def _holds(folder: DumpFolder, name: str, is_wanted: IsWanted, beside: str) -> bool:
    with open_room(beside) as file:
        folder.copy(name, file)
        file.seek(0)
        return any(is_wanted(line) for line in map(_line, file) if line)


def _line(raw: bytes) -> dict[str, Any]:
    try:
        value: Any = json.loads(raw.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return {"content": raw.decode(errors="replace")}  # half a line holds it all the same
    return value if isinstance(value, dict) else {}


_KEYS: Final = "SELECT key FROM memories WHERE id IN (SELECT value FROM json_each(?))"
