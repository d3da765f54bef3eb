"""
Which of all vectors are nearest to one: by sqlite-vec, by numpy, or by Python alone.

All three read the same bytes and give the same rows; which one is there decides how
long it takes. A vector's length says nothing, so what is compared is the angle.
"""

from collections.abc import Callable, Collection, Iterator
from heapq import nlargest
from importlib.util import find_spec
from math import sqrt
from operator import mul
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sqlite3 import Connection

Near = tuple[int, float]
"""A row, and the cosine of its angle to what was asked for, 1 for the same direction."""
Nearest = Callable[["Connection", int, bytes, int, "Collection[int] | None"], list[Near]]
"""Connection, encoder, vector, limit, and the only rows that count, None for all."""
NOWHERE: Final = -2.0
"""Instead of a cosine, for a vector that has no direction."""
NO_EXTENSIONS: Final = "this Python's SQLite loads no extension"
SOME: Final = 4096
"""Vectors that are read and compared at once."""


def best_way(connection: "Connection") -> Nearest:
    """Return the quickest way that this interpreter has. Loads sqlite-vec into the connection."""
    if not load_extension(connection):
        return by_sqlite_vec
    return by_numpy if find_spec("numpy") is not None else by_python


def load_extension(connection: "Connection") -> str:
    """Load sqlite-vec. Returns "", or why it cannot be loaded."""
    spec = find_spec("sqlite_vec")
    if spec is None or not spec.submodule_search_locations:
        return "sqlite-vec is not installed"
    path = str(Path(spec.submodule_search_locations[0]) / "vec0")
    try:
        connection.enable_load_extension(True)
        try:
            connection.load_extension(path)
        finally:
            connection.enable_load_extension(False)
    except AttributeError:
        return NO_EXTENSIONS
    except Exception as error:  # noqa: BLE001 - whatever SQLite says of a strange file: do without
        return f"sqlite-vec does not load: {error}"
    return ""


def by_sqlite_vec(
    connection: "Connection",
    encoder: int,
    vector: bytes,
    limit: int,
    rows: "Collection[int] | None" = None,
) -> list[Near]:
    """Return the nearest rows, nearest first."""
    if not any(vector):
        return []
    some = "" if rows is None else _SOME_ROWS
    values = {"encoder": encoder, "vector": vector, "limit": limit, "rows": _array(rows or ())}
    return [(row, 1 - far) for row, far in connection.execute(_BY_DISTANCE.format(some), values)]


def by_numpy(
    connection: "Connection",
    encoder: int,
    vector: bytes,
    limit: int,
    rows: "Collection[int] | None" = None,
) -> list[Near]:
    """Return the nearest rows, nearest first."""
    import numpy as np  # noqa: PLC0415 - dear, and not there unless something else brings it

    asked = np.frombuffer(vector, "i1").astype("f4")
    length = float(np.linalg.norm(asked))
    best: list[Near] = []
    for numbers, packed in _batches(connection, encoder, rows) if length else ():
        table = np.frombuffer(b"".join(packed), "i1").reshape(len(packed), -1).astype("f4")
        lengths = np.linalg.norm(table, axis=1)
        cosines = table @ asked / np.where(lengths > 0, lengths * length, 1)
        cosines[lengths == 0] = NOWHERE
        best = nlargest(limit, [*best, *_pairs(numbers, cosines.tolist())], key=_order)
    return best


def by_python(
    connection: "Connection",
    encoder: int,
    vector: bytes,
    limit: int,
    rows: "Collection[int] | None" = None,
) -> list[Near]:
    """Return the nearest rows, nearest first."""
    found = (
        (numbers, cosines(vector, packed))
        for numbers, packed in _batches(connection, encoder, rows)
    )
    best: list[Near] = []
    for numbers, near in found:
        best = nlargest(limit, [*best, *_pairs(numbers, near)], key=_order)
    return best


def cosines(vector: bytes, others: Collection[bytes]) -> list[float]:
    """Return the cosine of a vector's angle to each of others, `NOWHERE` for none."""
    asked = memoryview(vector).cast("b").tolist()
    length = sqrt(sum(map(mul, asked, asked)))
    found = []
    for other in others:
        numbers = memoryview(other).cast("b").tolist()
        both = length * sqrt(sum(map(mul, numbers, numbers)))
        found.append(sum(map(mul, asked, numbers)) / both if both else NOWHERE)
    return found


def _pairs(numbers: list[int], cosines: list[float]) -> Iterator[Near]:
    return ((row, near) for row, near in zip(numbers, cosines, strict=True) if near > NOWHERE)


def _order(near: Near) -> tuple[float, int]:
    """Return what orders them: equal ones by their row, the older first."""
    return near[1], -near[0]


def _batches(
    connection: "Connection", encoder: int, rows: "Collection[int] | None"
) -> Iterator[tuple[list[int], list[bytes]]]:
    some = "" if rows is None else _SOME_ROWS
    values = {"encoder": encoder, "rows": _array(rows or ())}
    cursor = connection.execute(_ALL.format(some), values)
    while found := cursor.fetchmany(SOME):
        yield [row[0] for row in found], [row[1] for row in found]


def _array(rows: Collection[int]) -> str:
    return f"[{','.join(map(str, rows))}]"


_SOME_ROWS: Final = " AND row IN (SELECT value FROM json_each(:rows))"
_ALL: Final = "SELECT row, vector FROM vectors WHERE encoder = :encoder{}"
# A vector of zeros has no distance: NULL, which would come first.
_BY_DISTANCE: Final = """
SELECT row, far FROM (
    SELECT row, vec_distance_cosine(vec_int8(vector), vec_int8(:vector)) AS far
    FROM vectors WHERE encoder = :encoder{}
) WHERE far IS NOT NULL ORDER BY far, row LIMIT :limit
"""
