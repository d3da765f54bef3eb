"""What handlers find: earlier runs of a skill, and what is related to it."""

from collections.abc import Sequence
from typing import Final

from runtime.notes.book import NoteBook
from runtime.store.longterm import by_skill
from runtime.store.search import Scope, search, search_name
from runtime.store.store import Store
from schemas.records import Memory, SearchHit

ARGUMENTS_SHARE: Final = 0.6
"""A skill's arguments must match this much: what is beside the point costs trust."""


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
        scope = Scope(self._project_key)
        connection = self._store.reader
        hits = await search_name(connection, name, limit, scope=scope)
        bare = name.rsplit(":", 1)[-1]
        if bare != name:
            hits += await search_name(connection, bare, limit, scope=scope)
        hits += await search(connection, arguments, limit, scope=scope, min_share=ARGUMENTS_SHARE)
        unique: dict[tuple[str, int], SearchHit] = {}
        for hit in hits:
            # A record that is found twice keeps its first place: it answers both questions.
            unique.setdefault((hit.kind, hit.id), hit)
        return list(unique.values())[:limit]
