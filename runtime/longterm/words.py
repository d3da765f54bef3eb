"""
A person's words, without what the client and we have put around them.

The client writes reminders, command wrappers, notifications and its own records
into user lines. Only closed elements of known names are taken out: somebody who
writes about `<system-reminder>` keeps every word.
"""

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from runtime.decode import clean_text
from runtime.echo import strip_frames
from schemas.transcript import UserLine

HOST_ELEMENTS: Final = (
    "system-reminder",
    "task-notification",
    "persisted-output",
    "local-command-stdout",
    "local-command-stderr",
    "local-command-caveat",
    "command-message",
    "command-name",
    "command-args",
    "command-contents",
    "bash-input",
    "bash-stdout",
    "bash-stderr",
    "ide_opened_file",
    "ide_selection",
)
INTERRUPTED: Final = re.compile(r"\[Request interrupted by user[^\]\n]*\]")
"""The client's whole text; what a person writes behind it is theirs."""
MACHINE: Final = ("<task-notification>",)
OUTPUT: Final = ("<local-command-stdout>", "<local-command-stderr>", "<bash-stdout>")
COMMAND: Final = ("<command-name>", "<command-message>")


class Said(NamedTuple):
    """What a user line is."""

    kind: str
    """prompt, command, command output, machine, or a reason to skip the line."""
    text: str = ""
    skill: str = ""


def read_user(line: UserLine) -> Said:
    """Tell a person's prompt from everything else that stands in a user line."""
    blocks = list(_blocks(line.message.content))
    if line.toolUseResult is not None or any(kind == "tool_result" for kind, _text in blocks):
        return Said("tool_result")
    if line.isMeta:
        return Said("meta")
    if line.isCompactSummary or line.isVisibleInTranscriptOnly:
        return Said("summary")  # of known words; a turn may go on behind it
    text = clean_text("\n".join(text for kind, text in blocks if kind == "text")).strip()
    return Said("machine") if _is_machines(line, text) else _said(text)


def _is_machines(line: UserLine, text: str) -> bool:
    """Tell a prompt that no person wrote: news of a task."""
    return bool(
        line.promptSource == "system"
        or line.turnOrigin == "task_notification"
        or text.startswith(MACHINE)
    )


def _said(text: str) -> Said:
    if text.startswith(OUTPUT):
        return Said("command output")
    if text.startswith(COMMAND):
        return _command(text)
    words = said_words(text)
    if INTERRUPTED.fullmatch(words):
        return Said("interruption")
    return Said("prompt", words) if words else Said("empty")


def said_words(text: str) -> str:
    """Return a text without our frames and the client's elements."""
    text = strip_frames(text)
    for name in HOST_ELEMENTS:
        text = _without(text, name)
    return text.strip()


def text_blocks(content: Any) -> list[str]:
    """Return the texts of a message, cleaned; thinking and other blocks are left out."""
    return [clean_text(text) for kind, text in _blocks(content) if kind == "text" and text.strip()]


def _blocks(content: Any) -> Iterator[tuple[str, str]]:
    if isinstance(content, str):
        yield "text", content
    elif isinstance(content, list):
        for block in content:
            if isinstance(block, dict):
                text = block.get("text")
                yield str(block.get("type")), text if isinstance(text, str) else ""


def _command(text: str) -> Said:
    name = _inside(text, "command-name").strip().lstrip("/")
    arguments = _inside(text, "command-args").strip()
    return Said("command", f"/{name} {arguments}".strip(), name) if name else Said("empty")


def _inside(text: str, name: str) -> str:
    _before, opened, rest = text.partition(f"<{name}>")
    body, closed, _after = rest.partition(f"</{name}>")
    return said_words(body) if opened and closed else ""


def _without(text: str, name: str) -> str:
    if f"<{name}" not in text:
        return text
    opening, closing = f"<{name}>", f"</{name}>"
    out, at = [], 0
    while (begin := text.find(opening, at)) >= 0 and (end := text.find(closing, begin)) >= 0:
        out.append(text[at:begin])
        at = end + len(closing)
    return "".join([*out, text[at:]])
