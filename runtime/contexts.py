"""
Settings and stores for events of many sessions.

Each event brings the variables that its hook process saw, so one worker serves
a person who sets `MEMORY_DIRS` per project. A store is opened once per path,
and again when the file under that path is another one or no database any more.
"""

import os
import sqlite3
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Final, NamedTuple

import anyio
import structlog

from runtime import logs
from runtime.app import Known, build, store_path
from runtime.context import AppContext
from runtime.durable import leave_mark
from runtime.errors import ExpectedError
from runtime.paths import Home
from runtime.privacy import privacy_of
from runtime.project import is_told, project_of
from runtime.settings import Loaded, Settings, absolute, load
from runtime.store.checkpoint import log_bytes
from runtime.store.database_file import DatabaseFile
from runtime.store.store import Store, open_or_move_aside

log = structlog.get_logger(__name__)

ENVIRON: Final = "env."
"""Facts with this prefix are variables of the hook process."""
KEPT: Final = 32


class Look(NamedTuple):
    """An event's settings, project and rules where they can be told, and its store if open."""

    settings: Settings
    known: Known
    path: str
    """Of the store."""
    store: Store | None


class Contexts:
    """Opened on a stack that its owner closes."""

    def __init__(
        self,
        home: Home,
        stack: AsyncExitStack,
        *,
        busy_timeout_max_s: float = 60.0,
        is_shared: bool = False,
    ) -> None:
        self._busy_timeout_max_s = busy_timeout_max_s
        self._is_shared = is_shared
        """Whether events of several sessions come here."""
        self._home = home
        self._stack = stack
        self._loaded: dict[tuple[object, ...], Loaded] = {}
        self._stores: dict[str, tuple[Store, DatabaseFile]] = {}
        self._opening = anyio.Lock()

    async def of(self, facts: dict[str, str]) -> AppContext:
        """Return the context of an event; without a store when it cannot be opened."""
        look = await anyio.to_thread.run_sync(self._look, facts)
        settings, known, path, store = look
        if store is not None:
            return build(self._home, settings, store, known=known)
        try:
            async with self._opening:
                wait_s = min(settings.store.busy_timeout_s, self._busy_timeout_max_s)
                store = await self._store(path, wait_s)
        except (ExpectedError, sqlite3.Error, OSError, ValueError) as error:  # ValueError: a NUL
            log.error("store_unusable", error=str(error))  # noqa: TRY400 - it says what to do
        return build(self._home, settings, store, known=known)

    def ready(self, facts: dict[str, str], seen: Callable[[Store], Store]) -> AppContext | None:
        """
        Return an event's context with its store as `seen`; None while that is not open.

        Blocking; for any thread.
        """
        settings, known, _, store = self._look(facts)
        if store is None:
            return None
        return build(self._home, settings, seen(store), known=known)

    def _look(self, facts: dict[str, str]) -> Look:
        """Look up what is to be known of an event before it is handled; blocking."""
        settings = self._load(facts).settings
        path = store_path(self._home, settings)
        store, file = self._stores.get(path, (None, None))
        # In one hop to a thread: somebody waits for the answer.
        project = project_of(facts) if is_told(facts) else None
        privacy = privacy_of(facts, settings.capture) if facts.get("project") else None
        is_open = file is not None and _is_itself(file)
        return Look(settings, Known(project, privacy), path, store if is_open else None)

    async def settings(self, facts: dict[str, str]) -> Settings:
        """Return the settings that hold for an event now; {} for those of the file alone."""
        return (await anyio.to_thread.run_sync(self._load, facts)).settings

    def stores(self) -> list[Store]:
        """Return the stores that are open."""
        return [store for store, _file in self._stores.values()]

    def log_bytes(self) -> int:
        """Return the size of the opened databases' logs of changes; blocking."""
        return sum(map(log_bytes, self._stores))

    async def shorten_logs(self) -> None:
        """Copy long logs of changes back: a hook that finds no worker reads all of them."""
        for store in self.stores():
            await store.shorten_log()

    async def change_indexes(self) -> bool:
        """Take a step in each open store whose index is of another tokenizer. True when none is."""
        stores = [store for store, _file in self._stores.values()]
        return all([await store.change_index() for store in stores])

    def _load(self, facts: dict[str, str]) -> Loaded:
        directory = facts.get("directory", "")
        environ = {
            name: absolute(name, value, directory)
            for key, value in facts.items()
            if (name := key.removeprefix(ENVIRON)) != key
        }
        key = (_signature(self._home.config), *sorted(environ.items()))
        loaded = self._loaded.get(key)
        if loaded is None:
            loaded = load(self._home.config, environ)
            # Many sessions share a worker's log: the file alone says how it is kept.
            if not (self._is_shared and environ.keys() - {"OBOEGAKI_HOME"}):
                logs.configure(self._home, loaded.settings.logs)
            leave_mark(self._home, loaded)
            for problem in loaded.problems:
                log.warning("setting_ignored", problem=problem)
            if len(self._loaded) >= KEPT:
                self._loaded.clear()
            self._loaded[key] = loaded
        return loaded

    async def _store(self, path: str, busy_timeout_s: float) -> Store:
        opened = self._stores.get(path)
        if opened is not None:
            store, file = opened
            change = await anyio.to_thread.run_sync(file.change)
            if change is None:
                return store
            # The old one stays open until the end: a handler may be using it.
            aside = await anyio.to_thread.run_sync(file.clear_way)
            if change == "another file":
                log.warning("store_replaced", path=path, to=aside)
            else:
                log.error("store_moved_aside", path=path, to=aside, error=change)
        while True:
            async with AsyncExitStack() as trial:
                # Closed after the connection: closing any descriptor of a file drops
                # all locks that this process holds on it.
                file = await anyio.to_thread.run_sync(DatabaseFile, path)
                trial.callback(file.close)
                store = await trial.enter_async_context(open_or_move_aside(path, busy_timeout_s))
                # Else it was moved aside while being opened: once more, with the new one.
                if await anyio.to_thread.run_sync(file.change) is None:
                    await anyio.to_thread.run_sync(file.remember)
                    self._stack.push_async_exit(trial.pop_all())
                    self._stores[path] = (store, file)
                    return store


def _is_itself(file: DatabaseFile) -> bool:
    try:
        return file.change() is None
    except OSError:
        return False


def _signature(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size
