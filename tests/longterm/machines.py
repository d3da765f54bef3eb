"""Machines with stores of their own and one folder between them."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from runtime.longterm.catching_up import catch_up
from runtime.longterm.dump import Order, dump
from runtime.longterm.dump_folder import LocalFolder
from runtime.longterm.sync import sync
from runtime.store.clock import utc
from runtime.store.connection import Connection
from runtime.store.identity import content_key
from runtime.store.longterm import Origin, keep, mark
from runtime.store.store import Store, open_store
from schemas.records import NewMemory
from schemas.sync import Dumped, Synced

BEGIN: Final = datetime(2026, 6, 11, 9, 30, tzinfo=UTC)
EQUAL: Final = (
    "key, content, source, project, project_key, tags, skills, tool, target, session_id,"
    " created_at, is_global, is_pinned"
)


class Machine:
    """One machine; its clock goes on by a second with everything that it does."""

    def __init__(self, store: Store, host: str, folder: Path, now: datetime = BEGIN) -> None:
        self.store = store
        self.host = host
        self.folder = LocalFolder(str(folder))
        self.now = now
        self._is_batch = False

    @asynccontextmanager
    async def batch(self) -> AsyncGenerator[None]:
        """Do all that is done within the block in one transaction: for very many memories."""
        async with self.store.transaction():
            self._is_batch = True
            try:
                yield
            finally:
                self._is_batch = False

    @asynccontextmanager
    async def _transaction(self) -> AsyncGenerator[Connection]:
        if self._is_batch:
            yield self.store.connection
        else:
            async with self.store.transaction() as connection:
                yield connection

    def tick(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now

    async def remember(self, content: str, key: str = "", **fields: Any) -> None:
        """Keep a memory; without a key it is known by its content."""
        now = self.tick()
        values = {"source": "session", "created_at": now, **fields}
        memory = NewMemory(key=key or content_key(content), content=content, **values)
        async with self._transaction() as connection:
            await keep(connection, memory, Origin("shop", "k" * 16, None, self.host), now)

    async def delete(self, content: str) -> None:
        await self._run(
            "UPDATE memories SET deleted_at = :now, updated_at = :now"
            " WHERE content = :content AND deleted_at IS NULL",
            content,
        )

    async def restore(self, content: str) -> None:
        await self._run(
            "UPDATE memories SET deleted_at = NULL, updated_at = :now"
            " WHERE content = :content AND deleted_at IS NOT NULL",
            content,
        )

    async def purge(self, content: str) -> None:
        await self._run(
            "UPDATE memories SET content = '', summary = '', updated_at = :now,"
            " deleted_at = coalesce(deleted_at, :now) WHERE content = :content",
            content,
        )

    async def pin(self, content: str, *, is_pinned: bool = True) -> None:
        rows = await self.store.connection.execute_fetchall(
            "SELECT id FROM memories WHERE content = ?", (content,)
        )
        async with self._transaction() as connection:
            ids = [row["id"] for row in rows]
            await mark(connection, ids, is_global=None, is_pinned=is_pinned, now=self.tick())

    async def _run(self, statement: str, content: str) -> None:
        async with self._transaction() as connection:
            await connection.execute(statement, {"now": utc(self.tick()), "content": content})

    async def dump(self, *, incremental: bool = False, keep: int = 1) -> Dumped:
        order = Order(self.host, self.tick(), incremental, keep)
        return await dump(self.store, self.folder, order)

    async def sync(self, **options: Any) -> Synced:
        done = await sync(self.store, self.folder, self.tick(), **options)
        await catch_up(self.store, options.get("helpers", 0))
        return done

    async def living(self) -> list[tuple[Any, ...]]:
        """Return what is alive, for comparing machines."""
        rows = await self.store.connection.execute_fetchall(
            f"SELECT {EQUAL} FROM memories WHERE deleted_at IS NULL ORDER BY key"
        )
        return [tuple(row) for row in rows]

    async def texts(self) -> list[str]:
        return sorted(row[1] for row in await self.living())


@asynccontextmanager
async def machine(
    folder: Path, host: str, shared: Path, now: datetime = BEGIN
) -> AsyncGenerator[Machine]:
    """Open a machine whose database lies below *folder*, or is that file."""
    path = folder if folder.suffix == ".db" else folder / f"{host}.db"
    async with open_store(str(path), 5) as store:
        yield Machine(store, host, shared, now)
