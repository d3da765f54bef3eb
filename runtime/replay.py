"""
Run captured events again, against a copy of the store or for real.

The same pipeline, from the same bytes. A replay tells what handlers would do
today: the model, each handler's time, the rows, the answer, and how the answer
differs from the one that was recorded.
"""

import difflib
import hashlib
import json
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import anyio
from pydantic import JsonValue, ValidationError

from runtime.app import build
from runtime.aside import rules_for
from runtime.commit import Effects, Written, commit
from runtime.context import AppContext
from runtime.decode import UnreadableError, clean_text
from runtime.errors import UnreadableFileError
from runtime.events.query import StoredEvent
from runtime.events.record import dumps
from runtime.finishing import Handled
from runtime.pipeline import read, run
from runtime.project import Project
from runtime.spool import Captured
from runtime.store.store import open_store
from schemas.captured import CapturedEvent, HandlerRun
from schemas.exported import ExportedEvent


class Replayable(NamedTuple):
    """One event to run again."""

    captured: Captured
    recorded: CapturedEvent | ExportedEvent | None
    """None for a payload that was never handled."""


class Replayed(NamedTuple):
    """What came of it."""

    id: str
    handled: Handled | None
    written: tuple[Written, ...]
    error: str | None
    """Why it could not be read."""
    differences: tuple[str, ...]
    """To what was recorded; lines for people, none when all is the same."""


@asynccontextmanager
async def scratch(app: AppContext) -> AsyncGenerator[AppContext]:
    """Give a context on a copy of the store, deleted afterwards; no file of notes changes."""
    async with anyio.TemporaryDirectory(prefix="oboegaki-replay-") as folder:
        path = str(Path(folder) / "memory.db")
        async with open_store(path, app.settings.store.busy_timeout_s) as store:
            await app.opened.connection.backup(store.connection)
            yield build(app.home, app.settings, store, is_replay=True, is_dry=True)


def for_real(app: AppContext) -> AppContext:
    """Return a context that replays into the real store."""
    return build(app.home, app.settings, app.store, is_replay=True)


async def replay(item: Replayable, app: AppContext) -> Replayed:
    """Run one event through the pipeline and commit it to the context's store."""
    try:
        event, payload = read(item.captured)
    except UnreadableError as error:
        return Replayed(item.captured.id, None, (), str(error), ())
    rules = await rules_for(item.captured, app)
    handled = await run(item.captured, event, app, _project(item.recorded), rules=rules)
    effects = Effects(handled.outputs, handled.shown)
    written = await commit(
        app.opened, handled.event, payload, effects, host=app.host, is_replay=True
    )
    return Replayed(item.captured.id, handled, written, None, _compare(item.recorded, handled))


def from_store(stored: StoredEvent) -> Replayable | None:
    """Return a stored event for replay; None when its payload is no longer kept."""
    if stored.payload is None:
        return None
    event = stored.event
    return Replayable(Captured(event.id, event.facts, dumps(stored.payload).encode()), event)


def export(stored: StoredEvent) -> ExportedEvent | None:
    """Return the line that another machine can replay; None without a payload."""
    if stored.payload is None:
        return None
    return ExportedEvent.model_validate(
        {**stored.event.model_dump(mode="json"), "payload": stored.payload}
    )


async def from_file(path: Path) -> list[Replayable]:
    """
    Return the events of an NDJSON file: exported ones, or bare hook payloads.

    Lines end in a line feed and nothing else. Raises UnreadableFileError with
    the first line that is neither.
    """
    try:
        data = await anyio.Path(path).read_bytes()
    except OSError as error:
        raise UnreadableFileError(str(path), error.strerror or str(error)) from error
    return list(_lines(path, data))


def _lines(path: Path, data: bytes) -> Iterable[Replayable]:
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            value: JsonValue = json.loads(line.decode("utf-8-sig", errors="replace"))
        except (ValueError, RecursionError) as error:
            raise UnreadableFileError(str(path), f"line {number} is no JSON: {error}") from error
        if isinstance(value, dict) and isinstance(value.get("payload"), dict):
            yield _exported(path, number, value)
        else:
            # A payload has no id: the same line gets the same one every time.
            event_id = "file-" + hashlib.sha256(line).hexdigest()[:16]
            yield Replayable(Captured(event_id, {}, line), None)


def _exported(path: Path, number: int, value: dict[str, JsonValue]) -> Replayable:
    try:
        event = ExportedEvent.model_validate(value)
    except ValidationError as error:
        reason = f"line {number} is no exported event: {error.errors()[0]['msg']}"
        raise UnreadableFileError(str(path), reason) from error
    payload = clean_text(dumps(event.payload)).encode()
    return Replayable(Captured(event.id, event.facts, payload), event)


def _project(recorded: CapturedEvent | ExportedEvent | None) -> Project | None:
    if recorded is None or recorded.project is None or recorded.project_key is None:
        return None
    return Project(recorded.project, recorded.project_key)


def _compare(recorded: CapturedEvent | ExportedEvent | None, handled: Handled) -> tuple[str, ...]:
    if recorded is None:
        return ()
    found = []
    now = handled.event
    if recorded.outcome not in (None, now.outcome):
        found.append(f"outcome: was {recorded.outcome}, is {now.outcome}")
    elif (recorded.reason or None) != now.reason:
        found.append(f"reason: was {recorded.reason or 'none'}, is {now.reason or 'none'}")
    before, after = _names(recorded.handlers), _names(now.handlers)
    if before != after:
        found.append(f"handlers: were {before}, are {after}")
    if recorded.answer != now.answer:
        lines = (_answer_lines(recorded.answer), _answer_lines(now.answer))
        found += difflib.unified_diff(*lines, "answer recorded", "answer now", n=1, lineterm="")
    return tuple(found)


def _names(runs: tuple[HandlerRun, ...]) -> str:
    return ", ".join(f"{run.handler} {run.outcome}" for run in runs) or "none"


def _answer_lines(answer: JsonValue) -> list[str]:
    if isinstance(answer, dict):
        specific = answer.get("hookSpecificOutput")
        told = specific.get("additionalContext", "") if isinstance(specific, dict) else ""
        return f"{answer.get('systemMessage', '')}\n{told}".strip("\n").split("\n")
    return [] if answer is None else [dumps(answer)]
