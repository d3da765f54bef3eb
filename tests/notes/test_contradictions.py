"""What of a text counts when two are held against each other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.notes.contradictions import spoken


@pytest.mark.parametrize(
    ("one", "other", "is_equal"),
    [
        ("締め日：20日。", "締め日: 20日", True),
        ("「夜」に空にする…", "夜に空にする", True),
        ("at night, always.", "at night always", True),
        ("1.5 s", "15 s", False),
        ("3 4", "34", False),
        ("if a != b", "if a = b", False),
        ("1–5", "15", False),
        ("5‰", "5", False),
        ("[x] done", "[ ] done", False),
        ("-5", "5", False),
    ],
)
def test_blanks_and_punctuation_do_not_count_where_they_say_nothing(
    one: str, other: str, is_equal: bool
) -> None:
    assert (spoken(one) == spoken(other)) is is_equal


@given(st.text())
def test_letters_and_digits_always_count(text: str) -> None:
    def counted(value: str) -> int:
        return sum(char.isalnum() for char in value)

    # NFKC first, which may write one character as several.
    assert counted(spoken(text)) == counted(spoken(spoken(text)))
    assert not any(char.isspace() for char in spoken(text).strip("0123456789 "))
