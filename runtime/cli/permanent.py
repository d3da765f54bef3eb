"""`runtime permanent`: what a person chose to keep."""

from typing import Final

import click

from runtime.cli.lazy import LazyGroup

COMMANDS: Final = {
    "archive": "runtime.cli.permanent_write:archive",
    "create": "runtime.cli.permanent_write:create",
    "edit": "runtime.cli.permanent_edit:edit",
    "history": "runtime.cli.permanent_read:history",
    "migrate": "runtime.cli.permanent_migrate:migrate_command",
    "refresh": "runtime.cli.permanent_refresh:refresh_command",
    "report": "runtime.cli.permanent_report:report_command",
    "search": "runtime.cli.permanent_read:search",
    "show": "runtime.cli.permanent_read:show",
    "update": "runtime.cli.permanent_write:update",
}


@click.group(cls=LazyGroup, places=COMMANDS)
def permanent() -> None:
    """Permanent memories: chosen by hand, in a folder or in esa."""
