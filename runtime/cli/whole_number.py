"""Options and arguments that are whole numbers: what they take is said in words."""

from typing import Any, Final

import click

from runtime.text import one_line

SHOWN_CHARS: Final = 40
UNBOUNDED: Final = 2**31 - 1
"""From here on a bound is what the database can hold, which says nothing to a person."""


class WholeNumber(click.IntRange):
    """A whole number within bounds; what is none, or outside of them, is told with both."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number."""
        shown = one_line(str(value), SHOWN_CHARS)
        try:
            number = int(value)
        except ValueError:
            self.fail(f"{shown!r} is no whole number; give {self._allowed()}", param, ctx)
        if self.min is not None and number < self.min:
            self.fail(f"{shown} is too small; give {self._allowed()}", param, ctx)
        if self.max is not None and number > self.max:
            self.fail(f"{shown} is too large; give at most {self.max:,}", param, ctx)
        return number

    def _allowed(self) -> str:
        least, most = self.min or 0, self.max
        if most is None or most >= UNBOUNDED:
            return f"one that is at least {least:,}"
        return f"one from {least:,} to {most:,}"
