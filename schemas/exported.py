"""A captured event on its way to another machine."""

from pydantic import Field, JsonValue

from schemas.base import Lenient
from schemas.captured import HandlerRun


class ExportedEvent(Lenient):
    """One line of `runtime events export`; another machine can replay it."""

    v: int = 1
    id: str
    name: str = ""
    session_id: str = ""
    project: str | None = None
    project_key: str | None = None
    received_at: str | None = None
    outcome: str | None = None
    reason: str | None = None
    duration_ms: float | None = None
    handlers: tuple[HandlerRun, ...] = ()
    answer: JsonValue = None
    facts: dict[str, str] = Field(default_factory=dict)
    payload_bytes: int | None = None
    payload: dict[str, JsonValue]
