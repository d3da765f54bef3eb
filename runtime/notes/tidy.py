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

from runtime.notes.entries import ARCHIVE_FOLDER, Entry, NoteTexts, newest_first
from runtime.notes.finding import root_of
from runtime.notes.merging import merged
from runtime.notes.report import FULL_SHARE
from runtime.text import clean, one_line
from schemas.inventory import Duplicate, Inventory, Place

HEADING_CHARS: Final = 80
HEADER: Final = """\
# Proposals for tidying, made {today}. As it is, this file changes nothing.
# Take "# " away in front of the operations that you want, change them as you like,
# take out the rest if it disturbs, then run: runtime notes batch FILE
"""

BY_HAND: Final = "by hand: no operation can name it (no heading of its own), or it is private"

NO_ARCHIVE: Final = "by hand: no search would find it in an archive beside its file"


class Plan(NamedTuple):
    """The text of the file, and how many operations it proposes."""

    text: str
    operations: int


def make_plan(
    inventory: Inventory, notes: NoteTexts, roots: Sequence[str], ignore: Sequence[str] = ()
) -> Plan:
    """
    Turn what was found in *notes* into proposals; long-term memories are left out.

    *ignore* are the patterns of `notes.ignore`: nothing is moved where they match.
    """
    planner = _Planner(notes, roots, ignore)
    planner.empty(inventory.empty)
    planner.duplicates(inventory.duplicates)
    planner.contradictions(inventory)
    planner.stale(inventory)
    planner.oversized(inventory)
    planner.undated(inventory.undated)
    planner.by_hand(inventory)
    return Plan(HEADER.format(today=inventory.today) + planner.text(), planner.operations)


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
        alike: dict[Place, Duplicate] = {}
        for pair in known:  # The most alike come first.
            alike.setdefault(pair.a, pair)
            alike.setdefault(pair.b, pair)
        for places in _linked(known):
            newest, *others = newest_first(self._entries[place] for place in places)
            for other in others:
                pair = alike[other.place]
                twin = pair.b if pair.a == other.place else pair.a
                self._reason(f"{describe(pair)}: {self._show(twin)}, {self._show(other.place)}")
            self._merge(newest, others)

    def _merge(self, newest: Entry, others: Sequence[Entry]) -> None:
        body = merged(newest.body, [other.body for other in others])
        is_whole = all(entry.is_whole for entry in (newest, *others))
        if body != newest.body and not (is_whole and self._is_named(newest.place)):
            self._comment(BY_HAND)
            return
        # Before the newest is replaced: its new text may be what an older one says.
        for other in others:
            self._delete(other.place)
        if body != newest.body:
            self._comment("what only the others say stands at the end of the newest:")
            self._replace(newest.place, newest.place.heading, body)
        self._done.add(newest.place)

    def contradictions(self, inventory: Inventory) -> None:
        for item in inventory.contradictions:
            if item.b is None:
                self._reason(f"dated after today, {item.a.date}: {self._show(item.a)}")
            else:
                newer, older = self._show(item.a), self._show(item.b)
                self._reason(
                    f"one title under two dates, does the older still hold? {newer}, {older}"
                )
                self._delete(item.b)

    def stale(self, inventory: Inventory) -> None:
        for place in inventory.stale:
            if place in self._entries and place not in self._done:
                self._reason(
                    f"older than {inventory.stale_days} days, is it still so? {self._show(place)}"
                )
                self._move(place)

    def oversized(self, inventory: Inventory) -> None:
        for size in inventory.oversized:
            self._reason(f"{size.chars:,} of {size.limit:,} characters: {self._name(size.file)}")
            inside = [entry for entry in self._entries.values() if entry.place.file == size.file]
            for entry in reversed(newest_first(inside)):
                if size.chars - self._freed[size.file] <= FULL_SHARE * size.limit:
                    break
                if entry.place not in self._done:
                    self._move(entry.place)

    def undated(self, places: Iterable[Place]) -> None:
        for place in places:
            self._reason(f"no date, write one instead of YYYY-MM-DD: {self._show(place)}")
            self._replace(place, f"YYYY-MM-DD {place.heading}", self._entries[place].body)

    def by_hand(self, inventory: Inventory) -> None:
        for size in inventory.long_preambles:
            self._reason(
                f"{size.chars:,} characters above the first block: {self._name(size.file)}"
            )
        for file in inventory.unreadable:
            self._reason(f"not read: {self._name(file.file)}: {file.reason}")

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
        self._propose(place, {"op": "replace", "heading": heading, "body": body})

    def _propose(self, place: Place, operation: dict[str, str], *, frees: bool = False) -> None:
        if place in self._done:
            self._comment("see above")
            return
        if not self._is_named(place):
            self._comment(BY_HAND)
            return
        # Whole paths: a relative one would depend on the folder where the plan is applied.
        named = {"op": operation["op"], "file": place.file or "", "match": place.heading}
        self._comment(_line({**named, **operation}))
        self.operations += 1
        self._done.add(place)
        if frees:
            self._freed[place.file] += self._entries[place].chars

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


def describe(pair: Duplicate) -> str:
    """Say in a few words how two duplicates are alike."""
    return {
        "copy": "copies",
        "similar": f"{pair.similarity:.0%} alike",
        "reordered": f"{pair.similarity:.0%} the same sentences, in another order",
    }[pair.how]


def _linked(pairs: Iterable[Duplicate]) -> list[list[Place]]:
    """Put together what pairs link, also over others; each place is in one group."""
    groups: dict[Place, list[Place]] = {}
    for pair in pairs:
        one, other = (groups.setdefault(place, [place]) for place in (pair.a, pair.b))
        if one is not other:
            one += other
            groups.update(dict.fromkeys(other, one))
    return list({id(group): group for group in groups.values()}.values())


def _heading_key(place: Place) -> tuple[str | None, str]:
    return place.file, unicodedata.normalize("NFC", place.heading)


def _line(operation: dict[str, str]) -> str:
    """Write JSON on one line; with escapes where a terminal or a line reader would stumble."""
    line = json.dumps(operation, ensure_ascii=False)
    return line if clean(line) == line else json.dumps(operation)
