"""
Read a settings file of Claude Code, show what would change, change it.

A file that another program changes meanwhile wins: then nothing is written.
What was there is kept beside it.
"""

import difflib
import json
import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn

from runtime.errors import ClientSettingsError, FileChangedError, NotUtf8Error
from runtime.files import read_text, sync_folder, write_atomic
from runtime.install.edit import ShapeError
from runtime.redact import redact

BACKUP: Final = ".oboegaki-backup-"
BACKUPS_KEPT: Final = 3
NEW_FILE: Final = "{}\n"
FILE_MODE: Final = 0o600
"""A settings file may hold keys in `env`: what we create is its owner's alone."""


class SettingsFile(NamedTuple):
    """A file as it was read."""

    path: Path
    text: str
    """Never empty: a missing or empty file reads as an empty object."""
    original: str | None
    """None when there was no file."""
    value: Any


def read(path: Path) -> SettingsFile:
    """Read and parse. Raises ClientSettingsError with line and column."""
    try:
        original = read_text(path)
    except (FileNotFoundError, NotADirectoryError):
        original = None
    except NotUtf8Error as error:
        reason = f"the byte at offset {error.offset} is not UTF-8"
        raise ClientSettingsError(str(path), reason) from error
    except OSError as error:
        raise ClientSettingsError(str(path), error.strerror or str(error)) from error
    text = original if original and original.strip("\ufeff \t\r\n") else NEW_FILE
    return SettingsFile(path, text, original, _parse(path, text))


def change(file: SettingsFile, edit: Callable[[str], str]) -> str:
    """Return the text after an edit. Raises ClientSettingsError where its shape forbids it."""
    try:
        return edit(file.text)
    except ShapeError as error:
        line, column = _place(file.text, error.offset)
        raise ClientSettingsError(str(file.path), error.reason, line, column) from error


def diff(file: SettingsFile, text: str) -> str:
    """Return a unified diff, "" for no change. Secrets in lines around it are not shown."""
    before = [] if file.original is None else file.original.splitlines(keepends=True)
    after = [] if text == file.text and file.original is None else text.splitlines(keepends=True)
    name = str(file.path)
    lines = difflib.unified_diff(before, after, name, name)
    return redact("".join(line if line.endswith("\n") else line + "\n" for line in lines))


def write(file: SettingsFile, text: str, now: datetime) -> Path | None:
    """
    Replace the file, keeping its mode and following symlinks; return the backup's path.

    Raises FileChangedError when the file is not as it was read, ClientSettingsError
    when it cannot be written.
    """
    path = file.path
    try:
        if file.original is None:
            # A dangling symlink is followed too: its target's folder may be missing.
            Path(os.path.realpath(path)).parent.mkdir(parents=True, exist_ok=True)
            _require_absent(path)
            write_atomic(path, text, new_mode=FILE_MODE)
            return None
        backup = _back_up(path, file.original, now)
        try:
            write_atomic(path, text, replacing=file.original)
        except BaseException:
            backup.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise ClientSettingsError(str(path), error.strerror or str(error)) from error
    _forget_old_backups(path)
    return backup


def remove(file: SettingsFile) -> None:
    """
    Delete a file in which nothing is left; a symlink to it stays, as it was before.

    Raises FileChangedError when the file is not as it was read, ClientSettingsError
    when it cannot be deleted.
    """
    target = Path(os.path.realpath(file.path))
    try:
        if target.read_bytes() != (file.original or "").encode():
            raise FileChangedError(str(file.path))
        target.unlink()
        sync_folder(target.parent)
    except OSError as error:
        raise ClientSettingsError(str(file.path), error.strerror or str(error)) from error


def backups(path: Path) -> list[Path]:
    """Return the backups beside a settings file, oldest first."""
    prefix = path.name + BACKUP
    return sorted(other for other in path.parent.iterdir() if other.name.startswith(prefix))


def _back_up(path: Path, text: str, now: datetime) -> Path:
    backup = path.with_name(f"{path.name}{BACKUP}{now:%Y%m%dT%H%M%S.%fZ}")
    write_atomic(backup, text, new_mode=FILE_MODE)
    return backup


def _forget_old_backups(path: Path) -> None:
    for old in backups(path)[:-BACKUPS_KEPT]:
        old.unlink(missing_ok=True)


def _require_absent(path: Path) -> None:
    if path.exists():
        raise FileChangedError(str(path))


def _parse(path: Path, text: str) -> Any:
    def refuse(word: str) -> NoReturn:
        raise json.JSONDecodeError(f"{word} is not JSON", text, text.find(word))

    body = text.removeprefix("\ufeff")
    try:
        return json.loads(body, parse_constant=refuse)
    except json.JSONDecodeError as error:
        offset = error.pos + len(text) - len(body)
        reason = _reason(text, offset, error.msg)
        line, column = _place(text, offset)
        raise ClientSettingsError(str(path), reason, line, column) from error
    except (RecursionError, ValueError) as error:
        raise ClientSettingsError(str(path), f"cannot be parsed: {error}") from error


def _reason(text: str, offset: int, message: str) -> str:
    if text[offset : offset + 2] in {"//", "/*"}:
        return "a comment, which JSON does not have"
    return f"not valid JSON ({message})"


def _place(text: str, offset: int) -> tuple[int, int]:
    before = text[:offset]
    return before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1
