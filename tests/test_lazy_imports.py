"""What a hook without a worker puts off, and that whoever needs it gets it."""

import os
import subprocess
import sys
from importlib.util import find_spec
from typing import Final

import pytest

from runtime.launch import import_paths
from runtime.lazy_imports import PUT_OFF, TAKEN
from schemas.events import MODULES
from tests.payloads import Payloads
from tests.processes import Product

pytestmark = pytest.mark.process

WATCHED: Final = """
import posix, sys
sys.path[:0] = {paths!r}
end = posix._exit
def tell(code):
    for name, module in list(sys.modules.items()):
        print(name, type(module).__name__, file=sys.stderr)
    sys.stderr.flush()
    end(code)
posix._exit = tell
from runtime.client import main
main(sys.argv[1:])
"""
AT_FIRST_USE: Final = """
import sys
from runtime import lazy_imports
lazy_imports.install()
import csv
print(type(csv).__name__, "_csv" in sys.modules)
from csv import reader
print(type(csv).__name__, next(reader(["a,b"])), csv is sys.modules["csv"], csv.reader is reader)
import pickle
print(pickle.loads(pickle.dumps(csv.Dialect)) is csv.Dialect, csv.__spec__.name)
"""
TAKEN_LATER: Final = """
import sys
from runtime import lazy_imports
lazy_imports.install()
from ssl import SSLContext
from importlib.metadata import entry_points
print("_ssl" in sys.modules, "csv" in sys.modules)
print(isinstance(1, SSLContext), "_ssl" in sys.modules)
import ssl
print(isinstance(SSLContext(ssl.PROTOCOL_TLS_CLIENT), ssl.SSLContext))
print((SSLContext | None) == (ssl.SSLContext | None) == (None | SSLContext))
class Own(SSLContext):
    pass
print(Own.__mro__[1] is ssl.SSLContext, issubclass(Own, SSLContext), SSLContext.__name__)
print(len(entry_points(group="console_scripts")) > 0, "csv" in sys.modules)
import importlib.metadata
print(importlib.metadata.version("pydantic")[0], hasattr(ssl, "__getattr__"))
from ssl import SSLContext as Again
print(Again is ssl.SSLContext, type(ssl.__loader__).__name__, ssl.__spec__.name)
"""


EVENTS: Final = {
    "PostToolUse": ("PostToolUse-Write-create", "schemas.tool_events"),
    "SessionStart": ("SessionStart-startup", "schemas.session_events"),
    "PreToolUse": ("PreToolUse-Skill", "schemas.skill_events"),
    "Stop": ("Stop", "schemas.turn_events"),
}
"""Each with a payload and the module of its model."""
ANSWERED: Final = {"SessionStart": {"runtime.render", "schemas.answers"}}


@pytest.mark.parametrize("event", sorted(EVENTS))
def test_a_hook_without_a_worker_loads_nothing_that_is_put_off(
    product: Product, payloads: Payloads, event: str
) -> None:
    """A module that is loaded all the same does not belong on the list."""
    kinds = _loaded(product, event, payloads.raw(EVENTS[event][0]))

    assert {name for name in PUT_OFF & set(kinds) if kinds[name] != "_LazyModule"} == set()
    assert {"secrets", "ssl"} <= set(kinds)
    assert not {"email.message", "hmac", "shutil"} & set(kinds)
    assert not {"_ssl", "importlib.metadata._meta"} & set(kinds)
    assert set(TAKEN) <= set(kinds)


@pytest.mark.parametrize("event", sorted(EVENTS))
def test_a_hook_without_a_worker_makes_the_models_of_its_event_and_no_other(
    product: Product, payloads: Payloads, event: str
) -> None:
    payload, own = EVENTS[event]

    loaded = set(_loaded(product, event, payloads.raw(payload)))

    assert loaded & set(MODULES.values()) == {own}
    assert not loaded & {"schemas.exported", "schemas.stats"}
    assert {"runtime.render", "schemas.answers"} & loaded == ANSWERED.get(event, set())


def test_what_is_put_off_is_loaded_at_its_first_use() -> None:
    done = subprocess.run(
        [sys.executable, "-c", AT_FIRST_USE], check=True, capture_output=True, timeout=30
    )

    assert done.stdout.decode().splitlines() == [
        "_LazyModule False",
        "module ['a', 'b'] True True",
        "True csv",
    ]


def test_what_is_taken_from_a_module_is_the_same_when_it_is_used() -> None:
    """A stand-in loads the module, whichever way it is used: called, compared or built upon."""
    done = subprocess.run(
        [sys.executable, "-c", TAKEN_LATER], check=True, capture_output=True, timeout=30
    )

    assert done.stdout.decode().splitlines() == [
        "False False",
        "False True",
        "True",
        "True",
        "True True SSLContext",
        "True True",
        "2 False",
        "True SourceFileLoader ssl",
    ]


@pytest.mark.parametrize("name", sorted(PUT_OFF | TAKEN.keys()))
def test_every_name_is_a_module_that_is_there(name: str) -> None:
    assert find_spec(name) is not None


def test_the_process_of_the_tests_puts_nothing_off() -> None:
    """Only a process that ends with its one event does."""
    assert not any(getattr(finder, "__name__", "") == "LazyFinder" for finder in sys.meta_path)


def _loaded(product: Product, event: str, payload: bytes) -> dict[str, str]:
    """Return each module that a hook without a worker ends with, and of what kind it is."""
    command = [sys.executable, "-I", "-S", "-c", WATCHED.format(paths=import_paths())]
    environ = {**product.environ, "PATH": os.defpath, "HOME": str(product.home.parent)}
    done = subprocess.run(
        [*command, event, "--inline"],
        input=payload,
        env=environ,
        check=True,
        capture_output=True,
        timeout=30,
    )
    return dict(line.split() for line in done.stderr.decode().splitlines())
