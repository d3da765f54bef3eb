import dataclasses
import sqlite3
from contextlib import closing
from importlib.machinery import ModuleSpec

import anyio
import pytest

from runtime.doctor import semantic
from runtime.embeddings.choosing import chosen_by, name_and_version
from runtime.settings import Settings
from runtime.store import nearest
from runtime.store.store import open_store
from tests.doctor.findings import level, one
from tests.embeddings.models import static_model
from tests.store.extensions import sqlite_with_extensions
from tests.store.vectors import encode, remember


@pytest.fixture
def chosen(place, tmp_path):
    """A place whose settings name a small model; what is in its store is up to the test."""
    values = {"enabled": True, "encoder": "model2vec", "model": str(static_model(tmp_path / "m"))}
    return dataclasses.replace(place, settings=Settings.model_validate({"semantic": values}))


def stored(place, vectors, name="m", version="1"):
    async def make():
        async with open_store(place.home.database, 5) as store:
            await remember(store, "login", "cache")
            if vectors:
                await encode(store, vectors, name=name, version=version)

    anyio.run(make)


def test_of_what_nobody_switched_on_nothing_is_said(place):
    assert semantic.check(place) == []
    stored(place, {})
    assert semantic.check(place) == []


def test_an_encoder_that_is_not_there_is_a_warning(place):
    stored(place, {})
    values = {"enabled": True, "encoder": "onnx"}
    settings = Settings.model_validate({"semantic": values})

    rows = semantic.check(dataclasses.replace(place, settings=settings))

    assert level(rows, "semantic.encoder") == "warning"
    assert "semantic.model names no folder" in one(rows, "semantic.encoder").finding.saw
    assert len(rows) == 1


def test_records_that_are_behind_and_vectors_of_others_are_counted(chosen):
    stored(chosen, {4: [1, 2]}, name="elsewhere")

    rows = semantic.check(chosen)

    assert level(rows, "semantic.encoder") == "ok"
    assert one(rows, "semantic.vectors").finding.saw == "2 of 2 records are not encoded"
    assert "1 of elsewhere 1" in one(rows, "semantic.foreign").finding.saw


def test_a_store_that_is_encoded_is_fine(chosen):
    name, version = name_and_version(chosen_by(chosen.settings))
    stored(chosen, {4: [1, 2], 8: [2, 1]}, name=name, version=version)

    rows = semantic.check(chosen)

    levels = {row.finding.id: row.finding.level for row in rows}
    assert levels.pop("semantic.nearest") in {"ok", "note"}
    assert levels == {
        "semantic.encoder": "ok",
        "semantic.vectors": "ok",
    }


@pytest.mark.parametrize(
    ("why", "reason"),
    [
        ("no package", "sqlite-vec is not installed"),
        ("no extensions", "this Python's SQLite loads no extension"),
        ("a wheel for another machine", "sqlite-vec does not load: "),
    ],
)
def test_vectors_are_compared_without_the_extension_and_the_cause_is_named(
    chosen, monkeypatch, tmp_path, why, reason
):
    name, version = name_and_version(chosen_by(chosen.settings))
    stored(chosen, {4: [1, 2]}, name=name, version=version)
    if why == "no package":
        monkeypatch.setattr(nearest, "find_spec", lambda _name: None)
    else:
        package = ModuleSpec("sqlite_vec", None, is_package=True)
        package.submodule_search_locations = [str(tmp_path)]
        (tmp_path / "vec0.so").write_bytes(b"no library")
        monkeypatch.setattr(nearest, "find_spec", lambda _name: package)
    if why == "no extensions" and hasattr(sqlite3.Connection, "enable_load_extension"):
        pytest.skip("this Python's SQLite loads extensions")
    if why == "a wheel for another machine":
        monkeypatch.setattr(semantic, "open_read_only", _that_loads_extensions)

    finding = one(semantic.check(chosen), "semantic.nearest").finding

    assert finding.level == "note"
    assert finding.saw.startswith(f"all vectors are compared by numpy: {reason}")


def _that_loads_extensions(path, _wait_s):
    connection = sqlite_with_extensions().connect(f"file:{path}?mode=ro", uri=True)
    connection.row_factory = sqlite_with_extensions().Row
    return connection


def test_a_table_for_another_program_without_its_vectors_is_a_warning(place):
    stored(place, {})
    with closing(sqlite3.connect(place.home.database)) as connection:
        connection.execute("CREATE TABLE memories_vec (memory_id INTEGER, embedding BLOB)")

    assert level(semantic.check(place), "semantic.ruri") == "warning"


def test_vectors_for_another_program_without_its_table_are_noted(place):
    stored(place, {4: [1] * 768}, name="ruri-v3-310m-onnx")

    assert level(semantic.check(place), "semantic.ruri") == "note"


def test_what_is_no_database_is_left_to_others(chosen):
    with open(chosen.home.database, "wb") as file:
        file.write(b"no database" * 100)

    assert semantic.check(chosen) == []
