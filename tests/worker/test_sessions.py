"""One worker, many sessions: each with its own settings, and all with those of now."""

import json
import os
import signal
from pathlib import Path

import pytest

from tests.cases_tests.playground import assistant, stop, user
from tests.leftovers import until
from tests.worker.hooks import Hooks, assert_once, session_start, written

pytestmark = pytest.mark.process


def notes_in(folder: Path, heading: str) -> dict[str, str]:
    """Make a folder of notes; return the variable of a session that uses it."""
    folder.mkdir(parents=True)
    (folder / "CONTEXT.md").write_text(f"## {heading}\n\nunder way\n", encoding="utf-8")
    return {"MEMORY_DIRS": str(folder)}


def test_two_sessions_get_their_own_notes_from_one_worker(hooks: Hooks, tmp_path: Path) -> None:
    """The worker has no variables of its own: each event brings its session's."""
    first = notes_in(tmp_path / "first", "alpha")
    second = notes_in(tmp_path / "second", "beta")
    hooks.run(written("one"), environ=first)
    hooks.drained()
    worker = hooks.served()
    answers = [
        hooks.run(session_start(marker), environ=environ)
        for marker, environ in (("a", first), ("b", second), ("c", first))
    ]
    hooks.drained()

    assert [b"alpha" in answer for answer in answers] == [True, False, True]
    assert [b"beta" in answer for answer in answers] == [False, True, False]
    assert hooks.workers == [worker]


def test_two_sessions_write_to_their_own_databases(hooks: Hooks, tmp_path: Path) -> None:
    """And nothing of one lands in the other's."""
    other = Hooks(tmp_path / "other")
    hooks.run(written("here"))
    hooks.run(written("there"), environ={"MEMORY_INDEX_DB": str(tmp_path / "there.db")})
    hooks.drained()
    other.home.database = str(tmp_path / "there.db")

    assert len(hooks.logged("worker_started")) == 1
    assert_once(hooks, ["here"])
    assert hooks.events() == ["here"]
    assert other.events() == other.memories() == ["there"]


def test_a_start_that_is_answered_from_what_is_prepared_is_recorded_once(hooks: Hooks) -> None:
    """Nobody waits for a worker that has no time: the same words lie ready."""
    hooks.run(written("one"))
    hooks.drained()
    worker = hooks.served()
    until((Path(hooks.home.run) / "prepared").exists)
    os.kill(worker, signal.SIGSTOP)
    prepared = hooks.run(session_start("prepared"))
    os.kill(worker, signal.SIGCONT)
    note = Path(hooks.home.notes) / "new.md"
    note.write_text("## 2026-11-30 x\ny\n", encoding="utf-8")
    changed = hooks.run(session_start("changed"))
    hooks.drained()

    assert b"runtime search" in prepared
    assert b"new.md" not in prepared
    assert b"new.md" in changed
    assert sorted(hooks.events()) == ["changed", "one", "prepared"]
    assert hooks.workers == [worker]


def test_what_lies_prepared_tells_of_failures_until_there_are_none(
    hooks: Hooks, tmp_path: Path
) -> None:
    """That nothing was kept: a start is answered without anybody being asked."""
    transcript = tmp_path / "t.jsonl"
    for _ in range(3):
        hooks.run(stop(str(transcript)))
    hooks.drained()
    prepared = Path(hooks.home.run, "prepared")
    until(lambda: prepared.exists() and b"kept nothing" in prepared.read_bytes())

    answer = json.loads(hooks.run(session_start("x")))

    assert "the last 3 Stop events kept nothing" in answer["systemMessage"]
    assert "How this memory works" in answer["hookSpecificOutput"]["additionalContext"]
    lines = (user("u1", "a word"), assistant("a1", "an answer"))
    transcript.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    hooks.run(stop(str(transcript)))
    until(lambda: b"kept nothing" not in prepared.read_bytes())

    assert "systemMessage" not in json.loads(hooks.run(session_start("x")))


def test_an_edited_config_takes_effect_at_the_next_event(hooks: Hooks) -> None:
    """Without a restart."""
    hooks.run(written("kept"))
    hooks.drained()
    worker = hooks.served()
    hooks.configure("[capture]\nmin_chars = 5000\n")
    hooks.run(written("too-short"))
    hooks.drained()
    hooks.configure("[capture]\nmin_chars = 100\n")
    hooks.run(written("kept-again"))
    hooks.drained()

    assert hooks.workers == [worker]
    assert hooks.events() == ["kept", "too-short", "kept-again"]
    assert hooks.memories() == ["kept", "kept-again"]


def test_a_shorter_idle_time_takes_effect_too(hooks: Hooks) -> None:
    """The person need not look for the process."""
    hooks.run(written("one"))
    hooks.drained()
    hooks.served()
    hooks.configure("[worker]\nidle_s = 0.2\n")
    hooks.run(written("two"))
    hooks.gone()

    assert_once(hooks, ["one", "two"])
