import io
import json
import os

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.mcp_servers import wire
from runtime.mcp_servers.wire import Wire, standard_streams, taken


def request(number, method="tools/list", **params):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def line(value) -> bytes:
    return json.dumps(value).encode() + b"\n"


async def read_all(source: bytes):
    """Read everything, answering each message as it comes; return messages and what was written."""
    sink = io.BytesIO()
    connected = Wire(io.BytesIO(source), sink)
    seen = []
    async with anyio.create_task_group() as group:
        async for text in connected:
            message = json.loads(text)
            seen.append(message)
            if "id" in message:
                group.start_soon(
                    connected.write,
                    json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {}}),
                )
    return seen, sink.getvalue()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (line(request(1)), request(1)),
        (b"\xef\xbb\xbf" + line(request(1)), request(1)),
        (line(request(1))[:-1] + b"\r\n", request(1)),
        (line(request(1, x="🔥")), request(1, x="🔥")),
        (line(request(1, x="half \ud83d")), request(1, x="half \ufffd")),
        (line(request(1, x="\udd25\ud83d")), request(1, x="\ufffd\ufffd")),
        (line(request(1)).replace(b"tools", b"to\xffols"), request(1, "to\ufffdols/list")),
        (line(request(1, x="a\u2028b")), request(1, x="a\u2028b")),
    ],
)
def test_a_message_is_taken_however_its_text_is_written(data, message):
    read = taken(data)

    assert json.loads(read.line) == message
    assert read.request == "1"


@pytest.mark.parametrize(
    "data", [b"\n", b"not json\n", b"\xff\xfe\x00\n", b"[" * 200_000, b"{}\n", b"5\n"]
)
def test_what_is_no_message_is_left_out(data):
    read = taken(data)

    assert (read.line, read.request, read.error) == ("", "", "")


@pytest.mark.parametrize(
    "value", [{"id": 8, "method": 5}, {"id": "x"}, {"jsonrpc": "1.0", "id": 8, "method": "a"}]
)
def test_who_sends_a_request_that_is_none_is_told(value):
    answer = json.loads(taken(line(value)).error)

    assert (answer["id"], answer["error"]["code"]) == (value["id"], -32600)


@given(st.binary(max_size=200))
def test_no_bytes_are_too_bad(data):
    taken(data)


async def test_the_input_ends_when_everything_is_answered():
    """The SDK calls off at the end of the input what it is still doing."""
    source = b"".join(line(request(number)) for number in range(5))

    seen, written = await read_all(source)

    assert [message["id"] for message in seen] == list(range(5))
    assert written.count(b'"result"') == 5


async def test_a_cancelled_request_is_not_waited_for():
    cancelled = {"jsonrpc": "2.0", "method": wire.CANCELLED, "params": {"requestId": 1}}
    connected = Wire(io.BytesIO(line(request(1)) + line(cancelled)), io.BytesIO())

    with anyio.fail_after(5):
        seen = [json.loads(text) async for text in connected]

    assert [message["method"] for message in seen] == ["tools/list", wire.CANCELLED]


async def test_what_is_never_answered_is_not_waited_for_for_ever(monkeypatch):
    monkeypatch.setattr(wire, "GRACE_S", 0.01)
    connected = Wire(io.BytesIO(line(request(1))), io.BytesIO())

    with anyio.fail_after(5):
        seen = [text async for text in connected]

    assert len(seen) == 1


async def test_a_line_that_is_too_long_is_left_out(monkeypatch):
    monkeypatch.setattr(wire, "LINE_BYTES", 200)
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    connected = Wire(io.BytesIO(b"x" * 950 + b"\n" + line(note)), io.BytesIO())

    assert [json.loads(text) async for text in connected] == [note]


async def test_a_client_that_has_left_is_no_error():
    reading, writing = os.pipe()
    os.close(reading)
    with io.FileIO(writing, "wb") as sink:
        connected = Wire(io.BytesIO(), sink)

        assert await connected.write('{"jsonrpc": "2.0", "id": 1, "result": {}}\n') == 42


def test_what_is_printed_meanwhile_is_no_part_of_the_answer(capfd):
    with standard_streams() as (_source, sink):
        os.write(1, b"a stray print\n")
        sink.write(b"the answer\n")
        sink.flush()
    os.write(1, b"afterwards\n")

    out, err = capfd.readouterr()
    assert (out, err) == ("the answer\nafterwards\n", "a stray print\n")
