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

from runtime import compile_once

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType
    from typing import Any

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

TAKEN = {
    # To look for plugins of pydantic's, which are disabled here.
    "importlib.metadata": ("entry_points",),
    # For anyio's streams over TLS, in an annotation.
    "ssl": ("SSLContext",),
}
"""
Modules of which packages take something by `from x import y` and use it later, if ever.

They get a stand-in for it; anything else that is asked of the module loads it.
"""


class StandIn:
    """A module's function or class, which loads the module when anything is done with it."""

    def __init__(self, module: "ModuleType", name: str) -> None:
        self._of = module, name

    def _real(self) -> "Any":
        module, name = self._of
        _load(module)
        return getattr(module, name)

    def __call__(self, *args: "Any", **options: "Any") -> "Any":
        """Call it."""
        return self._real()(*args, **options)

    def __getattr__(self, name: str) -> "Any":
        """Return what it has."""
        return getattr(self._real(), name)

    def __instancecheck__(self, instance: object) -> bool:
        """Tell whether something is one of these."""
        return isinstance(instance, self._real())

    def __subclasscheck__(self, other: type) -> bool:
        """Tell whether a class is below this one."""
        return issubclass(other, self._real())

    def __mro_entries__(self, bases: "tuple[object, ...]") -> "tuple[type, ...]":
        """Stand among the bases of a class as what it is."""
        return (self._real(),)

    def __or__(self, other: "Any") -> "Any":
        """Return a union of types, as in an annotation that is evaluated."""
        return self._real() | other

    def __ror__(self, other: "Any") -> "Any":
        """Return the same from the other side."""
        return other | self._real()


class TakenLoader:
    """Fills a module with stand-ins, and loads it by its own loader when it is needed."""

    def __init__(self, loader: "Any", names: "tuple[str, ...]") -> None:
        self.loader = loader
        self._names = names

    def create_module(self, spec: ModuleSpec) -> "ModuleType | None":
        """Return what the module's own loader makes, None for a plain module."""
        module: ModuleType | None = self.loader.create_module(spec)
        return module

    def exec_module(self, module: "ModuleType") -> None:
        """Give the module its stand-ins, and a way to everything else."""

        def other(name: str) -> "Any":
            if name == "__path__":  # asked for by `from x import y`; a package has it already
                raise AttributeError(name)
            _load(module)
            return getattr(module, name)

        for name in self._names:
            module.__dict__[name] = StandIn(module, name)
        module.__dict__["__getattr__"] = other


def _load(module: "ModuleType") -> None:
    """Load a module that has stand-ins, once."""
    spec = module.__spec__
    loader: Any = None if spec is None else spec.loader
    if spec is not None and isinstance(loader, TakenLoader):
        spec.loader = module.__loader__ = loader.loader
        del module.__dict__["__getattr__"]
        loader.loader.exec_module(module)


class LazyFinder:
    """Finds the modules of both lists where they lie, and has them loaded at first use."""

    @staticmethod
    def find_spec(
        name: str, path: "Sequence[str] | None" = None, target: "ModuleType | None" = None
    ) -> ModuleSpec | None:
        """Return a module's spec with such a loader, None for a module that is not put off."""
        if name not in PUT_OFF and name not in TAKEN:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            own, taken = spec.loader, TAKEN.get(name)
            spec.loader = TakenLoader(own, taken) if taken else LazyLoader(own)  # type: ignore[assignment]
        return spec


def install() -> None:
    """
    Put the modules off from now on, and have annotations compiled once each.

    For a process that ends with its one event.
    """
    compile_once.install()
    sys.meta_path.insert(0, LazyFinder)
