"""Two edits of one text become one, or are shown side by side."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.permanent.merge import Merged, merge

LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "d\n", "e\n"]), max_size=9)
TEXTS = LINES.map("".join)


def merged(base: str, ours: str, theirs: str) -> Merged:
    return merge(base, ours, theirs, our_name="ours", their_name="theirs")


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "expected"),
    [
        ("a\nb\nc\n", "a\nb\nc\n", "a\nB\nc\n", "a\nB\nc\n"),
        ("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n", "A\nb\nC\n"),
        ("a\nb\nc\n", "a\nx\nb\nc\n", "a\nb\ny\nc\n", "a\nx\nb\ny\nc\n"),
        ("a\nb\nc\n", "a\nc\n", "a\nb\nc\nd\n", "a\nc\nd\n"),
        ("a\n", "same\n", "same\n", "same\n"),
        ("", "ours", "", "ours"),
        ("a\u2028b\n", "a\u2028b\nc\n", "x\na\u2028b\n", "x\na\u2028b\nc\n"),
    ],
)
def test_edits_of_different_places_are_both_kept(
    base: str, ours: str, theirs: str, expected: str
) -> None:
    assert merged(base, ours, theirs) == Merged(expected, 0)


def test_two_edits_of_one_line_stand_side_by_side() -> None:
    result = merged("a\nb\nc", "a\nours\nc", "a\ntheirs\nc")

    assert result.clashes == 1
    assert result.text == "a\n<<<<<<< ours\nours\n=======\ntheirs\n>>>>>>> theirs\nc"


@given(base=TEXTS, ours=TEXTS, theirs=TEXTS)
def test_no_line_of_either_edit_is_lost(base: str, ours: str, theirs: str) -> None:
    result = merged(base, ours, theirs)

    there = result.text.splitlines()
    for side in (ours, theirs):
        added = set(side.splitlines()) - set(base.splitlines())
        assert added <= set(there)


@given(base=TEXTS, ours=TEXTS)
def test_one_edit_alone_is_the_result_whichever_side_made_it(base: str, ours: str) -> None:
    assert merged(base, ours, base) == merged(base, base, ours) == merged(base, ours, ours)
    assert merged(base, ours, base) == Merged(ours, 0)


@given(base=TEXTS, ours=TEXTS, theirs=TEXTS)
def test_which_side_is_ours_changes_only_the_order_inside_a_clash(
    base: str, ours: str, theirs: str
) -> None:
    one, other = merged(base, ours, theirs), merged(base, theirs, ours)

    assert one.clashes == other.clashes
    if not one.clashes:
        assert one.text == other.text


@given(above=LINES, below=LINES, ours=LINES, theirs=LINES)
def test_edits_far_from_each_other_never_clash(
    above: list[str], below: list[str], ours: list[str], theirs: list[str]
) -> None:
    # Each line once in the text, so that every way of pairing lines gives the same pairs.
    fixed = [f"line {number}\n" for number in range(6)]
    base = "".join(fixed)
    ours = "".join([*fixed[:1], *(f"o{line}" for line in ours), *fixed[1:]])
    theirs = "".join([*fixed[:5], *(f"t{line}" for line in theirs), *fixed[5:]])

    assert merged(base, ours, theirs).clashes == 0


def test_git_merges_the_same(tmp_path: Path) -> None:
    base = "".join(f"{number}\n" for number in range(20))
    ours = base.replace("3\n", "three\n", 1).replace("18\n", "18\n18a\n")
    theirs = base.replace("9\n", "", 1).replace("14\n", "fourteen\n")
    for name, text in (("base", base), ("ours", ours), ("theirs", theirs)):
        (tmp_path / name).write_text(text, encoding="utf-8")

    git = subprocess.run(
        ["git", "merge-file", "-p", "ours", "base", "theirs"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        check=True,
        encoding="utf-8",
    )

    assert merged(base, ours, theirs) == Merged(git.stdout, 0)
