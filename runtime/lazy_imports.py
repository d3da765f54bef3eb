"""
Modules that packages import and a hook without a worker never uses, loaded at first use.

Such a hook lives for the time of one event. A tenth of that went into modules for
what is rare: a package's metadata, TLS, secrets. Here `importlib.util.LazyLoader`
puts them off until somebody touches an attribute; the module is then loaded as ever,
so whoever needs one gets it. Standard library only: the hook process imports this.
"""

import sys
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

PUT_OFF = frozenset(
    {
        # For the metadata of installed packages, which pydantic can look for plugins in.
        "csv",
        "email",
        "importlib.metadata._adapters",
        "tempfile",
        "zipfile",
        # For TLS and for several addresses of one host, on asyncio's event loop.
        "asyncio.sslproto",
        "asyncio.staggered",
        # For the text of a subprocess, and for comparing pydantic's secret strings.
        "locale",
        "secrets",
        # For paths and names of Windows.
        "ntpath",
        # What packages give to others: loggers of the logging module, of threads and of
        # Twisted, unions that a field of theirs tells apart.
        "pydantic._internal._discriminated_union",
        "structlog.stdlib",
        "structlog.threadlocal",
        "structlog.twisted",
    }
)
"""
Modules of which importers only use attributes, later: `from x import y` loads x at once.

None of them is of use to our own code in a hook: until Python 3.12 two threads that
touch such a module for the first time at once could meet it half loaded.
"""


class LazyFinder:
    """Finds the modules of `PUT_OFF` where they lie, and has them loaded at first use."""

    @staticmethod
    def find_spec(
        name: str, path: "Sequence[str] | None" = None, target: "ModuleType | None" = None
    ) -> ModuleSpec | None:
        """Return a module's spec with a lazy loader, None for a module that is not put off."""
        if name not in PUT_OFF:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = LazyLoader(spec.loader)
        return spec


def install() -> None:
    """Put the modules off from now on; for a process that ends with its one event."""
    sys.meta_path.insert(0, LazyFinder)
