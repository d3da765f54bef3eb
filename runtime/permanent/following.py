"""The permanent memories as a search for handlers sees them: is the shadow behind, and follow."""

from sqlite3 import Connection
from typing import TYPE_CHECKING

from runtime.permanent.freshness import is_current, place_of

if TYPE_CHECKING:
    from runtime.paths import Home
    from runtime.settings import Settings
    from runtime.store.store import Store


class Following:
    """The shadow of the configured place."""

    def __init__(self, home: "Home", settings: "Settings", store: "Store | None") -> None:
        self._home = home
        self._settings = settings
        self._store = store

    def is_current(self, connection: Connection) -> bool:
        """Tell whether it shows the files as they are; for a reader's thread."""
        try:
            return is_current(connection, place_of(self._home, self._settings))
        except OSError:
            return True  # what cannot be read now is searched as it was

    async def refresh(self) -> None:
        """Bring it up to date with the files."""
        if self._store is None:
            return
        # Not before: somebody waits, and as a rule there is nothing to read.
        from runtime.permanent.shadow import follow  # noqa: PLC0415

        await self._store.write(follow, self._home, self._settings)
