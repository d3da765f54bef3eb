"""
Dumps that hold what is forgotten: this machine's are replaced, the others' are named.

Looked into are the folder of the settings and all in which this store has written or
read a dump. Whose a dump is, its last line says, whatever the machine was called when
it wrote it. Nobody else may take it away: the others learn of the deletion by this
machine's new one.
"""

import json
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any, Final, NamedTuple

import anyio

from runtime.context import AppContext
from runtime.errors import ExpectedError
from runtime.events.scrubbing import strings
from runtime.longterm.bounded import run_bounded
from runtime.longterm.dump import Order, dump
from runtime.longterm.dump_files import host_part
from runtime.longterm.dump_folder import NOT_THERE, DumpFolder
from runtime.longterm.dump_places import default_place, open_folder
from runtime.longterm.exchange import turn
from runtime.longterm.lines import moment_of
from runtime.longterm.own_dumps import own_dumps
from runtime.longterm.room import open_room
from runtime.longterm.sync_errors import DumpFolderError
from runtime.longterm.wanted import Wanted
from runtime.store.connection import Connection, fetch_all
from runtime.store.sync_files import dump_folders, known_machine_id
from schemas.forgetting import Forgotten

READ_S: Final = 120.0
"""For all dumps of a folder; a cloud may keep a reader waiting for ever."""
IsWanted = Callable[[dict[str, Any]], bool]


class _Held(NamedTuple):
    """Paths of dumps, and what could not be looked into."""

    own: list[str]
    others: list[str]
    unread: list[str]
    left: list[str]
    """Dumps of ours that could not be taken away."""


class _Task(NamedTuple):
    """What is looked for, for whom."""

    app: AppContext
    machine: str
    is_wanted: IsWanted
    now: datetime
    is_dry: bool


async def forget_in_dumps(
    app: AppContext, wanted: Wanted, found: Forgotten, now: datetime
) -> Forgotten:
    """
    Return what was forgotten with the dumps that hold it; when it is done, those of ours go.

    A new full dump takes their place, so that other machines learn of it, too.
    """
    connection = app.opened.connection
    is_wanted = await _wanted_lines(connection, wanted, found)
    machine = await known_machine_id(connection)
    task = _Task(app, machine, is_wanted, now, is_dry=not found.done)
    usual = app.settings.sync.dir or default_place(app.home)
    held = _Held([], [], [], [])
    seen: set[str] = set()
    for place in dict.fromkeys([usual, *await dump_folders(connection)]):
        try:
            folder = await anyio.to_thread.run_sync(open_folder, place, app.home)
            if folder.place not in seen:
                seen.add(folder.place)
                await _forget_in(folder, task, held)
        except (ExpectedError, OSError, TimeoutError) as error:
            held.unread.append(f"{place}: {str(error) or 'no answer'}")
    return found.model_copy(
        update={
            "dumps": tuple(held.own),
            "other_dumps": tuple(held.others),
            "unread_dumps": tuple(held.unread),
            "others": (*found.others, *held.left),
        }
    )


async def _forget_in(folder: DumpFolder, task: _Task, held: _Held) -> None:
    """Look into one folder and replace what is ours; all of it is one turn of dumps and syncs."""
    app = task.app
    if task.is_dry:
        own = await run_bounded(READ_S, _look, folder, task, held)
        held.own.extend(_paths(folder, own))
        return
    # One that was writing when we forgot holds what was there before: it is waited for.
    async with turn(app.home):
        own = await run_bounded(READ_S, _look, folder, task, held)
        remove = partial(folder.remove_leftovers, host_part(app.host), 0.0)
        await anyio.to_thread.run_sync(_if_there, remove)
        left = own
        try:
            if own:
                await dump(app.opened, folder, Order(app.host, task.now))
                left = await anyio.to_thread.run_sync(_remove, folder, own)
        finally:
            held.own.extend(_paths(folder, [name for name in own if name not in left]))
            held.left.extend(_paths(folder, left))


def _remove(folder: DumpFolder, names: Iterable[str]) -> list[str]:
    """Take dumps away, those under a former name of this machine too; return what stays."""
    left = []
    for name in names:
        try:
            folder.remove(name)
        except OSError:
            left.append(name)
    return left


def _if_there(remove: Callable[[], None]) -> None:
    with suppress(FileNotFoundError):
        remove()


def _paths(folder: DumpFolder, names: Iterable[str]) -> list[str]:
    return [os.path.join(folder.place, name) for name in names]


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


def _look(folder: DumpFolder, task: _Task, held: _Held) -> list[str]:
    """Read all dumps of a folder and return the names of ours; one not there holds nothing."""
    try:
        entries = folder.entries()
    except DumpFolderError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            return []
        raise
    found = own_dumps(folder, entries, None, task.machine) if task.machine else []
    ours = {dump.name for dump in found}
    own = []
    for entry in entries:
        path = os.path.join(folder.place, entry.name)
        if entry.problem == NOT_THERE:
            held.unread.append(f"{path}: {entry.problem}")
        elif not entry.problem and _holds(folder, entry.name, task):
            if entry.name in ours:
                own.append(entry.name)
            else:
                held.others.append(path)
    return own


def _holds(folder: DumpFolder, name: str, task: _Task) -> bool:
    with open_room(task.app.opened.path) as file:
        folder.copy(name, file)
        file.seek(0)
        return any(task.is_wanted(line) for line in map(_line, file) if line)


def _line(raw: bytes) -> dict[str, Any]:
    try:
        value: Any = json.loads(raw.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return {"content": raw.decode(errors="replace")}  # half a line holds it all the same
    return value if isinstance(value, dict) else {}


_KEYS: Final = "SELECT key FROM memories WHERE id IN (SELECT value FROM json_each(?))"
