"""
Name more folders under `notes.dirs` in config.toml, and leave every other byte as it is.

The standard library reads TOML and does not write it, so the text is edited. What
the edited text means is read back before it is written: where that is not what
was wanted, nothing is written and the person is told the line.
"""

import json
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from runtime.errors import ConfigEditError, UnwritableFileError
from runtime.files import read_text, write_atomic
from runtime.paths import FILE_MODE

TABLE: Final = re.compile(r"^[ \t]*\[[ \t]*notes[ \t]*\][^\n]*$", re.MULTILINE)
NEXT_TABLE: Final = re.compile(r"^[ \t]*\[(?!\s*[\"'\[])", re.MULTILINE)
KEY: Final = re.compile(r"^[ \t]*dirs[ \t]*=[ \t]*\[", re.MULTILINE)
TOKEN: Final = re.compile(r"""#[^\n]*|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[\[\],]""")


def name_folders(config: Path, folders: Sequence[str], default: str, *, dry_run: bool) -> bool:
    """
    Add the folders that are not named yet; tell whether the file changes.

    While none is named, *default* holds: it is named along with the first.

    Raises:
        ConfigEditError: the file is not understood; nothing was written.
        FileChangedError: somebody else changed it meanwhile.
        NotUtf8Error: it is not UTF-8.
        UnwritableFileError: it cannot be written.
    """
    try:
        text = read_text(config)
    except FileNotFoundError:
        text = ""
    named = _dirs_in(text, config, folders)
    missing = [folder for folder in folders if folder not in named]
    if not missing:
        return False
    added = missing if named else [default, *missing]
    edited = _with(text, added)
    wanted = [*named, *added]
    if _dirs_in(edited, config, wanted) != wanted:
        raise ConfigEditError(str(config), _line(wanted))
    if not dry_run:
        is_new = not config.exists()
        try:
            write_atomic(config, edited, replacing=None if is_new else text, new_mode=FILE_MODE)
        except OSError as error:
            raise UnwritableFileError(str(config), error.strerror or str(error)) from error
    return True


def _dirs_in(text: str, config: Path, wanted: Sequence[str]) -> list[str]:
    try:
        notes = tomllib.loads(text).get("notes", {})
        dirs = notes.get("dirs", [])
    except (tomllib.TOMLDecodeError, AttributeError) as error:
        raise ConfigEditError(str(config), _line(wanted)) from error
    if not isinstance(dirs, list):
        raise ConfigEditError(str(config), _line(wanted))
    return [str(folder) for folder in dirs]


def _with(text: str, added: Sequence[str]) -> str:
    table = TABLE.search(text)
    if table is None:
        gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
        return f"{text}{gap}[notes]\n{_line(added)}\n"
    following = NEXT_TABLE.search(text, table.end())
    key = KEY.search(text, table.end(), following.start() if following else len(text))
    if key is None:
        return f"{text[: table.end()]}\n{_line(added)}{text[table.end() :]}"
    before, end = "[", key.end()
    for token in TOKEN.finditer(text, key.end()):
        end = token.start()
        if token[0] == "]":
            break
        before = before if token[0].startswith("#") else token[0]
    comma = "" if before in {"[", ","} else ", "
    return text[:end] + comma + ", ".join(map(_string, added)) + text[end:]


def _line(folders: Sequence[str]) -> str:
    return f"dirs = [{', '.join(map(_string, folders))}]"


def _string(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)
