"""Events in a spool, put there by the test itself."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from runtime.paths import Home
from runtime.spool import Captured, pack

BASE: Final = {"session_id": "s", "transcript_path": "", "cwd": "/nowhere/shop"}


def put(
    home: Home,
    payload: bytes | Mapping[str, Any],
    *,
    number: int = 17,
    suffix: str = "",
    facts: dict[str, str] | None = None,
) -> Captured:
    """
    Write a spool file and return its event. A mapping gets the base fields.

    Not through `spool.write`: the event loop of a test runs, and the guard would
    take the project's blocking calls for its own.
    """
    data = payload if isinstance(payload, bytes) else json.dumps({**BASE, **payload}).encode()
    event = Captured(f"{number:020d}-1{suffix}", facts or {}, data)
    (Path(home.spool) / event.name).write_bytes(pack(event.facts, event.payload))
    return event
