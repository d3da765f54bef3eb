import json
import os

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runtime.log_reader import Filter, follow, read
from runtime.logs import FILE_NAME

LINES = [
    {"timestamp": "2026-06-11T00:00:01Z", "level": "debug", "event": "a", "event_id": "1"},
    {"timestamp": "2026-06-11T00:00:02Z", "level": "info", "event": "b", "session_id": "abc"},
    {"timestamp": "2026-06-11T00:00:03Z", "level": "warning", "event": "c", "handler": "h.one"},
    {
        "timestamp": "2026-06-11T00:00:04Z",
        "level": "error",
        "event": "d",
        "event_id": "1",
        "handlers": ["h.one", "h.two"],
    },
]


def write(folder, lines, name=FILE_NAME):
    with open(os.path.join(folder, name), "ab") as file:
        file.write(b"".join(json.dumps(line).encode() + b"\n" for line in lines))


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (Filter(), "abcd"),
        (Filter(level="warning"), "cd"),
        (Filter(event_id="1"), "ad"),
        (Filter(session="ab"), "b"),
        (Filter(session="bc"), ""),
        (Filter(handler="one"), "cd"),
        (Filter(handler="two"), "d"),
        (Filter(since="2026-06-11T00:00:03Z"), "cd"),
        (Filter(level="error", event_id="1", handler="two"), "d"),
    ],
)
def test_which_lines_are_wanted(tmp_path, wanted, expected):
    write(tmp_path, LINES)

    assert "".join(line.event for line in read(str(tmp_path), wanted)) == expected


def test_rotated_files_come_first_oldest_first(tmp_path):
    for number, line in enumerate(LINES):
        write(tmp_path, [line], f"{FILE_NAME}.{12 - number}" if number < 3 else FILE_NAME)

    assert "".join(line.event for line in read(str(tmp_path), Filter())) == "abcd"


def test_no_log_is_no_line(tmp_path):
    assert list(read(str(tmp_path), Filter())) == []
    assert list(read(str(tmp_path / "none"), Filter())) == []


JSON = st.recursive(
    st.none() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=4,
)
ODD = st.binary().map(lambda data: data.replace(b"\n", b"")) | st.dictionaries(
    st.sampled_from(["timestamp", "level", "event", "handlers", "handler", "session_id"]), JSON
).map(lambda value: json.dumps(value).encode())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ODD)
def test_a_line_that_is_none_is_passed_over(tmp_path, odd):
    with open(tmp_path / FILE_NAME, "wb") as file:
        file.write(odd + b"\n" + b"[" * 100_000 + b"\n" + json.dumps(LINES[3]).encode() + b'\n{"ev')

    found = [line.event for line in read(str(tmp_path), Filter(handler="two"))]

    assert found[-1] == "d"


async def test_new_lines_are_followed_across_rotation(tmp_path):
    write(tmp_path, [LINES[0]])
    seen = []
    send, receive = anyio.create_memory_object_stream(10)

    async def run():
        async for line in follow(str(tmp_path), Filter()):
            await send.send(line.event)

    with anyio.fail_after(20):
        async with anyio.create_task_group() as group:
            group.start_soon(run)
            await anyio.wait_all_tasks_blocked()
            write(tmp_path, [LINES[1]])
            seen.append(await receive.receive())
            os.rename(tmp_path / FILE_NAME, tmp_path / f"{FILE_NAME}.1")
            write(tmp_path, LINES[2:])
            seen += [await receive.receive(), await receive.receive()]
            group.cancel_scope.cancel()
    send.close()
    receive.close()

    assert seen == ["b", "c", "d"]


async def test_a_log_that_does_not_exist_yet_is_waited_for(tmp_path):
    send, receive = anyio.create_memory_object_stream(10)

    async def run():
        async for line in follow(str(tmp_path), Filter(level="error")):
            await send.send(line.event)

    with anyio.fail_after(20):
        async with anyio.create_task_group() as group:
            group.start_soon(run)
            await anyio.wait_all_tasks_blocked()
            write(tmp_path, LINES)
            event = await receive.receive()
            group.cancel_scope.cancel()
    send.close()
    receive.close()

    assert event == "d"
