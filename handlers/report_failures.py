"""SessionStart: tell the person when capture has failed again and again."""

from datetime import datetime
from typing import TYPE_CHECKING, Final

from handlers.inject_session_context import BRIEF, REPEATS
from runtime.services import Services
from runtime.text import one_line
from schemas.outputs import HookOutput
from schemas.session_events import SessionStart

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schemas.stats import CaptureHealth

CAPTURES: Final = frozenset({"Stop", "SessionEnd", "PreCompact", "PostToolUse"})
"""Events that memories are made of. What injects is missed when it says nothing."""
REASON_CHARS: Final = 120


async def handle(event: SessionStart, services: Services) -> HookOutput | None:
    """
    Return one line for the person, and nothing for the model.

    Hooks end well whatever happens, so that weeks without a memory look like weeks
    without a fault. A session that goes on has told it at its start.
    """
    if event.source in REPEATS | BRIEF:
        return None
    failing = [health for health in await services.health.failing() if health.name in CAPTURES]
    return HookOutput(message=_message(failing)) if failing else None


def _message(failing: "Sequence[CaptureHealth]") -> str:
    worst = max(failing, key=lambda health: health.failures_since)
    others = ", ".join(health.name for health in failing if health is not worst)
    reason = one_line(worst.last_error or "no reason given", REASON_CHARS)
    return (
        f"oboegaki: the last {worst.failures_since} {worst.name} events kept nothing"
        f" ({reason}); the last that did: {_when(worst.last_success_at)}."
        + (f" {others}: the same." if others else "")
        + " `runtime doctor` says more."
    )


def _when(moment: str | None) -> str:
    return f"{datetime.fromisoformat(moment).astimezone():%Y-%m-%d %H:%M}" if moment else "never"
