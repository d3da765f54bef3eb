"""
What two machines' states of one memory become: the same, whichever came first.

A state is a product of registers, each of which keeps the greatest value of a
total order (the date: the least). So merging is commutative, associative and
idempotent, and any order of syncs of any set of dumps ends in the same memories.
"""

from typing import Final, NamedTuple

from runtime.text import full_length

GROWING: Final = "turn:"
"""Keys of memories that grow: of two texts the longer one is the later state."""


class Text(NamedTuple):
    """A memory's text and what was written with it."""

    updated_at: str
    content: str
    content_hash: str
    source: str
    host: str | None = None
    project: str | None = None
    project_key: str | None = None
    tags: str | None = None
    """JSON array, like `skills`."""
    skills: str | None = None
    tool: str | None = None
    target: str | None = None
    session_id: str | None = None
    event_id: str | None = None
    message_id: str | None = None


class Life(NamedTuple):
    """The last deletion, or the last coming into being; of one moment the deletion counts."""

    at: str
    is_over: bool


class Marks(NamedTuple):
    """What a person said of it, and when; "" for never."""

    at: str = ""
    is_global: bool = False
    is_pinned: bool = False


class State(NamedTuple):
    """One memory on one machine, or in one dump. Moments are UTC text that sorts."""

    created_at: str
    """The earliest date wins: who took it over later may have dated it anew."""
    life: Life
    text: Text | None
    """None for a tombstone; a deleted memory may still have it, to be restored."""
    marks: Marks = Marks()
    purged_at: str = ""
    """No text written until then is kept."""


def merge(one: State, other: State, key: str) -> State:
    """Return the state that both become."""
    texts = [state.text for state in (one, other) if state.text is not None]
    return settled(
        State(
            created_at=min(one.created_at, other.created_at),
            life=max(one.life, other.life),
            text=max(texts, key=_grown if key.startswith(GROWING) else _latest, default=None),
            marks=max(one.marks, other.marks),
            purged_at=max(one.purged_at, other.purged_at),
        ),
        key,
    )


def settled(state: State, key: str) -> State:
    """
    Return the state with what follows from it: a purged text gone, and no life without text.

    What grows is never written anew on purpose, so a purged turn stays away, with
    whatever it says elsewhere.
    """
    text = state.text
    if text is not None and state.purged_at and (
        key.startswith(GROWING) or text.updated_at <= state.purged_at
    ):  # fmt: skip
        text = None
    return state._replace(text=text, life=state.life if text else Life(state.life.at, True))


def _grown(text: Text) -> tuple[object, ...]:
    return (full_length(text.content), *_latest(text))


def _latest(text: Text) -> tuple[object, ...]:
    # Nothing but equal texts may rank equal.
    return (text.updated_at, text.content_hash, *(part or "" for part in text[1:]))
