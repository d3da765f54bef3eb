"""The H2 blocks of a text."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from runtime.markdown.blocks import Block, Document, split_blocks
from tests.markdown.strategies import any_texts

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
