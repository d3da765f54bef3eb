"""Sessions that are compacted, cleared, resumed, forked, killed: each turn is kept once."""

import json
import os
import signal
import threading

import pytest

from tests.cases_tests.playground import stop
from tests.e2e_client.model import Model, call, text
from tests.e2e_client.world import World, processes_about, wait_until

pytestmark = pytest.mark.client


def times(world: World, *words: str) -> list[int]:
    """Return in how many memories each word stands."""
    memories = world.memories()
    return [sum(word in memory for memory in memories) for word in words]


def test_a_compacted_session_keeps_each_turn_once(used: World, model: Model):
    """With fewer turns an older client finds nothing to compact."""
    questions = ["first question", "second question", "third question"]
    for question, answer in zip(questions, ("ALPHA", "BETA", "GAMMA"), strict=True):
        model.answer(question, f"Answer {answer}.")
    model.answer("fourth question", "Answer DELTA.")
    model.summary = "<summary>The sessions began with OMICRON.</summary>"

    ran = used.client.converse([*questions, "/compact", "fourth question"])

    assert ran.code == 0
    used.settle()
    assert times(used, "ALPHA", "BETA", "GAMMA", "DELTA", "OMICRON") == [1, 1, 1, 1, 0]
    events = used.events()
    assert events.count("SessionStart") == 2
    assert events.index("PreCompact") < len(events) - events[::-1].index("SessionStart")
    (request,) = model.asked_after("fourth question")
    assert "OMICRON" in request
    assert request.count("How this memory works") == 1


def test_a_cleared_session_keeps_each_turn_once(used: World, model: Model):
    model.answer("first question", "Answer ALPHA.")
    model.answer("second question", "Answer BETA.")

    ran = used.client.converse(["first question", "/clear", "second question"])

    assert ran.code == 0
    used.settle()
    assert times(used, "ALPHA", "BETA") == [1, 1]
    (request,) = model.asked_after("second question")
    assert "ALPHA" not in request
    assert "How this memory works" in request


def test_a_resumed_and_a_forked_session_keep_each_turn_once(used: World, model: Model):
    model.answer("first question", "Answer ALPHA.")
    model.answer("second question", "Answer BETA.")
    model.answer("third question", "Answer GAMMA.")

    first = used.client.run("first question")
    resumed = used.client.run("second question", "--resume", first.session)
    forked = used.client.run("third question", "--resume", first.session, "--fork-session")

    assert resumed.session == first.session
    assert forked.session != first.session
    used.settle()
    assert times(used, "ALPHA", "BETA", "GAMMA") == [1, 1, 1]
    # The history holds the first injection; another copy would only cost.
    assert model.asked_after("third question")[0].count("How this memory works") == 1


def test_two_sessions_at_once_are_both_kept(used: World, model: Model):
    words = ("ALPHA", "BETA", "GAMMA")
    for word in words:
        model.answer(f"one {word}", f"First answer to {word.lower()}.")
        model.answer(f"two {word}", f"Second answer to {word.lower()}.")
    codes: list[int] = []

    def session(word: str) -> None:
        codes.append(used.client.converse([f"one {word}", f"two {word}"]).code)

    threads = [threading.Thread(target=session, args=(word,)) for word in words[:2]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert codes == [0, 0]
    used.settle()
    questions = [f"{number} {word}" for word in words[:2] for number in ("one", "two")]
    assert times(used, *questions) == [1, 1, 1, 1]


def test_a_killed_worker_loses_nothing(used: World, model: Model):
    written = "The ledger is closed on the 25th (MATSU-2). " * 6
    model.answer("first question", "Answer ALPHA.")
    model.answer(
        "write it down",
        [call("Write", file_path=str(used.client.project / "a.md"), content=written)],
        "Answer BETA.",
    )
    model.answer("third question", "Answer GAMMA.")

    with used.client.conversation() as talk:
        talk.say("first question")
        used.kill_worker()
        talk.say("write it down")
        used.kill_worker()
        talk.say("third question")

    assert talk.ran.code == 0
    used.settle()
    assert times(used, "ALPHA", "BETA", "GAMMA") == [1, 1, 1]
    assert used.memories("tool:Write") == [written.strip()]


def test_a_worker_that_hangs_for_some_turns_gives_each_its_own_answer(used: World, model: Model):
    """When the first Stop is handled, the transcript holds all turns already."""
    questions = ["first question", "second question", "third question"]
    answers = ("ALPHA", "BETA", "GAMMA")
    for question, answer in zip(questions, answers, strict=True):
        model.answer(question, f"Answer {answer}.")
    model.answer("are you there", "Yes.")

    with used.client.conversation() as talk:
        talk.say("are you there")
        with used.hung_worker():
            for question in questions:
                talk.say(question)

    assert talk.ran.code == 0
    used.settle()
    assert times(used, *answers) == [1, 1, 1]
    assert times(used, *questions) == [1, 1, 1]


def test_the_turn_of_a_client_that_is_told_to_end_is_kept(used: World, model: Model):
    """Such a turn fires no Stop, only SessionEnd, whose hooks have 1.5 s together."""
    started = used.client.project / "started"
    model.answer(
        "start the long job",
        [
            text("It takes a while (TAKE-6)."),
            call("Bash", command=f"touch {started}; exec tail -f /dev/null", description="Wait"),
        ],
    )

    with used.client.started("--", "start the long job") as process:
        wait_until(started.exists)
        os.kill(process.pid, signal.SIGTERM)
        process.communicate()

    used.settle()
    assert used.events()[-1] == "SessionEnd"
    assert times(used, "start the long job", "TAKE-6") == [1, 1]


def test_the_last_answer_of_a_headless_run_is_kept_once(installed: World, model: Model):
    model.answer("the only question", "Answer OMEGA.")

    ran = installed.client.run("the only question")

    assert ran.results == ["Answer OMEGA."]
    installed.settle()
    assert times(installed, "OMEGA") == [1]
    (kept,) = installed.memories()
    assert "the only question" in kept
    assert installed.events() == ["SessionStart", "Stop", "SessionEnd"]


def test_hooks_fail_in_no_session(installed: World, model: Model):
    model.answer("the only question", "Answer OMEGA.")

    ran = installed.client.run("the only question", "--include-hook-events")

    responses = [line for line in ran.lines if line.get("subtype") == "hook_response"]
    assert responses != []
    assert {(line.get("exit_code"), line.get("outcome")) for line in responses} == {(0, "success")}
    assert all(json.loads(line["stdout"]) for line in responses if line["stdout"])


def test_only_the_worker_stays_and_leaves_when_told(used: World, model: Model):
    model.answer("the only question", "Answer OMEGA.")

    used.client.run("the only question")

    pid = used.worker()
    assert pid is not None
    assert len(processes_about(used.client.project.parent)) == 1
    used.settle()
    assert processes_about(used.client.project.parent) == []


def test_the_person_is_told_that_nothing_was_kept_and_the_model_is_not(used: World, model: Model):
    """Three turns whose transcripts nobody could read: every hook has ended well."""
    for _ in range(3):
        used.product.hook(stop("/nowhere/t.jsonl"))
    model.answer("Go on, please", "Going on.")

    ran = used.client.run("Go on, please")

    notice = "the last 3 Stop events kept nothing"
    assert notice in json.dumps(ran.lines)
    (request,) = model.asked_after("Go on, please")
    assert "How this memory works" in request
    assert notice not in request
