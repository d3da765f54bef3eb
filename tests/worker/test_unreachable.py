"""What hooks find a worker by is deleted while it runs: it notices by itself."""

import shutil
from pathlib import Path

import pytest

from runtime import sockets
from tests.leftovers import until
from tests.worker.hooks import Hooks, assert_once, skill, written

pytestmark = pytest.mark.process


@pytest.mark.parametrize(
    "names",
    [(sockets.KICK,), (sockets.ASK,), (sockets.KICK, sockets.ASK)],
    ids=["kicks", "questions", "both"],
)
def test_deleted_sockets_are_bound_again(hooks: Hooks, names: tuple[str, ...]) -> None:
    """Kicks fail and the lock is held: nobody else can help those events."""
    hooks.run(written("before"))
    hooks.drained()
    worker = hooks.served()
    for name in names:
        (Path(hooks.home.run) / name).unlink()
    hooks.run(written("meanwhile"))
    hooks.run(skill("asked"))
    hooks.drained()
    until(lambda: all((Path(hooks.home.run) / name).exists() for name in names))
    hooks.run(written("after"))
    hooks.drained()

    assert hooks.workers == [worker]
    assert_once(hooks, ["before", "meanwhile", "after"])
    assert hooks.events().count("asked") == 1


def test_a_deleted_run_folder_makes_way_for_one_new_worker(hooks: Hooks) -> None:
    """The lock went with the folder: the old one leaves and touches nothing of the new one's."""
    hooks.run(written("before"))
    hooks.drained()
    old = hooks.served()
    shutil.rmtree(hooks.home.run)
    hooks.run(written("meanwhile"))
    hooks.drained()
    until(lambda: old not in hooks.workers)
    new = hooks.served()
    hooks.run(written("after"))
    hooks.drained()

    assert hooks.workers == [new]
    assert sockets.kick(hooks.home.run, b"")
    assert_once(hooks, ["before", "meanwhile", "after"])


def test_a_deleted_home_ends_its_worker(hooks: Hooks) -> None:
    """Nobody can reach it any more, and there is nothing to keep."""
    hooks.run(written("before"))
    hooks.drained()
    hooks.served()
    shutil.rmtree(hooks.root)

    hooks.gone()
    assert not hooks.root.exists()


@pytest.mark.parametrize("name", [sockets.KICK, sockets.ASK])
def test_a_worker_that_cannot_be_reached_does_its_work_and_leaves(hooks: Hooks, name: str) -> None:
    """Something that is no socket lies in the place of one: that is no crash."""
    hooks.home.prepare()
    (Path(hooks.home.run) / name).mkdir()
    hooks.run(written("one"))
    hooks.drained()
    hooks.gone()

    assert len(hooks.logged("worker_unreachable")) == 1
    assert hooks.logged("worker_crashed") == []
    assert_once(hooks, ["one"])
