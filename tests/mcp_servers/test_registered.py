import json

import pytest

from runtime.mcp_servers.common import Memory
from runtime.mcp_servers.registered import offered

ENTRY = {"path": "/data/a.db", "description": "A."}


def write(tmp_path, value, name="home/chiebukuro.json"):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return str(path)


def test_without_a_file_the_memory_alone_is_offered(memory, environ):
    (ours,) = offered(memory).databases

    assert (ours.name, ours.path) == ("long_term_memory", f"{environ['OBOEGAKI_HOME']}/memory.db")
    assert ours.is_ours
    assert offered(memory).problems == ()


def test_the_file_is_that_of_chiebukuro_mcp(memory, tmp_path):
    write(tmp_path, {"databases": {"a": {**ENTRY, "semantic_search": {}}, "b": ENTRY}, "more": 1})

    _ours, first, second = offered(memory).databases

    assert (first.name, first.path, first.description) == ("a", "/data/a.db", "A.")
    assert first.semantic is not None
    assert (first.semantic.vec_table, first.semantic.join_key) == ("memories_vec", "memory_id")
    assert second.semantic is None


@pytest.mark.parametrize("way", ["option", "variable"])
def test_the_file_may_lie_elsewhere(environ, tmp_path, way):
    path = write(tmp_path, {"databases": {"a": {"path": "a.db"}}}, "elsewhere.json")
    memory = Memory({**environ, "CHIEBUKURO_CONFIG": path} if way == "variable" else environ)

    found = offered(memory, path if way == "option" else None)

    assert found.databases[1].path == str(tmp_path / "a.db")


def test_our_own_entry_is_known_by_its_path(memory, environ, tmp_path):
    ours = {"path": f"{environ['OBOEGAKI_HOME']}/memory.db"}
    write(tmp_path, {"databases": {"long_term_memory": ours, "again": ours}})

    databases = offered(memory).databases

    assert [(database.name, database.is_ours) for database in databases] == [
        ("long_term_memory", True),
        ("again", True),
    ]


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("{", "cannot be read"),
        ("[1]", "not as chiebukuro.json is written"),
        ({"databases": {"a": {}}}, "databases.a.path"),
        ({"databases": {"a b": ENTRY}}, "'a b' is no name for a tool"),
        ("[" * 100_000, "cannot be read"),
    ],
)
def test_a_file_that_cannot_be_used_is_told_and_costs_nothing_else(memory, tmp_path, value, says):
    write(tmp_path, value)

    found = offered(memory)

    assert [database.name for database in found.databases] == ["long_term_memory"]
    assert says in found.problems[0]


def test_a_file_that_was_named_has_to_be_there(memory):
    assert "/nowhere/a.json is not there" in offered(memory, "/nowhere/a.json").problems


def test_a_home_that_cannot_be_used_is_told(environ):
    found = offered(Memory({**environ, "OBOEGAKI_HOME": "/dev/null/none"}))

    assert "cannot be used" in found.problems[0]
    assert [database.name for database in found.databases] == ["long_term_memory"]
