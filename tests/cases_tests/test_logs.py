"""Logs go to their file, one line of JSON each, whatever a library prints."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cases_tests.playground import Make, Playground, check, session_start
from tests.processes import PATIENCE_S, Ran

START: Final = """
import sys
from types import ModuleType
from runtime import routes
from runtime.routes import Route

sys.path.insert(0, {folder!r})
routes.ROUTES["SessionStart"] = (Route("probe"), *routes.ROUTES["SessionStart"])
from runtime.client import main
main([])
"""
HANDLER: Final = """

async def handle(event, services):
    {body}
"""


def start(ground: Playground, body: str = "return None", *, head: str = "") -> str:
    """Return a script that runs the hook with the case's probe as one more handler."""
    probe = ground.folder / "probe.py"
    text = probe.read_text(encoding="utf-8") if probe.exists() else ""
    probe.write_text(text + head + HANDLER.format(body=body), encoding="utf-8")
    return START.format(folder=str(ground.folder))


def run(ground: Playground, script: str, stderr: Any = subprocess.PIPE, **options: Any) -> Ran:
    """Run the script as the hook, with a stderr of choice."""
    (ground.notes / "CONTEXT.md").write_text("## 2026-06-01\nnowword\n", encoding="utf-8")
    done = subprocess.run(
        (sys.executable, "-I", "-c", script),
        input=json.dumps(session_start()).encode(),
        stdout=subprocess.PIPE,
        stderr=stderr,
        timeout=PATIENCE_S,
        check=False,
        env={**os.environ, **ground.product.environ},
        **options,
    )
    ran = Ran(done.returncode, done.stdout, (done.stderr or b"").decode(errors="replace"))
    check(ran, session_start())
    assert "nowword" in ran.context
    return ran


def raw_log(ground: Playground) -> bytes:
    """Return the log file's bytes."""
    return (ground.product.home / "logs" / "runtime.jsonl").read_bytes()


def test_a_line_that_is_logged_while_a_handler_is_imported_goes_to_the_file(make: Make) -> None:
    """structlog prints to stdout unless it is configured before."""
    ground = make("L01")

    run(ground, start(ground))

    raw = raw_log(ground)
    (line,) = ground.logged("import time message")
    assert line["path"] == "/記憶/🔥"
    assert line["bad"] == "x\ud83d"
    assert line["obj"].startswith("<object object at")
    assert line["nl"] == "a\nb"
    assert line["esc"] == "\x1b[31mred"
    assert "/記憶/🔥".encode() in raw
    assert b"\x1b" not in raw
    raw.decode("utf-8")
    assert all(isinstance(json.loads(one), dict) for one in raw.split(b"\n") if one)


LOUD: Final = {
    "structlog": "import structlog; structlog.get_logger().error('loudword')",
    "logging": "import logging; logging.getLogger('x').warning('loudword %s', '記憶')",
    "the root logger": "import logging; logging.error('loudword')",
    "a warning": "import warnings; warnings.warn('loudword')",
    "print": "print('loudword')",
    "print, flushed": "print('loudword', flush=True)",
    "a long print": "print('loudword' * 9000)",
    "stdout itself": "import sys; sys.stdout.write('loudword'); sys.stdout.flush()",
    "the old stdout": "import sys; sys.__stdout__.write('loudword'); sys.__stdout__.flush()",
    "the descriptor": "import os; os.write(1, b'loudword')",
    "a child process": "import subprocess; subprocess.run(['echo', 'loudword'])",
    "logging to stdout": (
        "import logging, sys; logging.getLogger('y').addHandler(logging.StreamHandler(sys.stdout));"
        " logging.getLogger('y').error('loudword')"
    ),
    "an odd object": (
        "import structlog; structlog.get_logger().error('loudword', x={1: {2}, 'o': object})"
    ),
    "an exception": (
        "import structlog\n    try: 1 / 0\n"
        "    except ZeroDivisionError: structlog.get_logger().exception('loudword')"
    ),
}


AT_IMPORT: Final = ("structlog", "print, flushed", "a warning", "logging to stdout")


@pytest.mark.parametrize(
    ("when", "why"),
    [*(("in the handler", why) for why in LOUD), *(("at import", why) for why in AT_IMPORT)],
)
def test_whatever_a_handler_prints_stdout_is_the_answer_alone(
    when: str, why: str, make: Make
) -> None:
    ground = make()
    body, head = LOUD[why], ""
    if when == "at import":
        body, head = "return None", LOUD[why].replace("\n    ", "\n")

    ran = run(ground, start(ground, body, head=head))

    assert b"loudword" not in ran.out
    raw = raw_log(ground)
    assert all(isinstance(json.loads(one), dict) for one in raw.split(b"\n") if one)
    if why in {"structlog", "logging", "the root logger", "a warning", "an exception"}:
        assert b"loudword" in raw
    assert ground.rows("SELECT outcome FROM events") == [("ok",)]


@pytest.mark.parametrize("why", ["structlog", "print", "print, flushed", "a long print", "logging"])
@pytest.mark.parametrize("stderr", ["closed", "full", "a closed pipe", "no descriptor at all"])
def test_a_stderr_that_takes_nothing_changes_neither_exit_nor_answer(
    stderr: str, why: str, make: Make
) -> None:
    ground = make()
    script = start(ground, LOUD[why])
    if stderr == "full":
        with Path("/dev/full").open("wb") as full:
            run(ground, script, full)
    elif stderr == "a closed pipe":
        reading, writing = os.pipe()
        os.close(reading)
        run(ground, script, writing)
        os.close(writing)
    elif stderr == "closed":
        run(ground, script, None, preexec_fn=lambda: os.close(2))
    else:
        run(ground, script, subprocess.DEVNULL)

    assert ground.logged("event_handled") != []


@pytest.mark.parametrize("obstacle", ["a folder", "a dangling link", "a full device"])
def test_a_log_that_cannot_be_written_is_no_failure(obstacle: str, make: Make) -> None:
    ground = make()
    logs = ground.product.home / "logs"
    logs.mkdir(parents=True)
    path = logs / "runtime.jsonl"
    if obstacle == "a folder":
        path.mkdir()
    else:
        path.symlink_to("/nonexistent/x" if obstacle == "a dangling link" else "/dev/full")

    run(ground, start(ground, LOUD["structlog"]))

    assert ground.rows("SELECT outcome FROM events") == [("ok",)]
