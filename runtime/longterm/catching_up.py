"""
Put the memories that a sync has taken over into the index.

They are safe by then. Their tokens are made by as many processes as help, one batch
each, while the batches before are written.
"""

from collections.abc import Callable, Sequence
from typing import Final

import anyio

from runtime.longterm.helper_processes import Helper, helpers
from runtime.store import index_backlog
from runtime.store.index_backlog import Batch
from runtime.store.store import Store
from runtime.tokens.index import index_tokens

BATCH_CHARS: Final = 100_000
"""Of text in one transaction: others wait for it some tenths of a second."""
HELP_MEMORIES: Final = 2000
"""For fewer no process is started."""
Progress = Callable[[int, int], None]
Made = tuple[Batch, dict[str, str]]


async def catch_up(store: Store, count: int, progress: Progress | None = None) -> None:
    """
    Put all that is waiting into the index, with as many helpers. Cancelled, the rest waits.

    Another process may do the same: what it has put in is passed over.
    """
    total = await index_backlog.waiting(store.connection)
    async with helpers(count if total >= HELP_MEMORIES else 0) as workers:
        batches = await _next(store, 0, len(workers))
        made: Sequence[Made] = ()
        done = 0
        while batches or made:
            made_now = await _round(store, workers, batches, made)
            done += sum(len(batch.ids) for batch, _tokens in made)
            if progress is not None:
                progress(min(done, total), total)
            place = batches[-1].place if batches else 0
            batches = await _next(store, place, len(workers)) if batches else []
            made = made_now
    # What came meanwhile, and what was changed so that it is in there already.
    while not await store.change_index():
        pass


async def _next(store: Store, place: int, count: int) -> list[Batch]:
    found: list[Batch] = []
    while len(found) < count:
        batch = await index_backlog.next_batch(store.connection, BATCH_CHARS, place)
        if batch is None:
            break
        found.append(batch)
        place = batch.place
    return found


async def _round(
    store: Store, workers: Sequence[Helper], batches: Sequence[Batch], before: Sequence[Made]
) -> list[Made]:
    """Make the tokens of some batches while those of the last round are written, in order."""
    tokens: list[dict[str, str]] = [{} for _ in batches]

    async def make(number: int) -> None:
        tokens[number] = await workers[number].run(tokens_of, batches[number].texts)

    async with anyio.create_task_group() as group:
        for number in range(len(batches)):
            group.start_soon(make, number)
        for batch, its_tokens in before:
            async with store.transaction() as connection:
                await index_backlog.put_in(connection, batch, its_tokens)
    return list(zip(batches, tokens, strict=True))


def tokens_of(texts: Sequence[str]) -> dict[str, str]:
    """Return the tokens of texts for the index, by text."""
    return {text: index_tokens(text) for text in texts}
