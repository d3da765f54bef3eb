"""What a plan for tidying says to its reader."""

from typing import Final

from schemas.inventory import Duplicate

HEADER: Final = """\
# Proposals for tidying, made {today}. As it is, this file changes nothing.
# Take "# " away in front of the operations that you want, change them as you like,
# take out the rest if it disturbs, then run: runtime notes batch FILE
"""

BY_HAND: Final = (
    "by hand: no operation can name it (no heading of its own, or one that its file has twice),"
    " or it holds something private"
)
MERGED: Final = (
    "The newest, with the lines at its end that only the deleted ones have; settle them:"
)

SEE_ABOVE: Final = "no operation here: one for the same block stands above"

WAITS: Final = "no operation here: first decide above which one holds, then have a plan made again"

WHICH_HOLDS: Final = (
    "which one holds? One title, several dates, and the texts differ; the newest first."
    " Keep what holds, delete the others:"
)
SHRINKS: Final = "no operation here: those above make it smaller"
SAYS_LESS: Final = "(below its heading nothing that the others do not say)"

NO_ARCHIVE: Final = "by hand: no search would find it in an archive beside its file"


def describe(pair: Duplicate) -> str:
    """Say in a few words how two duplicates are alike."""
    return {
        "copy": "copies",
        "similar": f"{pair.similarity:.0%} alike",
        "reordered": f"{pair.similarity:.0%} the same sentences, in another order",
    }[pair.how]


def days(number: int) -> str:
    """Return "1 day", "2,000 days"."""
    return f"{number:,} {'day' if number == 1 else 'days'}"
