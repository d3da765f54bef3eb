"""The folders of notes: what is not there is searched as it was, and nobody sees it change."""

import os

from runtime.doctor.check import Checked, Place, found
from runtime.notes.book import folders


def check(place: Place) -> list[Checked]:
    """Look whether every configured folder can be read, and CONTEXT.md is there."""
    return [_folders(place), *_context(place)]


def _folders(place: Place) -> Checked:
    chosen = place.settings.notes.dirs
    if not chosen:
        return found("notes.folders", "ok", f"notes lie in {place.home.notes}")
    configured = folders(place.home, place.settings)
    bad = [folder for folder in configured if not os.access(folder, os.R_OK)]
    if not bad:
        return found("notes.folders", "ok", f"notes lie in {', '.join(configured)}")
    saw = f"missing, or not to be read: {', '.join(bad)}"
    advice = "mount it, or correct notes.dirs (MEMORY_DIRS); `runtime reindex` tells what it held"
    return found("notes.folders", "warning", saw, advice)


def _context(place: Place) -> list[Checked]:
    path = place.settings.notes.context
    if not path or os.path.isfile(path):
        return []
    saw = f"notes.context names {path}, which is no file"
    advice = "correct it, or begin the file: until then nothing is rotated and no session is told"
    return [found("notes.context", "note", saw, advice)]
