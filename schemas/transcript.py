"""
The transcript lines that we read.

Shapes from transcripts written by the real client (2.1.197 and 2.1.332,
November 2026). A transcript holds many more line types, and a newer client
will add others: everything that is not `user` or `assistant` stays a plain
`Line` and is skipped.
"""

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Tag, TypeAdapter

from schemas.base import Lenient


class Message(Lenient):
    """What a user or assistant line carries."""

    content: Any = None
    """A string, or a list of content blocks."""
    id: str | None = None
    """One API answer spans several lines (one per block) with one id."""


class Line(Lenient):
    """Any line."""

    type: Any = None


class ChainLine(Line):
    """A line of the conversation."""

    uuid: str | None = None
    timestamp: str | None = None
    isSidechain: Any = False  # noqa: N815 - the client's names, read as they are
    isMeta: Any = False  # noqa: N815
    message: Message = Message()


class UserLine(ChainLine):
    """A prompt, a tool's result, or one of the client's own records in a user's clothes."""

    type: Literal["user"]
    promptSource: Any = None  # noqa: N815
    """`typed` or `sdk` for a person, `system` for a machine; absent on older clients."""
    turnOrigin: Any = None  # noqa: N815
    promptId: Any = None  # noqa: N815
    """The `prompt_id` of the hook events of this turn (2.1.196 and later)."""
    isCompactSummary: Any = False  # noqa: N815
    isVisibleInTranscriptOnly: Any = False  # noqa: N815
    toolUseResult: Any = None  # noqa: N815


class AssistantLine(ChainLine):
    """One content block of an answer."""

    type: Literal["assistant"]
    isApiErrorMessage: Any = False  # noqa: N815


def _tag(value: Any) -> str:
    kind = value.get("type") if isinstance(value, dict) else value.type
    return kind if kind in ("user", "assistant") else "other"


LINE: TypeAdapter[Line] = TypeAdapter(
    Annotated[
        Annotated[UserLine, Tag("user")]
        | Annotated[AssistantLine, Tag("assistant")]
        | Annotated[Line, Tag("other")],
        Discriminator(_tag),
    ]
)
"""Validates one decoded line."""
