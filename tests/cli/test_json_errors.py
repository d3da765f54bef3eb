"""With --json stdout is one JSON document whatever happens, and the exit code tells the rest."""

import json
import os
import subprocess
import sys

import click
import pytest

from runtime.cli.main import group
from tests.cli.conftest import Run
from tests.cli.test_main import BUG, paths
from tests.processes import PATIENCE_S, Product


def with_json() -> list[tuple[str, ...]]:
    """Return the words of every command that has --json."""
    found = []
    for words in paths():
        command, ctx = group, click.Context(group)
        for word in words:
            command = command.get_command(ctx, word)
        if "--json" in {name for item in command.params for name in item.opts}:
            found.append(words)
    return found


@pytest.mark.parametrize("words", with_json(), ids=" ".join)
def test_a_mistake_in_usage_is_a_document(run: Run, words: tuple[str, ...]) -> None:
    result = run(*words, "--no-such-option", "--json")

    assert result.exit_code == 2
    told = json.loads(result.stdout)
    assert told["error"] == "usage"
    assert "--no-such-option" in told["message"]
    assert "--no-such-option" in result.stderr


SETTINGS = "[capture]\nmin_chars = 'many'\n"
NEEDS = {
    ("longterm", "delete"): ("1",),
    ("longterm", "mark"): ("1", "--pinned"),
    ("longterm", "promote"): ("1", "--to", "notes"),
    ("longterm", "restore"): ("1",),
    ("longterm", "show"): ("1",),
    ("longterm", "store"): ("--content", "x", "--source", "x"),
    ("longterm", "forget"): ("--match", "x"),
    ("notes", "append"): ("--file", "a.md", "--heading", "2026-06-11 a", "--body", "x"),
    ("notes", "delete"): ("--file", "a.md", "--match", "x"),
    ("notes", "import"): (".",),
    ("notes", "move"): ("--file", "a.md", "--match", "x", "--to", "b.md"),
    ("notes", "replace"): ("--file", "a.md", "--match", "x", "--heading", "x", "--body", "x"),
    ("notes", "rotate"): ("a.md",),
    ("notes", "tidy"): ("--plan", "plan.ndjson"),
    ("permanent", "archive"): ("1",),
    ("permanent", "create"): ("--title", "x", "--body", "x"),
    ("permanent", "history"): ("1",),
    ("permanent", "migrate"): ("--from", "local", "--to", "esa"),
    ("permanent", "show"): ("1",),
    ("permanent", "update"): ("1", "--revision", "1", "--body", "x"),
    ("search",): ("x",),
}
TELLS_ITSELF = {("config", "check"), ("config", "show"), ("doctor",), ("worker", "status")}
"""What is wrong is what these have to tell."""
NEEDS_NO_SETTINGS = {
    ("check-output",), ("logs",), ("mcp", "setup"), ("install",), ("uninstall",),
    ("worker", "start"), ("worker", "stop"),
}  # fmt: skip


@pytest.mark.parametrize(
    "words",
    [words for words in with_json() if words not in TELLS_ITSELF | NEEDS_NO_SETTINGS],
    ids=" ".join,
)
def test_an_error_is_a_document(
    run: Run, product: Product, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Settings that cannot be used stop every command at its first step."""
    product.home.mkdir(exist_ok=True)
    (product.home / "config.toml").write_text(SETTINGS, encoding="utf-8")
    monkeypatch.setenv("OBOEGAKI_HOME", str(product.home))

    result = run(*words, *NEEDS.get(words, ()), "--json", input="")

    told = json.loads(result.stdout)
    assert set(told) == {"error", "message"}
    assert told["message"] == str(result.exception)


def test_the_kind_is_a_word_for_programs(run: Run) -> None:
    told = json.loads(run("longterm", "show", "7", "--json").stdout)

    assert told["error"] == "unknown_memory"
    assert told["message"].startswith("no memory 7: ")


def test_a_result_that_is_there_stays_the_only_document(run: Run) -> None:
    result = run("longterm", "delete", "7", "--json")

    assert result.exit_code == 1
    assert json.loads(result.stdout)["missing"] == [7]


def test_a_json_that_is_a_word_asks_for_nothing(run: Run) -> None:
    assert run("longterm", "show", "7", "--", "--json").stdout == ""


@pytest.mark.process
def test_a_process_tells_it_on_both_streams(product: Product) -> None:
    ran = product.command("longterm", "show", "7", "--json")
    wrong = product.command("serch", "--json")

    assert (ran.code, ran.json["error"]) == (1, "unknown_memory")
    assert ran.err == f"runtime: {ran.json['message']}\n"
    assert (wrong.code, wrong.json["error"]) == (2, "usage")


@pytest.mark.process
def test_a_bug_is_a_document_too(product: Product) -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-c", BUG, "stats", "--json"],
        capture_output=True,
        env={**os.environ, **product.environ},
        timeout=PATIENCE_S,
        check=False,
    )

    assert done.returncode == 3
    assert json.loads(done.stdout)["error"] == "bug"
    assert b"ghp_a1B2" not in done.stdout
