"""The H2 blocks of a text."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from runtime.files import decoded
from runtime.markdown.blocks import Block, Document, split_blocks
from tests.markdown.strategies import any_texts, commonmark_texts, outlined_texts

R01 = Path(__file__).parents[1] / "cases" / "R01" / "CONTEXT.md"


def test_a_text_is_cut_before_each_h2() -> None:
    document = split_blocks("# T\n\n## a\nx\n### s\n## b ##\n# late\ny")

    assert document == Document(
        preamble="# T\n\n",
        blocks=(Block("a", "## a\nx\n### s\n", 3), Block("b", "## b ##\n# late\ny", 6)),
    )


def test_a_text_without_h2_is_all_preamble() -> None:
    assert split_blocks("# T\n### x") == Document(preamble="# T\n### x", blocks=())
    assert split_blocks("") == Document(preamble="", blocks=())


def test_a_byte_order_mark_stays_before_the_first_block() -> None:
    document = split_blocks("\ufeff## a\r\nx")

    assert (document.preamble, document.blocks[0].text) == ("\ufeff", "## a\r\nx")


def test_a_heading_inside_a_fence_is_no_block() -> None:
    document = split_blocks(R01.read_bytes().decode())

    assert [block.heading for block in document.blocks] == [
        *("2026-06-11 今日", "2026-06-10 昨日", "2026-06-09 一昨日"),
        *("2026-06-08 四", "2026-06-07 五", "2026-06-06 六"),
    ]
    assert [block.start_line for block in document.blocks] == [3, 10, 17, 23, 25, 27]


@given(any_texts | st.text())
def test_preamble_and_blocks_joined_are_the_text(text: str) -> None:
    assert split_blocks(text).text == text


@given(any_texts)
def test_a_block_cut_out_is_one_block_again(text: str) -> None:
    for block in split_blocks(text).blocks:
        alone = split_blocks(block.text)

        assert alone.preamble == ""
        assert [part.text for part in alone.blocks] == [block.text]


@given(any_texts, st.sampled_from([b"", b"\xef\xbb\xbf"]))
def test_a_document_cut_and_joined_again_has_the_same_bytes(text: str, mark: bytes) -> None:
    data = mark + text.encode()

    assert split_blocks(decoded(data, "a.md")).text.encode() == data


@given(outlined_texts | commonmark_texts)
def test_blocks_are_the_second_level_headings_that_commonmark_sees_at_the_margin(
    text: str,
) -> None:
    """But for those underlined with dashes, and what stands inside a list or a quotation."""
    tokens = MarkdownIt("commonmark").parse(text)
    expected = [
        (token.map[0] + 1, tokens[index + 1].content)
        for index, token in enumerate(tokens)
        if token.type == "heading_open" and token.map is not None
        if (token.tag, token.markup, token.level) == ("h2", "##", 0)
    ]

    assert [(b.start_line, b.heading) for b in split_blocks(text).blocks] == expected


@pytest.mark.parametrize(
    ("text", "ours", "commonmark", "why"),
    [
        ("a\n---\n", [], ["a"], "underlined: text to us"),
        ("> ## a\n", [], ["a"], "in a quotation: text"),
        ("- ## a\n", [], ["a"], "in a list: text"),
        ("- x\n  ## a\n", ["a"], ["a"], "further down in an item: a border, as it looks"),
        ("- x\n\n  ```\n## a\n  ```\n## b\n", ["b"], ["a"], "code at the margin of an item"),
        ("<div>\n## a\n</div>\n", ["a"], [], "HTML hides nothing but comments"),
        ("---\nk: v\n---\n", [], ["k: v"], "front matter is none of CommonMark's"),
    ],
)
def test_the_differences_to_commonmark_are_these(
    text: str, ours: list[str], commonmark: list[str], why: str
) -> None:
    tokens = MarkdownIt("commonmark").parse(text)
    theirs = [tokens[i + 1].content for i, t in enumerate(tokens) if t.type == "heading_open"]

    assert ([b.heading for b in split_blocks(text).blocks], theirs) == (ours, commonmark), why
