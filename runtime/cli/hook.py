"""`runtime hook`, as far as it is a command: its help."""

import click


@click.command()
@click.argument("event", required=False)
def hook(event: str | None) -> None:
    """
    Handle one hook event from stdin. Claude Code starts this.

    EVENT is the event's name; it is read from the payload when absent. Always
    exits 0; stdout is empty or one JSON object. OBOEGAKI_DISABLE=1 turns it off.

    With --inline the work is done in this process, whether a worker runs or not.
    """
