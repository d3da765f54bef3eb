"""
The index's segments: many small ones become one, a few pages at a time.

FTS5 writes every transaction's rows as a segment of its own and joins some of them as it
goes. A question looks into each, so an index of one is read a quarter faster. To write all
of it anew at once would keep others waiting; this is done in steps, each a transaction that
may be the last one, and the next step, by whomever, goes on from there.
"""

from typing import Final

from runtime.store.connection import Connection, fetch_all

SEVERAL: Final = 4
"""Segments of which fewer are left as they are."""
LARGEST: Final = 0.8
"""Part of the index in its largest segment from which on the others cost too little."""
STEP_PAGES: Final = 64
"""Written in one step, of some 4 kB: a few milliseconds."""
DONE: Final = 2
"""A step that has merged nothing changes fewer rows than this (FTS5's own word)."""


async def is_scattered(connection: Connection) -> bool:
    """Tell whether to merge is worth writing the whole index once."""
    sizes = [row[0] for row in await fetch_all(connection, _SIZES)]
    return len(sizes) >= SEVERAL and max(sizes) < LARGEST * sum(sizes)


async def merge_step(connection: Connection, *, is_first: bool) -> bool:
    """
    Merge a few pages in the caller's transaction. Tells whether there may be more to do.

    The first step takes all segments together; without it only equals are merged.
    """
    pages = -STEP_PAGES if is_first else STEP_PAGES
    before = await fetch_all(connection, _CHANGES)
    await connection.execute(_MERGE, (pages,))
    after = await fetch_all(connection, _CHANGES)
    return bool(after[0][0] - before[0][0] >= DONE)


# A row of this table stands for a page of a segment.
_SIZES: Final = "SELECT count(*) FROM search_index_idx GROUP BY segid"
_CHANGES: Final = "SELECT total_changes()"
_MERGE: Final = "INSERT INTO search_index (search_index, rank) VALUES ('merge', ?)"
