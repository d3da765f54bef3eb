"""`runtime logs`: read the structured logs."""

import os
from functools import partial

import anyio
import click

from runtime.app import prepared_home
from runtime.cli.output import json_option, print_json, say
from runtime.cli.selecting import Since
from runtime.log_reader import LEVELS, Filter, follow, read
from runtime.store.clock import local_time
from schemas.logline import LogLine

KNOWN = ("timestamp", "level", "event", "event_id", "session_id")


@click.command("logs")
@click.option("--level", type=click.Choice(LEVELS), default="debug", help="Least level shown.")
@click.option("--event-id", help="Lines about this captured event.")
@click.option("--session", help="Of this session (the beginning of its id is enough).")
@click.option("--handler", help="Of this handler (part of its name is enough).")
@click.option("--since", type=Since(), help="Since a date, a time, or 30m, 2h, 7d ago.")
@click.option("--follow", "is_following", is_flag=True, help="Go on with new lines.")
@json_option
def command(  # noqa: PLR0913 - the options are the interface
    *,
    level: str,
    event_id: str | None,
    session: str | None,
    handler: str | None,
    since: str | None,
    is_following: bool,
    as_json: bool,
) -> None:
    """Show what the runtime did: one line per event, and whatever went wrong."""
    home = prepared_home(os.environ)
    wanted = Filter(level, event_id, session, handler, since)
    for line in read(home.logs, wanted):
        _print(line, as_json=as_json)
    if is_following:
        anyio.run(partial(_follow, home.logs, wanted, as_json=as_json))


async def _follow(folder: str, wanted: Filter, *, as_json: bool) -> None:
    async for line in follow(folder, wanted):
        _print(line, as_json=as_json)


def _print(line: LogLine, *, as_json: bool) -> None:
    values = line.model_dump(mode="json", exclude_none=True)
    if as_json:
        print_json(values, one_line=True)
        return
    rest = "  ".join(f"{key}={value}" for key, value in values.items() if key not in KNOWN)
    about = " ".join(part for part in (line.event_id, (line.session_id or "")[:8]) if part)
    say(f"{local_time(line.timestamp)}  {line.level:<7}  {line.event}  {rest}  {about}".rstrip())
