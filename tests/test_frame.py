import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.echo import strip_frames
from runtime.frame import BEGIN, END, framed, own, quoted
from runtime.text import clean, defuse_tags

PARTS = st.sampled_from([BEGIN, END, "│ ", "│> ", "\n", "<", ">", "runtime-memory", "あ", "/"])
HOSTILE = st.lists(PARTS | st.text(max_size=5)).map("".join)
PLAIN = st.text().filter(lambda text: BEGIN not in text and END not in text)


def body(texts: list[str]) -> str:
    """Return what stands in a frame: everything clean and defused, as `render` does it."""
    safe = [defuse_tags(clean(text)) for text in texts]
    return own(text.replace("\n", " ") for text in safe) + "".join(map(quoted, safe))


@given(st.lists(HOSTILE))
def test_nothing_of_a_frame_is_left(texts):
    assert strip_frames(framed(body(texts))) == ""


@given(PLAIN, st.lists(HOSTILE, max_size=3), PLAIN, st.lists(HOSTILE, max_size=3), PLAIN)
def test_nothing_but_the_frames_is_lost(before, first, between, second, after):
    text = before + framed(body(first)) + between + framed(body(second)) + after

    assert strip_frames(text) == before + between + after


@given(PLAIN)
def test_a_text_without_frames_stays_as_it_is(text):
    assert strip_frames(text) == text


@given(st.lists(st.sampled_from([BEGIN, END, "│ x", "\n", "a"])).map("".join))
def test_no_mark_survives_however_they_are_nested(text):
    stripped = strip_frames(text)

    assert BEGIN not in stripped
    assert END not in stripped


@pytest.mark.parametrize("text", [BEGIN * 20_000, END * 20_000, (BEGIN + "\n│ ") * 20_000])
def test_any_number_of_marks_is_taken_out(text):
    assert strip_frames(text) == ""


@given(PLAIN, st.lists(HOSTILE, max_size=3))
def test_a_frame_that_lost_its_end_goes_line_by_line(before, texts):
    """The client shortens long output: the end mark may be gone."""
    cut = framed(body(texts)).removesuffix(END)

    assert strip_frames(before + cut + "the person's words") == before + "the person's words"


@pytest.mark.parametrize(
    ("text", "expected", "why"),
    [
        (f"a{BEGIN}\n│ x\n{BEGIN}\n│ y\n{END}{END}b", "ab", "a frame in a frame"),
        (f"a{END}b", "ab", "a stray end"),
        (f"a{BEGIN}\n│ x\nb", "ab", "no end"),
        (f"{BEGIN}{END}", "", "an empty one"),
        (f"a{BEGIN}\n│ x\n{BEGIN}\n│ y\n{END}b", "ab", "no end, with a frame in it"),
        (f"a{BEGIN}\n│ x {BEGIN}\nb{END}c", "abc", "a frame that begins in a line with a bar"),
    ],
)
def test_what_stripping_makes_of_odd_frames(text, expected, why):
    assert strip_frames(text) == expected, why


def test_quoted_text_never_looks_like_a_line_of_ours():
    assert quoted("│ ours?\n\nx") == "│> │ ours?\n│>\n│> x\n"
