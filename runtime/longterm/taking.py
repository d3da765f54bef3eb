"""Merge lines of a dump into the store."""

from collections.abc import Sequence

from runtime.longterm.lines import Taken
from runtime.longterm.merge import State, merge
from runtime.longterm.states import row_of, state_of
from runtime.store.connection import Connection, Row
from runtime.store.replicas import insert_rows, rows_of, update_rows


class Tally:
    """What came of the lines of one file or host."""

    def __init__(self) -> None:
        self.new = self.changed = self.deleted = self.same = 0
        self.skipped = self.ahead = 0

    def add(self, other: "Tally") -> None:
        """Add another's numbers."""
        for name, number in vars(other).items():
            setattr(self, name, getattr(self, name) + number)


async def take(connection: Connection, lines: Sequence[Taken]) -> Tally:
    """Merge lines into their rows, in the caller's transaction."""
    tally = Tally()
    old = await rows_of(connection, {line.key for line in lines})
    was = {key: state_of(row) for key, row in old.items()}
    now, hashes = dict[str, State](), dict[str, str | None]()
    for line in lines:
        before = now.get(line.key) or was.get(line.key)
        after = line.state if before is None else merge(before, line.state, line.key)
        tally.ahead += line.is_ahead
        if after == before:
            tally.same += 1
            continue
        _count(tally, before, after)
        now[line.key] = after
        hashes[line.key] = line.gone_hash or hashes.get(line.key)
    await _write(connection, now, hashes, old)
    return tally


def _count(tally: Tally, before: State | None, after: State) -> None:
    is_over, was_over = after.life.is_over, before is None or before.life.is_over
    if is_over and not was_over:
        tally.deleted += 1
    elif not is_over and was_over:
        tally.new += 1
    elif before is None:  # a tombstone of what was never here: it keeps it away
        tally.same += 1
    else:
        tally.changed += 1


async def _write(
    connection: Connection,
    states: dict[str, State],
    hashes: dict[str, str | None],
    old: dict[str, Row],
) -> None:
    rows = [row_of(key, state, hashes.get(key), old.get(key)) for key, state in states.items()]
    await insert_rows(connection, [row for row in rows if row["key"] not in old])
    await update_rows(connection, [(row, old[row["key"]]) for row in rows if row["key"] in old])
