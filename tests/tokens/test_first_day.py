import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from runtime.days import day_number
from runtime.tokens.first_day import first_day


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-06-11", "2026-06-11"),
        ("2026-06", "2026-06-01"),
        ("2026", "2026-01-01"),
        ("2026-6-1", "2026-06-01"),
        ("2026-6", "2026-06-01"),
        ("2026/06/11", "2026-06-11"),
        ("2026/6", "2026-06-01"),
        ("2026.6.11", "2026-06-11"),
        ("20260611", "2026-06-11"),
        ("2026年6月11日", "2026-06-11"),
        ("2026年 6月 11日", "2026-06-11"),
        ("2026年6月11", "2026-06-11"),
        ("2026年6月", "2026-06-01"),
        ("2026年", "2026-01-01"),
        ("二〇二六年六月", "2026-06-01"),
        ("令和八年六月十一日", "2026-06-11"),
        ("令和2年11月", "2020-11-01"),
        ("令和元年", "2019-01-01"),
        ("平成30年", "2018-01-01"),
        ("２０２０－１１", "2020-11-01"),
        ("２０２０ー１１", "2020-11-01"),
        ("２０２０／１１／０５", "2020-11-05"),
        ("2020\u22121\u22125", "2020-01-05"),
        ("June 2026", "2026-06-01"),
        ("June 11, 2026", "2026-06-11"),
        ("11th of June 2026", "2026-06-11"),
        (" 2026 ", "2026-01-01"),
        ("2024-02-29", "2024-02-29"),
    ],
)
def test_a_date_a_month_or_a_year_begins_on_a_day(text, day):
    assert first_day(text) == day


@pytest.mark.parametrize(
    "text",
    [
        "",
        "26",
        "0000",
        "2023-02-29",
        "2023年2月29日",
        "2026-13",
        "2026-06-",
        "2026-06/11",
        "2026--06",
        "2026年月6",
        "2026年6月以降",
        "2026 06",
        "v2026.6",
        "2026-06-11T10:00",
        "6/11/2026",
        "11.6.2026",
        "6月11日",
        "June",
        "June 11",
        "in June 2026",
        "2026 June 2026",
        "昨日",
        "令和",
        "令和-2",
        "令和2",
        "令和百年",
        "٢٠٢٦",
    ],
)
def test_anything_else_is_no_day(text):
    assert first_day(text) == ""


PIECES = ["2026", "6", "11", "-", "/", "年", "月", "日", "令和", "元", "十", "June", " ", "\ud800"]


@given(st.text() | st.lists(st.sampled_from(PIECES)).map("".join))
@example("9" * 5000)
def test_of_any_text_there_is_a_real_day_or_none(text):
    day = first_day(text)

    assert day == "" or day_number(day) is not None


@given(st.dates())
def test_every_spelling_of_a_day_is_that_day(day):
    year, month, date = day.isoformat().split("-")
    spellings = [
        f"{year}-{month}-{date}",
        f"{year}/{int(month)}/{int(date)}",
        f"{year}年{int(month)}月{int(date)}日",
        f"{year}{month}{date}",
    ]

    assert {first_day(spelling) for spelling in spellings} == {day.isoformat()}
