"""A memory's row as a state that can be merged, and the row that a state becomes."""

from collections.abc import Mapping
from typing import Any

from runtime.longterm.merge import Life, Marks, State, Text, settled
from runtime.store.connection import Row
from runtime.store.longterm import SUMMARY_CHARS
from runtime.text import one_line


def state_of(row: Row | Mapping[str, Any]) -> State:
    """Return the state of a row of `memories`."""
    came = row["lived_at"] or row["created_at"]
    purged = row["purged_at"] or ""
    if row["deleted_at"]:
        life = Life(max(row["deleted_at"], purged), is_over=True)
    else:
        life = Life(came, is_over=False)
    text = None
    if row["content"]:
        values = {name: row[name] for name in Text._fields}
        # Who lives by a later moment was written then, too.
        least = "" if life.is_over else came
        text = Text(**{**values, "updated_at": max(row["updated_at"], least)})
    marks = Marks(row["marked_at"] or "", bool(row["is_global"]), bool(row["is_pinned"]))
    return settled(State(row["created_at"], life, text, marks, purged), row["key"])


def row_of(key: str, state: State, gone_hash: str | None, old: Row | None = None) -> dict[str, Any]:
    """
    Return the row that a state becomes.

    A tombstone keeps what its row says beside the text, which is nobody's business
    but this machine's, and *gone_hash*, the hash of the text that it had.
    """
    life, text = state.life, state.text
    # The life that a deletion ended is kept, for those whose clock errs.
    lived = old["lived_at"] if old is not None and life.is_over else None
    if not life.is_over and life.at != state.created_at:
        lived = life.at
    row: dict[str, Any] = {
        "key": key,
        "created_at": state.created_at,
        "deleted_at": life.at if life.is_over else None,
        "lived_at": lived,
        "marked_at": state.marks.at or None,
        "is_global": int(state.marks.is_global),
        "is_pinned": int(state.marks.is_pinned),
        "purged_at": state.purged_at or None,
    }
    if text is not None:
        summary = one_line(text.content, SUMMARY_CHARS)
        return {**row, **text._asdict(), "summary": summary}
    kept = old["content_hash"] if old is not None else None
    return {
        **row,
        **dict.fromkeys(Text._fields),
        "content": "",
        "content_hash": gone_hash or kept or "",
        "source": old["source"] if old is not None else "unknown",
        "summary": "",
        "updated_at": life.at,
    }
