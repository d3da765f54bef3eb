"""Read structured log lines back, filtered; and wait for new ones."""

import json
import os
from collections.abc import AsyncGenerator, Iterator
from typing import Any, BinaryIO, Final, NamedTuple

import anyio
from pydantic import ValidationError

from runtime.logs import FILE_NAME, files
from schemas.logline import LogLine

LEVELS: Final = ("debug", "info", "warning", "error", "critical")
POLL_S: Final = 0.2


class Filter(NamedTuple):
    """Which lines. Everything given must hold."""

    level: str = "debug"
    """Least level."""
    event_id: str | None = None
    session: str | None = None
    handler: str | None = None
    since: str | None = None
    """ISO 8601 UTC."""

    def takes(self, line: LogLine) -> bool:
        """Tell whether a line is wanted."""
        extra = line.model_extra or {}
        several = extra.get("handlers")
        handlers = [line.handler or "", *(several if isinstance(several, list) else ())]
        return (
            _rank(line.level) >= _rank(self.level)
            and self.event_id in (None, line.event_id)
            and (self.session is None or str(line.session_id).startswith(self.session))
            and (self.handler is None or any(self.handler in str(name) for name in handlers))
            and (self.since is None or line.timestamp >= self.since)
        )


def read(folder: str, wanted: Filter) -> Iterator[LogLine]:
    """Yield the lines of all log files, oldest first. Half-written ones are passed over."""
    for path in files(folder):
        with open(path, "rb") as file:
            for raw in file:
                line = _line(raw)
                if line is not None and wanted.takes(line):
                    yield line


async def follow(folder: str, wanted: Filter) -> AsyncGenerator[LogLine]:
    """Yield lines as they are written, from now on, across rotation. Never ends."""
    path = os.path.join(folder, FILE_NAME)
    file = await anyio.to_thread.run_sync(_open_at_end, path)
    try:
        while True:
            raw = await anyio.to_thread.run_sync(file.readline) if file is not None else b""
            if raw:
                line = _line(raw)
                if line is not None and wanted.takes(line):
                    yield line
                continue
            await anyio.sleep(POLL_S)
            file = await anyio.to_thread.run_sync(_newest, path, file)
    finally:
        if file is not None:
            file.close()


def _open_at_end(path: str) -> BinaryIO | None:
    file = _newest(path, None)
    if file is not None:
        file.seek(0, os.SEEK_END)
    return file


def _newest(path: str, file: BinaryIO | None) -> BinaryIO | None:
    """Return the file under the path: the given one, or another since a rotation."""
    try:
        if file is not None and os.path.samestat(os.stat(path), os.fstat(file.fileno())):
            return file
        newest = open(path, "rb")  # noqa: SIM115 - the caller closes it
    except FileNotFoundError:
        return file
    if file is not None:
        file.close()
    return newest


def _line(raw: bytes) -> LogLine | None:
    try:
        value: Any = json.loads(raw)
        return LogLine.model_validate(value)
    except (ValueError, RecursionError, ValidationError):
        return None


def _rank(level: str) -> int:
    return LEVELS.index(level) if level in LEVELS else 1
