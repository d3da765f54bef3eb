from datetime import UTC, datetime
from pathlib import Path

from runtime.context import AppContext
from runtime.longterm.forgetting import forget
from runtime.longterm.wanted import Wanted
from runtime.permanent.local import Local
from runtime.permanent.service import Permanent

MARK = "zanzibarquux"
LATER = datetime(2100, 1, 1, tzinfo=UTC).isoformat()


async def test_what_a_permanent_memory_said_before_is_forgotten(
    app: AppContext, tmp_path: Path
) -> None:
    permanent = Permanent(Local(tmp_path / "posts", app.opened, "agent"), "永続")
    await permanent.create("[a] title", f"old {MARK} text")
    await permanent.update(1, "[a] title", "new text", 1)
    wanted = Wanted(match=MARK.upper())

    shown = await forget(app.home, app.opened, wanted, is_dry=True)
    kept = await forget(app.home, app.opened, Wanted(match=MARK, since=LATER), is_dry=False)
    done = await forget(app.home, app.opened, wanted, is_dry=False)

    assert (shown.saves, kept.saves, done.saves) == (1, 0, 1)
    assert [save.number for save in await permanent.history(1)] == [2]
    assert MARK.encode() not in Path(app.opened.path).read_bytes()


async def test_a_file_that_still_holds_it_stays_and_is_noted_anew(
    app: AppContext, tmp_path: Path
) -> None:
    permanent = Permanent(Local(tmp_path / "posts", app.opened, "agent"), "永続")
    await permanent.create("[a] title", f"{MARK} text")

    await forget(app.home, app.opened, Wanted(match=MARK), is_dry=False)

    post = await permanent.show(1)
    assert (post.revision, post.body_md) == (1, f"{MARK} text")
