"""
Lines that say what the store says already: by far the most, when a machine dumps all it has.

Such a line need not be verified, redacted and cut into tokens again: what is equal
to a row in every field has been through that, or it would not be there.
"""

from collections.abc import Sequence
from typing import Final

from runtime.longterm.written_lines import line_of
from runtime.store.connection import Connection
from runtime.store.replicas import rows_of

BEGIN: Final = b'{"content":'
UID: Final = b',"uid":"'


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
    """
    Return the uid of a line of ours, "" for any other.

    Found without reading the whole line: within a text a quotation mark has a
    backslash before it. Should it be another field's, the line is not equal to its row.
    """
    if not raw.startswith(BEGIN):
        return ""
    start = raw.find(UID) + len(UID)
    end = raw.find(b'"', start)
    uid = raw[start:end] if start >= len(UID) and end > start else b""
    try:
        return "" if b"\\" in uid else uid.decode()
    except UnicodeDecodeError:
        return ""
