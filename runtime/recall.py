"""What handlers find: earlier runs of a skill, and what is related to it."""

from collections.abc import Sequence

from runtime.notes.book import NoteBook
from runtime.store.longterm import by_skill
from runtime.store.search import search_skill
from runtime.store.store import Store
from schemas.records import Memory, SearchHit


class Recall:
    """Finds what one project may see. Without a store it finds nothing."""

    def __init__(self, store: Store | None, notes: NoteBook, project_key: str) -> None:
        self._store = store
        self._notes = notes
        self._project_key = project_key

    async def of_skill(self, name: str, limit: int) -> Sequence[Memory]:
        """Return memories of earlier runs of this skill, newest first."""
        if self._store is None:
            return []
        return await by_skill(self._store.reader, name, self._project_key, limit)

    async def related(self, name: str, arguments: str, limit: int) -> Sequence[SearchHit]:
        """Return hits about the name, then about the arguments; each record once."""
        if self._store is None:
            return []
        await self._notes.refresh()
        return await search_skill(self._store.reader, name, arguments, limit, self._project_key)
