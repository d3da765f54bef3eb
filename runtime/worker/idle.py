"""What a worker does while nothing is asked of it: bring the index together."""

from collections.abc import Callable, Iterable

import anyio
import structlog

from runtime.store.segments import is_scattered, merge_step
from runtime.store.store import Store

log = structlog.get_logger(__name__)


async def merge_indexes(stores: Iterable[Store], is_wanted: Callable[[], bool]) -> None:
    """
    Merge the indexes of stores that are worth it, step by step, until something is wanted.

    Each step is a transaction of its own, so who comes waits for one at most.
    """
    for store in stores:
        if is_wanted() or not await is_scattered(store.connection):
            continue
        steps, is_more = 0, True
        while is_more and not is_wanted():
            # A cancelled step would be undone: it is shorter than to wait for that.
            with anyio.CancelScope(shield=True):
                async with store.transaction() as connection:
                    is_more = await merge_step(connection, is_first=not steps)
            steps += 1
            await anyio.lowlevel.checkpoint()
        log.info("index_merged", path=store.path, steps=steps, whole=not is_more)
