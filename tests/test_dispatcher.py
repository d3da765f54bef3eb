import asyncio
import sys
import types
from importlib import import_module
from inspect import signature
from typing import get_type_hints

import anyio
import pytest

from runtime.dispatcher import dispatch
from runtime.routes import ROUTES, handlers_of
from runtime.services import Services
from schemas.events import MODULES, HookEvent, validated
from schemas.outputs import HookOutput, Section

EVENT_STOP = validated(
    {"hook_event_name": "Stop", "session_id": "s", "transcript_path": "", "cwd": "/"}
)


class NoServices:
    """For handlers that use none."""


SERVICES = NoServices()
SAID = HookOutput(sections=(Section(title="said"),))


@pytest.fixture
def handler(monkeypatch):
    """Give a function that makes a handler module of a coroutine function."""

    def make(name, handle):
        module = types.ModuleType(name)
        module.handle = handle
        monkeypatch.setitem(sys.modules, name, module)
        return name

    return make


def raising(error):
    async def handle(event, services):
        raise error

    return handle


async def says(event, services):
    return SAID


class UnprintableError(Exception):
    def __str__(self):
        raise ValueError("no text")


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (ValueError("x"), "an error"),
        (ValueError("\ud800\0"), "a text that cannot be stored"),
        (UnprintableError(), "a text that cannot be made"),
        (SystemExit(2), "a library that ends the process"),
        (RecursionError(), "no stack left"),
        (MemoryError(), "no memory left"),
        (asyncio.CancelledError(), "cancelled, but not by us"),
        (BaseExceptionGroup("x", [ValueError(), SystemExit(1)]), "several at once"),
        (StopAsyncIteration(), "an iterator's end"),
        (TimeoutError("the lock is held"), "a timeout of its own"),
    ],
)
async def test_one_handler_s_end_is_never_another_s(handler, error, why):
    names = (handler("fails", raising(error)), handler("works", says))

    done = await dispatch(EVENT_STOP, names, SERVICES, 5)

    assert [(run.handler, run.outcome) for run in done.runs] == [
        ("fails", "failed"),
        ("works", "ok"),
    ], why
    assert done.outputs == (SAID,)
    assert done.runs[0].error


async def test_a_slow_handler_is_stopped_and_starves_nobody(handler):
    begun = anyio.Event()

    async def waits(event, services):
        await begun.wait()
        await anyio.sleep_forever()

    async def begins(event, services):
        begun.set()
        return SAID

    names = (handler("waits", waits), handler("begins", begins))
    with anyio.fail_after(20):
        done = await dispatch(EVENT_STOP, names, SERVICES, 0.2)

    assert [run.outcome for run in done.runs] == ["timed out", "ok"]
    assert done.outputs == (SAID,)


@pytest.mark.parametrize("value", ["text", 5, {"memory": 1}, object()])
async def test_a_handler_that_returns_something_else_has_failed(handler, value):
    async def handle(event, services):
        return value

    done = await dispatch(EVENT_STOP, (handler("odd", handle),), SERVICES, 5)

    assert [run.outcome for run in done.runs] == ["failed"]
    assert done.outputs == ()


async def test_a_handler_that_is_not_there_has_failed():
    done = await dispatch(EVENT_STOP, ("handlers.no_such_handler",), SERVICES, 5)

    assert [run.outcome for run in done.runs] == ["failed"]


async def test_results_stand_in_the_order_of_the_table_whoever_is_first(handler):
    second_is_done = anyio.Event()

    async def first(event, services):
        await second_is_done.wait()
        return HookOutput(sections=(Section(title="first"),))

    async def second(event, services):
        second_is_done.set()
        return HookOutput(sections=(Section(title="second"),))

    names = (handler("first", first), handler("second", second))
    with anyio.fail_after(20):
        done = await dispatch(EVENT_STOP, names, SERVICES, 10)

    assert [output.sections[0].title for output in done.outputs] == ["first", "second"]


async def test_cancelling_from_outside_ends_the_handlers(handler):
    begun = anyio.Event()

    async def waits(event, services):
        begun.set()
        await anyio.sleep_forever()

    name = handler("waits", waits)
    returned = []

    async def run():
        returned.append(await dispatch(EVENT_STOP, (name,), SERVICES, 100))

    with anyio.fail_after(20):
        async with anyio.create_task_group() as group:
            group.start_soon(run)
            await begun.wait()
            group.cancel_scope.cancel()

    assert returned == []


async def test_no_handler_is_no_work():
    assert await dispatch(EVENT_STOP, (), SERVICES, 5) == ((), ())


HANDLERS = sorted({route.handler for routes in ROUTES.values() for route in routes})


@pytest.mark.parametrize("name", HANDLERS)
def test_every_route_leads_to_a_handler_with_the_right_annotations(name):
    handle = import_module(name).handle
    hints = get_type_hints(handle)

    assert asyncio.iscoroutinefunction(handle)
    assert list(signature(handle).parameters) == ["event", "services"]
    assert issubclass(hints["event"], HookEvent)
    assert hints["services"] is Services
    assert hints["return"] == HookOutput | None


@pytest.mark.parametrize("event_name", sorted(ROUTES))
def test_a_handler_takes_the_model_of_each_event_that_is_routed_to_it(event_name):
    assert event_name in MODULES
    payload = {"hook_event_name": event_name, "session_id": "", "transcript_path": "", "cwd": ""}
    event = validated(payload)

    for route in ROUTES[event_name]:
        assert isinstance(event, get_type_hints(import_module(route.handler).handle)["event"])


@pytest.mark.parametrize(
    ("name", "tool", "expected"),
    [
        ("PreToolUse", "Skill", ("handlers.inject_skill_memories",)),
        ("PreToolUse", "Bash", ()),
        ("PostToolUse", "Write", ("handlers.log_tool_result",)),
        ("PostToolUse", "write", ()),
        ("PostToolUse", "", ()),
        ("Stop", None, ("handlers.capture_session", "handlers.rotate_context")),
        ("SubagentStop", None, ()),
        ("Later", None, ()),
    ],
)
def test_which_handlers_an_event_runs(name, tool, expected):
    payload = {"hook_event_name": name, "session_id": "", "transcript_path": "", "cwd": ""}
    if tool is not None:
        payload["tool_name"] = tool

    assert handlers_of(validated(payload)) == expected
