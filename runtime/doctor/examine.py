"""Run every check, mend what can be mended, and look again."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

import anyio

from runtime.doctor import (
    bytecode,
    client,
    disk,
    home,
    hooks,
    notes,
    permanent,
    python,
    redaction,
    semantic,
    store,
    worker,
)
from runtime.doctor.check import Checked, Place, found
from runtime.errors import ExpectedError
from schemas.reports import Examination

Family = Callable[[Place], list[Checked]]
BEFORE_STORE: Final[dict[str, Family]] = {
    "python": python.check,
    "bytecode": bytecode.check,
    "home": home.check,
    "disk": disk.check,
    "notes": notes.check,
}
AFTER_STORE: Final[dict[str, Family]] = {
    "permanent": permanent.check,
    "semantic": semantic.check,
    "worker": worker.check,
    "hooks": hooks.check,
    "client": client.check,
    "redaction": redaction.check,
}


async def examine(place: Place, *, fix: bool) -> Examination:
    """
    Return what was found; with `fix`, after the repairs and with what they did.

    A check that fails is a finding itself: one broken thing hides no other.
    """
    checked = await _look(place)
    if not fix:
        return Examination(findings=tuple(row.finding for row in checked))
    mends = [partial(_mend, row) for row in checked if row.mend is not None]
    done = [await anyio.to_thread.run_sync(mend) for mend in mends]
    after = await _look(place) if done else checked
    return Examination(findings=tuple(row.finding for row in after), fixed=tuple(done))


def _mend(row: Checked) -> str:
    try:
        return row.mend() if row.mend is not None else ""
    except (OSError, ExpectedError) as error:
        return f"could not mend {row.finding.id}: {error}"


async def _look(place: Place) -> list[Checked]:
    rows = []
    for name, family in BEFORE_STORE.items():
        rows += await _guarded(name, partial(anyio.to_thread.run_sync, family, place))
    rows += await _guarded("store", partial(store.check, place))
    for name, family in AFTER_STORE.items():
        rows += await _guarded(name, partial(anyio.to_thread.run_sync, family, place))
    return rows


async def _guarded(name: str, check: Callable[[], Awaitable[list[Checked]]]) -> list[Checked]:
    try:
        return await check()
    except Exception as error:  # noqa: BLE001 - whatever is broken here, the rest is looked at
        saw = f"this check failed: {type(error).__name__}: {error}"
        return [found(f"{name}.check", "problem", saw, "report it with this line")]
