"""Command groups: a help that tells each command's sentence whole, and commands loaded late."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

import click

SENTENCE_CHARS: Final = 300  # longer than any first sentence


class Group(click.Group):
    """Lists its commands with their first sentences, on as many lines as these take."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list; click's own cuts a sentence off where the line ends."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, each.get_short_help_str(SENTENCE_CHARS)) for name, each in commands if each]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


class LazyGroup(Group):
    """Takes its commands from a table: name to "module:attribute"."""

    def __init__(self, *args: Any, places: Mapping[str, str], **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self._places = places

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all names in order."""
        return sorted(self._places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of this name."""
        place = self._places.get(cmd_name)
        if place is None:
            return None
        module, _, attribute = place.partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command
