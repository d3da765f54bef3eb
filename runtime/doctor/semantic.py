"""The search by meaning: whether its encoder is there, and how far the records are encoded."""

import os

from runtime.app import store_path
from runtime.doctor.check import Checked, Place, found
from runtime.embeddings.choosing import chosen_by
from runtime.embeddings.coverage import status
from runtime.store.sqlite import Error, open_read_only
from schemas.vectors import VectorStatus

WAIT_S = 5.0
SLOW = "`runtime search --semantic` takes long in a large store; with numpy it would not"


def check(place: Place) -> list[Checked]:
    """Look at encoder and vectors; of a search that nobody has switched on nothing is said."""
    seen = _status(place)
    if seen is None or not (seen.enabled or seen.encoders or seen.has_ruri_table):
        return []
    return [*_encoder(seen), *_nearest(seen), *_vectors(seen), *_foreign(seen), *_ruri(seen)]


def _status(place: Place) -> VectorStatus | None:
    path = store_path(place.home, place.settings)
    if not os.path.isfile(path):
        return None
    chosen, enabled = chosen_by(place.settings), place.settings.semantic.enabled
    try:
        connection = open_read_only(path, WAIT_S)
        try:
            return status(connection, chosen, enabled=enabled)
        finally:
            connection.close()
    except Error:  # no database, or one of an older schema: `store` tells
        return None


def _encoder(seen: VectorStatus) -> list[Checked]:
    if not seen.problem:
        return [found("semantic.encoder", "ok", f"encoder {seen.encoder} is there")]
    saw = f"encoder {seen.encoder}: {seen.problem}"
    if not seen.enabled:
        return [found("semantic.encoder", "note", saw, "only `runtime search --semantic` needs it")]
    advice = "until then searches go by words alone; semantic.enabled = false says so for good"
    return [found("semantic.encoder", "warning", saw, advice)]


def _nearest(seen: VectorStatus) -> list[Checked]:
    if seen.problem:
        return []
    if not seen.extension_problem:
        return [found("semantic.nearest", "ok", "all vectors are compared by sqlite-vec")]
    saw = f"all vectors are compared by {seen.ways[0]}: {seen.extension_problem}"
    advice = "only `runtime search --semantic` takes longer for it" if seen.ways[1:] else SLOW
    return [found("semantic.nearest", "note", saw, advice)]


def _vectors(seen: VectorStatus) -> list[Checked]:
    behind = seen.records - seen.encoded
    if seen.problem or not behind:
        saw = f"{seen.encoded:,} of {seen.records:,} records are encoded"
        return [] if seen.problem else [found("semantic.vectors", "ok", saw)]
    saw = f"{behind:,} of {seen.records:,} records are not encoded"
    advice = "the worker does it in its idle time; `runtime embed backfill` does it now"
    if not seen.enabled:
        advice = "`runtime embed backfill`, or semantic.enabled = true for the worker to do it"
    return [found("semantic.vectors", "note", saw, advice)]


def _foreign(seen: VectorStatus) -> list[Checked]:
    others = [each for each in seen.encoders if not each.is_used]
    if seen.problem or not others:
        return []
    named = ", ".join(f"{each.vectors:,} of {each.name} {each.version}" for each in others)
    saw = f"vectors that nothing is compared with: {named}"
    return [found("semantic.foreign", "note", saw, "`runtime embed drop --others` deletes them")]


def _ruri(seen: VectorStatus) -> list[Checked]:
    if seen.has_ruri_table and not seen.wants_ruri_table:
        saw = "memories_vec is there, and there are no vectors of ruri-v3-310m"
        advice = "chiebukuro-mcp would compare strangers; `runtime embed drop` takes it out"
        return [found("semantic.ruri", "warning", saw, advice)]
    if seen.wants_ruri_table and not seen.has_ruri_table:
        saw = "there are vectors of ruri-v3-310m, and no memories_vec for chiebukuro-mcp"
        return [
            found("semantic.ruri", "note", saw, "`runtime embed backfill` makes it or says why")
        ]
    return []
