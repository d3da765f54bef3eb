"""
A plan for tidying: the inventory's findings as operations that somebody decides on.

One JSON object a line, as `runtime notes batch` reads them. Every operation that
is proposed stands behind a comment mark, with its reason above: a plan that
nobody edited changes nothing. Text of a block is written down only where redaction
takes nothing out of it.
"""

import json
import os
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from runtime.likeness import sentences
from runtime.notes.entries import ARCHIVE_FOLDER, Entry, NoteTexts, newest_first
from runtime.notes.finding import root_of
from runtime.notes.merging import merged
from runtime.notes.plan_texts import (
    BY_HAND,
    HEADER,
    MERGED,
    NO_ARCHIVE,
    SAYS_LESS,
    SEE_ABOVE,
    SHRINKS,
    WAITS,
    WHICH_HOLDS,
    days,
    describe,
)
from runtime.notes.report import FULL_SHARE
from runtime.notes.spelt_dates import spelt_date
from runtime.text import clean, one_line
from schemas.inventory import Duplicate, Inventory, Place, Size

HEADING_CHARS: Final = 80


class Plan(NamedTuple):
    """The text of the file, and how many operations it proposes."""

    text: str
    operations: int
    is_empty: bool
    """Nothing was found that somebody could decide on."""


def make_plan(
    inventory: Inventory, notes: NoteTexts, roots: Sequence[str], ignore: Sequence[str] = ()
) -> Plan:
    """
    Turn what was found in *notes* into proposals; long-term memories are left out.

    *ignore* are the patterns of `notes.ignore`: nothing is moved where they match.
    """
    planner = _Planner(notes, roots, ignore)
    planner.empty(inventory.empty)
    planner.contradictions(inventory)
    planner.duplicates(inventory.duplicates)
    planner.stale(inventory)
    planner.oversized(inventory)
    planner.undated(inventory.undated)
    planner.by_hand(inventory)
    text = planner.text()
    return Plan(HEADER.format(today=inventory.today) + text, planner.operations, not text)


class _Planner:
    """Writes line after line; no block gets two proposals."""

    def __init__(self, notes: NoteTexts, roots: Sequence[str], ignore: Sequence[str]) -> None:
        entries = [entry for file in notes.files for entry in file.entries]
        self.operations = 0
        self._lines: list[str] = []
        self._entries = {entry.place: entry for entry in entries}
        self._roots = {file.path: file.root for file in notes.files}
        self._all_roots, self._ignore = roots, ignore
        self._has_one_root = len(roots) == 1
        self._headings = Counter(_heading_key(entry.place) for entry in entries)
        self._done: set[Place] = set()
        self._undecided: set[Place] = set()
        """Blocks of which it has to be decided first whether they hold."""
        self._freed: Counter[str | None] = Counter()

    def text(self) -> str:
        return "".join(f"{line}\n" for line in self._lines)

    def empty(self, places: Iterable[Place]) -> None:
        for place in places:
            self._reason(f"nothing stands below the heading: {self._show(place)}")
            self._delete(place)

    def duplicates(self, pairs: Sequence[Duplicate]) -> None:
        """Of blocks that are linked by pairs the newest stays, with what only others say."""
        known = [pair for pair in pairs if {pair.a, pair.b} <= self._entries.keys()]
        known = [pair for pair in known if not self._waits(pair)]
        alike: dict[Place, Duplicate] = {}
        for pair in known:  # The most alike come first.
            alike.setdefault(pair.a, pair)
            alike.setdefault(pair.b, pair)
        for places in _linked((pair.a, pair.b) for pair in known):
            newest, *others = newest_first(self._entries[place] for place in places)
            body = merged(newest.body, [other.body for other in others])
            is_whole = all(entry.is_whole for entry in (newest, *others))
            is_longer = body != newest.body
            can_merge = not is_longer or (is_whole and self._is_named(newest.place))
            # Before the newest is replaced: its new text may be what an older one says.
            for other in others:
                pair = alike[other.place]
                twin = pair.b if pair.a == other.place else pair.a
                self._reason(f"{describe(pair)}: {self._show(twin)}, {self._show(other.place)}")
                if can_merge:
                    self._delete(other.place)
                else:
                    self._comment(BY_HAND)
            if can_merge and is_longer:
                self._comment(MERGED)
                self._replace(newest.place, newest.place.heading, body)
            if can_merge:
                self._done.add(newest.place)

    def _waits(self, pair: Duplicate) -> bool:
        """Tell of a pair that cannot be merged before it is decided which block holds."""
        if pair.how == "copy" or not {pair.a, pair.b} & self._undecided:
            return False
        self._reason(f"{describe(pair)}: {self._show(pair.a)}, {self._show(pair.b)}")
        self._comment(WAITS)
        return True

    def contradictions(self, inventory: Inventory) -> None:
        for item in inventory.contradictions:
            if item.b is None:
                self._reason(f"dated after today, {item.a.date}: {self._show(item.a)}")
                self._comment("by hand: only you know the right date")
        pairs = [(item.a, item.b) for item in inventory.contradictions if item.b is not None]
        for places in _linked(pairs):
            blocks = newest_first(self._entries[place] for place in places)
            self._reason(WHICH_HOLDS)
            for entry in blocks:
                self._comment(self._said(entry, blocks))
                self._delete(entry.place)
            self._undecided.update(places)
            newest = blocks[0]
            if self._is_named(newest.place):
                self._comment("Or delete the older ones, and write into the newest what holds:")
                self._write_down(newest.place, _replacement(newest.place.heading, newest.body))

    def _said(self, entry: Entry, blocks: Sequence[Entry]) -> str:
        """Show a block, with what it says and not all the others say."""
        shown = self._show(entry.place)
        if not entry.is_whole:
            return f"{shown}: what it says is left out, for it holds something private"
        others = [set(sentences(other.body)) for other in blocks if other is not entry]
        own = [text for text in sentences(entry.body) if not all(text in one for one in others)]
        return one_line(f"{shown}: {' '.join(own) or SAYS_LESS}", 4 * HEADING_CHARS)

    def stale(self, inventory: Inventory) -> None:
        for place in inventory.stale:
            if place in self._entries and place not in self._done:
                self._reason(
                    f"older than {days(inventory.stale_days)}, is it still so? {self._show(place)}"
                )
                self._move(place)

    def oversized(self, inventory: Inventory) -> None:
        for size in inventory.oversized:
            self._reason(f"{size.chars:,} of {size.limit:,} characters: {self._name(size.file)}")
            inside = [entry for entry in self._entries.values() if entry.place.file == size.file]
            left = [entry for entry in inside if entry.place not in self._done]
            if not left or self._is_freed(size):
                self._comment(SHRINKS)
            for entry in reversed(newest_first(left)):
                if self._is_freed(size):
                    break
                self._move(entry.place)

    def _is_freed(self, size: Size) -> bool:
        return size.chars - self._freed[size.file] <= FULL_SHARE * size.limit

    def undated(self, places: Iterable[Place]) -> None:
        for place in places:
            entry = self._entries[place]
            day, title = spelt_date(place.heading, entry.body)
            if day:
                self._reason(f"its date, written as the rules want it: {self._show(place)}")
            else:
                self._reason(f"no date, write one instead of YYYY-MM-DD: {self._show(place)}")
            self._replace(place, f"{day or 'YYYY-MM-DD'} {title}".strip(), entry.body)

    def by_hand(self, inventory: Inventory) -> None:
        for size in inventory.long_preambles:
            self._reason(
                f"{size.chars:,} characters above the first block: {self._name(size.file)}"
            )
            self._comment("by hand: put it into blocks, below second-level headings")
        for file in inventory.unreadable:
            self._reason(f"not read: {self._name(file.file)}: {file.reason}")
            self._comment("by hand: no operation can be proposed for it")

    def _delete(self, place: Place) -> None:
        self._propose(place, {"op": "delete"}, frees=True)

    def _move(self, place: Place) -> None:
        file = place.file or ""
        root = self._roots[file]
        to = os.path.join(root, ARCHIVE_FOLDER, os.path.relpath(file, root))
        if root_of(to, self._all_roots, self._ignore) is None:
            self._comment(NO_ARCHIVE)
            return
        self._propose(place, {"op": "move", "to": to}, frees=True)

    def _replace(self, place: Place, heading: str, body: str) -> None:
        self._propose(place, _replacement(heading, body))

    def _propose(self, place: Place, operation: dict[str, str], *, frees: bool = False) -> None:
        if place in self._done:
            self._comment(SEE_ABOVE)
            return
        if not self._is_named(place):
            self._comment(BY_HAND)
            return
        self._write_down(place, operation)
        self._done.add(place)
        if frees:
            self._freed[place.file] += self._entries[place].chars

    def _write_down(self, place: Place, operation: dict[str, str]) -> None:
        # Whole paths: a relative one would depend on the folder where the plan is applied.
        named = {"op": operation["op"], "file": place.file or "", "match": place.heading}
        self._comment(_line({**named, **operation}))
        self.operations += 1

    def _is_named(self, place: Place) -> bool:
        """Tell whether an operation can name the block: redacted, a heading is not the file's."""
        entry = self._entries[place]
        is_alone = place.heading != "" and self._headings[_heading_key(place)] == 1
        return entry.is_block and entry.is_whole and is_alone

    def _name(self, path: str) -> str:
        root = self._roots.get(path, "")
        return os.path.relpath(path, root) if self._has_one_root and root else path

    def _show(self, place: Place) -> str:
        return f"{self._name(place.file or '')}:{place.line} “{place.heading}”"

    def _reason(self, text: str) -> None:
        self._lines.append("#")
        self._comment(one_line(text, 4 * HEADING_CHARS))

    def _comment(self, text: str) -> None:
        self._lines.append(f"# {text}")


def _linked(pairs: Iterable[tuple[Place, Place]]) -> list[list[Place]]:
    """Put together what pairs link, also over others; each place is in one group."""
    groups: dict[Place, list[Place]] = {}
    for pair in pairs:
        one, other = (groups.setdefault(place, [place]) for place in pair)
        if one is not other:
            one += other
            groups.update(dict.fromkeys(other, one))
    return list({id(group): group for group in groups.values()}.values())


def _replacement(heading: str, body: str) -> dict[str, str]:
    return {"op": "replace", "heading": heading, "body": body}


def _heading_key(place: Place) -> tuple[str | None, str]:
    return place.file, unicodedata.normalize("NFC", place.heading)


def _line(operation: dict[str, str]) -> str:
    """Write JSON on one line; with escapes where a terminal or a line reader would stumble."""
    line = json.dumps(operation, ensure_ascii=False)
    return line if clean(line) == line else json.dumps(operation)
