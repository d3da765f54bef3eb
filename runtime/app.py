"""
The composition root: from a home and the environment to opened services.

Whoever opens closes: one `async with` owns the store.
"""

import socket
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from typing import NamedTuple

from runtime.context import AppContext
from runtime.errors import HomeError
from runtime.event_services import EventServices, World
from runtime.paths import Home, find_home
from runtime.privacy import Privacy
from runtime.project import Project
from runtime.services import Limits, Services
from runtime.settings import Settings
from runtime.store.store import Store, open_store


class Known(NamedTuple):
    """What is known of an event without its payload."""

    project: Project | None = None
    privacy: Privacy | None = None


def build(
    home: Home,
    settings: Settings,
    store: Store | None,
    *,
    known: Known = Known(),  # noqa: B008 - immutable
    is_replay: bool = False,
    is_dry: bool = False,
) -> AppContext:
    """
    Return the context around a store that somebody else has opened and will close.

    A replay reads transcripts from the start; a dry one changes no file.
    """
    limits = _limits(settings)

    def services(project: Project, received_at: datetime, rules: Privacy | None = None) -> Services:
        world = World(home, settings, store, is_replay=is_replay, is_dry=is_dry, privacy=rules)
        return EventServices(world, limits, project, received_at)

    host = settings.host or socket.gethostname()
    return AppContext(home, settings, store, host, services, *known)


def _limits(settings: Settings) -> Limits:
    return Limits(
        min_chars=settings.capture.min_chars,
        tool_max_chars=settings.capture.tool_max_chars,
        inject=settings.inject.enabled,
        session_max_units=settings.inject.session_max_chars,
        skill_entries=settings.inject.skill_entries,
        skill_max_units=settings.inject.skill_max_chars,
    )


def store_path(home: Home, settings: Settings) -> str:
    """Return where the database lies."""
    return settings.store.path or home.database


@asynccontextmanager
async def open_app(home: Home, settings: Settings) -> AsyncGenerator[AppContext]:
    """Open everything. Raises the store's errors."""
    path = store_path(home, settings)
    async with open_store(path, settings.store.busy_timeout_s) as store:
        yield build(home, settings, store)


def prepared_home(environ: Mapping[str, str]) -> Home:
    """Return the home with its folders made. Raises HomeError."""
    try:
        home = find_home(dict(environ))
        home.prepare()
    except OSError as error:
        root = environ.get("OBOEGAKI_HOME") or "~/.oboegaki"
        raise HomeError(root, error.strerror or str(error)) from error
    return home
