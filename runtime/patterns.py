"""
Regular expressions that are compiled when they are first used.

A hook process without a worker handles one event. Compiling all that could be
needed for any event would take it longer than its own work.

A group is never possessive (`(…)*+`): before Python 3.11.5 that goes wrong where the
group can match in more than one way. An atomic group, `(?>(…)*)`, is the same and right.
"""

import re
from collections.abc import Callable
from functools import cache, partial

Pattern = Callable[[], re.Pattern[str]]


def pattern(source: str, flags: int = 0) -> Pattern:
    """Give a function that returns the compiled expression: ``WORD().search(text)``."""
    return cache(partial(re.compile, source, flags))
