"""One contract for the ways to compare all vectors: sqlite-vec, numpy, and Python alone."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.store import nearest
from runtime.store.nearest import Nearest, best_way, by_numpy, by_python, by_sqlite_vec
from tests.store.extensions import sqlite_with_extensions

SCHEMA = "CREATE TABLE vectors (row INTEGER, encoder INTEGER, vector BLOB)"
WAYS: dict[str, Nearest] = {"sqlite-vec": by_sqlite_vec, "numpy": by_numpy, "python": by_python}
OURS, THEIRS = 1, 2


def _stored(vectors: dict[int, Sequence[int]]) -> Any:
    connection = sqlite_with_extensions().connect(":memory:")
    connection.execute(SCHEMA)
    for row, vector in vectors.items():
        data = bytes(number & 255 for number in vector)
        connection.execute("INSERT INTO vectors VALUES (?, ?, ?)", (row, OURS, data))
        connection.execute("INSERT INTO vectors VALUES (?, ?, ?)", (row, THEIRS, bytes(3)))
    return connection


@pytest.fixture(params=list(WAYS))
def way(request: pytest.FixtureRequest) -> Nearest:
    return WAYS[request.param]


VECTORS: dict[int, Sequence[int]] = {
    4: [127, 0],
    5: [60, 60],
    8: [0, 127],
    9: [-127, 0],
    12: [1, 0],
    16: [0, 0],
}


def _asked(way: Nearest, connection: Any, vector: Sequence[int], *arguments: Any) -> list[Any]:
    if way is by_sqlite_vec:
        assert nearest.load_extension(connection) == ""
    data = bytes(number & 255 for number in vector)
    return way(connection, OURS, data, *arguments)


def test_the_nearest_come_first_and_equal_ones_by_their_row(way: Nearest) -> None:
    found = _asked(way, _stored(VECTORS), [100, 0], 9)

    assert [row for row, _near in found] == [4, 12, 5, 8, 9]
    assert [near for _row, near in found] == pytest.approx([1, 1, 2**-0.5, 0, -1], abs=1e-6)


def test_no_more_are_given_than_asked_for(way: Nearest) -> None:
    assert [row for row, _ in _asked(way, _stored(VECTORS), [0, 5], 2)] == [8, 5]


def test_rows_that_do_not_count_are_left_out(way: Nearest) -> None:
    assert [row for row, _ in _asked(way, _stored(VECTORS), [1, 0], 9, {8, 9, 400})] == [8, 9]
    assert _asked(way, _stored(VECTORS), [1, 0], 9, set()) == []


def test_what_has_no_direction_is_near_to_nothing(way: Nearest) -> None:
    assert _asked(way, _stored(VECTORS), [0, 0], 9) == []
    assert _asked(way, _stored({}), [1, 0], 9) == []


def test_many_vectors_are_compared_in_parts(way: Nearest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest, "SOME", 2)

    found = _asked(way, _stored(VECTORS), [100, 0], 3)

    assert [row for row, _near in found] == [4, 12, 5]


@given(
    st.lists(st.lists(st.integers(-127, 127), min_size=3, max_size=3), max_size=12),
    st.lists(st.integers(-127, 127), min_size=3, max_size=3),
)
def test_all_ways_agree(vectors: list[list[int]], asked: list[int]) -> None:
    connection = _stored(dict(enumerate(vectors)))

    answers = [dict(_asked(way, connection, asked, 99)) for way in WAYS.values()]

    assert answers[0].keys() == answers[1].keys() == answers[2].keys()
    for row, near in answers[2].items():
        assert answers[0][row] == pytest.approx(near, abs=1e-5)
        assert answers[1][row] == pytest.approx(near, abs=1e-5)


def test_the_quickest_way_that_is_there_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    assert best_way(_stored({})) is by_sqlite_vec

    monkeypatch.setattr(nearest, "load_extension", lambda _connection: "none")
    assert best_way(_stored({})) is by_numpy

    monkeypatch.setattr(nearest, "find_spec", lambda _name: None)
    assert best_way(_stored({})) is by_python


def test_without_the_package_no_extension_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest, "find_spec", lambda _name: None)

    assert nearest.load_extension(_stored({})) == "sqlite-vec is not installed"


def test_nobody_can_load_another_extension_afterwards() -> None:
    connection = _stored({})

    assert nearest.load_extension(connection) == ""
    with pytest.raises(sqlite_with_extensions().OperationalError, match="not authorized"):
        connection.execute("SELECT load_extension('x')")
