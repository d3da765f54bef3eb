"""
Which handlers an event runs, and of which tool.

The one table. Handlers are named, not imported: the runtime does not depend on
them, and an event imports only its own.
"""

from typing import Final, NamedTuple

from schemas.events import HookEvent, ToolEvent


class Route(NamedTuple):
    """One handler, for all tools or for some."""

    handler: str
    """Dotted name of a module with `async def handle(event, services)`."""
    tools: frozenset[str] | None = None
    """Exact tool names; None: the event has no tool, or any will do."""


LOGGED_TOOLS: Final = frozenset({"Edit", "Write", "NotebookEdit", "WebFetch", "WebSearch"})

ROUTES: Final[dict[str, tuple[Route, ...]]] = {
    "SessionStart": (
        Route("handlers.inject_session_context"),
        Route("handlers.report_failures"),
    ),
    "UserPromptExpansion": (Route("handlers.inject_skill_memories"),),
    "PreToolUse": (Route("handlers.inject_skill_memories", frozenset({"Skill"})),),
    "PostToolUse": (Route("handlers.log_tool_result", LOGGED_TOOLS),),
    "Stop": (Route("handlers.capture_session"), Route("handlers.rotate_context")),
    "PreCompact": (Route("handlers.capture_session"),),
    "SessionEnd": (Route("handlers.capture_session"),),
}


def handlers_of(event: HookEvent) -> tuple[str, ...]:
    """Return the dotted names of the handlers that run on this event, in order."""
    tool = event.tool_name if isinstance(event, ToolEvent) else None
    return tuple(
        route.handler
        for route in ROUTES.get(event.hook_event_name, ())
        if route.tools is None or tool in route.tools
    )
