"""
What the handlers of one event use, each part made when it is first asked for.

A hook process that works without a worker handles one event and ends. Most
events need one of these parts or none, and loading a part takes longer than
using it: so their modules are imported here, where they are made.
"""

from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from runtime.paths import Home
from runtime.privacy import Privacy
from runtime.project import Project
from runtime.services import Limits
from runtime.settings import Settings
from runtime.store.store import Store

if TYPE_CHECKING:
    from runtime.health import Health
    from runtime.longterm.capture import Transcripts
    from runtime.notes.book import NoteBook
    from runtime.permanent.following import Following
    from runtime.recall import Recall


class World(NamedTuple):
    """What is the same for all events of a context."""

    home: Home
    settings: Settings
    store: Store | None
    is_replay: bool
    """Transcripts are read from the start."""
    is_dry: bool
    """No file is changed."""
    privacy: Privacy | None = None
    """What of the event's project is not to be kept."""


class EventServices:
    """The services of one event: `runtime.services.Services`."""

    def __init__(
        self, world: World, limits: Limits, project: Project, received_at: datetime
    ) -> None:
        self._world = world
        self._received_at = received_at
        self.limits = limits
        self.project_name = project.name
        self.project_key = project.key

    def now(self) -> datetime:
        """
        Return the moment the event was received.

        One that waited in the spool, or is replayed, makes memories of its own time.
        """
        return self._received_at

    @cached_property
    def notes(self) -> "NoteBook":
        """The notes in the configured folders."""
        from runtime.notes.book import NoteBook  # noqa: PLC0415 - see above

        world = self._world
        return NoteBook(world.home, world.settings, world.store, is_dry=world.is_dry)

    @cached_property
    def health(self) -> "Health":
        """How capture is doing."""
        from runtime.health import Health  # noqa: PLC0415 - see above

        return Health(self._world.store)

    @cached_property
    def recall(self) -> "Recall":
        """What the event's project may find."""
        from runtime.recall import Recall  # noqa: PLC0415 - see above

        return Recall(
            self._world.store, lambda: self.notes, lambda: self._permanent, self.project_key
        )

    @cached_property
    def _permanent(self) -> "Following":
        from runtime.permanent.following import Following  # noqa: PLC0415 - see above

        return Following(self._world.home, self._world.settings, self._world.store)

    @cached_property
    def transcripts(self) -> "Transcripts":
        """Transcripts, as far as they have not been read."""
        from runtime.longterm.capture import Transcripts  # noqa: PLC0415 - see above

        world = self._world
        return Transcripts(
            world.store,
            world.settings.capture.turn_max_chars,
            self._received_at,
            from_start=world.is_replay,
            privacy=world.privacy,
        )
