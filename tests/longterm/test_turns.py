"""Lines become turns: a prompt and all that was said to it."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from runtime.longterm.transcript_file import read_new
from runtime.longterm.turns import (
    Turn,
    add_last_message,
    answer_alone,
    answer_key,
    read_turns,
    to_memory,
)
from tests.longterm.conversation import typed_command
from tests.longterm.session import answer, line, prompt, tool_use

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture
def turns_of(tmp_path: Path) -> Any:
    def read(*lines: bytes) -> list[Turn]:
        path = tmp_path / "t.jsonl"
        path.write_bytes(b"".join(lines))
        return read_turns(read_new(str(path), None)).turns

    return read


def content(turn: Turn, max_chars: int = 10_000) -> str:
    return to_memory(turn, "s", max_chars, NOW).content


def test_a_turn_ends_where_the_next_prompt_begins(turns_of: Any) -> None:
    turns = turns_of(prompt("u1", "a"), answer("a1", "b"), answer("a2", "c"), prompt("u2", "d"))

    assert [content(turn) for turn in turns] == ["[user] a\n\n[assistant] b\n\nc", "[user] d"]


@pytest.mark.parametrize(
    ("extra", "why"),
    [
        ({"isApiErrorMessage": True}, "API Error: 529 is the client's"),
        ({"isSidechain": True}, "a subagent's"),
    ],
)
def test_what_looks_like_an_answer_and_is_none_is_left_out(
    extra: dict[str, Any], why: str, turns_of: Any
) -> None:
    [turn] = turns_of(prompt("u1", "a"), answer("a1", "noise", **extra), answer("a2", "b"))

    assert turn.texts == ["b"], why


def test_an_answer_that_the_client_wrote_itself_is_left_out(turns_of: Any) -> None:
    message = {"role": "assistant", "model": "<synthetic>", "content": "No response requested."}

    [turn] = turns_of(prompt("u1", "a"), line("assistant", "a1", None, message=message))

    assert turn.texts == []


def test_the_clients_own_command_is_no_turn(turns_of: Any) -> None:
    output = prompt("o1", "<local-command-stdout>Set model</local-command-stdout>")

    turns = turns_of(prompt("u1", "a"), prompt("m1", typed_command("model", "opus")), output)

    assert [turn.prompt for turn in turns] == ["a"]


def test_a_turn_goes_on_behind_a_compaction(turns_of: Any) -> None:
    """Auto compaction comes in the middle of a turn; the summary's words are known ones."""
    [turn] = turns_of(
        prompt("u1", "a"),
        answer("a1", "b"),
        prompt("s1", "Summary", isCompactSummary=True, isVisibleInTranscriptOnly=True),
        answer("a2", "c"),
    )

    assert content(turn) == "[user] a\n\n[assistant] b\n\nc"


def test_a_typed_skill_that_was_answered_is_a_turn(turns_of: Any) -> None:
    [turn] = turns_of(prompt("u1", typed_command("p:go", "fast")), answer("a1", "Gone."))

    assert content(turn) == "[user] /p:go fast\n\n[assistant] Gone."
    assert turn.skills == ["p:go"]


@pytest.mark.parametrize("text", ["", "<task-notification>done</task-notification>"])
def test_what_a_machine_says_is_not_kept_but_the_answer_to_it_is(text: str, turns_of: Any) -> None:
    opening = prompt("n1", text, promptSource="system") if text else b""

    [turn] = turns_of(opening, answer("a1", "Understood."))

    assert content(turn) == "[assistant] Understood."


def test_a_tool_is_named_with_what_it_worked_on(turns_of: Any) -> None:
    [turn] = turns_of(
        prompt("u1", "a"),
        tool_use("t1", "Bash", command="make", description="Build it"),
        tool_use("t2", "Bash", command="make", description="Build it"),
        tool_use("t3", "WebFetch", url="https://example.com/", prompt="sum up"),
        tool_use("t4", "Odd", file_path=["no", "string"]),
        tool_use("t5", "Bash", command="x" * 500),
    )

    *first, last = content(turn).split("[tools] ")[1].split(", ")
    assert first == ["Bash Build it", "WebFetch https://example.com/", "Odd"]
    assert len(last) == len("Bash ") + 120


def test_secrets_are_taken_out_of_words_and_targets(turns_of: Any) -> None:
    token = "ghp_" + "a1B2" * 9

    [turn] = turns_of(
        prompt("u1", f"use {token}"),
        answer("a1", f"used {token}"),
        tool_use("t1", "Bash", command=f"curl -H {token}"),
    )

    assert token not in content(turn)
    assert content(turn).count("[redacted:github-token]") == 3


def test_a_private_part_ends_with_its_block(turns_of: Any) -> None:
    """One that is never closed takes its own message along, not the answer to it."""
    [turn] = turns_of(prompt("u1", "a <private>hidden"), answer("a1", "b"))

    assert content(turn) == "[user] a \n\n[assistant] b"


def test_a_long_turn_keeps_head_and_tail(turns_of: Any) -> None:
    [turn] = turns_of(prompt("u1", "begin " + "x" * 5000), answer("a1", "the end"))

    text = content(turn, 1000)
    assert len(text) <= 1000
    assert text.startswith("[user] begin")
    assert text.endswith("[assistant] the end")
    assert "characters left out" in text


@pytest.mark.parametrize(
    ("stamp", "moment"),
    [
        ("2026-06-11T03:00:00.5Z", datetime(2026, 6, 11, 3, 0, 0, 500_000, tzinfo=UTC)),
        ("2026-06-11T03:00:00", datetime(2026, 6, 11, 3, tzinfo=UTC)),
        ("2026-06-11T12:00:00+09:00", datetime(2026, 6, 11, 3, tzinfo=UTC)),
        ("yesterday", NOW),
        (None, NOW),
    ],
)
def test_a_turn_has_the_time_of_its_first_line(
    stamp: str | None, moment: datetime, turns_of: Any
) -> None:
    [turn] = turns_of(prompt("u1", "a", timestamp=stamp))

    assert to_memory(turn, "s", 1000, NOW).created_at == moment


@pytest.mark.parametrize(
    ("on_disk", "message", "texts"),
    [
        ([], "C", ["C"]),
        (["A"], "C", ["A", "C"]),
        (["A", "C"], "C", ["A", "C"]),
        (["A", "C\n"], " C ", ["A", "C\n"]),
        (["A", "C1"], "C1\nC2", ["A", "C1\nC2"]),
        (["A"], "", ["A"]),
        (["A"], "<system-reminder>x</system-reminder>", ["A"]),
    ],
)
def test_the_final_answer_is_added_unless_it_is_there(
    on_disk: list[str], message: str, texts: list[str]
) -> None:
    turn = Turn(0, "k", None, texts=list(on_disk))

    assert add_last_message([turn], message, None)
    assert turn.texts == texts


def test_a_final_answer_with_a_secret_is_known_by_its_redacted_form() -> None:
    token = "ghp_" + "a1B2" * 9
    turn = Turn(0, "k", None, texts=["[redacted:github-token] is set"])

    add_last_message([turn], f"{token} is set", None)

    assert turn.texts == ["[redacted:github-token] is set"]


def test_a_final_answer_without_its_turn_has_no_place() -> None:
    other = Turn(0, "k", None, prompt="next", prompt_id="p2")

    assert not add_last_message([], "C", "p1")
    assert not add_last_message([other], "C", "p1")
    assert other.texts == []


def test_a_turn_replaces_the_answers_that_were_kept_without_it() -> None:
    turn = Turn(0, "k", None, texts=["First final.", "After the stop hook."])

    replaced = to_memory(turn, "s", 1000, NOW).replaces

    assert replaced == (answer_key("s", "First final."), answer_key("s", "After the stop hook."))
    assert answer_alone("First  final.\n", "s", 1000, NOW).key == replaced[0]
