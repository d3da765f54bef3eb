"""Whether capture does its work, as handlers ask."""

from typing import TYPE_CHECKING

from runtime.store.capture_health import failing
from runtime.store.store import Store

if TYPE_CHECKING:
    from schemas.stats import CaptureHealth


class Health:
    """Looks at the recorded events. Without a store it knows of no failure."""

    def __init__(self, store: Store | None) -> None:
        self._store = store

    async def failing(self) -> "tuple[CaptureHealth, ...]":
        """Return the kinds of event that have failed again and again, and nothing since."""
        if self._store is None:
            return ()
        return await self._store.reader.run(failing)
