"""Write one event and all that its handlers returned, in one transaction."""

from typing import Final, NamedTuple

import anyio
import structlog
from pydantic import JsonValue

from runtime import spool
from runtime.events.record import insert, is_recorded, prune, replace_failed
from runtime.paths import Home
from runtime.setting_sections import Events, Retention
from runtime.store.clock import utc_now
from runtime.store.longterm import Origin, Status, keep, withdraw
from runtime.store.shown import note_shown
from runtime.store.store import Store
from runtime.store.transcripts import set_mark
from schemas.captured import CapturedEvent
from schemas.outputs import HookOutput
from schemas.records import NewMemory
from schemas.shown import ShownRecord

log = structlog.get_logger(__name__)

PRUNE_EVERY: Final = 50
"""Events between two looks at the age and size of kept payloads."""


class Effects(NamedTuple):
    """What an event's handlers want kept, and what the model was told."""

    outputs: tuple[HookOutput, ...] = ()
    shown: tuple[ShownRecord, ...] = ()


class Written(NamedTuple):
    """One memory that a handler returned, and what the store made of it."""

    memory: NewMemory
    status: Status | None
    """None: redaction left nothing of it."""


async def commit(
    store: Store,
    event: CapturedEvent,
    payload: dict[str, JsonValue] | None,
    effects: Effects,
    *,
    host: str,
    is_replay: bool = False,
) -> tuple[Written, ...]:
    """
    Write the event's row and its effects; a repeated id writes nothing.

    A replay writes the effects again (each is absorbed by its own key) and takes
    over the outcome when the recorded one was a failure.
    """
    now = utc_now()
    origin = Origin(event.project, event.project_key, event.id, host)
    written: list[Written] = []
    async with store.transaction() as connection:
        if await is_recorded(connection, event.id):
            if not is_replay:
                return ()
            await replace_failed(connection, event)
        else:
            await insert(connection, event, payload)
            # A replay tells nobody anything.
            await note_shown(connection, event, effects.shown)
        for output in effects.outputs:
            written += [
                Written(memory, await keep(connection, memory, origin, now))
                for memory in output.memories
            ]
            await withdraw(connection, output.withdraws)
            if output.transcript is not None:
                await set_mark(connection, output.transcript, now)
    return tuple(written)


async def prune_now_and_then(
    store: Store, settings: Events, retention: Retention, home: Home
) -> int:
    """
    Drop payloads and dead input beyond their time and size, every so many events.

    Returns how many.
    """
    async with store.connection.execute("SELECT max(seq) FROM events") as cursor:
        row = await cursor.fetchone()
    if row is None or row[0] is None or row[0] % PRUNE_EVERY:
        return 0
    if retention.automatic and retention.rules:
        await _keep_rules(store, retention)
    keep_s = settings.keep_days * 86_400
    expired = await anyio.to_thread.run_sync(spool.expire, home.dead, keep_s)
    async with store.transaction() as connection:
        dropped = await prune(
            connection,
            keep_days=settings.keep_days,
            keep_bytes=settings.keep_bytes,
            now=utc_now(),
        )
    return expired + dropped


async def _keep_rules(store: Store, retention: Retention) -> None:
    """Delete what the rules for retention do not keep, at most once a day."""
    from runtime.longterm.retention import apply_rules, is_due  # noqa: PLC0415 - few have rules
    from runtime.retention_rules import parse_rule  # noqa: PLC0415

    now = utc_now()
    if await is_due(store.connection, now):
        done = await apply_rules(store, tuple(map(parse_rule, retention.rules)), now)
        log.info("retention_applied", deleted=len(done))
