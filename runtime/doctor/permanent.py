"""Permanent memories in esa: how old the copy is that the search looks at."""

import os
from typing import Final

from runtime.app import store_path
from runtime.days import local_day
from runtime.doctor.check import Checked, Place, found
from runtime.permanent.freshness import place_of
from runtime.store.sqlite import Error, open_read_only

WAIT_S: Final = 5.0
NOW: Final = "`runtime permanent refresh` does it now"


def check(place: Place) -> list[Checked]:
    """Look at the copy; of a folder, which is followed before every search, nothing is said."""
    path = store_path(place.home, place.settings)
    wanted = place_of(place.home, place.settings)
    if wanted.is_folder or not os.path.isfile(path):
        return []
    try:
        connection = open_read_only(path, WAIT_S)
        try:
            row = connection.execute(_PLACE, (wanted.name, wanted.tag)).fetchone()
        finally:
            connection.close()
    except Error:  # no database, or one of an older schema: `store` tells
        return []
    return [_copy(row, place.settings.permanent.refresh_s)]


def _copy(row: "tuple[int, str | None, str | None] | None", refresh_s: float) -> Checked:
    if row is None or row[1] is None:
        problem = f": {row[2]}" if row and row[2] else ""
        saw = f"the search knows nothing of esa yet{problem}"
        return found("permanent.copy", "warning" if problem else "note", saw, NOW)
    posts, refreshed_at, failure = row
    day = local_day(refreshed_at or "")
    saw = f"the search knows {posts:,} permanent memories of esa, as of {day}"
    if failure:
        return found("permanent.copy", "warning", f"{saw}; since then: {failure}", NOW)
    if not refresh_s:
        return found("permanent.copy", "note", f"{saw}; permanent.refresh_s = 0", NOW)
    return found("permanent.copy", "ok", saw)


_PLACE: Final = """
SELECT (SELECT count(*) FROM permanent_posts), refreshed_at, problem FROM permanent_place
WHERE place = ? AND tag = ?
"""
