"""
A turn has ended: the assistant's, or a subagent's.

Shapes as in `schemas.events`.
"""

from typing import Any, Literal

from schemas.events import HookEvent


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
