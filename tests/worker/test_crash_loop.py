"""A worker that dies at once, or in the middle of an event."""

import sys

import pytest

from runtime.launch import import_paths
from runtime.worker.spawn import STARTS_MAX
from tests.leftovers import until
from tests.worker.hooks import Hooks, assert_once, session_start, written

pytestmark = pytest.mark.process

WRAPPER = """\
import sys
sys.path[:0] = {paths!r}
import runtime.worker.spawn
runtime.worker.spawn.CODE = {code!r}
from runtime.client import main
main(sys.argv[1:])
"""
DIES_AT_ONCE = """\
open({notes!r}, "a").write("started\\n")
raise SystemExit(1)
"""
DIES_IN_AN_EVENT = """\
import os, signal, sys
sys.path.insert(0, {{path!r}})
import runtime.{module} as module
once = {once!r}
original = module.{function}
def die(*arguments, **options):
    if not os.path.exists(once):
        open(once, "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    return original(*arguments, **options)
module.{function} = die
from runtime.worker.main import main
main()
"""


def give(hooks: Hooks, code: str) -> None:
    """Let these hooks start a worker of their own making."""
    for event in ("PostToolUse", "SessionStart"):
        wrapper = WRAPPER.format(paths=import_paths(), code=code)
        hooks.commands[event] = [sys.executable, "-I", "-S", "-c", wrapper, event]


def test_after_five_crashes_hooks_do_the_work_themselves(hooks: Hooks) -> None:
    """Starting a process that dies costs more than it brings."""
    notes = hooks.root.parent / "starts"
    give(hooks, DIES_AT_ONCE.format(notes=str(notes)))
    for number in range(STARTS_MAX):
        hooks.run(written(f"crash-{number}"))
        # The lock is free again when it has died.
        until(
            lambda n=number: (
                notes.exists() and len(notes.read_text(encoding="utf-8").split()) == n + 1
            )
        )
        hooks.gone()
    waiting = len(hooks.spooled())
    hooks.run(written("inline"))
    answer = hooks.run(session_start("asked"))

    assert waiting == STARTS_MAX
    assert hooks.spooled() == []
    assert len(notes.read_text(encoding="utf-8").split()) == STARTS_MAX
    assert b"runtime search" in answer
    assert_once(hooks, [*(f"crash-{number}" for number in range(STARTS_MAX)), "inline"])
    assert hooks.events().count("asked") == 1


@pytest.mark.parametrize(
    ("module", "function", "why"),
    [
        ("spool", "read", "before anything is done"),
        ("pipeline", "_run", "before the handlers"),
        ("finishing", "commit", "after the handlers"),
        ("commit", "insert", "in the transaction"),
        ("commit", "keep", "in the transaction, the event's row written"),
        ("spool", "finish", "committed, and still in the spool"),
        ("worker.prepare", "_states", "the event done with"),
    ],
)
def test_a_worker_that_dies_in_an_event_leaves_it_to_the_next(
    hooks: Hooks, module: str, function: str, why: str
) -> None:
    """Whatever the moment, the next worker makes it whole."""
    once = hooks.root.parent / "died"
    give(hooks, DIES_IN_AN_EVENT.format(module=module, function=function, once=str(once)))
    hooks.run(written("one"))
    until(once.exists)
    hooks.gone()
    hooks.run(written("two"))
    hooks.drained()

    assert once.exists(), why
    assert_once(hooks, ["one", "two"])
