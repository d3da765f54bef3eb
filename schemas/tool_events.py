"""
A tool has run.

Shapes as in `schemas.events`.
"""

from typing import Literal

from pydantic import JsonValue

from schemas.events import ToolEvent


class PostToolUse(ToolEvent):
    """A tool has run and succeeded."""

    hook_event_name: Literal["PostToolUse"]
    tool_response: JsonValue = None
    """Object, list (MCP), string, number or null, by tool."""
    duration_ms: float | None = None
