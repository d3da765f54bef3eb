"""
Run an event's handlers, side by side, each on its own.

The one place that catches everything: memory is a convenience, and a handler's
end must never be the hook's end, let alone the person's prompt's.
"""

import math
import time
from importlib import import_module
from typing import NamedTuple

import anyio
import structlog

from runtime.decode import clean_text
from runtime.redact import redact
from runtime.services import Services
from schemas.captured import HandlerRun
from schemas.events import HookEvent
from schemas.outputs import HookOutput

log = structlog.get_logger(__name__)


class Dispatched(NamedTuple):
    """What the handlers did, in the order of the route table."""

    runs: tuple[HandlerRun, ...]
    outputs: tuple[HookOutput, ...]
    """Of those that returned something."""


async def dispatch(
    event: HookEvent, handlers: tuple[str, ...], services: Services, budget_s: float
) -> Dispatched:
    """Run every handler under the budget. Never raises but for cancellation from outside."""
    runs: dict[str, HandlerRun] = {}
    outputs: dict[str, HookOutput] = {}
    if len(handlers) == 1:  # somebody may be waiting: a task for it alone would cost two turns
        await _run(handlers[0], event, services, budget_s, runs, outputs)
    else:
        async with anyio.create_task_group() as group:  # one slow handler starves nobody
            for name in handlers:
                group.start_soon(_run, name, event, services, budget_s, runs, outputs)
    return Dispatched(
        tuple(runs[name] for name in handlers),
        tuple(outputs[name] for name in handlers if name in outputs),
    )


async def _run(
    name: str,
    event: HookEvent,
    services: Services,
    budget_s: float,
    runs: dict[str, HandlerRun],
    outputs: dict[str, HookOutput],
) -> None:
    began = time.perf_counter()
    outcome, error = "ok", None
    try:
        # Not `fail_after`: a TimeoutError may be the handler's own, such as a lock's.
        with anyio.move_on_after(budget_s) as scope:
            output = await import_module(name).handle(event, services)
            if output is not None:
                outputs[name] = HookOutput.model_validate(output)
        if scope.cancelled_caught:
            outcome, error = "timed out", f"took longer than {budget_s:g} s"
            log.warning("handler_timed_out", handler=name, budget_s=budget_s)
    except (KeyboardInterrupt, GeneratorExit):
        raise
    # A handler may raise anything, and a library below it may call sys.exit.
    except BaseException as caught:
        if anyio.current_effective_deadline() == -math.inf:
            raise  # cancelled from outside; any other cancellation is the handler's mistake
        outcome, error = "failed", _described(caught)
        log.exception("handler_failed", handler=name)
    elapsed_ms = round((time.perf_counter() - began) * 1000, 3)
    runs[name] = HandlerRun.model_validate(
        {"handler": name, "outcome": outcome, "duration_ms": elapsed_ms, "error": error}
    )


def _described(error: BaseException) -> str:
    """Return an error as it may be stored: no secrets, and text that SQLite can hold."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - an error whose text fails is still that error
        text = "(its text cannot be made)"
    return redact(clean_text(f"{type(error).__name__}: {text}"))
