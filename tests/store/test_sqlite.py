"""SQLite in the hook process: what it loads, and what it can do with that."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from runtime.store.sqlite import Error, open_read_only

ROOT = Path(__file__).parents[2]
USED = """
import sys
sys.path.insert(0, sys.argv[1])
HIDE
before = set(sys.modules)
from runtime.store.sqlite import open_read_only
loaded = sorted(set(sys.modules) - before)
connection = open_read_only(sys.argv[2], 1)
# More statements than are kept, each twice.
sums = [connection.execute(f"SELECT {n} + x FROM t").fetchone()[0] for n in range(300)] * 2
import functools
@functools.lru_cache(maxsize=2)
def double(n): return 2 * n
assert [double(1), double(1), double.cache_info().hits] == [2, 2, 1]
assert sums == [*range(1, 301)] * 2
print(*loaded)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database with a number in it, under a name that a URI could misread."""
    made = tmp_path / "a?b#c%41.db"
    with closing(sqlite3.connect(made)) as connection:
        connection.execute("CREATE TABLE t (x)")
        connection.execute("INSERT INTO t VALUES (1)")
        connection.commit()
    return made


def used(path: Path, hide: str) -> set[str]:
    """Use a database in a bare interpreter; return the modules that were loaded for it."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", USED.replace("HIDE", hide), str(ROOT), str(path)],
        check=True,
        capture_output=True,
        encoding="utf-8",
        timeout=30,
    )
    return set(done.stdout.split())


@pytest.mark.process
def test_a_hook_loads_the_extension_module_and_not_functools(path: Path) -> None:
    """functools, with collections behind it, takes a quarter of an empty Python's time."""
    loaded = used(path, "")

    assert loaded - {"_functools"} == {
        "_sqlite3",
        "runtime",
        "runtime.store",
        "runtime.store.sqlite",
    }


@pytest.mark.process
@pytest.mark.parametrize(
    "hide",
    ["sys.modules['_functools'] = None", "import _functools; del _functools._lru_cache_wrapper"],
)
def test_a_python_whose_cache_is_another_has_functools_loaded(path: Path, hide: str) -> None:
    assert "functools" in used(path, hide)


def test_nothing_can_be_written(path: Path) -> None:
    with closing(open_read_only(str(path), 1)) as connection, pytest.raises(Error):
        connection.execute("INSERT INTO t VALUES (2)")


def test_a_database_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(Error):
        open_read_only(str(tmp_path / "none.db"), 1)

    assert list(tmp_path.iterdir()) == []
