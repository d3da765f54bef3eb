"""`runtime longterm`: long-term memories by hand."""

from typing import Final

import click

from runtime.cli.lazy import LazyGroup

COMMANDS: Final = {
    "mark": "runtime.cli.longterm_mark:mark",
}


@click.group(cls=LazyGroup, places=COMMANDS)
def longterm() -> None:
    """Long-term memories: what was captured by itself."""
