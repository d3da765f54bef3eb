"""
What a database says about itself, as Markdown: its tables, recipes and hints.

Read from the table `_sqlite_mcp_meta` where there is one, as chiebukuro-mcp does. Only
the first three of its columns are required; the others came later.
"""

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from typing import Final, NamedTuple

from runtime.mcp_servers.refusals import QueryFailedError
from runtime.mcp_servers.sql_query import opened

META: Final = "_sqlite_mcp_meta"
COLUMNS: Final = (
    *("object_type", "object_name", "description"),
    *("hints_json", "recipe_sql", "recipe_label"),
)
UNDESCRIBED: Final = (
    f"There is no table {META}: the names below are all that is known; use no others.\n"
)


class Recipe(NamedTuple):
    """A query that somebody wrote down."""

    name: str
    label: str
    description: str
    sql: str


class Described(NamedTuple):
    """What `_sqlite_mcp_meta` holds."""

    is_there: bool
    of_database: str
    tables: dict[str, str]
    columns: dict[str, str]
    """By `table.column`."""
    hints: dict[str, dict[str, object]]
    recipes: tuple[Recipe, ...]


def schema(database: str, path: str) -> str:
    """Return the tables with what they are for. Blocking; raises ExpectedError."""
    with closing(opened(database, path)) as connection:
        try:
            meta = describe(connection)
            tables = connection.execute(_TABLES).fetchall()
        except sqlite3.Error as error:
            raise QueryFailedError(database, str(error)) from error
    parts = [f"# {database}\n", *([] if meta.is_there else [UNDESCRIBED])]
    parts += [f"{meta.of_database}\n"] if meta.of_database else []
    for name, sql in tables:
        about = f"{meta.tables[name]}\n\n" if name in meta.tables else ""
        parts.append(f"## {name}\n\n{about}```sql\n{sql}\n```\n")
    return "\n".join(parts)


def recipes(database: str, path: str) -> str:
    """Return queries to begin with. Blocking; raises ExpectedError."""
    meta = _described(database, path)
    parts = [f"# Recipes for {database}\n"]
    for recipe in meta.recipes:
        about = f"{recipe.description}\n\n" if recipe.description else ""
        parts.append(f"## {recipe.label or recipe.name}\n\n{about}```sql\n{recipe.sql}\n```\n")
    return "\n".join(parts if meta.recipes else [*parts, "None is written down.\n"])


def hints(database: str, path: str) -> str:
    """Return what is known about columns. Blocking; raises ExpectedError."""
    meta = _described(database, path)
    parts = [f"# Columns of {database}\n"]
    for name in sorted({*meta.columns, *meta.hints}):
        lines = [f"## {name}\n", f"{meta.columns.get(name, '')}\n"]
        for key, value in meta.hints.get(name, {}).items():
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            lines.append(f"- {key}: {text}")
        parts.append("\n".join(lines).rstrip() + "\n")
    return "\n".join(parts)


def _described(database: str, path: str) -> Described:
    with closing(opened(database, path)) as connection:
        try:
            return describe(connection)
        except sqlite3.Error as error:
            raise QueryFailedError(database, str(error)) from error


def describe(connection: sqlite3.Connection) -> Described:
    """Read the table; what is absent or damaged in it is left out. Raises sqlite3.Error."""
    present = [row[1] for row in connection.execute(f"PRAGMA table_info({META})")]
    if not present:
        return Described(False, "", {}, {}, {}, ())
    wanted = ", ".join(column if column in present else f"NULL AS {column}" for column in COLUMNS)
    rows = connection.execute(f"SELECT {wanted} FROM {META} ORDER BY rowid").fetchall()  # noqa: S608 - of our own names
    of_type = {kind: [row for row in rows if row[0] == kind] for kind in _TYPES}
    return Described(
        True,
        next((row["description"] for row in of_type["db"] if row["description"]), ""),
        _descriptions(of_type["table"]),
        _descriptions(of_type["column"]),
        {row["object_name"]: hint for row in of_type["column"] if (hint := _hint(row))},
        tuple(
            Recipe(
                row["object_name"],
                row["recipe_label"] or "",
                row["description"] or "",
                row["recipe_sql"],
            )
            for row in of_type["recipe"]
            if row["recipe_sql"]
        ),
    )


_TYPES: Final = ("db", "table", "column", "recipe")
_TABLES: Final = (
    "SELECT name, sql FROM sqlite_master WHERE type IN ('table', 'view') AND sql IS NOT NULL"
    " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
)


def _descriptions(rows: Sequence[sqlite3.Row]) -> dict[str, str]:
    return {row["object_name"]: row["description"] for row in rows if row["description"]}


def _hint(row: sqlite3.Row) -> dict[str, object]:
    try:
        found = json.loads(row["hints_json"] or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
