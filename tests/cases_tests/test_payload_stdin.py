"""A stdin that does not end, a terminal, and closed descriptors."""

import contextlib
import json
import os
import pty
import subprocess

import pytest

from tests.cases_tests.playground import (
    Make,
    Playground,
    check,
    stop,
    tool_use,
)
from tests.cases_tests.starting import run_hook
from tests.processes import HOOK, PATIENCE_S, Ran

# A stdin that does not end.


def open_pipe(ground: Playground, feed: bytes) -> Ran:
    """Start a hook, write to its stdin and leave that open until it has ended."""
    process = subprocess.Popen(
        HOOK,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **ground.product.environ},
        start_new_session=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    with process.stdin, process.stdout, process.stderr:
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(feed)
            process.stdin.flush()
        code = process.wait(PATIENCE_S)
        ran = Ran(code, process.stdout.read(), process.stderr.read().decode())
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
    check(ran)
    return ran


def test_a_whole_event_is_handled_although_the_pipe_stays_open(make: Make) -> None:
    ground = make("P06")
    event = {**ground.payload("payload.json"), "last_assistant_message": "開いた管 pipeword"}

    for data in (json.dumps(event).encode(), json.dumps(event, indent=1).encode() + b"\r\n "):
        open_pipe(ground, data)

    assert ground.product.finds("pipeword")
    assert ground.logged("input_unreadable") == []
    assert ground.rows("SELECT count(*) FROM events") == [(2,)]


@pytest.mark.parametrize(
    "feed",
    [b"", b'{"session_id": "00000000-0000-4000-8000', b'{"a":"}', b"  \n", b'{"a":{}', b"}"],
)
def test_half_an_event_is_given_up_although_the_pipe_stays_open(feed: bytes, make: Make) -> None:
    """The wait is bounded and logged with what had come."""
    ground = make()

    ran = open_pipe(ground, feed)

    assert ran.out == b""
    (line,) = ground.logged("input_unreadable")
    assert line["bytes"] == len(feed)
    assert "timed out after 1.5 s" in line["stdin"]
    assert f"{len(feed)} bytes" in line["stdin"]
    assert ground.rows("SELECT count(*) FROM events") == [(0,)]


def test_an_event_in_many_pieces_is_read_whole(make: Make) -> None:
    """More than a pipe holds, so the writer waits for the reader."""
    ground = make()
    text = "長い本文 " * 40_000 + " endpiece"
    event = tool_use("WebFetch", {"result": text}, url="https://example.com/")

    open_pipe(ground, json.dumps(event).encode())

    assert ground.product.finds("endpiece")


def test_a_terminal_gets_a_hint_instead_of_a_process_that_waits(make: Make) -> None:
    ground = make()
    main_fd, terminal = pty.openpty()
    try:
        done = subprocess.run(
            HOOK,
            stdin=terminal,
            capture_output=True,
            timeout=PATIENCE_S,
            check=False,
            env={**os.environ, **ground.product.environ},
        )
    finally:
        os.close(main_fd)
        os.close(terminal)

    assert done.returncode == 0
    assert done.stdout == b""
    assert b"started by Claude Code" in done.stderr
    assert not ground.product.home.exists()


@pytest.mark.parametrize("closed", [(0,), (1,), (2,), (1, 2), (0, 1, 2)])
def test_closed_descriptors_are_no_obstacle(closed: tuple[int, ...], make: Make) -> None:
    """Nor does the database get the number of one of them and a print into it."""
    ground = make()

    def close() -> None:
        for fd in closed:
            os.close(fd)

    event = stop("/nonexistent/t.jsonl", last_assistant_message="閉じた記述子 closedword")
    ran = run_hook(ground, json.dumps(event).encode(), before=close)

    check(ran)
    if 0 not in closed:
        assert ground.product.finds("closedword")
    assert ground.product.command("stats").code == 0
