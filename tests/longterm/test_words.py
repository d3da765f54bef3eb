"""What in a user line is a person's, and what the client and we have put around it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.frame import framed, own, quoted
from runtime.longterm.words import HOST_ELEMENTS, read_user, said_words, text_blocks
from schemas.transcript import LINE, UserLine
from tests.longterm.conversation import typed_command
from tests.longterm.session import record


def user(content: Any, **fields: Any) -> UserLine:
    parsed = LINE.validate_python(record("user", "u", content, **fields))
    assert isinstance(parsed, UserLine)
    return parsed


FRAME = framed(own(["Past records."]) + quoted("an old fact"))


@pytest.mark.parametrize(
    ("line", "kind", "text", "why"),
    [
        (user("Fix it"), "prompt", "Fix it", "older clients tell no source"),
        (user("Fix it", promptSource="typed", turnOrigin="human"), "prompt", "Fix it", "typed"),
        (user("Fix it", promptSource="sdk", turnOrigin="sdk"), "prompt", "Fix it", "headless"),
        (
            user([{"type": "text", "text": "Look:"}, {"type": "image", "source": {"data": "QUF"}}]),
            "prompt",
            "Look:",
            "an image says nothing",
        ),
        (
            user([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]),
            "prompt",
            "one\ntwo",
            "two blocks of text",
        ),
        (user([{"type": "image", "source": {}}]), "empty", "", "an image alone"),
        (user(typed_command("review", "the parser")), "command", "/review the parser", "a skill"),
        (user(typed_command("p:review", "")), "command", "/p:review", "a plugin's skill"),
        (user("<command-name></command-name>"), "empty", "", "no name"),
        (
            user("<local-command-stdout>Set model</local-command-stdout>"),
            "command output",
            "",
            "the client's own command",
        ),
        (user("<bash-input>ls</bash-input>"), "empty", "", "!bash"),
        (user("<bash-stdout>a</bash-stdout>"), "command output", "", "the output of !bash"),
        (user("<task-notification>x</task-notification>"), "machine", "", "an older client"),
        (user("news", promptSource="system"), "machine", "", "promptSource"),
        (user("news", turnOrigin="task_notification"), "machine", "", "turnOrigin"),
        (user("Summary", isCompactSummary=True), "summary", "", "compaction"),
        (user("Summary", isVisibleInTranscriptOnly=True), "summary", "", "compaction"),
        (user("Caveat", isMeta=True), "meta", "", "a skill's body or a caveat"),
        (user("[Request interrupted by user]"), "interruption", "", "Esc"),
        (user("[Request interrupted by user for tool use]"), "interruption", "", "Esc at a tool"),
        (
            user("[Request interrupted by user] means what?"),
            "prompt",
            "[Request interrupted by user] means what?",
            "a person quotes the client",
        ),
        (user([{"type": "tool_result", "content": "x"}]), "tool_result", "", "a tool's answer"),
        (user("x", toolUseResult="Error: x"), "tool_result", "", "a tool's answer in short"),
        (user("  \n "), "empty", "", "nothing"),
        (user(None), "empty", "", "no content"),
        (user({"odd": 1}), "empty", "", "an unknown shape"),
        (user("lone \ud83d surrogate"), "prompt", "lone \ufffd surrogate", "what SQLite refuses"),
    ],
)
def test_a_user_line_is_told_by_what_it_carries(
    line: UserLine, kind: str, text: str, why: str
) -> None:
    said = read_user(line)

    assert (said.kind, said.text) == (kind, text), why


def test_a_typed_skill_is_remembered_by_its_name() -> None:
    assert read_user(user(typed_command("p:review", "x"))).skill == "p:review"


@pytest.mark.parametrize("name", HOST_ELEMENTS)
def test_a_closed_element_of_the_client_is_taken_out(name: str) -> None:
    assert said_words(f"before\n<{name}>noise\nnoise</{name}>\nafter") == "before\n\nafter"


@pytest.mark.parametrize(
    "text",
    [
        "what does <system-reminder> mean?",
        "what does </system-reminder> mean?",
        "</system-reminder> before <system-reminder>",
        "use <system-reminders>x</system-reminders> or <b>bold</b>",
        "a < b and c > d",
        "│ a bar at the beginning of a line",
    ],
)
def test_who_writes_about_an_element_keeps_every_word(text: str) -> None:
    assert said_words(text) == text


@pytest.mark.parametrize(
    ("text", "words", "why"),
    [
        (f"Hello\n{FRAME}\nthere", "Hello\n\nthere", "one frame"),
        (f"Hello {FRAME}{FRAME} there", "Hello  there", "two frames"),
        (f"Hello\n{framed(own(['a']) + FRAME)}\nthere", "Hello\n\nthere", "nested"),
        (
            f"Hello\n{FRAME.removesuffix('</runtime-memory>')}there",
            "Hello\nthere",
            "the end was lost: line by line",
        ),
        (
            f"<system-reminder>\nhook: {FRAME}\n</system-reminder>\nthere",
            "there",
            "inside a reminder",
        ),
        ("a </runtime-memory> b", "a  b", "a stray end mark"),
    ],
)
def test_our_own_frames_are_taken_out_and_the_words_stay(text: str, words: str, why: str) -> None:
    assert said_words(text) == words, why


PIECES = st.lists(
    st.sampled_from(
        [
            "words ",
            "もの",
            "\n",
            FRAME,
            "<system-reminder>",
            "</system-reminder>",
            "<runtime-memory>",
        ]
    ),
    max_size=8,
)


@given(PIECES)
def test_taking_out_is_final_and_keeps_what_is_not_inside(pieces: list[str]) -> None:
    """Nothing that remains is taken out by a second look, such as the one before storing."""
    text = "".join(pieces)
    words = said_words(text)

    assert "an old fact" not in words
    assert said_words(words) == words
    if not any("<" in piece for piece in pieces):
        assert words == text.strip()


def test_only_texts_of_an_answer_are_words() -> None:
    content = [
        {"type": "thinking", "thinking": "secret thoughts"},
        {"type": "text", "text": "Said."},
        {"type": "text", "text": "  "},
        {"type": "text", "text": None},
        {"type": "tool_use", "name": "Read"},
        "odd",
    ]

    assert text_blocks(content) == ["Said."]
    assert text_blocks("Said in one string.") == ["Said in one string."]
    assert text_blocks(None) == []
