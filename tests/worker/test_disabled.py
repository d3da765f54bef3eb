"""`worker.enabled = false`, however it is written: no worker is ever started."""

import pytest

from tests.worker.hooks import Hooks, assert_once, session_start, written

pytestmark = pytest.mark.process

SPELLINGS = [
    "[worker]\nenabled = false\n",
    "[ worker ]  # a comment\nenabled=false# another\n",
    "worker.enabled = false\n",
    'worker . "enabled" = false\n',
    "worker = { enabled = false }\n",
    "[\"worker\"]\n'enabled' = false\n",
    "[capture]\nmin_chars = 100\n[worker]\nidle_s = 5\nenabled = false\n[logs]\nkeep = 3\n",
    '[worker]\nenabled = "no"\n',
    "[worker]\r\nenabled = false\r\n",
]
LEAVES_IT_ON = [
    "# [worker]\n# enabled = false\n",
    "[worker]\nenabled = true\n",
    "[inject]\nenabled = false # and the worker?\n",
    "[worker]\nidle_s = 60\n\n[inject]\nenabled = false\n",
    "[worker]\nenabled = false\n[[[ this is no TOML\n",
]


@pytest.mark.parametrize("config", SPELLINGS)
def test_no_worker_is_started_where_it_is_turned_off(hooks: Hooks, config: str) -> None:
    """Hooks do the work themselves."""
    hooks.configure(config)
    hooks.run(written("one"))
    answer = hooks.run(session_start("asked"))

    assert hooks.logged("worker_started") == []
    assert hooks.workers == []
    assert hooks.spooled() == []
    assert b"runtime search" in answer
    assert_once(hooks, ["one"])


@pytest.mark.parametrize("value", ["0", "false", "no", "Off"])
def test_the_environment_turns_it_off_as_well(hooks: Hooks, value: str) -> None:
    """And it wins over the file."""
    hooks.configure("[worker]\nenabled = true\n")
    hooks.run(written("one"), environ={"OBOEGAKI_WORKER_ENABLED": value})

    assert hooks.logged("worker_started") == []
    assert_once(hooks, ["one"])


def test_an_empty_variable_leaves_it_to_the_file(hooks: Hooks) -> None:
    """An unset variable and an empty one are the same everywhere."""
    hooks.configure("[worker]\nenabled = false\n")
    hooks.run(written("one"), environ={"OBOEGAKI_WORKER_ENABLED": ""})

    assert hooks.logged("worker_started") == []
    assert_once(hooks, ["one"])


@pytest.mark.parametrize("config", LEAVES_IT_ON)
def test_it_runs_where_the_file_says_nothing_against_it(hooks: Hooks, config: str) -> None:
    """A file that cannot be read says nothing."""
    hooks.configure(config)
    hooks.run(written("one"))
    hooks.drained()

    assert len(hooks.logged("worker_started")) == 1
    assert_once(hooks, ["one"])


def test_a_running_worker_leaves_when_it_is_turned_off(hooks: Hooks) -> None:
    """What it was told by the next event it still handles."""
    hooks.run(written("one"))
    hooks.drained()
    hooks.configure("[worker]\nenabled = false\n")
    hooks.run(written("two"))
    hooks.gone()
    hooks.run(written("three"))

    assert len(hooks.logged("worker_started")) == 1
    assert_once(hooks, ["one", "two", "three"])


def test_a_worker_wanted_by_one_session_alone_still_handles_everything(hooks: Hooks) -> None:
    """The file says no, this session's variable yes: the worker works and leaves."""
    hooks.configure("[worker]\nenabled = false\n")
    for number in range(8):
        hooks.run(written(f"on-{number}"), environ={"OBOEGAKI_WORKER_ENABLED": "1"})
    hooks.drained()

    assert_once(hooks, [f"on-{number}" for number in range(8)])
