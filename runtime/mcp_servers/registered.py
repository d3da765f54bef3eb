"""The databases that the reading server offers: our own, and those of a chiebukuro.json."""

import json
import os
import re
from typing import Final, NamedTuple

from pydantic import ValidationError

from runtime.app import store_path
from runtime.errors import ExpectedError
from runtime.mcp_servers.common import Memory
from runtime.store.described import DESCRIPTION
from runtime.store.described import NAME as OURS
from schemas.chiebukuro import Chiebukuro, Registered, Semantic

FILE: Final = "chiebukuro.json"
VARIABLE: Final = "CHIEBUKURO_CONFIG"
NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


class Database(NamedTuple):
    """One database by its name."""

    name: str
    path: str
    description: str
    semantic: Semantic | None
    is_ours: bool
    """Our own store: the search of this program serves it."""


class Offered(NamedTuple):
    """What a server offers, settled when it starts."""

    databases: tuple[Database, ...]
    problems: tuple[str, ...]
    """What of the file could not be used, a sentence each."""


def offered(memory: Memory, file: str | None = None) -> Offered:
    """
    Return what to offer: our store, and the databases of a file where there is one.

    A file that cannot be used costs no more than what it names. Blocking.
    """
    try:
        home, settings = memory.look()
        ours = os.path.abspath(store_path(home, settings))
        usual = os.path.join(home.root, FILE)
    except ExpectedError as error:
        # Whoever calls a tool is told the same.
        return Offered((Database(OURS, "", DESCRIPTION, Semantic(), is_ours=True),), (str(error),))
    path = os.path.expanduser(file or memory.environ.get(VARIABLE) or usual)
    found, problems = _read(path, is_needed=path != usual)
    databases = {
        OURS: Database(OURS, ours, DESCRIPTION, Semantic(), is_ours=True),
    }
    for name, registered in found.items():
        if not NAME.fullmatch(name):
            problems.append(f"{path}: {name!r} is no name for a tool; use letters, digits, _ and -")
            continue
        databases[name] = _database(name, registered, os.path.dirname(path), ours)
    return Offered(tuple(databases.values()), tuple(problems))


def _database(name: str, registered: Registered, folder: str, ours: str) -> Database:
    path = os.path.join(folder, os.path.expanduser(registered.path))
    is_ours = os.path.realpath(path) == os.path.realpath(ours)
    return Database(
        name,
        path,
        registered.description,
        registered.semantic_search or (Semantic() if is_ours else None),
        is_ours,
    )


def _read(path: str, *, is_needed: bool) -> tuple[dict[str, Registered], list[str]]:
    try:
        with open(path, encoding="utf-8-sig") as file:
            value = json.load(file)
        return Chiebukuro.model_validate(value).databases, []
    except FileNotFoundError:
        return {}, [f"{path} is not there"] if is_needed else []
    except ValidationError as error:
        places = ", ".join(".".join(map(str, item["loc"])) for item in error.errors())
        return {}, [f"{path}: not as chiebukuro.json is written: {places}"]
    except (OSError, ValueError, RecursionError) as error:
        return {}, [f"{path} cannot be read: {error}"]
