"""
The stages around dispatch: what happens to one captured event, in order.

decode → redact → validate → leave alone? → dispatch → render → commit → finish.
The answer is there as soon as it is rendered; what comes after it may be done
elsewhere, and nobody waits for it. The event's row and everything its handlers
returned are one transaction, and the spool file goes only after it: a crash anywhere
leaves either nothing or an event that is absorbed by its id.
"""

import os
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

import anyio
import structlog
from pydantic import JsonValue

from runtime import spool
from runtime.aside import Fate, bury, drop, rules_for
from runtime.context import AppContext
from runtime.decode import Decoded, UnreadableError, clean_text, decode, validate
from runtime.dispatcher import Dispatched, dispatch
from runtime.finishing import LEFT_ALONE, Handled, finish
from runtime.privacy import Privacy, touched
from runtime.project import Project, project_of
from runtime.redact import redact, redact_value
from runtime.routes import handlers_of
from runtime.settings import Settings
from runtime.spool import Captured
from runtime.store.clock import from_ns, utc
from schemas.captured import CapturedEvent, Outcome
from schemas.events import HookEvent
from schemas.outputs import HookOutput

if TYPE_CHECKING:
    from runtime.render import Rendered

log = structlog.get_logger(__name__)

PASSING: Final = frozenset({"directory", "payload_cwd", "project_key", "project_name", LEFT_ALONE})
"""Facts that serve to understand an event and are not part of its record."""


class _Ran(NamedTuple):
    """One event whose handlers have run, and what they want said."""

    event: HookEvent
    project: Project
    received_at: datetime
    handlers: tuple[str, ...]
    done: Dispatched
    reason: str | None
    """Why it was left alone."""
    rendered: "Rendered | None"
    """None when there is nothing to say."""
    duration_ms: float


class Answered(NamedTuple):
    """One event that has its answer and is not finished."""

    captured: Captured
    answer: bytes
    """What is printed; b"" for nothing."""
    rest: Callable[[AppContext], Awaitable[Fate]]
    """What is left to do (`complete`)."""


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
    answered = await answer(captured, app)
    tell(answered.answer)
    return await complete(answered, app)


async def answer(captured: Captured, app: AppContext) -> Answered:
    """Do what somebody may be waiting for, and no more. Writes no memory."""
    with structlog.contextvars.bound_contextvars(event_id=captured.id):
        if app.privacy is not None and app.privacy.is_off:
            return Answered(captured, b"", partial(drop, captured))
        try:
            event, payload = read(captured)
        except UnreadableError as error:
            return Answered(captured, b"", partial(bury, captured, error))
        rules = await rules_for(captured, app)
        if rules.is_off:
            return Answered(captured, b"", partial(drop, captured))
        with structlog.contextvars.bound_contextvars(session_id=event.session_id):
            ran = await _run(captured, event, app, rules=rules)
            rest = partial(_finish, captured, ran, payload)
            return Answered(captured, _printed(ran.rendered), rest)


async def complete(answered: Answered, app: AppContext) -> Fate:
    """Do what is left of an event: commit it and take it out of the spool."""
    with structlog.contextvars.bound_contextvars(event_id=answered.captured.id):
        return await answered.rest(app)


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
    return _handled(captured, await _run(captured, event, app, project, rules=rules))


async def _run(
    captured: Captured,
    event: HookEvent,
    app: AppContext,
    project: Project | None = None,
    *,
    rules: Privacy,
) -> _Ran:
    began = time.perf_counter()
    received_at = from_ns(spool.received_ns(captured.id))
    if project is None:
        found = app.project
        if found is None:
            found = await anyio.to_thread.run_sync(project_of, captured.facts)
        project = Project(redact(found.name), found.key)
    reason = leave_alone(event, captured.facts, app.settings) or await _hidden(event, rules)
    handlers = () if reason is not None else handlers_of(event)
    services = app.services(project, received_at, rules)
    done = await dispatch(event, handlers, services, app.settings.hook.budget_s)
    rendered = _rendered(event.hook_event_name, done.outputs)
    duration_ms = round((time.perf_counter() - began) * 1000, 3)
    return _Ran(event, project, received_at, handlers, done, reason, rendered, duration_ms)


def _handled(captured: Captured, ran: _Ran) -> Handled:
    """Return what is to be written of an event: nobody waits for that."""
    event, done = ran.event, ran.done
    told = ran.rendered.answer if ran.rendered else None
    shown = ran.rendered.shown if ran.rendered else ()
    reason = ran.reason or ("not routed" if not ran.handlers else _reason(done))
    row = CapturedEvent(
        id=captured.id,
        name=event.hook_event_name,
        session_id=event.session_id,
        project=redact(ran.project.name),
        project_key=ran.project.key,
        received_at=utc(ran.received_at),
        outcome=_outcome(ran.handlers, done),
        reason=reason,
        duration_ms=ran.duration_ms,
        handlers=done.runs,
        answer=told.document() if told else None,
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
    return Handled(row, type(event).__name__, done.outputs, told, ran.reason is not None, shown)


async def _hidden(event: HookEvent, rules: Privacy) -> str | None:
    """Return why nothing of an event is to be kept: a tool or a path that it is about."""
    what = touched({**vars(event), **(event.model_extra or {})})
    if not what.places and not what.words:  # only paths need a look at files
        return rules.hides(what)
    return await anyio.to_thread.run_sync(rules.hides, what, event.cwd)


def _rendered(event_name: str, outputs: tuple[HookOutput, ...]) -> "Rendered | None":
    if not any(output.sections or output.message for output in outputs):
        return None
    from runtime.render import render  # noqa: PLC0415 - most events are not answered

    rendered = render(event_name, outputs)
    return rendered if rendered.answer else None


def _printed(rendered: "Rendered | None") -> bytes:
    if rendered is None or rendered.answer is None:
        return b""
    from runtime.render import to_bytes  # noqa: PLC0415 - as above

    return to_bytes(rendered.answer)


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
    captured: Captured, ran: _Ran, payload: dict[str, JsonValue], app: AppContext
) -> Fate:
    with structlog.contextvars.bound_contextvars(session_id=ran.event.session_id):
        return await finish(captured, _handled(captured, ran), payload, app)
