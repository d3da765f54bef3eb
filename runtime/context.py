"""What the pipeline works with: the home, the settings, the open store, the services."""

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from runtime.paths import Home
from runtime.privacy import Privacy
from runtime.project import Project
from runtime.services import Services
from runtime.settings import Settings
from runtime.store.store import Store


class AppContext(NamedTuple):
    """Built by `runtime.app`, handed down to every stage."""

    home: Home
    settings: Settings
    store: Store | None
    """None when it cannot be opened: events then wait in the spool."""
    host: str
    services: Callable[[Project, datetime, Privacy | None], Services]
    """Makes what the handlers of one event may use, given its project, time and rules."""
    project: Project | None = None
    """The event's, where that is known without its payload."""
    privacy: Privacy | None = None
    """The same of the rules of what is not to be kept."""

    @property
    def opened(self) -> Store:
        """The store, for those who cannot do without it: a command opens it or fails."""
        if self.store is None:
            msg = "the store is not open"
            raise RuntimeError(msg)
        return self.store
