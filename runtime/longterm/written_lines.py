"""A memory's row as the line of a dump."""

import json
from typing import Any, Final

from runtime.longterm.states import state_of
from runtime.store.connection import Row
from schemas.dump import VERSION, DumpedMemory, DumpedTombstone

PLAIN: Final = (
    "content_hash", "host", "updated_at", "lived_at", "project_key", "tool", "target",
    "session_id", "event_id", "message_id",
)  # fmt: skip
"""Columns that a memory's line has under the same names."""


def line_of(row: Row) -> bytes:
    """Return the line of a row: five fields first, then what is not empty of the others."""
    state = state_of(row)
    first = {"source": row["source"], "created_at": row["created_at"]}
    others = {
        "content_hash": row["content_hash"] or None,
        "marked_at": row["marked_at"],
        "is_global": state.marks.is_global or None,
        "is_pinned": state.marks.is_pinned or None,
    }
    line: DumpedMemory | DumpedTombstone
    if state.life.is_over:
        first |= {"content": None, "project": None, "tags": None}
        others |= {
            "op": "delete",
            "deleted_at": state.life.at,
            "lived_at": row["lived_at"],
            "purged_at": row["purged_at"],
        }
        line = DumpedTombstone.model_construct(None, **_fields(row, first, others))
    else:
        first |= {name: row[name] for name in ("content", "project")}
        first |= {"tags": _items(row["tags"])}
        others |= {name: row[name] for name in PLAIN}
        others |= {"op": "put", "skills": _items(row["skills"])}
        line = DumpedMemory.model_construct(None, **_fields(row, first, others))
    return line.model_dump_json(exclude_unset=True).encode() + b"\n"


def _fields(row: Row, first: dict[str, Any], others: dict[str, Any]) -> dict[str, Any]:
    there = {name: value for name, value in others.items() if value is not None}
    return {**first, "v": VERSION, "uid": row["key"], **there}


def _items(column: str | None) -> tuple[str, ...] | None:
    return tuple(json.loads(column)) if column else None
