import sqlite3
import time
from importlib import util
from types import ModuleType

import anyio.to_thread
import pytest
from blockbuster import BlockingError

import runtime
from runtime.logs import LogFile
from runtime.setting_sections import Logs
from tests.guards import MAY_BLOCK, forbid_blocking

PRODUCT = """
import importlib, sqlite3, time

def nap():
    time.sleep(0)

def read(path):
    return path.read_text(encoding="utf-8")

def query(connection):
    return connection.execute("SELECT 1").fetchall()

def load(name):
    return importlib.import_module(name)
"""


@pytest.fixture
def product(tmp_path) -> ModuleType:
    """A module that stands for the project's own code."""
    path = tmp_path / "product.py"
    path.write_text(PRODUCT, encoding="utf-8")
    spec = util.spec_from_file_location("product", path)
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


async def test_a_call_that_blocks_the_loop_is_refused(product, tmp_path):
    with forbid_blocking(product):
        with pytest.raises(BlockingError):
            product.nap()
        with pytest.raises(BlockingError):
            product.read(tmp_path / "product.py")


async def test_sqlite_on_the_loop_is_refused(product):
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    try:
        with forbid_blocking(product), pytest.raises(BlockingError):
            product.query(connection)
    finally:
        connection.close()


async def test_the_same_call_in_a_thread_is_fine(product, tmp_path):
    with forbid_blocking(product):
        text = await anyio.to_thread.run_sync(product.read, tmp_path / "product.py")

    assert text == PRODUCT


def test_without_a_loop_nothing_is_refused(product, tmp_path):
    with forbid_blocking(product):
        assert product.read(tmp_path / "product.py") == PRODUCT


async def test_what_the_test_itself_does_is_not_watched(product, tmp_path):
    with forbid_blocking(product):
        time.sleep(0)  # noqa: ASYNC251 - this call is the subject

        assert (tmp_path / "product.py").exists()


async def test_a_handler_may_be_imported_on_the_loop(product, tmp_path, monkeypatch):
    (tmp_path / "late_handler.py").write_text("VALUE = 7\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)

    with forbid_blocking(product):
        assert product.load("late_handler").VALUE == 7


async def test_our_own_log_line_may_be_written_on_the_loop(tmp_path):
    log_file = LogFile(str(tmp_path), Logs(max_bytes=10_000))

    with forbid_blocking(runtime):
        for _ in range(3):
            log_file.write("x" * 8000)

    assert len(list(tmp_path.glob("runtime.jsonl*"))) == 3  # and the lock


def test_every_allowance_has_a_reason():
    assert all(len(allowance.why) > 20 for allowance in MAY_BLOCK)
