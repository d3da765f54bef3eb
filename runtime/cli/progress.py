"""A progress bar beside the result, for people who would wait without one."""

import sys
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from typing import Final, TextIO

import click

SLOW_S: Final = 1.0
"""What is done by then needs no bar."""


@contextmanager
def progress_bar(
    label: str, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic
) -> Generator[Callable[[int, int], None]]:
    """
    Give a function that is told what is done and how much there is, in any unit.

    The bar is drawn on stderr, after a second, and only on a terminal.
    """
    stream = stream or sys.stderr
    begun, shown = clock(), 0
    advance: Callable[[int], None] | None = None
    with ExitStack() as stack:

        def report(done: int, total: int) -> None:
            nonlocal advance, shown
            if advance is None:
                if not stream.isatty() or clock() - begun < SLOW_S:
                    return
                bar = click.progressbar(length=total, label=label, file=stream)
                advance = stack.enter_context(bar).update
            advance(done - shown)
            shown = done

        yield report
