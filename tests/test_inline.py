import os
import time

import anyio
import anyio.lowlevel
import pytest

from runtime import drain as draining
from runtime import spool
from runtime.app import open_app
from runtime.decode import decode
from runtime.events.query import Selection, select
from runtime.locks import try_lock, unlock
from runtime.settings import Settings
from tests.spooled import put


async def drain(app, seconds):
    """Drain with one context for all events; how many were handled, 0 for not ours."""

    async def context_of(_facts):
        return app

    return await draining.drain(app.home, context_of, seconds) or 0


LATER = {"hook_event_name": "Later"}


async def ids(app):
    return [item.event.id for item in await select(app.opened.connection, Selection())]


async def test_what_lies_in_the_spool_is_handled_oldest_first(app):
    for number in (3, 1, 2):
        put(app.home, LATER, number=number)

    assert await drain(app, 60) == 3
    assert await ids(app) == [f"{number:020d}-1" for number in (1, 2, 3)]
    assert os.listdir(app.home.spool) == []


async def test_whoever_holds_the_lock_does_all_the_work(app):
    put(app.home, LATER, number=1)
    fd = await anyio.to_thread.run_sync(try_lock, os.path.join(app.home.run, "drain.lock"))

    assert await drain(app, 60) == 0

    unlock(fd)
    assert await drain(app, 60) == 1


async def test_two_that_drain_at_once_handle_each_event_once(app):
    for number in range(1, 41):
        put(app.home, LATER, number=number)

    handled = []

    async def run(other):
        handled.append(await drain(other, 60))

    async with open_app(app.home, Settings()) as second, anyio.create_task_group() as group:
        group.start_soon(run, app)
        group.start_soon(run, second)
        # Events keep arriving while they work.
        for number in range(41, 61):
            put(app.home, LATER, number=number)
            await anyio.lowlevel.checkpoint()

    await drain(app, 60)
    assert await ids(app) == sorted(await ids(app))
    assert len(await ids(app)) == 60
    assert os.listdir(app.home.spool) == []


async def test_when_the_time_is_up_the_rest_is_for_the_next(app):
    for number in (1, 2, 3):
        put(app.home, LATER, number=number)

    assert await drain(app, -1) == 1
    assert len(os.listdir(app.home.spool)) == 2


async def test_an_asked_event_of_a_dead_process_is_finished_by_somebody_else(app):
    put(app.home, LATER, number=1, suffix=spool.ASK)
    young = put(app.home, LATER, number=time.time_ns(), suffix=spool.ASK).name

    await drain(app, 60)

    assert await ids(app) == [f"{1:020d}-1"]
    assert os.listdir(app.home.spool) == [young]


async def test_half_written_files_are_swept_away(app):
    await anyio.Path(app.home.spool, f"tmp-{1:020d}-1").write_bytes(b"half")

    await drain(app, 60)

    assert os.listdir(app.home.spool) == []


async def test_something_that_is_no_event_stops_nobody(app, logged):
    """Names sort by time: what cannot be read would else be in everybody's way for ever."""
    os.mkdir(os.path.join(app.home.spool, "0"))
    put(app.home, LATER, number=1)

    assert await drain(app, 60) == 1
    assert os.listdir(app.home.spool) == ["0"]
    assert [line["event"] for line in logged if line["log_level"] == "error"] == ["event_failed"]


@pytest.mark.parametrize("fault", [ValueError, RecursionError, MemoryError])
async def test_an_event_that_finds_a_bug_stops_nobody(app, monkeypatch, fault):
    put(app.home, b"poison", number=1)
    put(app.home, LATER, number=2)

    def fails(payload):
        if payload == b"poison":
            raise fault
        return decode(payload)

    monkeypatch.setattr("runtime.pipeline.decode", fails)

    assert await drain(app, 60) == 1
    assert await ids(app) == [f"{2:020d}-1"]
    assert os.listdir(app.home.spool) == [f"{1:020d}-1.try1"]


async def test_an_event_that_was_begun_too_often_is_buried_and_holds_nobody_up(app, logged):
    """It may be what ends every process that takes it."""
    put(app.home, LATER, number=1, suffix=f"{spool.TRY}{spool.TRIES_MAX}")
    put(app.home, LATER, number=2, suffix=f"{spool.TRY}1")
    put(app.home, LATER, number=3)

    assert await drain(app, 60) == 2

    assert os.listdir(app.home.spool) == []
    assert os.listdir(app.home.dead) == [f"{1:020d}-1"]
    assert "event_given_up" in [line["event"] for line in logged]
