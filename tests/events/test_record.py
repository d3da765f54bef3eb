from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.events.query import Selection, select
from runtime.events.record import (
    compress,
    decompress,
    dumps,
    insert,
    is_recorded,
    prune,
    replace_failed,
)
from runtime.store.clock import utc
from schemas.captured import CapturedEvent

NOW = datetime(2026, 6, 30, tzinfo=UTC)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner, max_size=3)
)


def event(number, **values) -> CapturedEvent:
    return CapturedEvent.model_validate(
        {
            "id": f"{number:020d}-1",
            "name": "Stop",
            "session_id": "s",
            "project": "shop",
            "project_key": "k",
            "received_at": utc(NOW - timedelta(days=30 - number)),
            "outcome": "ok",
            "reason": None,
            "duration_ms": 1.5,
            "handlers": [],
            "answer": None,
            "facts": {"project": "/あ"},
            "payload_bytes": 2,
            **values,
        }
    )


@pytest.fixture
def connection(app):
    return app.opened.connection


@given(st.dictionaries(st.text(), JSON))
def test_a_payload_comes_back_from_its_column(payload):
    assert decompress(compress(payload)) == payload


def test_json_is_compact_and_japanese_readable():
    assert dumps({"a": ["あ", 1]}) == '{"a":["あ",1]}'


async def test_an_event_reads_back_as_it_was_written(connection):
    written = event(
        1,
        answer={"hookSpecificOutput": {"additionalContext": "あ"}},
        handlers=[{"handler": "h", "outcome": "failed", "duration_ms": 1, "error": "x"}],
        outcome="failed",
        reason="h: x",
    )

    await insert(connection, written, {"a": "あ"})

    (read,) = await select(connection, Selection())
    assert read == (written, {"a": "あ"})


async def test_an_id_is_recorded_once(connection):
    first = await insert(connection, event(1), {"a": 1})
    second = await insert(connection, event(1, name="Other"), {"a": 2})

    (read,) = await select(connection, Selection())
    assert (first, second) == (True, False)
    assert (read.event.name, read.payload) == ("Stop", {"a": 1})
    assert await is_recorded(connection, event(1).id)
    assert not await is_recorded(connection, event(2).id)


@pytest.mark.parametrize(
    ("before", "after"), [("failed", "ok"), ("ok", "ok"), ("ignored", "ignored")]
)
async def test_what_failed_or_could_not_be_done_is_replaced_by_a_replay(connection, before, after):
    await insert(connection, event(1, outcome=before, reason="then"), {})

    await replace_failed(connection, event(1, outcome="ok", reason=None, duration_ms=9))

    (read,) = await select(connection, Selection())
    assert read.event.outcome == after
    assert (read.event.reason is None) == (before != "ignored")


async def prune_to(connection, keep_days, keep_bytes):
    return await prune(connection, keep_days=keep_days, keep_bytes=keep_bytes, now=NOW)


async def kept(connection):
    return [
        int(item.event.id[:20]) for item in await select(connection, Selection()) if item.payload
    ]


@pytest.fixture
async def ten(connection):
    for number in range(21, 31):
        await insert(connection, event(number), {"n": number})


@pytest.mark.usefixtures("ten")
@pytest.mark.parametrize(
    ("keep_days", "left", "why"),
    [
        (14, 10, "all are younger"),
        (4.5, 5, "days may be parts"),
        (0, 1, "only what came this very moment"),
        (1e9, 10, "for ever"),
        (float("inf"), 10, "for ever, in so many words"),
    ],
)
async def test_old_payloads_are_dropped_and_their_rows_stay(connection, keep_days, left, why):
    dropped = await prune_to(connection, keep_days, 10**9)

    assert await kept(connection) == list(range(31 - left, 31)), why
    assert dropped == 10 - left
    assert len(await select(connection, Selection())) == 10


@pytest.mark.usefixtures("ten")
@pytest.mark.parametrize(("room", "left"), [(0, 0), (1, 1), (3, 3), (3.5, 3), (10, 10), (1e30, 10)])
async def test_the_oldest_payloads_go_when_all_are_too_large(connection, room, left):
    one = len(compress({"n": 21}))

    dropped = await prune_to(connection, 10_000, int(room * one))

    assert await kept(connection) == list(range(31 - left, 31))
    assert dropped == 10 - left
    assert len(await select(connection, Selection())) == 10


@pytest.mark.usefixtures("ten")
async def test_pruning_twice_drops_nothing_more(connection):
    await prune_to(connection, 4.5, 10**9)

    assert await prune_to(connection, 4.5, 10**9) == 0
