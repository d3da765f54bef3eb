"""A database that another program made is left exactly as it is."""

import sqlite3
from contextlib import closing

import pytest


@pytest.mark.process
@pytest.mark.parametrize("variable", ["MEMORY_INDEX_DB", "OBOEGAKI_STORE_PATH"])
@pytest.mark.parametrize("table", ["memories", "chunks"])
def test_another_program_s_database_is_refused(product, tmp_path, variable, table):
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as other:
        other.execute(f"CREATE TABLE {table} (id INTEGER PRIMARY KEY, content TEXT)")
    before = path.read_bytes()

    ran = product.command("stats", environ={variable: str(path)})

    assert ran.code == 1
    assert "another program's tables" in ran.err
    assert path.read_bytes() == before
