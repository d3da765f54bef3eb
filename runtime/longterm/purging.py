"""Memories taken out for good: of the store, of its index, and of the events they came from."""

import json
from collections.abc import Sequence
from typing import Final, NamedTuple

from runtime.events.scrubbing import HeldEvent, Texts, empty, matching
from runtime.store import ruri_table
from runtime.store.clock import utc_now
from runtime.store.connection import Connection, fetch_all
from runtime.store.purging import empty_rows, merge_index
from runtime.store.store import Store


class Purged(NamedTuple):
    """How much went."""

    memories: int
    events: int
    """Events of which the payload went."""


async def purge(store: Store, ids: Sequence[int]) -> Purged:
    """
    Leave no byte of memories, whether they were deleted or not; key and hash stay.

    What captured events hold of them goes too: of the event that brought one, of
    every other that holds a line of its text, and of the answers that told of it.
    Raises StoreLockedError and StoreBusyError.
    """
    async with store.transaction() as connection:
        done = await purge_rows(connection, ids)
    await store.write_anew()
    return done


async def purge_rows(connection: Connection, ids: Sequence[int]) -> Purged:
    """Do the same to the rows alone, in the caller's transaction."""
    rows = await fetch_all(connection, _CONTENTS, {"ids": json.dumps(list(ids))})
    texts = Texts(row["content"] for row in rows)
    sources = {row["event_id"] for row in rows}

    def holds(event: HeldEvent) -> bool:
        return event.id in sources or any(map(texts.are_in, event.texts))

    found = [row["id"] for row in rows]
    seqs = [event.seq for event in await matching(connection, holds)] if rows else []
    events = await empty(connection, found, seqs)
    await empty_rows(connection, found, utc_now())
    if found:
        await ruri_table.take_out(connection)
    await merge_index(connection)
    return Purged(len(found), events)


_CONTENTS: Final = """
SELECT id, content, event_id FROM memories
WHERE content <> '' AND id IN (SELECT value FROM json_each(:ids))
"""
