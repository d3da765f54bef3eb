"""What handlers find: earlier runs of a skill, and what is related to it."""

from functools import partial
from sqlite3 import Connection
from typing import TYPE_CHECKING

from runtime.services import AboutSkill
from runtime.store.longterm import by_skill
from runtime.store.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable

    from runtime.notes.book import NoteBook
    from runtime.permanent.following import Following


class Recall:
    """
    Finds what one project may see. Without a store it finds nothing.

    Notes and permanent memories are asked for when more is looked for than a skill's
    earlier runs.
    """

    def __init__(
        self,
        store: Store | None,
        notes: "Callable[[], NoteBook]",
        permanent: "Callable[[], Following]",
        project_key: str,
    ) -> None:
        self._store = store
        self._notes = notes
        self._permanent = permanent
        self._project_key = project_key

    async def about_skill(self, name: str, arguments: str, limit: int) -> AboutSkill:
        """Return earlier runs of this skill, filled up with what is related to it."""
        if self._store is None:
            return AboutSkill()
        find = partial(self._find, name=name, arguments=arguments, limit=limit)
        # Somebody waits: as a rule one turn of the reader's thread is all it takes.
        found = await self._store.reader.run(find)
        if found is None:
            await self._notes().refresh()
            await self._permanent().refresh()
            found = await self._store.reader.run(partial(find, is_current=True))
        return found or AboutSkill()

    def _find(
        self,
        connection: Connection,
        *,
        name: str,
        arguments: str,
        limit: int,
        is_current: bool = False,
    ) -> AboutSkill | None:
        """Look it up; None where the index has to follow the files before it can be asked."""
        runs = by_skill(connection, name, self._project_key, limit)
        if len(runs) >= limit:
            return AboutSkill(runs)  # What would not be shown is not looked for.
        if not is_current and not all(
            files().is_current(connection) for files in (self._notes, self._permanent)
        ):
            return None
        # Not before: loading what finds by words takes a hook longer than finding.
        from runtime.store.search import by_skill_words  # noqa: PLC0415

        hits = by_skill_words(
            connection,
            name,
            arguments,
            limit + len(runs),
            project_key=self._project_key,
            common=self._store.common if self._store else None,
        )
        seen = {memory.id for memory in runs}
        others = [hit for hit in hits if hit.kind != "long-term" or hit.id not in seen]
        return AboutSkill(runs, others[: limit - len(runs)])
