"""What each physical line of a Markdown text is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from runtime.markdown.lines import closing_line, newline_of, scan_lines, split_lines
from tests.markdown.strategies import any_texts, commonmark_texts


def headings(text: str) -> list[tuple[int, int, str]]:
    return [
        (line.number, line.level, line.title) for line in scan_lines(text) if line.kind == "heading"
    ]


def kinds(text: str) -> list[str]:
    return [line.kind for line in scan_lines(text)]


@pytest.mark.parametrize(
    ("line", "level", "title", "why"),
    [
        ("# a", 1, "a", "plain"),
        ("###### a", 6, "a", "the deepest level"),
        ("   ## a", 2, "a", "three spaces are allowed"),
        ("##\ta", 2, "a", "a tab separates too"),
        ("##", 2, "", "an empty heading"),
        ("## a ##", 2, "a", "a closing run is no part of the title"),
        ("## a #####  ", 2, "a", "of any length, with blanks behind"),
        ("## ##", 2, "", "a closing run alone"),
        ("## C#", 2, "C#", "a # that touches a word is part of it"),
        ("## a \\##", 2, "a \\##", "an escaped run stays"),
        ("## 見出し\u2028続き", 2, "見出し\u2028続き", "a line separator ends no line"),
    ],
)
def test_an_atx_heading_has_a_level_and_a_title(
    line: str, level: int, title: str, why: str
) -> None:
    assert headings(f"x\n{line}\ny") == [(2, level, title)], why


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("##2026-06-13", "no blank after the marks"),
        ("##\u3000全角", "an ideographic space is no blank to CommonMark"),
        ("####### a", "seven marks"),
        ("    ## a", "four spaces: indented code"),
        ("\t## a", "a tab: indented code"),
        ("a\n---\nb\n===", "setext headings are text"),
        ("```\n## a\n```", "inside a fence"),
        ("````\n```\n## a\n````", "a shorter fence does not close"),
        ("~~~\n```\n## a\n~~~", "another mark does not close"),
        ("```\n``` sh\n## a\n```", "a closing fence has no info string"),
        ("```\n    ```\n## a\n```", "a closing fence is not indented code"),
        ("```sh\n## a", "a fence that is never closed runs to the end"),
        ("- ```sh\n  ## a\n  ```\n", "a fence right after a list marker"),
        ("10. ~~~\n    # a\n\n    ~~~\n", "the same in a numbered list"),
        ("---\ndate: 2026-01-01\n## a\n---\n", "front matter"),
        ("\ufeff---\n# a\n...\n", "front matter after a byte order mark"),
        ("<!-- old\n\n## a\n-->", "inside a comment"),
        ("<!--\n## a", "a comment that is never closed runs to the end"),
    ],
)
def test_what_only_looks_like_a_heading_is_none(text: str, why: str) -> None:
    assert headings(text) == [], why


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("``` a`b\n## a\n", "a backtick in the info string: inline code, no fence"),
        ("    ```\n## a\n", "an indented fence is code"),
        ("``\n## a\n", "two marks are no fence"),
        ("- ```sh\n  code\n## a\n", "the end of the list item ends its fence"),
        ("- ```sh\n  code\ntext\n  ## a\n", "and once ended it stays so"),
        ("text\n---\n## a\n---\n", "front matter stands at the very start only"),
        ("---\n\n## a\n\n---\n", "a rule with an empty line below is no front matter"),
        ("---\n## a\n", "front matter needs its end"),
        ("<!-- x -->\n## a\n", "a comment of one line"),
        ("<!-->\n## a\n", "the shortest comment"),
        ("see <!-- x\n## a\n", "a comment inside a line hides no heading"),
        ("<!-- x\n--> y\n## a\n", "the line with the end is the last one"),
        ("\ufeff## a\n", "a byte order mark is no part of the line"),
        ("```\nx\n```   \n## a\n", "blanks behind a closing fence"),
        ("```\nx\n`````\n## a\n", "a longer fence closes"),
    ],
)
def test_a_heading_is_seen_after(text: str, why: str) -> None:
    assert [title for _, _, title in headings(text)] == ["a"], why


def test_every_line_has_a_kind() -> None:
    text = "---\nk: v\n---\n# t\n<!-- c -->\n```\nx\n```\n\ny"

    assert kinds(text) == [
        *("front_matter", "front_matter", "front_matter"),
        *("heading", "html_comment", "fence", "code", "fence", "text", "text"),
    ]


@given(st.text())
def test_split_lines_lose_nothing_and_end_only_at_line_feed_and_return(text: str) -> None:
    lines = split_lines(text)

    assert "".join(lines) == text
    assert all(len(line.rstrip("\r\n")) + 2 >= len(line) > 0 for line in lines)
    assert not any("\n" in line[:-1] for line in lines)


@given(any_texts)
def test_lines_are_slices_of_the_text_at_their_offsets(text: str) -> None:
    lines = list(scan_lines(text))

    assert all(text[line.offset :].startswith(line.text) for line in lines)
    assert "".join(line.text for line in lines) == text.removeprefix("\ufeff")
    assert [line.number for line in lines] == list(range(1, len(lines) + 1))


@given(commonmark_texts)
def test_headings_agree_with_a_commonmark_parser(text: str) -> None:
    tokens = MarkdownIt("commonmark").parse(text)
    expected = [
        (token.map[0] + 1, int(token.tag[1:]), tokens[index + 1].content)
        for index, token in enumerate(tokens)
        if token.type == "heading_open" and token.map is not None
    ]

    assert headings(text) == expected


@given(any_texts)
def test_after_its_closing_line_a_text_hides_no_heading(text: str) -> None:
    closed = f"{text}\n{closing_line(text)}\n## next\n"

    # Text that is front matter only when more lines follow is another text.
    if list(scan_lines(closed))[-1].kind != "front_matter":
        assert headings(closed)[-1][2] == "next"


@pytest.mark.parametrize(
    ("text", "newline"),
    [("", "\n"), ("a", "\n"), ("a\r\nb\n", "\r\n"), ("\rb\n", "\r"), ("\n\r\n", "\n")],
)
def test_the_first_line_ending_is_that_of_the_text(text: str, newline: str) -> None:
    assert newline_of(text) == newline
