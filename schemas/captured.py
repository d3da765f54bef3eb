"""One captured hook event and what became of it."""

from typing import Literal

from pydantic import JsonValue

from schemas.base import Own

Outcome = Literal["ok", "ignored", "failed"]
"""`failed`: at least one handler failed. The event stays replayable in every case."""


class HandlerRun(Own):
    """One handler's run on one event."""

    handler: str
    outcome: Literal["ok", "failed", "timed out"]
    duration_ms: float
    error: str | None = None


class CapturedEvent(Own):
    """A row of `events`."""

    id: str
    """`<received, ns since 1970>-<pid>`: the name of its spool file, sortable by time."""
    name: str
    session_id: str
    project: str | None
    project_key: str | None
    received_at: str
    outcome: Outcome
    reason: str | None
    """Why it was ignored or what failed first."""
    duration_ms: float
    handlers: tuple[HandlerRun, ...]
    answer: JsonValue
    """The document that was printed, or None."""
    facts: dict[str, str]
    """What only the hook process knew: project folder, entry point, nesting."""
    payload_bytes: int
    """Size of the payload as received."""
