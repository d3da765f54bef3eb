"""Dates in headings, front matter and file names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.markdown.dates import find_date, find_iso_date, without_dates


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("2026-06-11 決定", "2026-06-11"),
        ("決定2026-06-11の続き", "2026-06-11"),
        ("2026/6/11 x", "2026-06-11"),
        ("2026/06/11", "2026-06-11"),
        ("2026.6.11 x", "2026-06-11"),
        ("on 2026.06.11.", "2026-06-11"),
        ("2026年6月11日 x", "2026-06-11"),
        ("西暦2026年 6月 1日から", "2026-06-01"),
        ("２０２６-06-11 全角", "2026-06-11"),
        ("２０２６／６／１１", "2026-06-11"),
        ("2024-02-29 閏日", "2024-02-29"),
        ("2026-06-11T10:00:00Z", "2026-06-11"),
        ("2026-06-11_1030", "2026-06-11"),
        ("2026-06-11-standup", "2026-06-11"),
        ("notes-2026-06-11", "2026-06-11"),
        ("2026.06.11-standup", "2026-06-11"),
        ("[2026-06-11]", "2026-06-11"),
        ("2025-01-01 から 2026-06-11 まで", "2025-01-01"),
        ("2026-13-45 ではなく 2026-06-11", "2026-06-11"),
    ],
)
def test_a_date_is_found_and_padded(text: str, found: str) -> None:
    assert find_date(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026-13-45 無い月",
        "2026-02-30 無い日",
        "2026-00-10 零月",
        "0000-01-01 零年",
        "リリース 2024.1.0 対応",
        "99999-99-99",
        "12026-06-11 五桁",
        "2026-06-110",
        "1-2026-06-11",
        "2026-6-11",
        "2026-06/11",
        "v2026.06.11-rc1",
        "2026.06.11-rc1",
        "2026.06.11rc1",
        "v2026.1.2.3 の版番号",
        "2026.1.2.3",
        "1.2026.1.2",
        "build2026-06-11",
        "2026-06-11a",
        "2026/6/11/3",
        "٢٠٢٦-٠٦-١١",
        "昨日の決定",
    ],
)
def test_what_is_no_date_is_passed_over(text: str) -> None:
    assert find_date(text) is None


@given(
    st.dates(),
    st.sampled_from(["{0.year:04}-{0.month:02}-{0.day:02}", "{0.year:04}/{0.month}/{0.day}"]),
)
def test_every_calendar_date_is_read_back(day: object, form: str) -> None:
    assert find_date(f"x {form.format(day)} y") == str(day)


@given(st.text())
def test_no_text_breaks_the_search(text: str) -> None:
    found = find_date(text)

    assert found is None or len(found) == 10


@given(st.dates(), st.sampled_from(["{}", "決定{}の", "({}) x", "{}T10:00Z", "2026/1/2 {}"]))
def test_every_iso_date_is_found_and_understood_by_both(day: object, form: str) -> None:
    text = form.format(day)

    assert find_iso_date(text) == str(day)
    assert find_date(text) is not None


@pytest.mark.parametrize(
    "text", ["2026/6/11", "2026年6月11日", "２０２６-06-11", "v2026-06-11", "2026-06-11-rc1"]
)
def test_an_iso_date_is_written_in_one_way(text: str) -> None:
    assert find_iso_date(text) is None


@given(st.text() | st.text(st.sampled_from("0123456789-T. 年/"), max_size=30))
def test_what_is_an_iso_date_is_a_date(text: str) -> None:
    assert find_iso_date(text) is None or find_date(text) is not None


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("2026-06-11 決定: X", "決定: X"),
        ("決定: X (2026-06-11)", "決定: X"),
        ("[2026年6月11日] 決定: X", "決定: X"),
        ("決定 2026/6/11 の続き", "決定 の続き"),
        ("2026-06-11", ""),
        ("2026-06-11 ～ 2026-06-13", ""),
        ("2026-13-45 無い月", "2026-13-45 無い月"),
        ("v2026.06.11-rc1", "v2026.06.11-rc1"),
        ("ＡＢＣ", "ABC"),
    ],
)
def test_a_title_is_what_its_dates_leave(heading: str, title: str) -> None:
    assert without_dates(heading) == title


@given(st.text())
def test_what_is_left_has_no_date(text: str) -> None:
    assert find_date(without_dates(text)) is None
