"""What a heading and a body may be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.markdown.blocks import split_blocks
from runtime.markdown.dates import find_date, find_iso_date
from runtime.notes.refusals import TextRefusedError
from runtime.notes.rules import NewBlock, body_key, judge
from tests.markdown.strategies import any_texts

HEADING = "2026-06-11 決定"
GITHUB = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2"


def reason_of(heading: str, body: str) -> TextRefusedError:
    with pytest.raises(TextRefusedError) as caught:
        judge(heading, body)
    return caught.value


@pytest.mark.parametrize(
    ("heading", "why"),
    [
        ("2026-13-45 x", "no such month"),
        ("2026-02-30 x", "no such day"),
        ("2025-02-29 x", "no leap year"),
        ("0000-01-01 x", "no year 0"),
        ("99999-99-99 x", "five digits"),
        ("12026-06-11 x", "five digits"),
        ("2026-06-111 x", "three digits"),
        ("リリース 2024.1.0 対応", "a version"),
        ("v2026.06.11-rc1", "a version"),
        ("v2026-06-11 x", "a letter before"),
        ("2026-06-11-rc1", "a version"),
        ("2026-06-11.5 x", "a version"),
        ("2026-06-11a x", "a letter behind"),
        ("2026/6/11 x", "written another way"),
        ("2026年6月11日 x", "written another way"),
        ("2026-6-1 x", "one digit"),
        ("２０２６-06-11 x", "full-width digits"),
        ("２０２６-０６-１１ x", "full-width digits"),
        ("٢٠٢٦-06-11 x", "Arabic digits"),
        ("2026‐06‐11 x", "other dashes"),
        ("決定", "none"),
    ],
)
def test_a_heading_without_a_real_iso_date_is_refused(heading: str, why: str) -> None:
    assert reason_of(heading, "x").reason == "no_date", why


@pytest.mark.parametrize("heading", [f"## {HEADING}", f"#{HEADING}", f"{HEADING} ##"])
def test_marks_of_a_heading_are_named_as_what_is_to_go(heading: str) -> None:
    assert str(reason_of(heading, "x")).startswith("give the heading without its marks ##")


def test_a_date_written_another_way_is_named_as_it_should_be() -> None:
    assert "2026-06-01" in str(reason_of("2026年6月1日 決定", "x"))


@pytest.mark.parametrize(
    "heading",
    [
        *("2026-06-11 決定: X", "決定: X 2026-06-11", "2024-02-29 閏日", "決定2026-06-11"),
        *("2026-06-11T10:00:00Z 時刻つき", "2026-06-11: x", "(2026-06-11) x", "2026-06-11の決定"),
        *("2026-13-45 2026-06-11 x", "2026-06-10/2026-06-11 x", "2026-06-11 先頭記号 ## x"),
        *("2026-06-11 `a` *b* # c", "2026-06-11 家族 👩‍👩‍👧 ❤️", "2026-06-11 C#"),
    ],
)
def test_a_heading_with_a_real_date_is_taken_as_it_is(heading: str) -> None:
    assert judge(heading, "x").heading == heading


@pytest.mark.parametrize(
    "heading",
    [
        *("2026-06-11", " 2026-06-11 ", "[2026-06-11]", "2026-06-11: ", "2026-06-11 🎉"),
        *("2026-06-11T10:00:00Z", "2026-06-10 – 2026-06-11"),
    ],
)
def test_a_date_alone_is_no_heading(heading: str) -> None:
    assert reason_of(heading, "x").reason == "no_title"


@pytest.mark.parametrize(
    ("heading", "body", "reason"),
    [
        ("", "x", "empty_heading"),
        ("   ", "x", "empty_heading"),
        (HEADING, "", "empty_body"),
        (HEADING, "  \n\t\n", "empty_body"),
        (HEADING + "\n## 2026-06-12 b", "x", "control_characters"),
        (HEADING + "\r", "x", "control_characters"),
        (HEADING + "\t", "x", "control_characters"),
        (HEADING + "\u2028b", "x", "control_characters"),
        (HEADING + "\x85b", "x", "control_characters"),
        (HEADING + "\u202e", "x", "control_characters"),
        (HEADING + "\ud800", "x", "control_characters"),
        (HEADING, "a\0b", "control_characters"),
        (HEADING, "a\x1b[31mb", "control_characters"),
        (HEADING, "a\x0cb", "control_characters"),
        (HEADING, "a\u200bb", "control_characters"),
        (HEADING, "a\udcffb", "control_characters"),
        ("## " + HEADING, "x", "heading_marks"),
        ("### " + HEADING, "x", "heading_marks"),
        ("#" + HEADING, "x", "heading_marks"),
        (HEADING + " ##", "x", "heading_marks"),
        (HEADING, "準備\n## 内側\n続き", "heading_in_body"),
        (HEADING, "## first", "heading_in_body"),
        (HEADING, "   ## 三", "heading_in_body"),
        (HEADING, "a\r## b", "heading_in_body"),
        (HEADING, "##", "heading_in_body"),
        (HEADING, "# top", "heading_in_body"),
        (HEADING, "```\na\n```\n## b", "heading_in_body"),
        (HEADING, "---\n## in what looks like front matter\n---", "heading_in_body"),
        (HEADING, "```\nnever closed", "open_end"),
        (HEADING, "closes another's:\n```", "open_end"),
        (HEADING, "~~~~\na\n~~~", "open_end"),
        (HEADING, "<!-- never closed", "open_end"),
        (HEADING, "- ```\n  in a list", "open_end"),
        ("昨日の決定 2026/6/11", "x", "no_date"),
        ("2026-06-11 昨日の決定", "x", "relative_date"),
        (HEADING, "昨日決めた。来週までに直す", "relative_date"),
        (HEADING, f"鍵は {GITHUB} です", "secret"),
        (f"2026-06-11 {GITHUB}", "x", "secret"),
        ("2026-06-11 password:", "a", ""),
        (HEADING, "a <private>b</private>", "secret"),
    ],
)
def test_what_breaks_a_rule_is_refused_with_its_reason(
    heading: str, body: str, reason: str
) -> None:
    if reason:
        assert reason_of(heading, body).reason == reason
    else:
        assert judge(heading, body).heading == heading


@pytest.mark.parametrize(
    "body",
    [
        "```md\n## これは例\n```\n例の後",
        "### 三\n#### 四\n####### 七",
        "    ## four spaces",
        "text ## x",
        "##x",
        "<!-- ## hidden -->",
        "---\ntitle: x\n---\n本文",
        "title\n===\nother\n---",
        "[redacted:github-token] was here",
        "a\tb\n  - c",
    ],
)
def test_what_is_no_block_of_its_own_may_stand_in_a_body(body: str) -> None:
    block = judge(HEADING, body)

    assert block == NewBlock(HEADING, body)
    (read,) = split_blocks(block.text("\n")).blocks
    assert (read.heading, body_key(read.text)) == (HEADING, body)


def test_all_relative_dates_are_told_at_once_with_their_places_and_the_form() -> None:
    error = reason_of("2026-06-11 昨日の決定", "来週と明日\n\n- today\n- 来週（2026-12-07）")

    assert error.details == (
        "the heading says 昨日; line 1 of the body says 来週, 明日; line 3 of the body says today",
    )
    assert "来週（2026-12-07）" in str(error)


def test_of_a_text_full_of_relative_dates_the_first_are_told_and_the_rest_counted() -> None:
    told = str(reason_of(HEADING, "昨日\n" * 60))

    assert "line 50 of the body says 昨日; and 10 more follow" in told
    assert "line 51" not in told


def test_blank_ends_go_and_the_first_lines_indentation_stays() -> None:
    assert judge(f"  {HEADING} ", "\n \n    code\n  b  \n\n") == NewBlock(HEADING, "    code\n  b")


@pytest.mark.parametrize("body", ["a\r\nb", "a\rb", "a\nb"])
def test_every_line_ending_is_one_line_ending(body: str) -> None:
    assert judge(HEADING, body).body == "a\nb"


@pytest.mark.parametrize(
    ("heading", "body"), [(HEADING, f"x {GITHUB}"), (GITHUB, "昨日"), (f"{GITHUB} ##", "")]
)
def test_no_refusal_holds_a_secret(heading: str, body: str) -> None:
    error = reason_of(heading, body)

    assert error.reason == "secret"
    assert "github-token" in str(error)
    assert GITHUB[8:] not in f"{error}{error.details}{error.args}"


def test_indentation_is_a_difference_and_blanks_at_line_ends_are_none() -> None:
    code = "## a\n```\nif x:\n    y()\n    z()\n```\n"

    assert body_key(code) != body_key(code.replace("    z", "z"))
    assert body_key(code) == body_key("## b\r\n\r\n" + code[5:].replace("\n", "  \r\n") + "\r\n")


@given(st.text() | any_texts, st.text() | any_texts)
def test_whatever_is_accepted_reads_back_as_one_dated_block(heading: str, body: str) -> None:
    for title in (heading, f"2026-06-11 {heading}"):
        try:
            block = judge(title, body)
        except TextRefusedError:
            continue

        document = split_blocks(block.text("\n"))
        assert [read.heading for read in document.blocks] == [block.heading]
        assert find_iso_date(block.heading) is not None
        assert find_date(block.heading) is not None
        assert judge(block.heading, block.body) == block
