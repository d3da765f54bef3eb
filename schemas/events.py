"""
Hook events as Claude Code sends them on stdin.

Shapes were captured from the real client (2.1.197 and 2.1.332, November 2026).
Only the four base fields are required: which of the others arrive depends on
the client's version and on how it was started. A field may also change its
type; `runtime.decode` drops an optional field that does not fit rather than
losing the event.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Final

from pydantic import JsonValue

from schemas.base import Lenient


class HookEvent(Lenient):
    """What every event carries."""

    session_id: str
    transcript_path: str
    """Where the session's transcript is or will be; "" when the client sent none."""
    cwd: str
    """The client's current directory. It follows `cd`: not the project's root."""
    hook_event_name: str
    prompt_id: str | None = None
    permission_mode: str | None = None
    agent_id: str | None = None
    """Set inside a subagent only. Its session_id is the parent's."""
    agent_type: str | None = None
    """May be ""; also set without `agent_id` under `claude --agent`."""


class ToolEvent(HookEvent):
    """What the events around one tool call share."""

    tool_name: str = ""
    tool_input: JsonValue = None
    tool_use_id: str | None = None


class OtherEvent(HookEvent):
    """Any event that is not routed."""


MODULES: Final[Mapping[str, str]] = {
    "PostToolUse": "schemas.tool_events",
    **dict.fromkeys(("PreToolUse", "UserPromptExpansion"), "schemas.skill_events"),
    **dict.fromkeys(("Stop", "SubagentStop"), "schemas.turn_events"),
    **dict.fromkeys(("SessionStart", "PreCompact", "SessionEnd"), "schemas.session_events"),
}
"""Where the model of each event's name is: making a class takes a hook as long as using it."""


def model_of(name: object) -> type[HookEvent]:
    """Return the model of an event's name; `OtherEvent` for what is none of ours."""
    if not isinstance(name, str) or name not in MODULES:
        return OtherEvent
    model: type[HookEvent] = getattr(import_module(MODULES[name]), name)
    return model


def validated(payload: Mapping[str, JsonValue]) -> HookEvent:
    """Return a decoded event as the model of its name. Raises ValidationError."""
    return model_of(payload.get("hook_event_name")).model_validate(payload)


BASE_FIELDS: Final = ("session_id", "transcript_path", "cwd", "hook_event_name")
