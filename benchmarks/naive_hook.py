"""
The straightforward hook, to compare with: everything imported, one event, one insert.

What one writes first with these libraries: models of the events, a logger, an
event loop, a connection. It does less than the product does (no index, no
redaction, no spool), so what it costs more is the way it is started.
"""

import sys
from typing import Annotated, Literal

import aiosqlite
import anyio
import structlog
from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter

log = structlog.get_logger()


class Event(BaseModel):
    """What all events have."""

    model_config = ConfigDict(extra="allow", frozen=True)

    session_id: str
    transcript_path: str
    cwd: str
    permission_mode: str | None = None


class SessionStart(Event):
    """A session begins."""

    hook_event_name: Literal["SessionStart"]
    source: str


class UserPromptSubmit(Event):
    """The person has typed."""

    hook_event_name: Literal["UserPromptSubmit"]
    prompt: str


class ToolEvent(Event):
    """Something about a tool."""

    tool_name: str
    tool_input: JsonValue
    tool_use_id: str | None = None


class PreToolUse(ToolEvent):
    """A tool is about to run."""

    hook_event_name: Literal["PreToolUse"]


class PostToolUse(ToolEvent):
    """A tool has run."""

    hook_event_name: Literal["PostToolUse"]
    tool_response: JsonValue


class Stop(Event):
    """The assistant has ended its turn."""

    hook_event_name: Literal["Stop"]
    stop_hook_active: bool = False
    last_assistant_message: str | None = None


class SubagentStop(Event):
    """A subagent has ended."""

    hook_event_name: Literal["SubagentStop"]
    agent_type: str


class PreCompact(Event):
    """The conversation is about to be shortened."""

    hook_event_name: Literal["PreCompact"]
    trigger: str


class Notification(Event):
    """The client waits for the person."""

    hook_event_name: Literal["Notification"]
    message: str


class SessionEnd(Event):
    """A session ends."""

    hook_event_name: Literal["SessionEnd"]
    reason: str


AnyEvent = Annotated[
    SessionStart
    | UserPromptSubmit
    | PreToolUse
    | PostToolUse
    | Stop
    | SubagentStop
    | PreCompact
    | Notification
    | SessionEnd,
    Field(discriminator="hook_event_name"),
]
EVENT: TypeAdapter[AnyEvent] = TypeAdapter(AnyEvent)


async def keep(event: Event, database: str) -> None:
    """Insert the event."""
    async with aiosqlite.connect(database) as connection:
        await connection.execute("PRAGMA journal_mode = WAL")
        await connection.execute("CREATE TABLE IF NOT EXISTS events (session TEXT, body TEXT)")
        row = (event.session_id, event.model_dump_json())
        await connection.execute("INSERT INTO events VALUES (?, ?)", row)
        await connection.commit()


def main() -> None:
    """Handle one event from stdin; the database is the first argument."""
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    event = EVENT.validate_json(sys.stdin.buffer.read())
    anyio.run(keep, event, sys.argv[1])
    log.info("event_kept", session_id=event.session_id)
