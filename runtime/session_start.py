"""What a session that starts is told, outside of any event: prepared ahead, or by hand."""

from typing import Final

from runtime.context import AppContext
from runtime.dispatcher import dispatch
from runtime.project import Project
from runtime.render import render
from runtime.routes import handlers_of
from runtime.store.clock import utc_now
from schemas.answers import HookAnswer
from schemas.captured import HandlerRun
from schemas.session_events import SessionStart

NOBODY: Final = Project("", "")
"""The answer does not depend on the project: notes are the person's."""


async def answer_to(
    source: str, context: AppContext
) -> tuple[HookAnswer | None, tuple[HandlerRun, ...]]:
    """Return what a start from this source is answered, None for nothing, and how that went."""
    event = SessionStart(
        session_id="", transcript_path="", cwd="", hook_event_name="SessionStart", source=source
    )
    services = context.services(NOBODY, utc_now(), None)
    done = await dispatch(event, handlers_of(event), services, context.settings.hook.budget_s)
    return render(event.hook_event_name, done.outputs).answer, done.runs
