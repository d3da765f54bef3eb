"""Take back what a clock that was ahead wrote into this machine's own store."""

from typing import Any

from runtime.longterm.lines import Clock, Taken, read_line
from runtime.longterm.states import row_of, state_of
from runtime.longterm.written_lines import line_of
from runtime.store.connection import Connection, Row
from runtime.store.replicas import rows_ahead, update_rows


async def mend(connection: Connection, clock: Clock) -> int:
    """
    Make moments in the future count as little here as they do on every other machine.

    Each row becomes what its line in a dump would be taken for; a deleted one keeps
    its text. In the caller's transaction. Returns how many rows.
    """
    changes: list[tuple[dict[str, Any], Row]] = []
    for row in await rows_ahead(connection, clock.latest):
        read = read_line(0, line_of(row), clock)
        if not isinstance(read, Taken):  # nothing is left of it: what is said of it still holds
            continue
        text = state_of(row).text
        if read.state.text is None and text is not None and not read.state.purged_at:
            kept = text._replace(updated_at=read.state.life.at)
            read = read._replace(state=read.state._replace(text=kept))
        changes.append((row_of(row["key"], read.state, None, row), row))
    await update_rows(connection, changes)
    return len(changes)
