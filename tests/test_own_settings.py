"""An event is handled with the settings and the place of its own hook process."""

from pathlib import Path

import pytest

from runtime.paths import Home
from runtime.pipeline import read
from runtime.settings import absolute
from runtime.spool import Captured
from tests.processes import Product
from tests.spooled import put

WRITE = {
    "hook_event_name": "PostToolUse",
    "tool_name": "Write",
    "tool_input": {"file_path": "/nowhere/a.md"},
    "tool_response": {"content": "ownword " * 40},
}


@pytest.mark.process
def test_a_command_drains_an_event_into_the_store_of_that_event(
    product: Product, tmp_path: Path
) -> None:
    home = Home(str(product.home))
    home.prepare()
    elsewhere = str(tmp_path / "else.db")
    put(home, WRITE, facts={"env.OBOEGAKI_STORE_PATH": elsewhere})

    assert product.command("stats", "--json").json["memories"] == 0

    other = product.command("stats", "--json", environ={"OBOEGAKI_STORE_PATH": elsewhere})
    assert other.json["memories"] == 1


@pytest.mark.process
def test_a_folder_named_relatively_begins_where_the_hook_ran(
    product: Product, tmp_path: Path
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "CONTEXT.md").write_text("## 2026-06-01 a\nherword\n", encoding="utf-8")
    start = {
        "session_id": "s",
        "transcript_path": "",
        "cwd": str(tmp_path),
        "hook_event_name": "SessionStart",
        "source": "startup",
    }

    told = product.hook(start, environ={"MEMORY_DIRS": "mine"}, cwd=tmp_path)

    assert "herword" in told.context


def test_relative_paths_of_variables_begin_at_the_hooks_folder() -> None:
    assert absolute("MEMORY_DIRS", "a:/b", "/w") == "/w/a:/b"
    assert absolute("OBOEGAKI_STORE_PATH", "a.db", "/w") == "/w/a.db"
    assert absolute("MEMORY_KEEP_N", "5", "/w") == "5"


def test_the_project_does_not_hang_on_what_looks_like_a_secret() -> None:
    """Redaction would make one folder of two."""
    keys = {}
    for last in "EF":
        folder = "/nowhere/AKIA" + "IOSFODNN7EXAMPL" + last
        event = Captured("1-1", {}, b'{"hook_event_name":"Stop","cwd":"%b"}' % folder.encode())
        read(event)
        keys[event.facts["payload_cwd"]] = last

    assert len(keys) == 2
