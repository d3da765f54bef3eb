"""An inventory as people read it."""

from collections.abc import Iterator, Sequence
from math import isfinite
from typing import Final

from runtime.cli.output import counted, say
from runtime.notes.duplicates import piece_chars
from runtime.notes.plan_texts import describe
from runtime.text import one_line
from schemas.inventory import Comparison, Contradiction, Duplicate, Inventory, Place, Size

SHOWN: Final = 20
HEADING_CHARS: Final = 60


def show(found: Inventory) -> None:
    """Print what was found, the longest lists cut; what was left out is said."""
    say(", ".join(_looked_at(found)))
    sections = (
        (
            f"older than {counted(found.stale_days, 'day')}",
            [_place(place) for place in found.stale],
        ),
        ("duplicates", [_duplicate(pair) for pair in found.duplicates]),
        ("contradicting dates", [_contradiction(item) for item in found.contradictions]),
        ("near the limit of characters", [_size(size) for size in found.oversized]),
        ("long texts above the first block", [_size(size) for size in found.long_preambles]),
        ("nothing below the heading", [_place(place) for place in found.empty]),
        ("without a date", [_place(place) for place in found.undated]),
        ("not read", [f"{file.file}: {file.reason}" for file in found.unreadable]),
    )
    for title, lines in sections:
        _section(title, lines)
    if not any(lines for _, lines in sections):
        say("nothing to tidy")
    _uncompared(found.comparison)


def _looked_at(found: Inventory) -> Iterator[str]:
    if "notes" in found.looked_at:
        yield f"{counted(found.blocks_total, 'block')} in {counted(found.files_total, 'file')}"
    if "long-term" in found.looked_at:
        yield counted(found.memories_total, "long-term memory", "long-term memories")


def _section(title: str, lines: Sequence[str]) -> None:
    if not lines:
        return
    say(f"\n{title}: {len(lines):,}")
    for line in lines[:SHOWN]:
        say(f"  {line}")
    if len(lines) > SHOWN:
        say(f"  and {len(lines) - SHOWN:,} more (--json has all)")


def _uncompared(comparison: Comparison) -> None:
    if not comparison.uncompared:
        return
    pieces = piece_chars(comparison.most_shared)
    bound = (
        f": a duplicate among them agrees only in pieces of {pieces:.1f} characters or fewer"
        " on average"
        if isfinite(pieces)
        else "; tidy what was found, then run it again"
    )
    verb = "was" if comparison.uncompared == 1 else "were"
    say(
        f"\n{comparison.uncompared:,} of {counted(comparison.pairs, 'pair')} {verb} not compared in"
        f" full; they share at most {comparison.most_shared:.1%} of their 4-grams{bound}"
    )


def _place(place: Place) -> str:
    return f"{place.date or 'undated   '}  {_where(place)}"


def _where(place: Place) -> str:
    name = f"long-term #{place.id}" if place.file is None else f"{place.file}:{place.line}"
    heading = one_line(place.heading, HEADING_CHARS)
    return f"{name}  {heading}".rstrip()


def _duplicate(pair: Duplicate) -> str:
    return f"{describe(pair)}\n    {_place(pair.a)}\n    {_place(pair.b)}"


def _contradiction(item: Contradiction) -> str:
    places = [_place(item.a)] + ([_place(item.b)] if item.b else [])
    return "\n    ".join([item.reason, *places])


def _size(size: Size) -> str:
    return f"{size.chars:,} of {size.limit:,} characters  {size.file}"
