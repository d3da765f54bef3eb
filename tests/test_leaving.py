"""A hook that did its work itself ends without closing the database."""

import sqlite3
from contextlib import closing

import pytest

from runtime.store.checkpoint import LONG_BYTES
from tests.payloads import Payloads
from tests.processes import Product

pytestmark = pytest.mark.process


def test_what_was_committed_stands_in_the_log_and_everybody_finds_it(
    product: Product, payloads: Payloads
) -> None:
    """As after a kill: closing would copy it back, and wait for the disk."""
    names = [name for name in list(Payloads()) if name.startswith("PostToolUse-Write")]
    for name in names:
        product.hook(payloads[name], arguments=("--inline",))

    log = product.home / "memory.db-wal"
    assert log.stat().st_size > 0
    with closing(sqlite3.connect(product.home / "memory.db")) as connection:
        (count,) = connection.execute("SELECT count(*) FROM events").fetchone()
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert count == len(names)
    assert list((product.home / "spool").iterdir()) == []


def test_a_log_that_has_grown_is_copied_into_the_database(product: Product) -> None:
    """Each process that finds it has to read it, and can but add to it."""
    text = "".join(f"word{number} " for number in range(8_000))
    log, sizes = product.home / "memory.db-wal", []
    for number in range(8):
        event = {
            "hook_event_name": "PostToolUse",
            "session_id": "s",
            "transcript_path": "",
            "cwd": "/nowhere",
            "tool_name": "Write",
            "tool_input": {"file_path": f"/nowhere/{number}.md"},
            "tool_response": {"content": f"{number} {text}"},
        }
        product.hook(
            event, arguments=("--inline",), environ={"OBOEGAKI_CAPTURE_TOOL_MAX_CHARS": "100000"}
        )
        sizes.append(log.stat().st_size if log.exists() else 0)

    assert sizes[0] > 0
    assert max(sizes) <= LONG_BYTES
    assert 0 in sizes
    assert product.command("stats", "--json").json["memories"] == len(sizes)
