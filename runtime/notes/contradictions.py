"""
Dates that cannot be right, and blocks of one title that cannot both hold.

Two blocks of one title, under different dates and with different texts, are a
contradiction also where the texts are alike: "the 25th" and "the 20th" differ in
one character, and no program knows which of them holds.
"""

import re
import unicodedata
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from runtime.likeness import sentences
from runtime.markdown.dates import without_dates
from runtime.notes.entries import Entry
from schemas.inventory import Contradiction, Duplicate, Place

SERIES: Final = 4
"""So many blocks of one title are a journal, not a decision that was taken again."""

_SILENT: Final = re.compile(
    r"[.,;:!?](?![0-9A-Za-z=])"  # not 1.5, not !=
    r"|(?<=[^\x00-\x7f])[,;:](?=[0-9A-Za-z])"
    r"|\*\*|[\"'`()\[\]]"
    r"|(?<![0-9])\s|\s(?![0-9])"  # 3 4 is not 34
)
_SILENT_CATEGORIES: Final = {"Pe", "Pf", "Pi", "Po", "Ps"}
_SPOKEN: Final = "‰‱"
"""Punctuation by their category, and said aloud; dashes may be a minus or "up to"."""


def split_off(
    blocks: Sequence[Entry], pairs: Sequence[Duplicate], today: str
) -> tuple[list[Duplicate], list[Contradiction]]:
    """
    Take from what looks like duplicates the *pairs* that contradict each other.

    Give the duplicates that are left, and the contradictions: dates after today
    first, then blocks of one title that differ in date and text. Of a title that
    more blocks have, which is a series, only pairs that are alike count.
    """
    known = {block.place: block for block in blocks}
    opposed = {pair for pair in pairs if _is_opposed(pair, known)}
    duplicates = [pair for pair in pairs if pair not in opposed]
    # By their texts: what holds for one copy holds for the others.
    settled = {
        (known[pair.a].text, known[pair.b].text)
        for pair in duplicates
        if {pair.a, pair.b} <= known.keys()
    }
    found = [
        Contradiction(a=place, b=None, reason="after today") for place in _after(blocks, today)
    ]
    told: set[Place] = set()
    for newest, older in _of_one_title(blocks):
        if differ(newest, older) and (newest.text, older.text) not in settled:
            told |= {newest.place, older.place}
            found.append(_pair(newest.place, older.place))
    alike = (pair for pair in pairs if pair in opposed and not {pair.a, pair.b} <= told)
    return duplicates, [*found, *(_pair(pair.a, pair.b) for pair in alike)]


def _is_opposed(pair: Duplicate, known: Mapping[Place, Entry]) -> bool:
    newer, older = known.get(pair.a), known.get(pair.b)
    if newer is None or older is None or _subject(newer) != _subject(older):
        return False
    return differ(newer, older) and not _says_it_all(newer, older)


def differ(newer: Entry, older: Entry) -> bool:
    """Tell whether two blocks, each with a title, have different dates and different texts."""
    has_title = title(newer) != "" and newer.heading_date and older.heading_date
    if not has_title or newer.heading_date == older.heading_date:
        return False
    return spoken(newer.text) != spoken(older.text)


def title(entry: Entry) -> str:
    """Give a block's heading without its date, to be compared."""
    return without_dates(entry.place.heading).casefold()


def _subject(entry: Entry) -> str:
    """Give a title up to its colon: "closing day: the 25th" says in the title what holds."""
    return title(entry).partition(":")[0].rstrip()


def spoken(text: str) -> str:
    """Give what is left of a text when blanks and punctuation do not count."""
    plain = unicodedata.normalize("NFKC", text)
    return "".join(char for char in _SILENT.sub("", plain) if not _is_silent(char))


def _is_silent(char: str) -> bool:
    if char.isascii() or char in _SPOKEN:
        return False
    return unicodedata.category(char) in _SILENT_CATEGORIES


def _says_it_all(newer: Entry, older: Entry) -> bool:
    """Tell whether the newer has each sentence of the older: it took nothing back."""
    return set(map(spoken, sentences(older.text))) <= set(map(spoken, sentences(newer.text)))


def _of_one_title(blocks: Iterable[Entry]) -> Iterator[tuple[Entry, Entry]]:
    groups: dict[Hashable, list[Entry]] = {}
    for entry in blocks:
        if entry.heading_date and not entry.is_empty:
            groups.setdefault(title(entry), []).append(entry)
    for group in groups.values():
        newest, *others = sorted(group, key=lambda entry: entry.heading_date or "", reverse=True)
        if len(group) < SERIES:
            yield from ((newest, older) for older in others)


def _pair(newer: Place, older: Place) -> Contradiction:
    return Contradiction(a=newer, b=older, reason="same title, other date")


def _after(blocks: Iterable[Entry], today: str) -> Iterator[Place]:
    """Yield what is dated after today; a date that a whole file has, once."""
    told = set()
    for entry in blocks:
        place = entry.place
        if place.date is None or place.date <= today:
            continue
        if place.date_origin == "heading" or (place.file, place.date) not in told:
            yield place
        told.add((place.file, place.date))
