"""
Structured logs: one JSON object a line into `logs/`, never stdout.

stdout of a hook is a protocol, and structlog without configuration prints
there: `configure` comes before anything that may log. Several processes append
to one file, so a line is one write to a descriptor opened for appending.
"""

import contextlib
import json
import logging
import os
import warnings
from collections.abc import Mapping, MutableMapping
from typing import Any, Final

import structlog

from runtime.locks import try_lock, unlock
from runtime.paths import FILE_MODE, Home
from runtime.redact import redact
from runtime.setting_sections import Logs

FILE_NAME: Final = "runtime.jsonl"
MAX_VALUE_CHARS: Final = 500
"""A longer value in a line is cut: logs hold facts, not contents."""


class LogFile:
    """An append-only file, rotated by size. Failing to write is never an error."""

    def __init__(self, folder: str, settings: Logs) -> None:
        self._path = os.path.join(folder, FILE_NAME)
        self._settings = settings

    def write(self, line: str) -> None:
        """Append one line."""
        data = line.encode(errors="replace") + b"\n"
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        with contextlib.suppress(OSError):
            fd = os.open(self._path, flags, FILE_MODE)
            try:
                os.write(fd, data)
                size = os.fstat(fd).st_size
            finally:
                os.close(fd)
            if size > self._settings.max_bytes:
                self._rotate()

    def _rotate(self) -> None:
        lock = try_lock(self._path + ".lock")
        if lock is None:
            return
        try:
            # Another process may have rotated between our write and the lock.
            if os.stat(self._path).st_size > self._settings.max_bytes:
                for number in range(self._settings.keep - 1, 0, -1):
                    with contextlib.suppress(FileNotFoundError):
                        os.replace(f"{self._path}.{number}", f"{self._path}.{number + 1}")
                os.replace(self._path, f"{self._path}.1")
        finally:
            unlock(lock)


def files(folder: str) -> list[str]:
    """Return the paths of all log files, oldest first."""
    rotated = []
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        stem, _, number = name.rpartition(".")
        if stem == FILE_NAME and number.isascii() and number.isdigit():
            rotated.append((int(number), os.path.join(folder, name)))
    paths = [path for _number, path in sorted(rotated, reverse=True)]
    current = os.path.join(folder, FILE_NAME)
    return [*paths, current] if os.path.exists(current) else paths


def configure(home: Home, settings: Logs) -> None:
    """Send structlog, the logging module and warnings to the home's log file."""
    log_file = LogFile(home.logs, settings)
    level = logging.getLevelNamesMapping()[settings.level.upper()]
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            _redacted,
            structlog.processors.JSONRenderer(serializer=_dumps),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=lambda *_args: _Logger(log_file),
        cache_logger_on_first_use=False,
    )
    logging.basicConfig(handlers=[_Bridge(log_file)], level=max(level, logging.INFO), force=True)
    logging.captureWarnings(capture=True)
    warnings.simplefilter("default")


class _Logger:
    """What structlog calls with the rendered line."""

    def __init__(self, log_file: LogFile) -> None:
        self._file = log_file

    def msg(self, line: str) -> None:
        self._file.write(line)

    debug = info = warning = error = critical = exception = log = msg


class _Bridge(logging.Handler):
    """Lines of the logging module and of warnings, in the same form."""

    def __init__(self, log_file: LogFile) -> None:
        super().__init__()
        self._file = log_file

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._file.write(self._line(record))
        except Exception:  # noqa: BLE001 - a library's bad format string is not our failure
            self.handleError(record)

    @staticmethod
    def _line(record: logging.LogRecord) -> str:
        stamp = structlog.processors.TimeStamper(fmt="iso", utc=True)
        fields: MutableMapping[str, Any] = {
            "event": "library_message",
            "logger": record.name,
            "message": record.getMessage(),
            "level": record.levelname.lower(),
        }
        fields = stamp(None, "", fields)
        return _dumps(_redacted(None, "", fields))


def _redacted(
    _logger: Any, _method: str, fields: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    return {key: _plain(value) for key, value in fields.items()}


def _plain(value: Any) -> Any:
    """Return something JSON can hold, without secrets, of bounded length."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, Mapping):
        return {_plain(str(key)): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    text = value if isinstance(value, str) else repr(value)
    text = redact(text)
    return text if len(text) <= MAX_VALUE_CHARS else text[:MAX_VALUE_CHARS] + "…"


def _dumps(fields: Any, **_options: Any) -> str:
    # Japanese stays readable; a lone surrogate cannot be UTF-8 and is escaped.
    text = json.dumps(fields, ensure_ascii=False, default=repr)
    if text.isascii():
        return text
    return text.encode(errors="backslashreplace").decode()
