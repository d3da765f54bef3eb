from datetime import UTC, datetime

import pytest

from runtime.events.record import insert
from runtime.store.capture_health import capture_health
from runtime.store.longterm import Origin, keep
from runtime.store.stats import by_outcome, by_source, counts
from schemas.captured import CapturedEvent
from schemas.records import NewMemory
from schemas.stats import CaptureHealth

NOBODY = Origin(None, None, None, None)


def event(number, name="Stop", outcome="ok", reason=None) -> CapturedEvent:
    return CapturedEvent.model_validate(
        {
            "id": f"{number:020d}-1",
            "name": name,
            "session_id": "s",
            "project": None,
            "project_key": None,
            "received_at": f"2026-06-{number:02d}",
            "outcome": outcome,
            "reason": reason,
            "duration_ms": 1,
            "handlers": [],
            "answer": None,
            "facts": {},
            "payload_bytes": 2,
        }
    )


async def test_an_empty_store_counts_nothing(store):
    row = dict(await counts(store.connection))

    assert {row.pop(name) for name in ("oldest_at", "newest_at", "permanent_as_of")} == {None}
    assert set(row.values()) == {0}
    assert await capture_health(store.connection) == ()
    assert await by_source(store.connection) == await by_outcome(store.connection) == {}


async def test_memories_are_counted_by_source_and_deleted_ones_apart(store):
    async with store.transaction() as connection:
        for day, source in enumerate(["session", "session", "tool:Write"], start=1):
            at = datetime(2026, 6, day, tzinfo=UTC)
            memory = NewMemory(key=str(day), content="x", source=source, created_at=at)
            await keep(connection, memory, NOBODY, at)
        await connection.execute("UPDATE memories SET deleted_at = 'now' WHERE id = 1")

    row = await counts(store.connection)
    assert (row["memories"], row["memories_deleted"]) == (2, 1)
    assert (row["oldest_at"][:10], row["newest_at"][:10]) == ("2026-06-02", "2026-06-03")
    assert await by_source(store.connection) == {"session": 1, "tool:Write": 1}


@pytest.mark.parametrize(
    ("events", "expected", "why"),
    [
        ([event(1)], ("2026-06-01", 0, None), "all is well"),
        (
            [event(1), event(2, outcome="failed", reason="x")],
            ("2026-06-01", 1, "x"),
            "failed since",
        ),
        ([event(1, outcome="failed", reason="x"), event(2)], ("2026-06-02", 0, None), "mended"),
        ([event(1, outcome="failed", reason="x")], (None, 1, "x"), "never worked"),
        (
            [event(1, reason="transcript missing"), event(2, reason="transcript empty")],
            (None, 2, "transcript empty"),
            "nothing failed, and nothing was captured",
        ),
        (
            [event(1), event(2, outcome="ignored", reason="a subagent")],
            ("2026-06-01", 0, None),
            "what is none of ours counts neither way",
        ),
    ],
)
async def test_the_last_success_and_the_failures_since(store, events, expected, why):
    async with store.transaction() as connection:
        for item in events:
            await insert(connection, item, {})

    (health,) = await capture_health(store.connection)
    assert health == CaptureHealth(
        name="Stop",
        last_success_at=expected[0],
        failures_since=expected[1],
        last_error=expected[2],
    ), why


async def test_events_are_counted_by_outcome(store):
    async with store.transaction() as connection:
        await insert(connection, event(1), {})
        await insert(connection, event(2, outcome="failed"), {})

    assert await by_outcome(store.connection) == {"failed": 1, "ok": 1}
