"""
A live database in a cloud folder, or where write-ahead logging does not work.

SQLite's own "unix-dotfile" file system stands in for a network drive: it has no
memory that processes share, and locks by files.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.cases_tests.playground import Make, Playground, check
from tests.processes import PATIENCE_S, Product
from tests.worker.hooks import written

FAR_AWAY: Final = """
import ctypes, _sqlite3
with open("/proc/self/maps", encoding="utf-8") as maps:
    names = [line.split()[-1] for line in maps if "libsqlite3" in line]
if not names:
    raise SystemExit("SQLite is part of this interpreter")
sqlite = ctypes.CDLL(names[0])
sqlite.sqlite3_vfs_find.restype = ctypes.c_void_p
sqlite.sqlite3_vfs_register.argtypes = [ctypes.c_void_p, ctypes.c_int]
sqlite.sqlite3_initialize()
assert sqlite.sqlite3_vfs_register(sqlite.sqlite3_vfs_find(b"unix-dotfile"), 1) == 0
"""
"""Has all databases of a process lie on a file system without shared memory."""
RUNTIME: Final = FAR_AWAY + "from runtime.__main__ import main\nmain()\n"
WORDS: Final = ("hinoki", "keyaki", "sugi", "momi")
WAL_HEADER: Final = b"\2\2"
"""What a database's bytes 18 and 19 say of one with a write-ahead log."""


@pytest.fixture(autouse=True)
def _is_tried() -> None:
    tried = subprocess.run((sys.executable, "-I", "-c", FAR_AWAY), capture_output=True, check=False)
    if b"part of this interpreter" in tried.stderr:
        pytest.skip("SQLite cannot be told where to look: it is part of this interpreter")
    assert tried.returncode == 0, tried.stderr


def start(ground: Playground, *arguments: str, stdin: bytes = b"") -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        (sys.executable, "-I", "-c", RUNTIME, *arguments),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **ground.product.environ},
    )
    assert process.stdin is not None
    with process.stdin:
        process.stdin.write(stdin)
    process.stdin = None
    return process


def finish(process: subprocess.Popen[bytes]) -> bytes:
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, err
    return out


def test_without_shared_memory_a_rollback_journal_keeps_every_event(make: Make) -> None:
    ground = make()
    payloads = [json.dumps(written(word)).encode() for word in WORDS]

    hooks = [start(ground, "hook", stdin=payload) for payload in payloads]

    assert [finish(hook) for hook in hooks] == [b""] * len(WORDS)
    finish(start(ground, "stats"))  # takes in what the last of them left to the others
    database = ground.product.home / "memory.db"
    assert database.read_bytes()[18:20] != WAL_HEADER
    assert not Path(f"{database}-wal").exists()
    for word in WORDS:
        found = json.loads(finish(start(ground, "search", "--json", word)))
        assert len(found["hits"]) == 1, found
    assert os.listdir(ground.product.home / "spool") == []


@pytest.mark.parametrize("folder", ["Dropbox", "Mobile Documents/com~apple~CloudDocs"])
def test_a_home_in_a_cloud_folder_is_warned_of_at_the_install(tmp_path: Path, folder: str) -> None:
    product = Product(tmp_path / folder / "oboegaki", HOME=str(tmp_path / "user"))
    environ = {"CLAUDE_CONFIG_DIR": str(tmp_path / "claude")}

    ran = product.command("install", environ=environ, cwd=tmp_path)
    check(product.hook(written("cloudword")))

    assert ran.code == 0
    assert "is in a synchronised folder" in ran.err
    assert "move it out" in ran.err
    assert len(product.command("search", "--json", "cloudword").json["hits"]) == 1
