"""An SQLite that loads extensions, which Python's own may have been built without."""

import importlib
import sqlite3
from typing import Any


def sqlite_with_extensions() -> Any:
    """Return the module: Python's own, or else that of a package."""
    if hasattr(sqlite3.Connection, "enable_load_extension"):
        return sqlite3
    return importlib.import_module("pysqlite3.dbapi2")
