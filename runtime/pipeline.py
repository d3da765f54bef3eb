"""
The stages around dispatch: what happens to one captured event, in order.

decode → redact → validate → leave alone? → dispatch → render → commit → finish.
The event's row and everything its handlers returned are one transaction, and
the spool file goes only after it: a crash anywhere leaves either nothing or an
event that is absorbed by its id.
"""

import os
import sqlite3
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

import anyio
import structlog
from pydantic import JsonValue

from runtime import spool
from runtime.aside import Fate, bare, bury, drop, rules_for, wait
from runtime.commit import Effects, commit, prune_now_and_then
from runtime.context import AppContext
from runtime.decode import Decoded, UnreadableError, clean_text, decode, validate
from runtime.dispatcher import Dispatched, dispatch
from runtime.errors import ExpectedError
from runtime.privacy import Privacy, touched
from runtime.project import Project, project_of
from runtime.redact import redact, redact_value
from runtime.render import render, to_bytes
from runtime.routes import handlers_of
from runtime.settings import Settings
from runtime.spool import Captured
from runtime.store.clock import from_ns, utc
from runtime.store.store import Store
from schemas.captured import CapturedEvent, Outcome
from schemas.events import HookEvent
from schemas.outputs import HookOutput
from schemas.shown import ShownRecord

if TYPE_CHECKING:
    from schemas.answers import HookAnswer

log = structlog.get_logger(__name__)

LEFT_ALONE: Final = "left_alone"
"""The fact that says why an event was left alone, when it has to wait without its content."""
PASSING: Final = frozenset({"directory", "payload_cwd", "project_key", "project_name", LEFT_ALONE})
"""Facts that serve to understand an event and are not part of its record."""
OWN_FAULTS: Final = (sqlite3.IntegrityError, sqlite3.DataError, sqlite3.ProgrammingError)
"""What only one event's values can cause; any other error is the store's."""


class Handled(NamedTuple):
    """One event after its handlers, before anything is written."""

    event: CapturedEvent
    model: str
    """Name of the model that it validated to."""
    outputs: tuple[HookOutput, ...]
    answer: "HookAnswer | None"
    is_left_alone: bool
    """A session that is none of ours: nothing of its content is kept."""
    shown: tuple[ShownRecord, ...] = ()
    """Records that the answer tells of, in order."""


def _nobody_waits(_answer: bytes) -> None:
    """Take an answer that no process is waiting for."""


async def handle(
    captured: Captured, app: AppContext, tell: Callable[[bytes], None] = _nobody_waits
) -> Fate:
    """
    Take one captured event through all stages; the answer goes to `tell`, b"" for none.

    It goes there before anything is written: a locked database costs the person
    no context. Never raises for what is in the event. What cannot be read is
    buried; what cannot be committed stays in the spool. Returns which it was.
    """
    with structlog.contextvars.bound_contextvars(event_id=captured.id):
        if app.privacy is not None and app.privacy.is_off:
            return await drop(captured, app, tell)
        try:
            event, payload = read(captured)
        except UnreadableError as error:
            return await bury(captured, app, error, tell)
        rules = await rules_for(captured, app)
        if rules.is_off:
            return await drop(captured, app, tell)
        with structlog.contextvars.bound_contextvars(session_id=event.session_id):
            handled = await run(captured, event, app, rules=rules)
            tell(to_bytes(handled.answer) if handled.answer else b"")
            return await _finish(captured, handled, payload, app)


def read(captured: Captured) -> tuple[HookEvent, dict[str, JsonValue]]:
    """Return the validated event and its redacted payload. Raises UnreadableError."""
    decoded = decode(captured.payload)
    decoded.payload.update(_anchored(decoded.payload, captured.facts))
    cwd = decoded.payload.get("cwd")
    if isinstance(cwd, str):
        # Whose event it is must not hang on what redaction takes for a secret.
        captured.facts.setdefault("payload_cwd", cwd)
    clean = redact_value(decoded.payload)
    payload = clean if isinstance(clean, dict) else {}
    event, notes = validate(Decoded(payload, decoded.notes))
    if notes:
        log.warning("payload_mended", notes=notes)
    return event, payload


def _anchored(payload: Mapping[str, JsonValue], facts: Mapping[str, str]) -> dict[str, JsonValue]:
    """Return the payload's relative paths as seen from where the hook ran, wherever this runs."""
    if "directory" not in facts:
        return {}
    return {
        name: os.path.normpath(os.path.join(facts["directory"], value))
        for name in ("cwd", "transcript_path")
        if isinstance(value := payload.get(name), str) and value[:1] not in ("", "/", "~")
    }


async def run(
    captured: Captured,
    event: HookEvent,
    app: AppContext,
    project: Project | None = None,
    *,
    rules: Privacy,
) -> Handled:
    """
    Run an event's handlers and render their answer. Writes no memory.

    A replay gives the project that was recorded: its folder may be gone, or on
    another machine.
    """
    began = time.perf_counter()
    received_at = from_ns(spool.received_ns(captured.id))
    if project is None:
        found = app.project
        if found is None:
            found = await anyio.to_thread.run_sync(project_of, captured.facts)
        project = Project(redact(found.name), found.key)
    reason = leave_alone(event, captured.facts, app.settings) or await _hidden(event, rules)
    is_left_alone = reason is not None
    handlers = () if is_left_alone else handlers_of(event)
    if not handlers and reason is None:
        reason = "not routed"
    services = app.services(project, received_at, rules)
    done = await dispatch(event, handlers, services, app.settings.hook.budget_s)
    answer, shown = render(event.hook_event_name, done.outputs)
    row = CapturedEvent(
        id=captured.id,
        name=event.hook_event_name,
        session_id=event.session_id,
        project=redact(project.name),
        project_key=project.key,
        received_at=utc(received_at),
        outcome=_outcome(handlers, done),
        reason=reason or _reason(done),
        duration_ms=round((time.perf_counter() - began) * 1000, 3),
        handlers=done.runs,
        answer=answer.model_dump(mode="json", by_alias=True) if answer else None,
        # Variables of the hook process are for settings, not for the record. A
        # folder's name may hold bytes that are no text: they serve to find the
        # project, and are not what a row or a log line can hold.
        facts={
            key: redact(clean_text(value))
            for key, value in captured.facts.items()
            if not key.startswith("env.") and key not in PASSING
        },
        payload_bytes=len(captured.payload),
    )
    return Handled(row, type(event).__name__, done.outputs, answer, is_left_alone, shown)


async def _hidden(event: HookEvent, rules: Privacy) -> str | None:
    """Return why nothing of an event is to be kept: a tool or a path that it is about."""
    what = touched({**vars(event), **(event.model_extra or {})})
    if not what.places:  # only paths need a look at files
        return rules.hides(what)
    return await anyio.to_thread.run_sync(rules.hides, what, event.cwd)


def leave_alone(event: HookEvent, facts: Mapping[str, str], settings: Settings) -> str | None:
    """Return why an event is none of ours, or None."""
    entrypoint = facts.get("entrypoint", "")
    if entrypoint in settings.capture.ignore_entrypoints:
        return f"a program's session ({entrypoint})"
    if facts.get("nested") and not settings.capture.nested_sessions:
        return "a session started by another session"
    if event.hook_event_name == "SubagentStop":
        return "a subagent"
    return facts.get(LEFT_ALONE)


def _outcome(handlers: tuple[str, ...], done: Dispatched) -> Outcome:
    if any(run.outcome != "ok" for run in done.runs):
        return "failed"
    return "ok" if handlers else "ignored"


def _reason(done: Dispatched) -> str | None:
    """Return what failed first, else what could not be done."""
    failures = [f"{run.handler}: {run.error}" for run in done.runs if run.error]
    problems = [output.problem for output in done.outputs if output.problem]
    return next(iter(failures + problems), None)


async def _finish(
    captured: Captured, handled: Handled, payload: dict[str, JsonValue], app: AppContext
) -> Fate:
    """Commit, then take the event out of the spool; without a commit it stays there."""
    row = handled.event
    # What is none of ours leaves a row to see it by, and nothing of its content.
    is_private = any(output.is_private for output in handled.outputs)
    kept = None if handled.is_left_alone or is_private else payload
    if handled.is_left_alone:
        captured.facts[LEFT_ALONE] = row.reason or ""
    if app.store is None:
        log.error("event_waits", hook_event=row.name, outcome=row.outcome)
        await anyio.to_thread.run_sync(wait, captured, kept or bare(payload), app)
        return Fate.WAITS
    try:
        if app.settings.hook.durable:
            await app.store.be_durable()
        written = await commit(
            app.store, row, kept, Effects(handled.outputs, handled.shown), host=app.host
        )
    except (ExpectedError, sqlite3.Error, OSError) as error:
        log.error("event_waits", hook_event=row.name, error=str(error))  # noqa: TRY400
        if isinstance(error, OWN_FAULTS):
            return Fate.REFUSED  # it stays as begun: after a few tries it is given up
        await anyio.to_thread.run_sync(wait, captured, kept or bare(payload), app)
        return Fate.WAITS
    await anyio.to_thread.run_sync(spool.finish, app.home.spool, captured)
    statuses = [item.status for item in written]
    log.info(
        "event_handled",
        hook_event=row.name,
        outcome=row.outcome,
        reason=row.reason,
        handlers=[run.handler for run in row.handlers],
        duration_ms=row.duration_ms,
        payload_bytes=row.payload_bytes,
        stored=statuses.count("stored"),
        updated=statuses.count("updated"),
        answer_chars=len(str(row.answer)) if row.answer else 0,
    )
    await _prune(app.store, app)
    return Fate.DONE


async def _prune(store: Store, app: AppContext) -> None:
    """Keep house; the event is recorded already, so a failure is not the event's."""
    try:
        await prune_now_and_then(store, app.settings.events, app.home)
    except (ExpectedError, sqlite3.Error, OSError) as error:
        log.warning("prune_failed", error=str(error))
