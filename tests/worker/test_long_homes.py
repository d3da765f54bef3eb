"""A home anywhere: longer than a socket's address, with spaces, in Japanese."""

from pathlib import Path

import pytest

from runtime import sockets
from tests.leftovers import stop_workers_below
from tests.worker.hooks import Hooks, assert_once, session_start, written

pytestmark = pytest.mark.process


@pytest.mark.parametrize(
    "place",
    ["x" * 60 + "/" + "y" * 60, "two words/and more", "覚書/記憶の場所" * 6, "50% of #1?a=b"],
    ids=["long", "spaces", "japanese", "signs"],
)
def test_a_home_of_any_name_is_served(tmp_path: Path, place: str) -> None:
    """The hook's own folder stays what it was, whatever the way to the socket."""
    hooks = Hooks(tmp_path / place)
    hooks.run(written("one"), cwd=tmp_path)
    hooks.drained()
    hooks.served()
    answer = hooks.run(session_start("asked"), cwd=tmp_path)
    hooks.drained()
    started = len(hooks.logged("worker_started"))
    is_reached = sockets.kick(hooks.home.run, b"")
    stop_workers_below(tmp_path)

    assert is_reached
    assert started == 1
    assert b"runtime search" in answer
    assert_once(hooks, ["one"])
    assert hooks.events() == ["one", "asked"]


def test_a_hook_in_a_folder_that_is_gone_still_works(tmp_path: Path) -> None:
    """There is no way back into it from the socket's folder."""
    gone = tmp_path / "gone"
    gone.mkdir()
    hooks = Hooks(tmp_path / ("z" * 120))
    hooks.run(written("one"))
    hooks.drained()
    worker = hooks.served()
    hooks.run(written("two"), preexec_fn=gone.rmdir, cwd=gone)
    hooks.drained()
    workers = hooks.workers
    stop_workers_below(tmp_path)

    assert workers == [worker]
    assert_once(hooks, ["one", "two"])
