"""A memory becomes a note, by the rules of notes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from runtime.longterm.promoting import draft_of
from runtime.paths import Home
from runtime.store.candidates import memory_of
from runtime.store.store import open_store
from schemas.records import Memory
from tests.cli.conftest import Run
from tests.store.kept import remember

TURN = "[user] Which port does the shop use?\n\n[assistant] It uses 5432.\n\n# Why\n\nHistory."


@pytest.fixture
def keep(home: Home) -> Callable[..., Memory]:
    """Keep one memory and return it."""

    def make(text: str, **fields: Any) -> Memory:
        async def run() -> Memory:
            async with open_store(home.database, 5) as store:
                await remember(store, text, **fields)
                memory = await memory_of(store.connection, 1)
                assert memory is not None
                return memory

        return anyio.run(run)

    return make


def test_a_memory_becomes_a_dated_block(home: Home, run: Run, keep: Any) -> None:
    keep(TURN, at="2026-06-11T03:00:00")

    result = run("longterm", "promote", "1", "--to", "notes", "--file", "decisions.md")

    assert result.exit_code == 0, result.output
    text = (Path(home.notes) / "decisions.md").read_text(encoding="utf-8")
    assert text.startswith("## 2026-06-11 Which port does the shop use?\n[user] Which port")
    assert "\n### Why\n" in text
    assert json.loads(run("stats", "--json").stdout)["memories"] == 1
    assert "decisions.md" in run("search", "5432", "kind:note").stdout


def test_better_words_are_taken(home: Home, run_json: Any, keep: Any) -> None:
    keep(TURN)

    words = ("--heading", "2026-06-12 Port", "--body", "The shop uses 5432.")
    saved = run_json("longterm", "promote", "1", "--to", "notes", *words)

    assert saved["heading"] == "2026-06-12 Port"
    note = Path(home.notes) / "promoted.md"
    assert "The shop uses 5432." in note.read_text(encoding="utf-8")


def test_what_breaks_a_rule_of_the_notes_is_refused(home: Home, run: Run, keep: Any) -> None:
    keep("It was decided yesterday that the shop uses 5432.")

    result = run("longterm", "promote", "1", "--to", "notes")

    assert result.exit_code == 1
    assert "refused: " in result.stdout
    assert list(Path(home.notes).iterdir()) == []


def test_a_memory_is_kept_for_good_once_and_says_where_it_comes_from(
    run: Run, run_json: Any, keep: Any
) -> None:
    keep(TURN, at="2026-06-11T03:00:00")
    order = ("longterm", "promote", "1", "--to", "permanent", "--title", "[shop][port] 5432")

    first, second = run_json(*order), run_json(*order)

    assert (first["status"], second["status"]) == ("created", "known")
    assert first["number"] == second["number"]
    assert "It uses 5432." in first["body_md"]
    assert first["body_md"].rstrip().splitlines()[-1].startswith("From a memory of 2026-06-11 (")
    assert json.loads(run("stats", "--json").stdout)["memories"] == 1
    assert "[shop][port] 5432" in run("search", "5432", "kind:permanent").stdout


def test_a_permanent_memory_needs_a_title(run: Run, keep: Any) -> None:
    keep(TURN)

    result = run("longterm", "promote", "1", "--to", "permanent")

    assert result.exit_code == 2
    assert "--title '[keyword][keyword] outline'" in result.stderr
    assert run("permanent", "search", "--json").stdout.count('"number"') == 0


def test_only_places_that_exist_are_offered(run: Run, keep: Any) -> None:
    keep(TURN)

    assert run("longterm", "promote", "1", "--to", "elsewhere").exit_code == 2


def test_a_memory_that_is_not_there_is_named(home: Home, run: Run) -> None:
    result = run("longterm", "promote", "7", "--to", "notes")

    assert "no memory 7" in str(result.exception)


@pytest.mark.parametrize("text", ["x", "\n", "[assistant] ", "# # #"])
def test_any_memory_has_a_heading(text: str, keep: Any) -> None:
    memory = keep("text").model_copy(update={"content": text})

    assert len(draft_of(memory).heading.split(" ", 1)[1]) >= 1
