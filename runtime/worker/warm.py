"""Load what events need before the first one comes: on the worker's time, not on an event's."""

from importlib import import_module
from typing import Final

from runtime.routes import ROUTES
from schemas.base import build_all
from schemas.events import MODULES

PARTS: Final = (
    "runtime.longterm.capture", "runtime.notes.book", "runtime.recall", "runtime.store.search",
    "schemas.answers",
)  # fmt: skip
"""What `runtime.event_services` and `runtime.render` load when it is asked for."""


def warm() -> None:
    """Import every handler and what stands behind its services, and build all models."""
    handlers = {route.handler for routes in ROUTES.values() for route in routes}
    for name in (*PARTS, *sorted({*MODULES.values()}), *sorted(handlers)):
        import_module(name)
    build_all()
