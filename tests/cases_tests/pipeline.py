"""The stages behind the hook, in this process."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio

from runtime import spool
from runtime.context import AppContext
from runtime.pipeline import handle
from runtime.spool import Captured
from tests.cases_tests.playground import check
from tests.processes import Ran


class Pipeline:
    """The stages behind the hook, in this process: for what many inputs have in common."""

    def __init__(self, app: AppContext, notes: Path) -> None:
        self.app = app
        self.notes = notes
        self._count = 0

    async def handle(self, payload: bytes | Mapping[str, Any]) -> bytes:
        """Handle one event as if it had just been spooled. Returns what would be printed."""
        self._count += 1
        data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        event = Captured(spool.new_id(self._count), facts_of(payload), data)
        await anyio.to_thread.run_sync(spool.write, self.app.home.spool, event)
        printed: list[bytes] = []
        await handle(event, self.app, printed.append)
        assert len(printed) <= 1
        answer = b"".join(printed)
        check(Ran(0, answer, ""), payload)
        return answer

    async def context(self, payload: Mapping[str, Any]) -> str:
        """Return what the model would be told."""
        return Ran(0, await self.handle(payload), "").context

    async def rows(self, statement: str) -> list[tuple[Any, ...]]:
        """Ask the database."""
        async with self.app.opened.connection.execute(statement) as cursor:
            return [tuple(row) for row in await cursor.fetchall()]

    async def memories(self, word: str = "") -> list[str]:
        """Return the texts of all long-term memories that hold a word, oldest first."""
        found = await self.rows("SELECT content FROM memories ORDER BY id")
        return [content for (content,) in found if word in content]

    def logged(self, event: str) -> list[dict[str, Any]]:
        """Return the log lines of one kind."""
        path = Path(self.app.home.logs) / "runtime.jsonl"
        lines = path.read_bytes().split(b"\n") if path.exists() else []
        return [found for line in lines if line and (found := json.loads(line))["event"] == event]

    def everything(self) -> bytes:
        """Return all bytes of all files of the home."""
        files = sorted(path for path in Path(self.app.home.root).rglob("*") if path.is_file())
        return b"\n".join(path.read_bytes() for path in files)


def facts_of(payload: bytes | Mapping[str, Any]) -> dict[str, str]:
    """Return what the hook process would note beside the payload."""
    name = payload["hook_event_name"] if isinstance(payload, Mapping) else ""
    return {"event": str(name)}
