"""Rules for how long, how many and how much is kept: what is beyond them, and its deletion."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from runtime.retention_rules import Rule
from runtime.store.candidates import delete_unpinned, sizes
from runtime.store.clock import utc
from runtime.store.connection import Connection, Row, fetch_all
from runtime.store.store import Store

EVERY: Final = timedelta(days=1)
"""Between two times that rules are applied by themselves."""


async def beyond(
    connection: Connection, rules: Sequence[Rule], now: datetime
) -> list[tuple[int, Rule]]:
    """Return the memories that a rule does not keep, with that rule; pinned ones are kept."""
    rows = await sizes(connection)
    return [(row["id"], rule) for rule in rules for row in _beyond(rows, rule, now)]


def _beyond(rows: Sequence[Row], rule: Rule, now: datetime) -> list[Row]:
    before = utc(now - timedelta(days=rule.days)) if rule.days is not None else ""
    found: list[Row] = []
    count = size_bytes = 0
    for row in rows:  # the newest first: what is kept is the newest
        if not rule.names(row["project"] or "", row["project_key"] or "", row["source"]):
            continue
        count += 1
        size_bytes += row["size_bytes"]
        if (
            row["created_at"] < before
            or (rule.most is not None and count > rule.most)
            or (rule.size_bytes is not None and size_bytes > rule.size_bytes)
        ):
            found.append(row)
    return found


async def apply_rules(store: Store, rules: Sequence[Rule], now: datetime) -> set[int]:
    """Delete what the rules do not keep, so that it can be restored. Returns the ids."""
    async with store.transaction() as connection:
        rows = await sizes(connection)
        hashes = {
            row["id"]: row["content_hash"] for rule in rules for row in _beyond(rows, rule, now)
        }
        done = await delete_unpinned(connection, hashes, now)
        await connection.execute(_NOTE, (utc(now),))
    return done


async def is_due(connection: Connection, now: datetime) -> bool:
    """Tell whether the rules were not applied for a day."""
    rows = await fetch_all(connection, _LAST)
    return not rows or str(rows[0][0]) < utc(now - EVERY)


_LAST: Final = "SELECT value FROM meta WHERE name = 'retention_at'"
_NOTE: Final = (
    "INSERT INTO meta (name, value) VALUES ('retention_at', ?)"
    " ON CONFLICT (name) DO UPDATE SET value = excluded.value"
)
