"""What lies in the home beside the database: log, input put aside, events that wait, plans."""

import contextlib
import json
import os
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from runtime import logs
from runtime.events.scrubbing import strings
from runtime.locks import try_lock, unlock
from runtime.longterm.wanted import Wanted
from runtime.paths import FILE_MODE, Home
from runtime.spool import event_id, received_ns
from runtime.store.clock import from_ns, utc

PLANS: Final = ("tidy-plan.txt", "cleanup-plan.ndjson")
"""What our skills write there; they hold text."""


class Traces(NamedTuple):
    """What tells that a line or a file belongs to an event that goes."""

    events: frozenset[str]
    sessions: frozenset[str]


class HomeFiles:
    """The files of one home, as far as they may hold what is to be forgotten; all calls block."""

    def __init__(self, home: Home, wanted: Wanted, traces: Traces) -> None:
        self._home = home
        self._wanted = wanted
        self._traces = traces

    def drop_log_lines(self, *, is_dry: bool) -> int:
        """Take lines out of all log files. Returns how many. Raises OSError."""
        lock = None if is_dry else try_lock(os.path.join(self._home.logs, logs.FILE_NAME + ".lock"))
        try:
            return sum(
                self._drop_lines(path, is_dry=is_dry) for path in logs.files(self._home.logs)
            )
        finally:
            if lock is not None:
                unlock(lock)

    def drop_files(self, *, is_dry: bool) -> tuple[str, ...]:
        """Delete files that hold it. Returns their paths. Raises OSError."""
        found = tuple(sorted(self._files()))
        for path in () if is_dry else found:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
        return found

    def still_holding(self) -> tuple[str, ...]:
        """Return files of the home, notes aside, in which the text still stands."""
        if not self._wanted.match:
            return ()
        found = []
        for folder, names, files in os.walk(self._home.root):
            names[:] = [name for name in names if os.path.join(folder, name) != self._home.notes]
            for path in (os.path.join(folder, name) for name in files):
                data = _bytes(path)
                if data and self._wanted.match.encode(errors="replace") in data:
                    found.append(path)
        return tuple(sorted(found))

    def _drop_lines(self, path: str, *, is_dry: bool) -> int:
        data = _bytes(path) or b""
        lines = data.splitlines(keepends=True)
        kept = [line for line in lines if not self._is_line_wanted(line)]
        if not is_dry and len(kept) < len(lines):
            temp = f"{path}.{os.getpid()}.tmp"
            fd = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, FILE_MODE)
            with open(fd, "wb") as file:
                file.writelines(kept)
                # What somebody has appended since.
                file.write((_bytes(path) or b"")[len(data) :])
            os.replace(temp, path)
        return len(lines) - len(kept)

    def _is_line_wanted(self, line: bytes) -> bool:
        text = line.decode(errors="replace")
        try:
            value: Any = json.loads(text)
        except (ValueError, RecursionError):
            value = {}
        fields: dict[str, Any] = value if isinstance(value, dict) else {}
        moment, session = fields.get("timestamp"), fields.get("session_id")
        return (
            (not self._wanted.projects or fields.get("event_id") in self._traces.events)
            and self._wanted.has_session(session if isinstance(session, str) else None)
            and self._wanted.has_moment(moment if isinstance(moment, str) else None)
            and self._wanted.has_text([text, *strings(value)])
        )

    def _files(self) -> Iterator[str]:
        for folder in (self._home.dead, self._home.spool):
            for path in _inside(folder):
                if self._is_input_wanted(path):
                    yield path
        if self._wanted.match and not (self._wanted.projects or self._wanted.session):
            crash = os.path.join(self._home.logs, "crash.txt")
            plans = (os.path.join(self._home.root, name) for name in PLANS)
            for path in (*_inside(self._home.run), crash, *plans):
                if self._holds_text(_bytes(path)):
                    yield path

    def _is_input_wanted(self, path: str) -> bool:
        data = _bytes(path) or b""
        moment = utc(from_ns(received_ns(event_id(os.path.basename(path)))))
        sessions = (self._wanted.session, *self._traces.sessions)
        is_theirs = any(name and name.encode() in data for name in sessions)
        return (
            (is_theirs or not (self._wanted.session or self._wanted.projects))
            and self._wanted.has_moment(moment)
            and (not self._wanted.match or self._holds_text(data))
        )

    def _holds_text(self, data: bytes | None) -> bool:
        if not data:
            return False
        text = data.decode(errors="replace")
        return self._wanted.has_text([text, *_in_json(text)])


def _in_json(text: str) -> Iterable[str]:
    """Return the strings of the object that a text ends in: an escaped one reads differently."""
    try:
        return strings(json.loads(text[text.index("{") :]))
    except (ValueError, RecursionError):
        return ()


def _inside(folder: str) -> list[str]:
    with os.scandir(folder) as entries:
        return [entry.path for entry in entries if entry.is_file(follow_symlinks=False)]


def _bytes(path: str) -> bytes | None:
    """Return a regular file's bytes; None for what is none: a socket would not open."""
    try:
        if not os.path.isfile(path):
            return None
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None
