"""Chunks of a Markdown text, as they are indexed."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.markdown.blocks import split_blocks
from runtime.markdown.chunker import MarkdownChunk, chunk_markdown
from runtime.markdown.lines import split_lines
from tests.markdown.strategies import any_texts

R01 = Path(__file__).parents[1] / "cases" / "R01" / "CONTEXT.md"


def test_every_heading_begins_a_chunk() -> None:
    chunks = chunk_markdown("intro\n\n# Top\r\n\n## 2026-06-11 Sub\nx\n\n\n### Deep\ny\n")

    assert chunks == [
        MarkdownChunk(0, "", "", "intro", 1, 1, None, None),
        MarkdownChunk(1, "Top", "Top", "# Top", 3, 3, None, None),
        MarkdownChunk(
            *(2, "2026-06-11 Sub", "Top › 2026-06-11 Sub", "## 2026-06-11 Sub\nx", 5, 6),
            *("2026-06-11", "heading"),
        ),
        MarkdownChunk(
            *(3, "Deep", "Top › 2026-06-11 Sub › Deep", "### Deep\ny", 9, 10),
            *("2026-06-11", "parent"),
        ),
    ]


@pytest.mark.parametrize(
    ("text", "file_name", "date", "origin"),
    [
        ("# 2025-01-01\n## 2026-06-11 x", "2024-01-01.md", "2026-06-11", "heading"),
        ("# 2025-01-01\n## x\n### y", "2024-01-01.md", "2025-01-01", "parent"),
        ("# 2025-01-01 a\n# b", "2024-01-01.md", "2024-01-01", "file name"),
        ("---\ntitle: 2020-01-01\nDate: 2023-04-05T10:00\n---\n# b", "", "2023-04-05", None),
        ("---\ndate: soon\n---\n# b", "logs/2024-01-01 a.md", "2024-01-01", "file name"),
        ("date: 2023-04-05\n# b", "/2024-01-01/b.md", None, None),
        ("# v2026.06.11-rc1", "", None, None),
    ],
)
def test_a_date_comes_from_the_nearest_place_that_has_one(
    text: str, file_name: str, date: str | None, origin: str | None
) -> None:
    last = chunk_markdown(text, file_name=file_name)[-1]

    expected = "front matter" if date == "2023-04-05" else origin
    assert (last.date, last.date_origin) == (date, expected)


def test_fences_and_front_matter_make_no_headings() -> None:
    chunks = chunk_markdown("---\n# key\nk: v\n---\n## a\n```sh\n# comment\n```\n")

    assert [chunk.heading for chunk in chunks] == ["", "a"]
    assert chunks[1].content == "## a\n```sh\n# comment\n```"


def test_a_long_section_is_cut_at_blank_lines_and_keeps_its_heading() -> None:
    paragraph = "\n".join(["x" * 9] * 4)
    chunks = chunk_markdown(f"## h\n{paragraph}\n\n{paragraph}\n\n{paragraph}", max_chars=80)

    assert [(chunk.heading, chunk.start_line, chunk.end_line) for chunk in chunks] == [
        ("h", 1, 5),
        ("h", 4, 10),
        ("h", 9, 15),
    ]


def test_a_part_never_begins_with_more_than_a_quarter_of_old_text() -> None:
    lines = [str(number) * 30 for number in range(6)]
    chunks = chunk_markdown("\n".join(lines), max_chars=100, overlap_lines=2)

    assert [chunk.start_line for chunk in chunks] == [1, 4]


def test_a_long_line_is_cut_after_sentences() -> None:
    line = "一つ目です。二つ目です！Three is 1.5 long. Four?五つ目。"
    chunks = chunk_markdown(line, max_chars=20, overlap_lines=0)

    assert [chunk.content for chunk in chunks] == [
        "一つ目です。二つ目です！",
        "Three is 1.5 long. ",
        "Four?五つ目。",
    ]


@pytest.mark.parametrize(
    ("character", "why"),
    [
        ("か\u3099", "combining voicing mark"),
        ("ｶﾞ", "half-width voicing mark"),
        ("e\u0301\u0323", "two combining marks"),
        ("👩\u200d🚀", "joined emoji"),
        ("👍🏽", "skin tone"),
        ("\u1112\u1161\u11ab", "decomposed Hangul"),
        ("\ud83d\ude00", "a surrogate pair in two halves"),
        ("葛\U000e0100", "variation selector"),
    ],
)
def test_a_hard_cut_never_parts_a_character(character: str, why: str) -> None:
    chunks = chunk_markdown(character * 40, max_chars=10, overlap_lines=0)

    assert len(chunks) > 1
    for chunk in chunks:
        assert chunk.content == character * (len(chunk.content) // len(character)), why


def test_limits_that_cannot_work_are_refused() -> None:
    with pytest.raises(ValueError, match="max_chars"):
        chunk_markdown("x", max_chars=1)
    with pytest.raises(ValueError, match="overlap_lines"):
        chunk_markdown("x", overlap_lines=-1)


def test_chunks_and_blocks_agree_on_the_case_with_fences() -> None:
    text = R01.read_bytes().decode()
    blocks = [(block.start_line, block.heading) for block in split_blocks(text).blocks]

    chunks = [(c.start_line, c.heading) for c in chunk_markdown(text) if c.heading != "CONTEXT"]
    assert chunks == blocks


@given(any_texts, st.integers(min_value=30, max_value=200))
def test_every_block_border_is_a_chunk_border(text: str, max_chars: int) -> None:
    starts = {(c.start_line, c.heading) for c in chunk_markdown(text, max_chars=max_chars)}

    assert starts >= {(block.start_line, block.heading) for block in split_blocks(text).blocks}


@given(any_texts, st.integers(2, 200), st.integers(0, 3))
def test_no_chunk_is_too_long_and_every_span_is_true(
    text: str, max_chars: int, overlap: int
) -> None:
    lines = [line.rstrip("\r\n") for line in split_lines(text.removeprefix("\ufeff"))]

    chunks = chunk_markdown(text, max_chars=max_chars, overlap_lines=overlap)

    assert [chunk.ordinal for chunk in chunks] == list(range(len(chunks)))
    for chunk in chunks:
        whole = "\n".join(lines[chunk.start_line - 1 : chunk.end_line])
        assert len(chunk.content) <= max_chars
        assert chunk.content in whole
        if all(len(line) <= max_chars for line in lines):
            assert chunk.content == whole


@given(any_texts, st.integers(2, 200), st.integers(0, 3))
def test_every_written_line_is_in_some_chunk(text: str, max_chars: int, overlap: int) -> None:
    lines = [line.rstrip("\r\n") for line in split_lines(text.removeprefix("\ufeff"))]

    chunks = chunk_markdown(text, max_chars=max_chars, overlap_lines=overlap)

    spans = {n for c in chunks for n in range(c.start_line, c.end_line + 1)}
    assert spans >= {number for number, line in enumerate(lines, 1) if line.strip()}


@given(st.text(st.sampled_from("ab。！.? 文\u0301"), max_size=300), st.integers(2, 40))
def test_the_parts_of_a_long_line_joined_are_the_line(line: str, max_chars: int) -> None:
    chunks = chunk_markdown(line, max_chars=max_chars, overlap_lines=0)

    joined = "".join(chunk.content for chunk in chunks)
    assert joined.replace(" ", "") == line.replace(" ", "")


def test_chunks_do_not_depend_on_the_line_endings() -> None:
    text = "# a\n\nb\n\n## c\nd\n"

    assert chunk_markdown(text.replace("\n", "\r\n")) == chunk_markdown(text)
    assert chunk_markdown("\ufeff" + text) == chunk_markdown(text)
