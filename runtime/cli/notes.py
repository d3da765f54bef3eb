"""`runtime notes`: Markdown notes by hand."""

from typing import Final

import click

from runtime.cli.lazy import LazyGroup

COMMANDS: Final = {
    "append": "runtime.cli.notes_write:append",
    "batch": "runtime.cli.notes_write:batch",
    "context": "runtime.cli.notes_context:context",
    "delete": "runtime.cli.notes_write:delete",
    "import": "runtime.cli.notes_import:import_",
    "list": "runtime.cli.notes_list:list_notes",
    "move": "runtime.cli.notes_write:move",
    "replace": "runtime.cli.notes_write:replace",
    "report": "runtime.cli.notes_report:report",
    "rotate": "runtime.cli.notes_rotate:rotate",
    "tidy": "runtime.cli.notes_report:tidy",
}


@click.group(cls=LazyGroup, places=COMMANDS)
def notes() -> None:
    """Notes: Markdown that people and agents write; the file is the truth."""
