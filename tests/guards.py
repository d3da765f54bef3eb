"""
What no test may touch: the person's home, the network, and a blocked event loop.

`conftest` switches these on for the whole run; the modules here only say how.
"""

import ipaddress
import socket
import sys
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from types import ModuleType
from typing import Final, NamedTuple

import pytest
from blockbuster import BlockBuster

NO_HOME: Final = "/dev/null/no-home-in-tests"
"""Below a device: nobody can create it, not even root, whatever the permissions."""

HOME_VARIABLES: Final = (
    "HOME",
    "USERPROFILE",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "XDG_STATE_HOME",
    "OBOEGAKI_HOME",
    "CLAUDE_CONFIG_DIR",
)
FOREIGN_PREFIXES: Final = ("CLAUDE", "MEMORY_", "OBOEGAKI_", "PYTHONPATH")


def seal_home(monkeypatch: pytest.MonkeyPatch, names: Iterable[str]) -> None:
    """Point every home among the variables at `NO_HOME`; drop what could steer the project."""
    for name in list(names):
        if name.startswith(FOREIGN_PREFIXES):
            monkeypatch.delenv(name)
    for name in HOME_VARIABLES:
        monkeypatch.setenv(name, NO_HOME)


class OutsideNetworkError(RuntimeError):
    """A test tried to leave the machine."""

    def __init__(self, event: str, host: str) -> None:
        self.event = event
        self.host = host
        super().__init__(
            f"{event} to {host!r}: tests reach the loopback only; start a server there"
        )


def forbid_outside_network() -> None:
    """
    Refuse every look-up and connection beyond the loopback, until the process ends.

    An audit hook sees what a patched `socket` would miss (C code, `asyncio`)
    and cannot be taken out again. Child processes have their own.
    """
    sys.addaudithook(_refuse_outside)


ADDRESS_ARGUMENT: Final = {
    "socket.connect": 1,
    "socket.sendto": 1,
    "socket.sendmsg": 1,
    "socket.getaddrinfo": 0,
    "socket.gethostbyname": 0,
}
"""The audit event's argument that says where to: a socket address, or a host."""


def _refuse_outside(event: str, arguments: tuple[object, ...]) -> None:
    place = ADDRESS_ARGUMENT.get(event)
    if place is None:
        return
    address = arguments[place]
    if event.startswith(("socket.connect", "socket.send")):
        family = getattr(arguments[0], "family", None)
        if family not in {socket.AF_INET, socket.AF_INET6} or not isinstance(address, tuple):
            return
        address = address[0]
    host = address.decode("ascii", "replace") if isinstance(address, bytes) else address
    if isinstance(host, str) and not is_loopback(host):
        raise OutsideNetworkError(event, host)


def is_loopback(host: str) -> bool:
    """Tell whether the host is this machine; the empty host is its wildcard address."""
    if host in {"", "localhost"}:
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


class Allowance(NamedTuple):
    """One blocking call that the event loop may make, and why."""

    call: str
    file: str
    functions: frozenset[str]
    why: str


MAY_BLOCK: Final = (
    *(
        Allowance(
            call,
            "runtime/logs.py",
            frozenset({"write", "_rotate"}),
            "a log line is one small append; a thread per line would cost more and lose the order",
        )
        for call in ("os.write", "os.stat", "os.rename", "os.replace", "os.path.samestat")
    ),
    *(
        Allowance(
            call,
            "runtime/store/aside.py",
            frozenset({"of", "run"}),
            "the loop of a thread that does nothing but answer: it waits for its own query",
        )
        for call in ("sqlite3.Connection.execute", "sqlite3.Cursor.fetchone")
    ),
)


@contextmanager
def forbid_blocking(*packages: ModuleType) -> Generator[None]:
    """
    Make a call that blocks a running event loop raise `blockbuster.BlockingError`.

    Only calls with one of `packages` in their stack count: a test may read its
    own files, the project's code may not.
    """
    guard = BlockBuster(list(packages))
    for allowance in MAY_BLOCK:
        if allowance.call not in guard.functions:
            continue
        guard.functions[allowance.call].can_block_in(allowance.file, allowance.functions)
    guard.activate()
    try:
        yield
    finally:
        guard.deactivate()
