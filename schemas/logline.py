"""One structured log line, as `runtime logs` reads it back."""

from schemas.base import Lenient


class LogLine(Lenient):
    """What every line has; the rest are the event's own keys."""

    timestamp: str = ""
    level: str = "info"
    event: str = ""
    event_id: str | None = None
    session_id: str | None = None
    handler: str | None = None
