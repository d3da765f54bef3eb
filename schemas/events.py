"""
Hook events as Claude Code sends them on stdin.

Shapes were captured from the real client (2.1.197 and 2.1.332, November 2026).
Only the four base fields are required: which of the others arrive depends on
the client's version and on how it was started. A field may also change its
type; `runtime.decode` drops an optional field that does not fit rather than
losing the event.
"""

from collections.abc import Mapping
from typing import Any, Final, Literal

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


class SessionStart(HookEvent):
    """A session begins or goes on."""

    hook_event_name: Literal["SessionStart"]
    source: str = "startup"
    """startup, resume, clear, compact or fork."""
    model: str | None = None


class UserPromptExpansion(HookEvent):
    """A command or skill that the person typed as `/name`."""

    hook_event_name: Literal["UserPromptExpansion"]
    expansion_type: str | None = None
    command_name: str = ""
    command_args: str = ""
    command_source: str | None = None
    prompt: str | None = None


class ToolEvent(HookEvent):
    """What the events around one tool call share."""

    tool_name: str = ""
    tool_input: JsonValue = None
    tool_use_id: str | None = None


class PreToolUse(ToolEvent):
    """A tool is about to run."""

    hook_event_name: Literal["PreToolUse"]


class PostToolUse(ToolEvent):
    """A tool has run and succeeded."""

    hook_event_name: Literal["PostToolUse"]
    tool_response: JsonValue = None
    """Object, list (MCP), string, number or null, by tool."""
    duration_ms: float | None = None


class Stop(HookEvent):
    """The assistant has ended its turn."""

    hook_event_name: Literal["Stop"]
    stop_hook_active: Any = False
    """True while a Stop hook keeps the turn going. Other types were seen in the wild."""
    last_assistant_message: str | None = None
    """The final answer, also when the transcript does not hold it yet."""


class SubagentStop(HookEvent):
    """A subagent, or the client's own compaction agent (`agent_type` ""), has ended."""

    hook_event_name: Literal["SubagentStop"]
    stop_hook_active: Any = False
    agent_transcript_path: str | None = None
    last_assistant_message: str | None = None


class PreCompact(HookEvent):
    """The conversation is about to be compacted."""

    hook_event_name: Literal["PreCompact"]
    trigger: str | None = None
    custom_instructions: str | None = None


class SessionEnd(HookEvent):
    """The session ends: the last chance to keep what no Stop announced."""

    hook_event_name: Literal["SessionEnd"]
    reason: str | None = None


class OtherEvent(HookEvent):
    """Any event that is not routed."""


MODELS: Final[Mapping[str, type[HookEvent]]] = {
    model.__name__: model
    for model in (
        SessionStart,
        UserPromptExpansion,
        PreToolUse,
        PostToolUse,
        Stop,
        SubagentStop,
        PreCompact,
        SessionEnd,
    )
}
"""By the event's name. No union of them: that would have to build all for one event."""


def validated(payload: Mapping[str, JsonValue]) -> HookEvent:
    """Return a decoded event as the model of its name. Raises ValidationError."""
    name = payload.get("hook_event_name")
    model = MODELS.get(name, OtherEvent) if isinstance(name, str) else OtherEvent
    return model.model_validate(payload)


BASE_FIELDS: Final = ("session_id", "transcript_path", "cwd", "hook_event_name")
