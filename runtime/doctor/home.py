"""The home: whose it is, what waits in it, what was left behind."""

import os
import stat
from collections.abc import Iterator
from functools import partial
from typing import Final

from runtime import spool
from runtime.doctor.check import Checked, Place, age, found
from runtime.paths import DIR_MODE, FILE_MODE, Home

OTHERS: Final = 0o077
"""Permission bits of group and others."""
TEMPORARY_S: Final = 86_400.0
WAITS_TOO_LONG_S: Final = 600.0
"""A worker takes an event within a second; a hook without one at the next event."""
SHOWN: Final = 3


def check(place: Place) -> list[Checked]:
    """Look at folders, modes, waiting and dead events, and settings."""
    home = place.home
    if os.path.exists(home.root) and not os.path.isdir(home.root):
        saw = f"{home.root} is no folder: nothing can be captured"
        return [found("home.folder", "problem", saw, "move it away, or set OBOEGAKI_HOME")]
    if not os.path.isdir(home.root):
        saw = f"{home.root} is not there: nothing was captured yet"
        return [found("home.folder", "note", saw, "it is made at the first event"), _config(place)]
    return [
        _folder(home),
        _modes(home),
        _temporary(place),
        _spool(place),
        _dead(home),
        _config(place),
    ]


def _folder(home: Home) -> Checked:
    owner = os.stat(home.root).st_uid
    if owner != os.getuid():
        saw = f"{home.root} belongs to user {owner}, you are {os.getuid()}"
        return found("home.folder", "problem", saw, "run as its owner, or set OBOEGAKI_HOME")
    if not os.access(home.root, os.W_OK | os.X_OK):
        saw = f"{home.root} cannot be written"
        return found("home.folder", "problem", saw, "give its owner the right to write")
    return found("home.folder", "ok", home.root)


def _modes(home: Home) -> Checked:
    wide = [path for path, mode in _kept(home) if mode & OTHERS]
    if not wide:
        return found("home.modes", "ok", "folders 0700, files 0600")
    shown = ", ".join(wide[:SHOWN]) + (" …" if len(wide) > SHOWN else "")
    saw = f"{len(wide)} can be read by others: {shown}"
    advice = "`runtime doctor --fix` takes those rights away"
    return found("home.modes", "warning", saw, advice, partial(_narrow, wide))


def _kept(home: Home) -> Iterator[tuple[str, int]]:
    """
    Yield (path, mode) of the home, its folders and the files in them.

    Notes are left out: they are the person's, and the home's own mode guards them.
    """
    yield home.root, os.stat(home.root).st_mode
    for folder in (home.root, home.spool, home.dead, home.logs, home.run):
        if not os.path.isdir(folder):
            continue
        with os.scandir(folder) as entries:
            for entry in entries:
                mode = entry.stat(follow_symlinks=False).st_mode
                is_notes = entry.path == home.notes
                if not is_notes and (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
                    yield entry.path, mode


def _narrow(paths: list[str]) -> str:
    for path in paths:
        os.chmod(path, DIR_MODE if os.path.isdir(path) else FILE_MODE)
    return f"took others' rights from {len(paths)} files and folders"


def _temporary(place: Place) -> Checked:
    left = [
        os.path.join(place.home.spool, name)
        for name in _names(place.home.spool)
        if name.startswith("tmp-")
    ]
    old = [path for path in left if place.now_s - _mtime(path, place) > TEMPORARY_S]
    if not old:
        return found("spool.temporary", "ok", f"{len(left)} temporary files, none older than a day")
    saw = f"{len(old)} temporary files older than a day: their hook processes were killed"
    return found("spool.temporary", "warning", saw, "`runtime doctor --fix`", partial(_delete, old))


def _spool(place: Place) -> Checked:
    waiting = sorted(name for name in _names(place.home.spool) if name[:1].isdigit())
    if not waiting:
        return found("spool.waiting", "ok", "no event waits")
    waited_s = place.now_s - spool.received_ns(waiting[0]) / 1e9
    saw = f"{len(waiting)} events wait, the oldest for {age(waited_s)}"
    if waited_s > WAITS_TOO_LONG_S:
        advice = "any command takes them in, such as `runtime stats`; see `runtime logs` for why"
        return found("spool.waiting", "warning", saw, advice)
    return found("spool.waiting", "note", saw)


def _dead(home: Home) -> Checked:
    names = _names(home.dead)
    if not names:
        return found("spool.dead", "ok", "no unreadable event")
    saw = f"{len(names)} events could not be read; they lie in {home.dead} for a while"
    return found("spool.dead", "note", saw, "`runtime logs` says why")


def _config(place: Place) -> Checked:
    # The problems themselves show values, and a value may be anything.
    if place.setting_problems:
        saw = f"{place.setting_problems} settings do not fit; their defaults are used"
        return found("home.settings", "warning", saw, "`runtime config check` names them")
    return found("home.settings", "ok", "settings fit")


def _names(folder: str) -> list[str]:
    return sorted(os.listdir(folder)) if os.path.isdir(folder) else []


def _mtime(path: str, place: Place) -> float:
    try:
        return os.stat(path).st_mtime
    except FileNotFoundError:
        return place.now_s


def _delete(paths: list[str]) -> str:
    for path in paths:
        if os.path.lexists(path):
            os.unlink(path)
    return f"deleted {len(paths)} temporary files"
