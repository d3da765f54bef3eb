"""`runtime longterm`: long-term memories by hand."""

from typing import Final

import click

from runtime.cli.lazy import LazyGroup

COMMANDS: Final = {
    "delete": "runtime.cli.longterm_delete:delete",
    "cleanup": "runtime.cli.longterm_cleanup:cleanup",
    "forget": "runtime.cli.longterm_forget:forget",
    "list": "runtime.cli.longterm_list:command",
    "mark": "runtime.cli.longterm_mark:mark",
    "promote": "runtime.cli.longterm_promote:promote",
    "purge": "runtime.cli.longterm_purge:purge",
    "restore": "runtime.cli.longterm_delete:restore",
    "show": "runtime.cli.longterm_show:show",
    "stats": "runtime.cli.longterm_stats:stats",
    "store": "runtime.cli.longterm_store:store",
    "dump": "runtime.cli.longterm_dump:command",
    "sync": "runtime.cli.longterm_sync:command",
}


@click.group(cls=LazyGroup, places=COMMANDS)
def longterm() -> None:
    """Long-term memories: what was captured by itself, and what was stored by hand."""
