"""Operations on the blocks of a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.errors import NoteRefusedError
from runtime.markdown.blocks import Block, Document, split_blocks
from runtime.notes import edits
from runtime.notes.refusals import DuplicateError, HeadingTakenError, MatchError, StructureError
from runtime.notes.rules import NewBlock, body_key
from tests.markdown.strategies import any_texts, marked_texts

NEW = NewBlock("2026-06-11 新", "本文")
TEXT = "# T\n\n## 2026-06-01 a\nx\n\n## 2026-06-02 b\ny\n"


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("", "## 2026-06-11 新\n本文\n"),
        ("\ufeff", "\ufeff## 2026-06-11 新\n本文\n"),
        ("# T", "# T\n\n## 2026-06-11 新\n本文\n"),
        ("# T\n", "# T\n\n## 2026-06-11 新\n本文\n"),
        ("## 2026-06-01 a\nx", "## 2026-06-01 a\nx\n\n## 2026-06-11 新\n本文\n"),
        ("## 2026-06-01 a\nx\n\n", "## 2026-06-01 a\nx\n\n## 2026-06-11 新\n本文\n"),
        ("# T\r\nx\r\n", "# T\r\nx\r\n\r\n## 2026-06-11 新\r\n本文\r\n"),
        ("# T\rx", "# T\rx\r\r## 2026-06-11 新\r本文\r"),
        ("---\ndate: 2026-01-01\n---\n", "---\ndate: 2026-01-01\n---\n\n## 2026-06-11 新\n本文\n"),
    ],
)
def test_a_new_block_goes_to_the_end_with_the_line_ending_of_the_file(
    text: str, result: str
) -> None:
    assert edits.append(text, NEW, newest_first=False) == result


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("", "## 2026-06-11 新\n本文\n"),
        ("# CONTEXT\n", "# CONTEXT\n\n## 2026-06-11 新\n本文\n"),
        (
            "# T\n\n## 2026-06-01 a\nx",
            "# T\n\n## 2026-06-11 新\n本文\n\n## 2026-06-01 a\nx",
        ),
        (
            "\ufeff## 2026-06-01 a\r\nx",
            "\ufeff## 2026-06-11 新\r\n本文\r\n\r\n## 2026-06-01 a\r\nx",
        ),
    ],
)
def test_the_newest_block_goes_before_the_first(text: str, result: str) -> None:
    assert edits.append(text, NEW, newest_first=True) == result


@pytest.mark.parametrize(
    ("text", "result"),
    [
        (TEXT, "# T\n\n## 2026-06-11 新\n本文\n\n## 2026-06-02 b\ny\n"),
        ("## 2026-06-01 a\nx", "## 2026-06-11 新\n本文"),
        ("## 2026-06-01 a\r\nx\r\n \r\n", "## 2026-06-11 新\r\n本文\r\n \r\n"),
        ("## 2026-06-01 a\n```\nnever closed\n", "## 2026-06-11 新\n本文\n"),
    ],
)
def test_a_replaced_block_keeps_its_place_and_what_ends_it(text: str, result: str) -> None:
    assert edits.replace(text, "2026-06-01", NEW) == result


def test_a_deleted_block_leaves_the_rest() -> None:
    assert edits.delete(TEXT, "a") == "# T\n\n## 2026-06-02 b\ny\n"
    assert edits.delete(TEXT, "b") == "# T\n\n## 2026-06-01 a\nx\n\n"


def test_a_moved_block_takes_the_line_ending_of_its_new_file() -> None:
    moved = Block("undated", "## undated\r\nx\r\n\r\n", 1)

    assert edits.insert_moved("# T\n", moved, newest_first=False) == "# T\n\n## undated\nx\n"


@pytest.mark.parametrize(
    ("match", "index"),
    [
        ("2026-04-01 節 1", 0),
        ("節 3", 2),
        ("## 2026-04-01 節 1", 0),
        (" 節 12 ", 11),
        ("2026-04-15", 14),
        ("ガ", 15),
    ],
)
def test_a_match_names_one_block_and_an_exact_heading_wins(match: str, index: int) -> None:
    headings = [f"2026-04-{number:02} 節 {number}" for number in range(1, 16)]
    headings.append("2026-04-16 カ\u3099")  # as macOS writes ガ
    document = split_blocks("".join(f"## {heading}\nx{heading}\n" for heading in headings))

    assert edits.find_block(document, match) == index


@pytest.mark.parametrize(
    ("match", "reason", "headings"),
    [
        ("", "empty_match", ("2026-06-01 a", "2026-06-02 b")),
        (" \n", "empty_match", ("2026-06-01 a", "2026-06-02 b")),
        ("## ", "no_match", ("2026-06-01 a", "2026-06-02 b")),
        ("c", "no_match", ("2026-06-01 a", "2026-06-02 b")),
        ("2026", "many_matches", ("2026-06-01 a", "2026-06-02 b")),
        ("A", "no_match", ("2026-06-01 a", "2026-06-02 b")),
    ],
)
def test_a_match_that_names_none_or_several_is_refused_with_the_headings(
    match: str, reason: str, headings: tuple[str, ...]
) -> None:
    with pytest.raises(NoteRefusedError) as caught:
        edits.delete(TEXT, match)

    assert (caught.value.reason, caught.value.headings) == (reason, headings)


def test_an_empty_match_does_not_name_the_only_block() -> None:
    with pytest.raises(NoteRefusedError) as caught:
        edits.replace("## 2026-06-01 a\nx\n", "", NEW)

    assert caught.value.reason == "empty_match"


def test_equal_headings_are_said_to_be_a_case_for_an_editor() -> None:
    with pytest.raises(MatchError) as caught:
        edits.delete("## 2026-06-01 a\nx\n## 2026-06-01 a\ny\n", "a")

    assert caught.value.count == 2
    assert "in the file itself" in str(caught.value)


@pytest.mark.parametrize("heading", ["2026-06-01 a", "2026-06-11 another"])
@pytest.mark.parametrize("body", ["x", "x  ", "x\n"])
def test_the_same_body_is_refused_whatever_its_heading(heading: str, body: str) -> None:
    with pytest.raises(DuplicateError) as caught:
        edits.append(TEXT, NewBlock(heading, body), newest_first=False)

    assert caught.value.heading == "2026-06-01 a"


def test_the_same_body_with_other_line_endings_is_the_same() -> None:
    with pytest.raises(DuplicateError):
        edits.append(
            "## 2026-06-01 a\r\nx\r\ny\r\n", NewBlock("2026-06-11 b", "x\ny"), newest_first=True
        )


def test_code_that_differs_in_its_indentation_is_no_duplicate() -> None:
    code = "```py\nif x:\n    y()\n    z()\n```"
    text = edits.append("", NewBlock("2026-06-11 a", code), newest_first=False)

    text = edits.append(
        text, NewBlock("2026-06-11 b", code.replace("    z", "z")), newest_first=False
    )

    assert len(split_blocks(text).blocks) == 2


def test_a_replacement_may_not_make_a_duplicate_but_may_change_a_heading_alone() -> None:
    with pytest.raises(DuplicateError):
        edits.replace(TEXT, "b", NewBlock("2026-06-02 b", "x"))

    renamed = edits.replace(TEXT, "b", NewBlock("2026-06-03 c", "y"))
    assert renamed == TEXT.replace("2026-06-02 b", "2026-06-03 c")
    assert edits.replace(TEXT, "b", NewBlock("2026-06-02 b", "y")) == TEXT


def test_a_heading_that_another_block_has_is_refused() -> None:
    with pytest.raises(HeadingTakenError):
        edits.append(TEXT, NewBlock("2026-06-01 a", "z"), newest_first=False)
    with pytest.raises(HeadingTakenError):
        edits.replace(TEXT, "b", NewBlock("2026-06-01 a", "z"))
    with pytest.raises(HeadingTakenError):
        edits.insert_moved(TEXT, Block("2026-06-01 a", "## 2026-06-01 a\nz", 1), newest_first=True)


def test_blocks_without_a_body_are_no_duplicates_of_each_other() -> None:
    moved = edits.insert_moved("## a\n", Block("b", "## b\n", 1), newest_first=False)

    assert [block.heading for block in split_blocks(moved).blocks] == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "body", "why"),
    [
        ("## a\n```\nopen\n", "x", "a fence that is never closed"),
        ("# T\n<!-- open\n", "x", "a comment that is never closed"),
        ("---\ntitle: x\n", "a\n---\nb", "front matter that the body would close"),
    ],
)
def test_a_block_that_the_file_would_swallow_is_refused(text: str, body: str, why: str) -> None:
    with pytest.raises(StructureError):
        edits.append(text, NewBlock("2026-06-11 b", body), newest_first=False)


def test_a_block_that_leaves_a_fence_open_is_not_moved() -> None:
    with pytest.raises(StructureError):
        edits.insert_moved("", Block("a", "## a\n```\nopen\n", 1), newest_first=False)


# Any text, any operation

BODIES = st.sampled_from(["x", "本文 y", "```\n## z\n```", "- a\n\n  b", "---\nq\n---", "### s"])
NEWS = st.builds(NewBlock, st.sampled_from(["2026-06-11 決定", "2026-06-12 n", "w"]), BODIES)


def _with_headings(preamble: str, parts: list[str]) -> str:
    return preamble + "\n".join(f"## h{number}\n{part}" for number, part in enumerate(parts))


NOTES = st.builds(
    _with_headings,
    st.sampled_from(["", "# Top\n\n", "\ufeff", "---\r\na: b\r\n---\r\n", "text\r"]),
    st.lists(marked_texts, min_size=1, max_size=4),
)
"""Texts whose first block, at least, has a heading of its own."""


def named_blocks(document: Document) -> list[int]:
    """Give the blocks that a match can name."""
    headings = [block.heading for block in document.blocks]
    return [index for index, name in enumerate(headings) if name and headings.count(name) == 1]


@given(text=NOTES | any_texts, new=NEWS, newest_first=st.booleans())
def test_an_accepted_append_is_one_more_block_and_touches_no_other(
    text: str, new: NewBlock, newest_first: bool
) -> None:
    before = split_blocks(text)
    try:
        after = split_blocks(edits.append(text, new, newest_first=newest_first))
    except NoteRefusedError:
        return

    place = 0 if newest_first else len(before.blocks)
    mine = after.blocks[place]
    assert (mine.heading, body_key(mine.text)) == (new.heading, new.body)
    assert edits.find_block(after, new.heading) == place
    others = [block.text for block in after.blocks if block is not mine]
    assert len(others) == len(before.blocks)
    if newest_first and before.blocks:
        assert others == [block.text for block in before.blocks]
        gap = after.preamble.removeprefix(before.preamble)
    else:
        gap = (after.preamble + "".join(others)).removeprefix(text)
    assert gap in {"", *(newline * count for newline in ("\n", "\r\n", "\r") for count in (1, 2))}


@given(text=NOTES, new=NEWS, data=st.data())
def test_an_accepted_replacement_touches_one_block_and_nothing_else(
    text: str, new: NewBlock, data: st.DataObject
) -> None:
    before = split_blocks(text)
    index = data.draw(st.sampled_from(named_blocks(before)))
    try:
        after = split_blocks(edits.replace(text, before.blocks[index].heading, new))
    except NoteRefusedError:
        return

    mine = after.blocks[index]
    assert (mine.heading, body_key(mine.text)) == (new.heading, new.body)
    assert after.preamble == before.preamble
    assert len(after.blocks) == len(before.blocks)
    for old, now in zip(before.blocks, after.blocks, strict=True):
        assert old.text == now.text or now is mine


@given(text=NOTES, other=NOTES | any_texts, data=st.data())
def test_a_deleted_or_moved_block_leaves_every_other_as_it_is(
    text: str, other: str, data: st.DataObject
) -> None:
    before, target = split_blocks(text), split_blocks(other)
    index = data.draw(st.sampled_from(named_blocks(before)))
    block = before.blocks[index]
    after = split_blocks(edits.delete(text, block.heading))

    assert after.preamble == before.preamble
    left = [*before.blocks[:index], *before.blocks[index + 1 :]]
    assert [each.text for each in after.blocks] == [each.text for each in left]

    try:
        moved = split_blocks(edits.insert_moved(other, block, newest_first=False))
    except NoteRefusedError:
        return
    assert moved.text.startswith(other)
    assert len(moved.blocks) == len(target.blocks) + 1
    assert moved.blocks[-1].heading == block.heading
    assert body_key(moved.blocks[-1].text) == body_key(block.text)
