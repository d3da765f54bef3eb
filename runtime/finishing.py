"""
The end of a handled event: one transaction, and out of the spool.

Without a commit it stays there, as what may be kept. Nobody waits for any of this.
"""

import sqlite3
from typing import TYPE_CHECKING, Final, NamedTuple

import anyio
import structlog
from pydantic import JsonValue

from runtime import spool
from runtime.aside import Fate, bare, wait
from runtime.commit import Effects, commit, prune_now_and_then
from runtime.context import AppContext
from runtime.errors import ExpectedError
from runtime.spool import Captured
from runtime.store.store import Store
from schemas.captured import CapturedEvent
from schemas.outputs import HookOutput
from schemas.shown import ShownRecord

if TYPE_CHECKING:
    from schemas.answers import HookAnswer

log = structlog.get_logger(__name__)

LEFT_ALONE: Final = "left_alone"
"""The fact that says why an event was left alone, when it has to wait without its content."""
OWN_FAULTS: Final = (sqlite3.IntegrityError, sqlite3.DataError, sqlite3.ProgrammingError)
"""What only one event's values can cause; any other error is the store's."""


class Handled(NamedTuple):
    """One event after its handlers, before anything is written."""

    event: CapturedEvent
    model: str
    """Name of the model that it validated to."""
    outputs: tuple[HookOutput, ...]
    answer: "HookAnswer | None"
    is_left_alone: bool
    """A session that is none of ours: nothing of its content is kept."""
    shown: tuple[ShownRecord, ...] = ()
    """Records that the answer tells of, in order."""


async def finish(
    captured: Captured, handled: Handled, payload: dict[str, JsonValue], app: AppContext
) -> Fate:
    """Commit, then take the event out of the spool; without a commit it stays there."""
    row = handled.event
    # What is none of ours leaves a row to see it by, and nothing of its content.
    is_private = any(output.is_private for output in handled.outputs)
    kept = None if handled.is_left_alone or is_private else payload
    if handled.is_left_alone:
        captured.facts[LEFT_ALONE] = row.reason or ""
    if app.store is None:
        log.error("event_waits", hook_event=row.name, outcome=row.outcome)
        await anyio.to_thread.run_sync(wait, captured, kept or bare(payload), app)
        return Fate.WAITS
    try:
        if app.settings.hook.durable:
            await app.store.be_durable()
        written = await commit(
            app.store, row, kept, Effects(handled.outputs, handled.shown), host=app.host
        )
    except (ExpectedError, sqlite3.Error, OSError) as error:
        log.error("event_waits", hook_event=row.name, error=str(error))  # noqa: TRY400
        if isinstance(error, OWN_FAULTS):
            return Fate.REFUSED  # it stays as begun: after a few tries it is given up
        await anyio.to_thread.run_sync(wait, captured, kept or bare(payload), app)
        return Fate.WAITS
    await anyio.to_thread.run_sync(spool.finish, app.home.spool, captured)
    statuses = [item.status for item in written]
    log.info(
        "event_handled",
        hook_event=row.name,
        outcome=row.outcome,
        reason=row.reason,
        handlers=[run.handler for run in row.handlers],
        duration_ms=row.duration_ms,
        payload_bytes=row.payload_bytes,
        stored=statuses.count("stored"),
        updated=statuses.count("updated"),
        answer_chars=len(str(row.answer)) if row.answer else 0,
    )
    await _prune(app.store, app)
    return Fate.DONE


async def _prune(store: Store, app: AppContext) -> None:
    """Keep house; the event is recorded already, so a failure is not the event's."""
    try:
        await prune_now_and_then(store, app.settings.events, app.settings.retention, app.home)
    except (ExpectedError, sqlite3.Error, OSError) as error:
        log.warning("prune_failed", error=str(error))
