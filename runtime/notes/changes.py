"""
What has to be done so that the index shows the notes as a walk has found them.

Files are forgotten only where this run has looked and found them gone. A disk
that is not mounted, or a folder that the cloud has not fetched yet, is no
deletion; neither is a folder that was taken out of the settings.
"""

import os
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from runtime.notes.finding import Found, is_below
from runtime.store.note_files import NoteFile

State = Literal["outside", "missing", "empty", "emptied", "evicted"]
SEVERAL: Final = 2
"""One file that goes may be the last one; of more than that a folder is not emptied by the way."""


class Aside(NamedTuple):
    """
    Files that are known and were not found, by folder.

    "outside": of no configured folder, so not searched any more. "missing",
    "empty": the folder is not there, or holds no note where it held several;
    what is known is still searched. "emptied": its last note is gone, and forgotten.
    "evicted": iCloud Drive keeps the file's place and has its data; still searched.
    """

    folder: str
    files: int
    state: State


class Changes(NamedTuple):
    """What has to be done."""

    changed: tuple[NoteFile, ...]
    """To be read: new, or not as they were."""
    moved: Mapping[str, str]
    """Of these, those that lay elsewhere before: new path to old one."""
    gone: tuple[NoteFile, ...]
    outside: tuple[NoteFile, ...]
    """To be searched no longer."""
    aside: tuple[Aside, ...]


def compare(
    known: Mapping[str, NoteFile],
    outside: Collection[str],
    found: Found,
    roots: Sequence[str],
    *,
    forget: bool = False,
) -> Changes:
    """
    Compare what the index knows with what a walk of *roots* has found; blocking.

    *outside* are the known paths that are not searched already. With *forget*
    every file is gone that was not found.
    """
    present = {file.path for file in found.files}
    changed = tuple(file for file in found.files if known.get(file.path) != file)
    absent = [file for path, file in known.items() if path not in present]
    moved = _moved([file for file in changed if file.path not in known], absent)
    left = [file for file in absent if file.path not in moved.values()]
    fates = [] if forget else _fates(left, found, roots)
    return Changes(
        changed=changed,
        moved=moved,
        gone=tuple(left if forget else [fate.file for fate in fates if fate.is_gone]),
        outside=tuple(
            fate.file for fate in fates if fate.state == "outside" and fate.file.path not in outside
        ),
        aside=_asides(fates, found, roots),
    )


def _moved(new: Sequence[NoteFile], absent: Sequence[NoteFile]) -> dict[str, str]:
    """
    Pair new files with those that are not found any more, by size and time of change.

    A rename changes neither. Which is which must be plain; the file is read all
    the same, so a wrong guess costs time only.
    """
    old, fresh = _by_look(absent), _by_look(new)
    return {
        files[0].path: old[look][0].path
        for look, files in fresh.items()
        if len(files) == len(old.get(look, ())) == 1 and not os.path.lexists(old[look][0].path)
    }


def _by_look(files: Sequence[NoteFile]) -> dict[tuple[int, int], list[NoteFile]]:
    looks: dict[tuple[int, int], list[NoteFile]] = {}
    for file in files:
        looks.setdefault((file.mtime_ns, file.size), []).append(file)
    return looks


class _Fate(NamedTuple):
    file: NoteFile
    folder: str
    state: State | None

    @property
    def is_gone(self) -> bool:
        return self.state in {None, "emptied"}


def _fates(left: Sequence[NoteFile], found: Found, roots: Sequence[str]) -> list[_Fate]:
    """Decide about each file that was not found."""
    fates = [_fate(file, found, roots) for file in left]
    gone = Counter(fate.folder for fate in fates if fate.is_gone)
    without_notes = {
        folder
        for folder in gone
        if folder in found.walked and not any(is_below(file.path, folder) for file in found.files)
    }
    for index, fate in enumerate(fates):
        if not fate.is_gone or fate.folder not in without_notes:
            continue
        if gone[fate.folder] < SEVERAL:
            fates[index] = fate._replace(state="emptied")
        elif not os.path.lexists(fate.file.path):  # else it is there, and left out by a pattern
            fates[index] = fate._replace(state="empty")
    return fates


def _fate(file: NoteFile, found: Found, roots: Sequence[str]) -> _Fate:
    tops = sorted((root for root in roots if is_below(file.path, root)), key=len)
    if not tops:
        lies_there = os.path.lexists(file.path) or not os.path.isdir(os.path.dirname(file.path))
        return _Fate(file, file.root, "outside" if lies_there else None)
    walked = next((root for root in tops if root in found.walked), None)
    if walked is None or any(is_below(file.path, place) for place, _why in found.unread):
        return _Fate(file, tops[0], "missing")
    place, name = os.path.split(file.path)
    if os.path.lexists(os.path.join(place, f".{name}.icloud")):
        return _Fate(file, walked, "evicted")
    return _Fate(file, walked, None)


def _asides(fates: Sequence[_Fate], found: Found, roots: Sequence[str]) -> tuple[Aside, ...]:
    counted: dict[tuple[str, State], int] = {
        (root, "missing"): 0 for root in roots if root not in found.walked
    }
    for fate in fates:
        if fate.state is not None:
            key = (fate.folder, fate.state)
            counted[key] = counted.get(key, 0) + 1
    return tuple(Aside(folder, files, state) for (folder, state), files in counted.items())
