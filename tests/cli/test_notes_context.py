"""`runtime notes context`: what a session is told, from the very code that tells it."""

import json
from pathlib import Path

import pytest

from runtime.errors import SessionContextError
from runtime.text import utf16_units
from tests.processes import Product

CONTEXT = "## 2026-11-30 Parser\nnewest\n\n## 2026-11-29 Lexer\nolder\n"


def put(folder: str | Path, name: str, text: str) -> None:
    path = Path(folder, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.mark.process
@pytest.mark.parametrize(("source", "options"), [("startup", ()), ("compact", ("--brief",))])
def test_it_prints_what_the_hook_tells(product: Product, source: str, options: tuple[str]) -> None:
    put(product.home / "notes", "CONTEXT.md", CONTEXT)
    event = {"hook_event_name": "SessionStart", "session_id": "s", "source": source}

    told = product.hook(event).context
    ran = product.command("notes", "context", *options)

    assert ran.code == 0, ran.err
    assert ran.out.decode() == told + "\n"
    assert ("newest" in told) is (source == "startup")


def test_as_json_it_tells_the_units_that_were_used(run_json, home) -> None:
    put(home.notes, "CONTEXT.md", CONTEXT)

    told = run_json("notes", "context")

    assert told["units"] == utf16_units(told["text"]) <= told["max_units"] == 4000
    assert told["source"] == "startup"


@pytest.mark.parametrize("most", ["0", "300", "700", "1500", "9500"])
def test_no_part_starves_another(run_json, home, most: str) -> None:
    """The source system cut the table of contents first, and let it grow without bound (A31)."""
    put(home.notes, "CONTEXT.md", "## 2026-11-30 long\n" + "長い本文。" * 5000)
    for number in range(400):
        put(home.notes, f"note-{number:03d}.md", "x")

    told = run_json("notes", "context", "--max-chars", most)["text"]

    assert utf16_units(told) <= int(most)
    if int(most) >= 700:
        assert "How this memory works" in told
        assert "│> ## 2026-11-30 long" in told
    if int(most) >= 1500:
        assert "│> note-000.md" in told
        listed = told.count("│> note-")
        # CONTEXT.md itself is listed too.
        assert f"{401 - listed - 1} more notes are not listed" in told
        assert listed <= 100


def test_when_nothing_is_told_that_is_said_beside_the_result(run, monkeypatch) -> None:
    monkeypatch.setenv("MEMORY_INJECT", "0")

    result = run("notes", "context")

    assert (result.exit_code, result.stdout) == (0, "")
    assert "inject.enabled" in result.stderr


def test_a_limit_beyond_what_the_client_shows_is_refused(run) -> None:
    assert run("notes", "context", "--max-chars", "9501").exit_code == 2


def test_a_failure_is_told_and_not_hidden(run, monkeypatch) -> None:
    """The hook stays silent; a person who asks is told why."""
    monkeypatch.setenv("OBOEGAKI_HOOK_BUDGET_S", "1e-9")

    result = run("notes", "context")

    assert isinstance(result.exception, SessionContextError)
    assert "took longer" in str(result.exception)


def test_the_archive_is_found_and_never_told(run, run_json, home) -> None:
    put(home.notes, "context_archive.md", "## 2026-01-01 old\narchiveword\n")
    put(home.notes, "sub/context_archive.001.md", "## 2025-01-01 older\narchiveword\n")
    put(home.notes, "CONTEXT.md", CONTEXT)

    told = run_json("notes", "context")["text"]

    assert "archiveword" not in told
    assert "context_archive" not in told
    assert "CONTEXT.md" in told
    found = json.loads(run("search", "archiveword", "--json").stdout)["hits"]
    assert len(found) == 2
