"""
What becomes of an event that is not handled: it waits, is put aside, or is dropped.

Whatever lies on the disk for longer than the handling takes is redacted, and holds
nothing of what its owner keeps out of the memory.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Final

import anyio
import structlog
from pydantic import JsonValue

from runtime import spool
from runtime.context import AppContext
from runtime.decode import UnreadableError
from runtime.events.record import dumps
from runtime.privacy import OFF, Privacy, privacy_of
from runtime.project import project_of
from runtime.redact import redact, redact_bytes
from runtime.spool import Captured
from schemas.events import BASE_FIELDS

log = structlog.get_logger(__name__)

EXCERPT_CHARS: Final = 80


class Fate(Enum):
    """How it ended for one captured event."""

    DONE = "done"
    """It is recorded, or buried, and out of the spool."""
    WAITS = "waits"
    """The store could not take it: it would not take another one either."""
    REFUSED = "refused"
    """It stays in the spool for a reason of its own."""


async def rules_for(captured: Captured, app: AppContext) -> Privacy:
    """Return what of an event's project is not to be kept."""
    if app.privacy is not None:
        return app.privacy
    return await anyio.to_thread.run_sync(privacy_of, captured.facts, app.settings.capture)


def bare(payload: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return what tells which event it is, and nothing of its content."""
    return {name: payload[name] for name in (*BASE_FIELDS, "prompt_id") if name in payload}


def wait(captured: Captured, payload: dict[str, JsonValue], app: AppContext) -> None:
    """Leave the event in the spool as what may be kept: it may lie there for weeks."""
    project = project_of(captured.facts)
    facts = {key: redact(value) for key, value in captured.facts.items()}
    facts |= {"project_key": project.key, "project_name": redact(project.name)}
    sync = spool.to_disk if app.settings.hook.durable else None
    try:
        spool.put_back(app.home.spool, captured, facts, dumps(payload).encode(), sync)
    except OSError as error:
        log.error("spool_unwritable", error=str(error))  # noqa: TRY400


async def drop(captured: Captured, app: AppContext) -> Fate:
    """Keep nothing of an event, not even that there was one of this session."""
    await anyio.to_thread.run_sync(spool.finish, app.home.spool, captured)
    log.info("event_dropped", hook_event=captured.facts.get("event"), reason=OFF)
    return Fate.DONE


async def bury(captured: Captured, error: UnreadableError, app: AppContext) -> Fate:
    """Keep what cannot be read, redacted, where replay can show it, unless it may be private."""
    rules = await rules_for(captured, app)
    if rules.is_off:
        return await drop(captured, app)
    if rules.has_rules:
        log.warning("input_dropped", error=error.kind, bytes=len(captured.payload))
        await anyio.to_thread.run_sync(spool.finish, app.home.spool, captured)
        return Fate.DONE
    data = redact_bytes(captured.payload)
    excerpt = data[: EXCERPT_CHARS * 4].decode(errors="replace")[:EXCERPT_CHARS]
    log.warning(
        "unknown_event" if error.kind == "unknown event" else "input_unreadable",
        error=redact(str(error)),
        bytes=len(captured.payload),
        stdin=captured.facts.get("problem"),
        excerpt=excerpt.encode("unicode_escape").decode(),
    )
    try:
        await anyio.to_thread.run_sync(_move_to_dead, captured, data, app)
    except OSError as failure:
        log.error("dead_unwritable", error=str(failure))  # noqa: TRY400
        return Fate.REFUSED
    return Fate.DONE


def _move_to_dead(captured: Captured, data: bytes, app: AppContext) -> None:
    spool.bury(app.home.dead, captured.id, data)
    spool.finish(app.home.spool, captured)
