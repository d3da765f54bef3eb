"""`runtime notes`: Markdown notes by hand."""

from typing import Final

import click

from runtime.cli.lazy import LazyGroup

COMMANDS: Final = {
    "rotate": "runtime.cli.notes_rotate:rotate",
}


@click.group(cls=LazyGroup, places=COMMANDS)
def notes() -> None:
    """Notes: Markdown that people and agents write; the file is the truth."""
