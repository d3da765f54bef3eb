"""
Run an event's handlers, side by side, each on its own.

The one place that catches everything: memory is a convenience, and a handler's
end must never be the hook's end, let alone the person's prompt's.
"""

import time
from importlib import import_module
from typing import NamedTuple

import anyio
import structlog

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
        with anyio.fail_after(budget_s):
            output = await import_module(name).handle(event, services)
        if output is not None:
            outputs[name] = HookOutput.model_validate(output)
    except TimeoutError:
        outcome, error = "timed out", f"took longer than {budget_s:g} s"
        log.warning("handler_timed_out", handler=name, budget_s=budget_s)
    # A handler may raise anything, and a library below it may call sys.exit.
    except (Exception, SystemExit) as caught:
        outcome, error = "failed", f"{type(caught).__name__}: {caught}"
        log.exception("handler_failed", handler=name)
    elapsed_ms = round((time.perf_counter() - began) * 1000, 3)
    runs[name] = HandlerRun.model_validate(
        {"handler": name, "outcome": outcome, "duration_ms": elapsed_ms, "error": error}
    )
