"""
A tool or a skill is about to run: called by the model, or typed as `/name`.

Shapes as in `schemas.events`.
"""

from typing import Literal

from schemas.events import HookEvent, ToolEvent


class PreToolUse(ToolEvent):
    """A tool is about to run."""

    hook_event_name: Literal["PreToolUse"]


class UserPromptExpansion(HookEvent):
    """A command or skill that the person typed as `/name`."""

    hook_event_name: Literal["UserPromptExpansion"]
    expansion_type: str | None = None
    command_name: str = ""
    command_args: str = ""
    command_source: str | None = None
    prompt: str | None = None
