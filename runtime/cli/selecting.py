"""Options that choose by number and time, shared by several commands."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Final

import click

from runtime.cli.whole_number import WholeNumber
from runtime.store.clock import utc, utc_now
from runtime.tokens.first_day import first_day

MOST: Final = 2**63 - 1
"""The largest number that SQLite takes."""
UNITS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


def selecting(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --last, --failed, --session, --event and --since to a command."""
    options = (
        click.option("--last", type=WholeNumber(1, MOST), help="The newest so many."),
        click.option("--failed", is_flag=True, help="Those of which a handler failed."),
        click.option("--session", help="Of this session (the beginning of its id is enough)."),
        click.option("--event", "name", help="With this event name, such as Stop."),
        click.option("--since", type=Since(), help="Since a date, a time, or 30m, 2h, 7d ago."),
    )
    for option in reversed(options):
        command = option(command)
    return command


class Since(click.ParamType[str]):
    """A moment: ISO 8601, or how long ago."""

    name = "TIME"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the moment as the store keeps it."""
        ago = re.fullmatch(r"(\d+)([smhd])", str(value), re.ASCII)
        try:
            if ago:
                return utc(utc_now() - timedelta(**{UNITS[ago[2]]: int(ago[1])}))
            moment = datetime.fromisoformat(str(value))
            return utc(moment if moment.tzinfo else moment.astimezone())
        except (ValueError, OverflowError):  # no date, or one before the year 1
            self.fail(f"{value!r} is no time; write 2026-06-11, 2026-06-11T09:30 or 2h", param, ctx)


class Day(click.ParamType[str]):
    """A day, a month or a year, by its first day."""

    name = "DATE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the first day of it."""
        day = first_day(str(value))
        if not day:
            self.fail(f"{value!r} is no date; write 2026-06-11, 2026-06 or 2026", param, ctx)
        return day


DAY: Final = Day()
