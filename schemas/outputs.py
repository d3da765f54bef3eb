"""
What handlers return.

A handler changes nothing itself: it returns what should be remembered and what
the model should be told. The pipeline commits the one and renders the other,
so a handler that fails half-way leaves nothing behind.
"""

from typing import Literal

from pydantic import Field

from schemas.base import Own
from schemas.records import NewMemory, TranscriptMark
from schemas.shown import ShownRecord

InjectingEvent = Literal["SessionStart", "PreToolUse", "UserPromptExpansion"]
"""Events whose `additionalContext` reaches the model and that we answer."""


class Quote(Own):
    """One past record, shown to the model as a quotation."""

    text: str
    date: str | None = None
    origin: str = ""
    """Where it comes from, in words: a file, a session, a web page's address."""
    untrusted: bool = False
    """Text that a web tool brought in: labelled as such."""
    record: ShownRecord | None = None
    """The record that it quotes, so that it can be noted who was told of it."""


class Section(Own):
    """One part of the injected context, with a budget of its own."""

    title: str = ""
    lines: tuple[str, ...] = ()
    """Our own words. Never text that was captured or stored."""
    quotes: tuple[Quote, ...] = ()
    notice: str = ""
    """What was left out and how to get it; kept when quotes are cut."""
    max_units: int = Field(default=2000, ge=0)
    """At most this many UTF-16 code units."""


class HookOutput(Own):
    """What one handler wants done."""

    sections: tuple[Section, ...] = ()
    memories: tuple[NewMemory, ...] = ()
    withdraws: tuple[str, ...] = ()
    """Keys of memories that turned out to be none to keep: they go, unless pinned."""
    is_private: bool = False
    """Nothing of the event's payload is to be kept."""
    transcript: TranscriptMark | None = None
    message: str = ""
    """One line for the person, shown by Claude Code and kept from the model. Our own words."""
    problem: str | None = None
    """What could not be done, without being a failure: a transcript that is not there."""
