"""
Which hooks we register with Claude Code, and how ours are told from others'.

The table says the same as the plugin's hooks.json; a test compares them.
"""

import os
import re
import shlex
from itertools import pairwise
from typing import Any, Final

from runtime.launch import MARK, hook_command

TIMEOUT_S: Final = 10
EVENTS: Final[dict[str, str | None]] = {
    "SessionStart": None,
    "UserPromptExpansion": None,
    "PreToolUse": "Skill",
    "PostToolUse": "Edit|Write|NotebookEdit|WebFetch|WebSearch",
    "Stop": None,
    "PreCompact": None,
    "SessionEnd": None,
}
"""Every event with its matcher; None where the event has none or all are wanted."""

ALL: Final = (None, "", "*")
"""Matchers that let everything through."""
HOOK_PROCESS: Final = "from runtime.client import main"
ENTRY_POINT: Final = "from runtime.__main__ import main"
"""What stood in our commands before there was a mark; the second with the word `hook`."""
PROGRAMS: Final = frozenset({"oboegaki", "runtime"})
"""Our console scripts, which people may have registered by hand."""


def entry(event: str) -> dict[str, Any]:
    """Return the handler for an event, in exec form, for this installation."""
    program, *arguments = hook_command(event)
    return {"type": "command", "command": program, "args": arguments, "timeout": TIMEOUT_S}


def group(event: str) -> dict[str, Any]:
    """Return the matcher group that holds nothing but our handler."""
    matcher = EVENTS[event]
    with_matcher = {} if matcher is None else {"matcher": matcher}
    return {**with_matcher, "hooks": [entry(event)]}


def has_matcher(event: str, matcher: Any) -> bool:
    """Tell whether a group's matcher lets through what our table wants of the event."""
    wanted = EVENTS.get(event)
    return matcher in ALL if wanted is None else bool(matcher == wanted)


def is_ours(handler: Any) -> bool:
    """Tell whether a handler starts our hook, in whatever form any version registered it."""
    words = command_words(handler)
    text = " ".join(words)
    if MARK in text or HOOK_PROCESS in text:
        return True
    if ENTRY_POINT in text and "hook" in re.findall(r"\w+", text):
        return True
    names = [os.path.basename(word) for word in words]
    return any(name in PROGRAMS and following == "hook" for name, following in pairwise(names))


def command_words(handler: Any) -> list[str]:
    """Return program and arguments of a handler; empty for what starts no process."""
    if not isinstance(handler, dict):
        return []
    command, arguments = handler.get("command"), handler.get("args")
    if not isinstance(command, str):
        return []
    if isinstance(arguments, list):
        return [command, *(word for word in arguments if isinstance(word, str))]
    try:
        return shlex.split(command)
    except ValueError:
        return [command]
