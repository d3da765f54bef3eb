"""What an installation has to know later to be taken back exactly: `install.json` in the home."""

import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from runtime.app import prepared_home
from runtime.files import write_atomic
from runtime.install.settings_file import FILE_MODE
from runtime.paths import find_home

RECORD: Final = "install.json"


class Record:
    """A few words for each path: of a settings file the keys, of a skill its digest."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ

    def of(self, path: Path) -> frozenset[str]:
        """Return what was noted about a path."""
        words = self._read().get(os.path.realpath(path), [])
        return frozenset(word for word in words if isinstance(word, str))

    def note(self, path: Path, words: Iterable[str]) -> None:
        """Note words about a path in place of those before; none forgets it."""
        record = self._read()
        key = os.path.realpath(path)
        record.pop(key, None)
        if words := sorted(words):
            record[key] = words
        home = prepared_home(self._environ)
        text = json.dumps(record, ensure_ascii=False, indent=2) + "\n"
        write_atomic(Path(home.root, RECORD), text, new_mode=FILE_MODE)

    def _read(self) -> dict[str, list[Any]]:
        with suppress(OSError, ValueError):
            home = find_home(dict(self._environ))
            value = json.loads(Path(home.root, RECORD).read_text(encoding="utf-8"))
            if isinstance(value, dict):
                return {key: words for key, words in value.items() if isinstance(words, list)}
        return {}
