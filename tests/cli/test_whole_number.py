"""Numbers on the command line: what is wrong, what was given, what is allowed."""

import json

import click
import pytest

from runtime.cli.main import group
from runtime.cli.whole_number import WholeNumber
from tests.cli.conftest import Run
from tests.cli.test_main import paths


@pytest.mark.parametrize("words", [words for words in paths() if words], ids=" ".join)
def test_every_number_of_every_command_is_of_the_kind_that_says_what_it_takes(
    words: tuple[str, ...],
) -> None:
    command: click.Command = group
    for word in words:
        assert isinstance(command, click.Group)
        found = command.get_command(click.Context(group), word)
        assert found is not None
        command = found

    numbers = (click.types.IntParamType, click.types.FloatParamType)
    kinds = [item.type for item in command.params if isinstance(item.type, numbers)]
    assert [kind for kind in kinds if not isinstance(kind, WholeNumber)] == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("search", "x", "-n", "many"), "'many' is no whole number; give one from 1 to 100"),
        (("search", "x", "-n", ""), "'' is no whole number; give one from 1 to 100"),
        (("search", "x", "-n", "1.5"), "'1.5' is no whole number"),
        (("search", "x", "-n", "0"), "0 is too small; give one from 1 to 100"),
        (("search", "x", "-n", "101"), "101 is too large; give at most 100"),
        (("longterm", "show", "x"), "'x' is no whole number; give one that is at least 1"),
        (("longterm", "show", "0"), "0 is too small; give one that is at least 1"),
        (("longterm", "show", "9" * 30), "is too large; give at most 9,223,372,036,854,775,807"),
        (("longterm", "show", "9" * 5000), "is no whole number"),
        (("notes", "rotate", "x.md", "-n", "0"), "0 is too small; give one that is at least 1"),
    ],
)
def test_a_number_that_is_not_taken_is_told(
    run: Run, arguments: tuple[str, ...], said: str
) -> None:
    result = run(*arguments)

    assert result.exit_code == 2
    assert said in result.stderr
    assert "range" not in result.stderr
    assert len(result.stderr) < 400


@pytest.mark.parametrize("command", ["delete", "restore", "mark", "show", "promote"])
def test_a_memory_that_is_not_there_is_told_in_the_same_words(run: Run, command: str) -> None:
    more = {"mark": ("--pinned",), "promote": ("--to", "notes")}.get(command, ())

    error = run("longterm", command, "12", *more).exception

    assert str(error) == (
        "no memory 12: `runtime longterm list` and `runtime search` show ids as #ID"
    )


def test_an_id_that_is_given_twice_is_marked_and_missed_once(run: Run) -> None:
    stored = run("longterm", "store", "--content", "a fact", "--source", "x", "--json")
    number = json.loads(stored.stdout)["id"]

    told = run("longterm", "mark", str(number), str(number), "99", "99", "--pinned", "--json")

    assert json.loads(told.stdout) == {"marked": [number], "missing": [99]}
