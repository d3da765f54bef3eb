"""Compiled code on disk: without it, every hook compiles what it imports."""

import compileall
import os
from importlib.util import cache_from_source
from pathlib import Path
from typing import Final

from runtime.doctor.check import Checked, Place, found

PACKAGES: Final = ("handlers", "runtime", "schemas")
HOT_MODULES: Final = (
    "runtime/__init__.py",
    "runtime/away.py",
    "runtime/client.py",
    "runtime/frame.py",
    "runtime/locks.py",
    "runtime/paths.py",
    "runtime/prepared.py",
    "runtime/project.py",
    "runtime/reader.py",
    "runtime/skill_reader.py",
    "runtime/sockets.py",
    "runtime/spool.py",
    "runtime/stdin.py",
    "runtime/store/__init__.py",
    "runtime/store/search_index.py",
    "runtime/store/search_ranking.py",
    "runtime/store/search_records.py",
    "runtime/store/search_skill.py",
    "runtime/store/skill_runs.py",
    "runtime/store/sqlite.py",
    "runtime/tokens/__init__.py",
    "runtime/tokens/query.py",
    "runtime/worker/__init__.py",
    "runtime/worker/spawn.py",
)
"""What a hook process imports, with and without a worker."""
ROOT: Final = Path(__file__).resolve().parents[2]


def check(_place: Place, root: Path = ROOT) -> list[Checked]:
    """Look at the bytecode of the modules that every hook process needs."""
    stale = [name for name in HOT_MODULES if not is_compiled(root / name)]
    if not stale:
        saw = f"{len(HOT_MODULES)} modules of the hook process are compiled"
        return [found("python.bytecode", "ok", saw)]
    return [
        found(
            "python.bytecode",
            "warning",
            f"not compiled: {', '.join(stale)}",
            "`runtime doctor --fix`, or `python -m compileall` as the owner of that folder",
            lambda: _compile(root),
        )
    ]


def is_compiled(source: Path) -> bool:
    """Tell whether the source's bytecode is there and made from this very source."""
    try:
        with open(cache_from_source(str(source)), "rb") as file:
            head = file.read(16)
        status = source.stat()
    except OSError:
        return False
    flags = int.from_bytes(head[4:8], "little")
    if flags:
        return True  # made from a hash of the source, as some packagers do
    made_from = (int.from_bytes(head[8:12], "little"), int.from_bytes(head[12:16], "little"))
    return made_from == (int(status.st_mtime) & 0xFFFFFFFF, status.st_size & 0xFFFFFFFF)


def _compile(root: Path) -> str:
    folders = [root / name for name in PACKAGES if (root / name).is_dir()]
    failed = [folder for folder in folders if not compileall.compile_dir(folder, quiet=2)]
    if failed:
        raise PermissionError(13, os.strerror(13), str(root))
    return f"compiled the code in {root}"
