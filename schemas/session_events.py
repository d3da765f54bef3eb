"""
A session begins, is compacted, or ends.

Shapes as in `schemas.events`.
"""

from typing import Literal

from schemas.events import HookEvent


class SessionStart(HookEvent):
    """A session begins or goes on."""

    hook_event_name: Literal["SessionStart"]
    source: str = "startup"
    """startup, resume, clear, compact or fork."""
    model: str | None = None


class PreCompact(HookEvent):
    """The conversation is about to be compacted."""

    hook_event_name: Literal["PreCompact"]
    trigger: str | None = None
    custom_instructions: str | None = None


class SessionEnd(HookEvent):
    """The session ends: the last chance to keep what no Stop announced."""

    hook_event_name: Literal["SessionEnd"]
    reason: str | None = None
