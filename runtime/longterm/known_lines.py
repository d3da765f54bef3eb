"""
Lines that say what the store says already: by far the most, when a machine dumps all it has.

Such a line need not be verified, redacted and cut into tokens again: what is equal
to a row in every field has been through that, or it would not be there.
"""

import json
from collections.abc import Sequence
from typing import Any, Final

from runtime.longterm.written_lines import line_of
from runtime.store.connection import Connection
from runtime.store.replicas import rows_of

BEGIN: Final = b'{"content":'


async def unknown_lines(
    connection: Connection, lines: Sequence[tuple[int, bytes]]
) -> list[tuple[int, bytes]]:
    """Return the numbered lines that are not, byte for byte, what a dump would say of their row."""
    keys = {number: _key(raw) for number, raw in lines}
    rows = await rows_of(connection, {key for key in keys.values() if key})
    return [
        (number, raw)
        for number, raw in lines
        if (row := rows.get(keys[number])) is None or line_of(row) != raw
    ]


def _key(raw: bytes) -> str:
    """Return the uid of a line of ours, "" for any other."""
    if not raw.startswith(BEGIN):
        return ""
    try:
        value: Any = json.loads(raw)
    except (ValueError, RecursionError):
        return ""
    uid = value.get("uid")
    return uid if isinstance(uid, str) else ""
