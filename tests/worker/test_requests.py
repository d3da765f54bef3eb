"""Whatever comes over the socket ends its own connection and nothing else."""

import json
import socket
from collections import Counter
from collections.abc import Generator
from contextlib import ExitStack, suppress

import pytest

from runtime import sockets, spool
from runtime.worker.questions import AT_ONCE
from tests.leftovers import until
from tests.worker.hooks import Hooks, assert_once, session_start, written

pytestmark = pytest.mark.process

GARBAGE = [
    b"",
    b"\n",
    b"5\nab",
    b"-1\nabc",
    b"no number\nabc",
    b"9" * 100,
    b"9" * 6000 + b"\n",
    b"99999999999\nabc",
    b"\xb2\nabc",
    b"x" * 1_000_000,
    sockets.frame(b"../../memory.db\n"),
    sockets.frame(b"/etc/passwd\nabc"),
    sockets.frame(b"1-1/../../memory.db\nabc"),
    sockets.frame(b"no event at all"),
    sockets.frame(b"\xff\xfe\n\xff"),
]


@pytest.fixture
def served(hooks: Hooks) -> Generator[Hooks]:
    """Hooks whose worker serves, and must go on doing so."""
    hooks.run(written("before"))
    hooks.drained()
    worker = hooks.served()
    yield hooks
    answer = hooks.run(session_start("asked"))
    hooks.run(written("after"))
    hooks.drained()
    assert hooks.workers == [worker]
    assert b"runtime search" in answer
    assert hooks.events().count("asked") == 1
    assert_once(hooks, ["before", "after"])
    assert hooks.logged("worker_crashed") == []


def connected(hooks: Hooks) -> socket.socket:
    """Return a connection to the worker."""
    stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    stream.settimeout(30)
    sockets._inside(hooks.home.run, stream.connect, sockets.ASK)
    return stream


@pytest.mark.parametrize("data", GARBAGE, ids=range(len(GARBAGE)))
def test_garbage_gets_no_reply(served: Hooks, data: bytes) -> None:
    """The connection ends; no file outside of the spool is touched."""
    with connected(served) as stream:
        with suppress(BrokenPipeError, ConnectionResetError):
            stream.sendall(data)
            stream.shutdown(socket.SHUT_WR)
        with suppress(ConnectionResetError):
            assert stream.recv(100) == b""


def test_a_client_that_leaves_before_its_answer_harms_nobody(served: Hooks) -> None:
    """Its event is handled all the same, once."""
    markers = [f"left-{number}" for number in range(30)]
    for marker in markers:
        with connected(served) as stream:
            stream.sendall(request(marker))
    served.run(written("more"))
    served.drained()
    # They have no file in the spool by which to see that they are handled.
    until(lambda: set(markers) <= set(served.events()))

    counts = Counter(served.events())
    assert {marker: counts[marker] for marker in markers} == dict.fromkeys(markers, 1)


def test_a_client_that_sends_nothing_is_given_up(served: Hooks) -> None:
    """More of them than may be open at once: the next question waits at most for their time."""
    with ExitStack() as stack:
        streams = [stack.enter_context(connected(served)) for _number in range(AT_ONCE + 20)]
        for stream in streams:
            stream.sendall(b"100\nslow")
        assert {stream.recv(100) for stream in streams[:AT_ONCE]} == {b""}


def test_a_thousand_connections_at_once_are_survived(served: Hooks) -> None:
    """What does not fit into the queue is refused; nobody's descriptors run out."""
    with ExitStack() as stack:
        for _number in range(1000):
            stream = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
            stream.setblocking(False)
            with suppress(BlockingIOError):
                sockets._inside(served.home.run, stream.connect, sockets.ASK)


def test_a_question_by_hand_is_answered(served: Hooks) -> None:
    """The frame is the one that hooks use, however it is cut into pieces."""
    with connected(served) as stream:
        for byte in request("by-hand"):
            stream.sendall(bytes([byte]))
        reply = b""
        while sockets.unframe(reply) is None:
            reply += stream.recv(4096)

    assert b"runtime search" in reply
    assert b"by-hand" not in reply


def request(marker: str) -> bytes:
    """Return a session's start as a hook sends it; it has no file in the spool."""
    packed = spool.pack({"event": "SessionStart"}, json.dumps(session_start(marker)).encode())
    return sockets.frame(spool.new_id(1).encode() + b"\n" + packed)
