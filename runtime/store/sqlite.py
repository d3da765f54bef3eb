"""
A database opened for reading, without what only larger programs need.

Standard library only, and of that the extension module alone: the hook process
imports this.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection


def _light_lru_cache() -> object:
    """
    Return functools' `lru_cache` without functools, tried once. Raises what may go wrong.

    The cache itself is of C. What functools puts around it is a named tuple, and
    with that the whole of `collections`.
    """
    from _functools import _lru_cache_wrapper  # type: ignore[import-not-found]  # noqa: PLC0415

    def lru_cache(size: int) -> object:
        return lambda function: _lru_cache_wrapper(function, size, False, None)

    lru_cache(1)(len)("")  # type: ignore[operator]
    return lru_cache


def _load() -> None:
    """
    Load SQLite's module; it takes nothing from functools but `lru_cache`, once.

    functools takes a hook process a quarter of its time. Where it is loaded
    already, or is not as expected, nothing is done about it.
    """
    if "functools" not in sys.modules and "_sqlite3" not in sys.modules:
        try:
            stand_in = type(sys)("functools")
            stand_in.lru_cache = _light_lru_cache()  # type: ignore[attr-defined]
            sys.modules["functools"] = stand_in
            import _sqlite3  # noqa: F401, PLC0415
        except Exception:  # noqa: BLE001, S110 - another Python: the import below does without
            pass
        finally:
            sys.modules.pop("functools", None)


_load()
import _sqlite3  # noqa: E402

Error = _sqlite3.Error


def open_read_only(path: str, timeout_s: float, *, is_shared: bool = False) -> "Connection":
    """
    Open an existing database; rows can be read by name. Raises `Error`.

    `is_shared` lets threads take turns with the connection.
    """
    connection: Connection = _sqlite3.connect(
        f"file:{_quoted(path)}?mode=ro",
        uri=True,
        timeout=timeout_s,
        isolation_level=None,
        check_same_thread=not is_shared,
    )
    connection.row_factory = _sqlite3.Row
    return connection


def _quoted(path: str) -> str:
    """Return a path as it stands in a URI of SQLite's."""
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def total(connection: "Connection") -> int:
    """
    Return how many rows the search index has, from where FTS5 itself reads it.

    To count them takes the longer the more there are.
    """
    record = connection.execute(_TOTALS).fetchone()
    number = 0
    for byte in record[0] if record else b"":
        number = number << 7 | byte & (_GOES_ON - 1)
        if byte < _GOES_ON:
            return number
    (count,) = connection.execute(_TOTAL).fetchone()
    return int(count)


_GOES_ON = 0x80
_TOTALS = "SELECT block FROM search_index_data WHERE id = 1"
"""FTS5's record of totals; the number of rows comes first, 7 bits a byte, the highest first."""
_TOTAL = "SELECT count(*) FROM search_index_docsize"
