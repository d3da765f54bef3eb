"""A stand-in for the client: it writes a transcript and fires the events around it."""

import json
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

from runtime.context import AppContext
from runtime.pipeline import handle
from runtime.spool import Captured

SESSION = "11111111-1111-4111-8111-111111111111"
_numbers = count(1)


def record(kind: str, uuid: str, content: Any, **fields: Any) -> dict[str, Any]:
    """Give a line of the conversation as the client writes it."""
    return {
        "type": kind,
        "uuid": uuid,
        "timestamp": "2026-11-30T12:00:00.000Z",
        "sessionId": SESSION,
        "message": {"role": kind, "content": content},
        **fields,
    }


def line(kind: str, uuid: str, content: Any, **fields: Any) -> bytes:
    """Give the same in bytes, with its line end."""
    value = record(kind, uuid, content, **fields)
    return json.dumps(value, ensure_ascii=False).encode() + b"\n"


def prompt(uuid: str, text: Any, **fields: Any) -> bytes:
    """Give a line of what a person typed."""
    return line("user", uuid, text, **fields)


def answer(uuid: str, *texts: str, **fields: Any) -> bytes:
    """Give a line of an answer's text blocks."""
    return line("assistant", uuid, [{"type": "text", "text": text} for text in texts], **fields)


def tool_use(uuid: str, name: str, **tool_input: Any) -> bytes:
    """Give a line in which the assistant calls a tool."""
    return line("assistant", uuid, [{"type": "tool_use", "name": name, "input": tool_input}])


def tool_result(uuid: str, text: str) -> bytes:
    """Give a line with what a tool answered."""
    blocks = [{"type": "tool_result", "tool_use_id": "t", "content": text}]
    return line("user", uuid, blocks, toolUseResult=text)


class Session:
    """One session's transcript, and its hook events through the pipeline of this process."""

    def __init__(self, app: AppContext, path: Path, session_id: str = SESSION) -> None:
        self.app = app
        self.path = path
        self.session_id = session_id

    async def fire(
        self, name: str = "Stop", last: str | None = None, prompt_id: str | None = None
    ) -> None:
        """Send one event as the client would."""
        fields = {
            "session_id": self.session_id,
            "transcript_path": str(self.path),
            "cwd": "/",
            "hook_event_name": name,
            "last_assistant_message": last,
            "prompt_id": prompt_id,
        }
        payload = {key: value for key, value in fields.items() if value is not None}
        event_id = f"{next(_numbers):020d}-1"
        await handle(Captured(event_id, {}, json.dumps(payload).encode()), self.app)

    async def write(self, *lines: bytes) -> None:
        """Put lines at the end of the transcript."""
        with self.path.open("ab") as file:
            file.write(b"".join(lines))

    async def stored(self) -> list[str]:
        """Give the contents of all memories, in the order in which they were first stored."""
        return await contents(self.app)


async def contents(app: AppContext, *, source: str = "session") -> list[str]:
    """Give the contents of the memories of one source, in the order of their ids."""
    return [row[0] for row in await rows(app, "content", source)]


async def rows(app: AppContext, columns: str, source: str = "session") -> Sequence[Any]:
    """Give some columns of the memories of one source that are there."""
    async with app.opened.connection.execute(
        f"SELECT {columns} FROM memories WHERE source = ? AND deleted_at IS NULL ORDER BY id",
        (source,),
    ) as cursor:
        return [tuple(row) for row in await cursor.fetchall()]
