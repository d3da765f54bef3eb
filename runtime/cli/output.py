"""Results on stdout, talk on stderr."""

import json
from collections.abc import Sequence
from typing import Any, Final

import click
from pydantic import BaseModel

from runtime.errors import OutputError
from runtime.text import clean

PRINTED: Final = "runtime.cli.output.printed"
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def plain(value: Any) -> Any:
    """Return what JSON can hold of models, in lists and objects too."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", by_alias=True)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def print_json(value: Any, *, one_line: bool = False) -> None:
    """Print one JSON document; Japanese stays readable."""
    put(json.dumps(plain(value), ensure_ascii=False, indent=None if one_line else 2) + "\n")


def say(text: str = "") -> None:
    """Print text for people; what was stored cannot drive their terminal."""
    put(clean(text) + "\n")


def put(text: str) -> None:
    """
    Print a text as it is.

    Raises OutputError: what stdout leads to takes no more, such as a full disk.
    """
    context = click.get_current_context(silent=True)
    if context is not None:
        context.meta[PRINTED] = True
    try:
        click.echo(text, nl=False)
    except BrokenPipeError:  # a reader that has left wants no more, which is no error
        raise
    except OSError as error:
        raise OutputError(error.strerror or str(error)) from error


def has_printed(context: click.Context) -> bool:
    """Tell whether a command has put something on stdout already."""
    return PRINTED in context.meta


def note(text: str) -> None:
    """Say something beside the result."""
    click.echo(clean(text), err=True)


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return "1 block", "2,000 blocks": the noun in its number, which is its own or has an s."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def columns(rows: Sequence[Sequence[str]]) -> None:
    """Print rows with their columns in line."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        say("  ".join(cells).rstrip())
