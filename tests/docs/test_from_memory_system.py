"""The page for those who come from memory_system: every row is true."""

import re
import shlex
from pathlib import Path
from typing import Final

import click
import pytest

from runtime.cli.main import group
from runtime.settings import OLD_NAMES

PAGE: Final = Path(__file__).resolve().parents[2] / "docs/reference/from-memory-system.md"
ROW: Final = re.compile(r"^\| (?!-|memory_system)(.+?) \| (.+?) \|", re.MULTILINE)
SPAN: Final = re.compile(r"`([^`]+)`")


def section(title: str) -> str:
    return PAGE.read_text(encoding="utf-8").split(f"\n## {title}\n")[1].split("\n## ")[0]


def commands() -> list[str]:
    return [
        command for command in SPAN.findall(section("Commands")) if command.startswith("runtime ")
    ]


@pytest.mark.parametrize("command", commands())
def test_every_command_exists_with_its_options(command: str) -> None:
    words = shlex.split(command)[1:]
    found: click.Command = group
    context = click.Context(group)
    while isinstance(found, click.Group):
        word = words.pop(0)
        inner = found.get_command(context, word)
        assert inner is not None, f"no command {word}"
        found = inner

    known = {name for parameter in found.params for name in parameter.opts}
    assert {word for word in words if word.startswith("-")} <= known
    assert found.get_help(click.Context(found, info_name=command))


def test_every_command_of_the_old_system_has_a_row() -> None:
    scripts = {re.split(r"[ .]", row[0].strip("`"))[0] for row in ROW.findall(section("Commands"))}

    assert scripts >= {
        "index_memory",
        "memory_write",
        "rotate_context",
        "memory_report",
        "session_context",
    }


def test_every_variable_stands_with_its_setting() -> None:
    rows = {tuple(SPAN.findall(f"{old} {new}")) for old, new in ROW.findall(section("Variables"))}

    assert rows == {(old, name) for name, old in OLD_NAMES.items()}
