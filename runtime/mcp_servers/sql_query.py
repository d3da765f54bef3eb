"""
One SELECT of the model's on a database that is only read, within bounds.

The rules are those of chiebukuro-mcp: the text begins with SELECT or WITH, the answer
is an array of rows. The connection cannot write, an authorizer knows what may be read,
and rows, characters and time have limits, which are told where they were met.
"""

import json
import math
import re
import sqlite3
import time
from typing import Any, Final, NamedTuple

from runtime.mcp_servers.budget import fitting, tokens
from runtime.mcp_servers.linear import LINEAR
from runtime.mcp_servers.refusals import (
    DatabaseUnusableError,
    QueryFailedError,
    QueryTooSlowError,
    StatementRefusedError,
)
from runtime.store.sqlite import open_read_only

MOST_ROWS: Final = 500
LIMIT_S: Final = 5.0
LOCK_WAIT_S: Final = 2.0
SQL_CHARS: Final = 100_000
VALUE_BYTES: Final = 10_000_000
"""The longest value that a query may make."""
LIKE_BYTES: Final = 300
OPCODES: Final = 100
"""Steps of SQLite's between two looks at the clock."""
CELLS: Final = 4
"""A value takes no more of the answer than this part of it."""
BEGINS: Final = re.compile(r"(?:SELECT|WITH)\b", re.IGNORECASE)
BREAKS: Final = {ord(char): f"\\u{ord(char):04x}" for char in "\x7f\x85\u2028\u2029"}
"""What some readers of lines take for the end of one."""

READING: Final = frozenset(
    {
        sqlite3.SQLITE_SELECT,
        sqlite3.SQLITE_READ,
        sqlite3.SQLITE_FUNCTION,
        sqlite3.SQLITE_RECURSIVE,
    }
)
PRAGMAS: Final = frozenset(
    {
        *("compile_options", "data_version", "encoding", "foreign_key_list", "function_list"),
        *("index_info", "index_list", "index_xinfo"),
        *("table_info", "table_list", "table_xinfo", "user_version"),
    }
)
"""Those that tell something and change nothing; FTS5 asks for `data_version` itself."""
FUNCTIONS_DENIED: Final = frozenset(
    {"load_extension", "fts3_tokenizer", "zeroblob", "json_patch", "jsonb_patch"}
)


class Rows(NamedTuple):
    """The answer to a query."""

    text: str
    """A JSON array of objects."""
    remark: str
    """What was left out and how to get it, "" for nothing."""


def select(database: str, path: str, sql: str, budget: int, *, explain: bool = False) -> Rows:
    """
    Run one statement, or explain how it would be run. Blocking.

    *budget* is the length of the answer in tokens. Raises StatementRefusedError,
    QueryFailedError, QueryTooSlowError, DatabaseUnusableError.
    """
    statement = checked(sql)
    connection = opened(database, path)
    end = time.monotonic() + LIMIT_S
    connection.set_progress_handler(lambda: time.monotonic() > end, OPCODES)
    try:
        cursor = connection.execute(f"EXPLAIN QUERY PLAN {statement}" if explain else statement)
        return _rows(cursor, budget)
    except (sqlite3.Warning, sqlite3.ProgrammingError) as error:
        raise StatementRefusedError(_reason(error)) from error
    except sqlite3.Error as error:
        raise _failure(database, error) from error
    finally:
        connection.close()


def checked(sql: str) -> str:
    """Return the statement when it looks like one that reads. Raises StatementRefusedError."""
    statement = sql.strip()
    if not BEGINS.match(statement):
        msg = "it does not begin with SELECT or WITH"
        raise StatementRefusedError(msg)
    if "\0" in statement or len(statement) > SQL_CHARS:
        msg = f"it holds a NUL, or more than {SQL_CHARS:,} characters"
        raise StatementRefusedError(msg)
    return statement


def opened(database: str, path: str) -> sqlite3.Connection:
    """Open a database that can only be read, whatever is asked. Raises DatabaseUnusableError."""
    try:
        connection = open_read_only(path, LOCK_WAIT_S)
    except (sqlite3.Error, ValueError) as error:
        raise DatabaseUnusableError(database, path, str(error)) from error
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    for limit, value in (
        (sqlite3.SQLITE_LIMIT_LENGTH, VALUE_BYTES),
        (sqlite3.SQLITE_LIMIT_ATTACHED, 0),
        (sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, LIKE_BYTES),
    ):
        connection.setlimit(limit, value)
    # SQLite looks at no clock within a function, and its own take hours over long values.
    for name, arguments, function in LINEAR:
        connection.create_function(name, arguments, function, deterministic=True)
    connection.set_authorizer(_authorize)
    return connection


def _authorize(action: int, first: str | None, second: str | None, *_place: str | None) -> int:
    if action == sqlite3.SQLITE_PRAGMA:
        is_fine = first in PRAGMAS
    elif action == sqlite3.SQLITE_UPDATE:
        # SQLite asks this when it declares a virtual table to itself. Nothing is written:
        # the connection cannot, and the pragma that would allow it is not allowed.
        is_fine = first == "sqlite_master"
    else:
        is_fine = action in READING and second not in FUNCTIONS_DENIED
    return sqlite3.SQLITE_OK if is_fine else sqlite3.SQLITE_DENY


def _reason(error: Exception) -> str:
    return "it is more than one statement" if "one statement" in str(error) else str(error)


def _failure(database: str, error: sqlite3.Error) -> Exception:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_INTERRUPT:
        return QueryTooSlowError(database, LIMIT_S)
    if code == sqlite3.SQLITE_AUTH or "not authorized" in str(error):
        return StatementRefusedError("it does more than read")
    return QueryFailedError(database, str(error))


def _rows(cursor: sqlite3.Cursor, budget: int) -> Rows:
    names = _names(cursor)
    most = max(1, budget // max(CELLS, len(names)))
    lines: list[str] = []
    spent = is_shortened = 0
    for row in cursor:
        values = [_value(value, most) for value in row]
        is_shortened |= any(was_cut for _, was_cut in values)
        cells = dict(zip(names, (value for value, _ in values), strict=True))
        line = json.dumps(cells, ensure_ascii=False).translate(BREAKS)
        spent += tokens(line)
        if lines and (spent > budget or len(lines) == MOST_ROWS):
            return Rows(_array(lines), _more(len(lines)))
        lines.append(line)
    return Rows(_array(lines), SHORTENED if is_shortened else "")


SHORTENED: Final = "[cut: long values end with …; substr(column, 1 + characters shown) goes on]"


def _more(count: int) -> str:
    return (
        f"[cut: the first {count} rows, there are more; LIMIT … OFFSET {count} goes on, and fewer "
        "columns or substr(column, 1, 200) let more rows fit]"
    )


def _names(cursor: sqlite3.Cursor) -> list[str]:
    """Return the columns' names, each once."""
    names: list[str] = []
    for column in cursor.description or ():
        name, number = column[0], 2
        while name in names:
            name, number = f"{column[0]}:{number}", number + 1
        names.append(name)
    return names


def _value(value: Any, most: int) -> tuple[Any, bool]:
    """Return a value as JSON can hold it, and whether it was cut."""
    if isinstance(value, bytes):
        return f"[{len(value)} bytes]", False
    if isinstance(value, float) and not math.isfinite(value):
        return str(value), False
    if not isinstance(value, str) or tokens(value) <= most:
        return value, False
    shown = fitting(value, most)
    return f"{value[:shown]}… [{shown:,} of {len(value):,} characters]", True


def _array(lines: list[str]) -> str:
    return "[" + ",\n".join(lines) + "]"
