"""Cleaning and cutting hold for texts nobody thought of."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from runtime.text import (
    clean,
    cut,
    defuse_tags,
    head_and_tail,
    one_line,
    replace_surrogates,
    utf16_units,
)

ODD = st.sampled_from(
    [
        *"\x00\x07\x1b\x9b\x9c\x9d\r\n\t[]2Jm;<>/!?＜／﹤aｘ あ",
        *"\u200b\u200c\u200d\u202e\u2028\u2066\ufe0e\ufe0f",
        *"\U000e0041\U000e0100\U0001f600\U0001f468\U0001f1ef\u3099\u0301\ud83d\ude00\ufeffﾞ。",
        *("\x1b[2J", "\x1b]0;", "\r\n", "<system", "</x>", "&lt;"),
    ]
)
TEXTS = st.lists(ODD | st.characters(), max_size=30).map("".join)


@given(TEXTS)
def test_cleaning_twice_is_cleaning_once(text):
    assert clean(clean(text)) == clean(text)


@given(TEXTS)
def test_a_clean_text_holds_no_control_and_can_be_written(text):
    cleaned = clean(text)

    cleaned.encode("utf-8")
    assert all(c in "\n\t" or unicodedata.category(c) != "Cc" for c in cleaned)


@given(TEXTS)
def test_defusing_twice_is_defusing_once(text):
    assert defuse_tags(defuse_tags(text)) == defuse_tags(text)


@given(TEXTS)
def test_no_tag_is_left_even_after_normalisation(text):
    shown = unicodedata.normalize("NFKC", defuse_tags(clean(text)))

    assert not any(f"<{sign}" in shown for sign in "/!?abcxyzABCXYZ")


@given(TEXTS, st.integers(0, 40), st.sampled_from(["…", "\n[cut]", ""]))
def test_a_cut_text_fits_and_is_a_beginning_with_the_mark(text, limit, mark):
    shown = cut(text, limit, mark)

    assert utf16_units(shown) <= limit
    assert shown == text or text.startswith(shown.removesuffix(mark))


@given(TEXTS, st.integers(0, 60))
def test_head_and_tail_fits(text, limit):
    assert len(head_and_tail(text, limit)) <= limit


@given(TEXTS, st.integers(0, 20))
def test_one_line_has_no_line_end_and_fits(text, limit):
    line = one_line(text, limit)

    assert len(line) <= limit
    assert len(line.splitlines()) <= 1


@given(TEXTS)
def test_without_surrogates_the_same_units_can_be_written(text):
    written = replace_surrogates(text)

    written.encode("utf-8")
    assert utf16_units(written) == utf16_units(text)
