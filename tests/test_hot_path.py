"""
What the hook process loads, module by module: each costs every hook of every session.

A clock cannot be trusted in a test, the list of modules can. A new name here is
a price that people pay several times a minute: it must be worth it.
"""

import json
import os
import socket
import subprocess
import threading
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import anyio
import pytest

from runtime import prepared
from runtime.launch import hook_command
from runtime.locks import try_lock, unlock
from runtime.paths import Home
from runtime.project import identify
from runtime.sockets import ASK, KICK, frame, unframe
from runtime.store.longterm import Origin, keep
from runtime.store.store import open_store
from schemas.records import NewMemory
from tests.payloads import Payloads
from tests.processes import Product

pytestmark = pytest.mark.process

HEAVY: Final = {
    "asyncio",
    "anyio",
    "collections",
    "contextlib",
    "dataclasses",
    "enum",
    "functools",
    "importlib",
    "json",
    "os",
    "pathlib",
    "pydantic",
    "re",
    "socket",
    "sqlite3",
    "structlog",
    "subprocess",
    "typing",
}
CAPTURE: Final = {
    "_socket",
    "runtime",
    "runtime.client",
    "runtime.paths",
    "runtime.sockets",
    "runtime.spool",
    "runtime.stdin",
    "select",
}
AWAY: Final = CAPTURE | {
    "errno",
    "fcntl",
    "gc",
    "runtime.away",
    "runtime.locks",
    "runtime.reader",
    "runtime.worker",
    "runtime.worker.spawn",
}
# Which of these is built in depends on the Python; an attempt that fails counts too.
EXTENSIONS: Final = {
    "_functools",
    "_sha2",
    "_sha256",
    "_sqlite3",
    "itertools",
    "math",
    "unicodedata",
}
SKILL: Final = {
    "runtime.days",
    "runtime.digest",
    "runtime.frame",
    "runtime.orders",
    "runtime.project",
    "runtime.skill_reader",
    "runtime.store",
    "runtime.store.search_index",
    "runtime.store.search_ranking",
    "runtime.store.search_records",
    "runtime.store.search_skill",
    "runtime.store.skill_runs",
    "runtime.store.sqlite",
    "runtime.tokens",
    "runtime.tokens.query",
    "runtime.tokens.script",
    "runtime.tokens.sequence",
    "runtime.tokens.words",
}


def test_a_captured_event_loads_these_modules_and_no_other(
    tmp_path: Path, payloads: Payloads, monkeypatch: pytest.MonkeyPatch
) -> None:
    with _worker(tmp_path, monkeypatch) as home:
        loaded, answer = _hook(home, "PostToolUse", payloads.raw("PostToolUse-Write-create"))

    assert loaded == CAPTURE
    assert answer == b""
    assert len(os.listdir(home / "spool")) == 1


def test_asking_the_worker_loads_nothing_more(
    tmp_path: Path, payloads: Payloads, monkeypatch: pytest.MonkeyPatch
) -> None:
    with _worker(tmp_path, monkeypatch) as home:
        loaded, answer = _hook(home, "PreToolUse", payloads.raw("PreToolUse-Skill"))

    assert loaded == CAPTURE
    assert answer == ANSWER


def test_a_session_that_starts_is_answered_from_what_is_prepared(
    tmp_path: Path, payloads: Payloads, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker is not asked: it would say the same, later. It is told of the event."""
    with _worker(tmp_path, monkeypatch) as home:
        prepared.write(Home(str(home)), [prepared.state(str(home))], {"startup": b'{"a":1}'})
        loaded, answer = _hook(home, "SessionStart", payloads.raw("SessionStart-startup"))

    assert loaded - EXTENSIONS == CAPTURE | {"runtime.prepared", "runtime.reader"}
    assert answer == b'{"a":1}'
    assert [name.endswith(".ask") for name in os.listdir(home / "spool")] == [False]


def test_answering_about_a_skill_without_a_worker_loads_these_modules_and_no_other(
    product: Product, payloads: Payloads
) -> None:
    with _worker_starting(product, payloads):
        loaded, answer = _hook(product.home, "PreToolUse", payloads.raw("PreToolUse-Skill"))

    assert loaded - EXTENSIONS == AWAY | SKILL
    assert answer == b""
    assert [name.endswith(".ask") for name in os.listdir(product.home / "spool")] == [False]


@pytest.mark.parametrize(
    ("arguments", "needed"),
    [
        ("a plan of 2026-06-11", {"runtime.tokens.dates"}),
        ("再起動の手順", {"runtime.tokens.japanese", "runtime.tokens.dates"}),
        ("the plan", set[str]()),
    ],
)
def test_a_question_loads_what_its_words_need(
    product: Product, payloads: Payloads, arguments: str, needed: set[str]
) -> None:
    payload = payloads["PreToolUse-Skill"]
    payload = payload | {"tool_input": {"skill": "x", "args": arguments}}
    with _worker_starting(product, payloads):
        loaded, _ = _hook(product.home, "PreToolUse", json.dumps(payload).encode())

    assert "runtime.tokens.query" in loaded
    assert loaded & {"runtime.tokens.dates", "runtime.tokens.japanese"} == needed


def test_where_earlier_runs_say_enough_nothing_that_finds_by_words_is_loaded(
    product: Product, payloads: Payloads
) -> None:
    with _worker_starting(product, payloads):
        skill = payloads["PreToolUse-Skill"]["tool_input"]["skill"]
        project = identify(payloads["PreToolUse-Skill"]["cwd"])
        anyio.run(_remember_runs, product.home / "memory.db", skill, project.key)
        loaded, answer = _hook(product.home, "PreToolUse", payloads.raw("PreToolUse-Skill"))

    assert b"an earlier run" in answer
    assert not {module for module in loaded if module.startswith(("runtime.tokens", SEARCH))}


SEARCH: Final = "runtime.store.search"


async def _remember_runs(database: Path, skill: str, project_key: str) -> None:
    at = datetime(2026, 11, 30, tzinfo=UTC)
    async with open_store(str(database), 5.0) as store, store.transaction() as connection:
        for number in range(5):
            memory = NewMemory(
                key=f"{number}", content="x", source="session", created_at=at, skills=(skill,)
            )
            await keep(connection, memory, Origin(None, project_key, None, None), at)


def test_a_session_that_starts_without_a_worker_needs_no_database(
    product: Product, payloads: Payloads
) -> None:
    with _worker_starting(product, payloads):
        loaded, _ = _hook(product.home, "SessionStart", payloads.raw("SessionStart-resume"))

    assert loaded == AWAY


@pytest.mark.parametrize("modules", [AWAY, SKILL, EXTENSIONS])
def test_none_of_these_is_dear(modules: set[str]) -> None:
    assert not modules & HEAVY


NOTES: Final = {"runtime.notes.book", "runtime.markdown.blocks"}
TRANSCRIPTS: Final = {"runtime.longterm.capture", "schemas.transcript"}
RECALL: Final = {"runtime.recall", "runtime.store.search"}


@pytest.mark.parametrize(
    ("event", "name", "needed"),
    [
        ("PostToolUse", "PostToolUse-Write-create", set[str]()),
        ("SessionStart", "SessionStart-startup", NOTES),
        ("PreToolUse", "PreToolUse-Skill", NOTES | RECALL),
        ("Stop", "Stop", TRANSCRIPTS | NOTES),
    ],
)
def test_a_hook_without_a_worker_loads_what_its_event_needs(
    product: Product, payloads: Payloads, event: str, name: str, needed: set[str]
) -> None:
    """All of these packages are loaded; of our own parts those alone that a handler asks for."""
    loaded, _ = _hook(product.home, event, payloads.raw(name), "--inline")

    assert {"pydantic", "structlog", "anyio", "aiosqlite"} <= loaded
    assert loaded & (NOTES | TRANSCRIPTS | RECALL | {"tomllib", "click"}) == needed


def test_a_hook_without_a_worker_loads_no_notes_where_earlier_runs_say_enough(
    product: Product, payloads: Payloads
) -> None:
    product.hook(payloads["PostToolUse-Write-create"], arguments=("--inline",))
    skill = payloads["PreToolUse-Skill"]["tool_input"]["skill"]
    project = identify(payloads["PreToolUse-Skill"]["cwd"])
    anyio.run(_remember_runs, product.home / "memory.db", skill, project.key)

    loaded, answer = _hook(product.home, "PreToolUse", payloads.raw("PreToolUse-Skill"), "--inline")

    assert b"an earlier run" in answer
    assert loaded & (NOTES | RECALL) == {"runtime.recall"}


ANSWER: Final = b'{"ok":true}'


@contextmanager
def _worker(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Path]:
    """A home whose sockets somebody listens on, who answers one question."""
    home = folder / "home"
    for name in ("spool", "run"):
        (home / name).mkdir(parents=True)
    monkeypatch.chdir(home / "run")  # a socket's address holds 100 bytes
    kicks = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    asks = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    with closing(kicks), closing(asks):
        kicks.bind(KICK)
        asks.bind(ASK)
        asks.listen()
        answering = threading.Thread(target=_answer_one, args=(asks,))
        answering.start()
        yield home
        # Nobody may have asked: then this is the question.
        with closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as last:
            last.connect(ASK)
        answering.join()


@contextmanager
def _worker_starting(product: Product, payloads: Payloads) -> Generator[None]:
    """A home with a store, whose lock is held by somebody who does not listen yet."""
    product.hook(payloads["PostToolUse-Write-create"], arguments=("--inline",))
    lock = try_lock(Home(str(product.home)).drain_lock)
    assert lock is not None
    yield
    unlock(lock)


def _answer_one(asks: socket.socket) -> None:
    connection, _ = asks.accept()
    with closing(connection):
        request = b""
        while unframe(request) is None:
            piece = connection.recv(1 << 16)
            if not piece:
                return
            request += piece
        connection.sendall(frame(ANSWER))


def _hook(home: Path, event: str, payload: bytes, *flags: str) -> tuple[set[str], bytes]:
    """Run the real command. Returns the modules beyond a bare interpreter's, and stdout."""
    python, *arguments = hook_command(event)
    environ = {"HOME": str(home.parent), "OBOEGAKI_HOME": str(home), "PATH": os.defpath}
    loaded, answer = _imported([python, "-X", "importtime", *arguments, *flags], payload, environ)
    bare, _ = _imported([python, "-X", "importtime", "-I", "-S", "-c", "pass"], b"", environ)
    return loaded - bare, answer


def _imported(
    command: Sequence[str], stdin: bytes, environ: dict[str, str]
) -> tuple[set[str], bytes]:
    done = subprocess.run(
        command, input=stdin, env=environ, check=True, capture_output=True, timeout=30
    )
    lines = done.stderr.decode().split("\n")
    names = [line.rsplit("|", 1)[1].strip() for line in lines if line.startswith("import time:")]
    return set(names), done.stdout
