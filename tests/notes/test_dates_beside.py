"""A relative date that has its date beside it says the same tomorrow."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.notes.relative_dates import words_in_line


@pytest.mark.parametrize(
    "line",
    [
        *(
            "来週の月曜日（2026-12-07）に出す。",
            "今週金曜（2026年12月4日）",
            "来週の月曜 (2026/12/7)",
        ),
        *("昨日（２０２６－１１－２９）", "昨日（木曜、2026-11-26）", "昨日【2026.11.29】"),
        *(
            "来週（12月7日）",
            "来週（１２月７日）",
            "来週（12/7〜12/11）",
            "来週（12-07）",
            "来週（2月29日）",
        ),
        *(
            "来年度（2027年度）",
            "来年（2027）",
            "来年（令和9年）",
            "来春（2027年）",
            "3年後（2029年）",
        ),
        *(
            "来年、2027年には",
            "次の金曜日（2026-12-04）",
            "今週末（2026-12-05）",
            "昨日の夜（2026-11-29）",
        ),
        *("来月（2026年12月）", "来月（2026-12）", "今月末（2026-11-30）", "来年度の 2027年度"),
        *(
            "next week Monday (2026-12-07)",
            "next year (FY2027)",
            "tomorrow (12/1)",
            "next month (2026-12)",
        ),
        *(
            "2026-12-07（来週）",
            "２０２６－１２－０７（来週）",
            "12月7日（来週）",
            "2027年度（来年度）",
        ),
        *("あす（2026-12-01）", "しあさって（2026-12-03）"),
    ],
)
def test_a_date_in_any_spelling_stands_for_the_word(line: str) -> None:
    assert words_in_line(line) == ()


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("来週（2026-13-45）", "no such day"),
        ("来週（2026-02-30）", "no such day"),
        ("来週（13月7日）", "no such month"),
        ("来週（2月30日）", "no such day"),
        ("来週（2026年）", "a year does not say which week"),
        ("来週（2026-12）", "a month does not say which week"),
        ("来週 12月7日", "without a year only in brackets"),
        ("来週（前回は2026-11-01）", "another day"),
        ("来週（2026.12.7-rc1）", "a version"),
        ("来週の会議（2026-12-07）", "what is between does not belong to the word"),
        ("来週（3-5件）", "a count"),
        ("来週（12/7/1）", "no date"),
        ("2026-02-30（来週）", "no such day"),
        ("2027年（来週）", "a year does not say which week"),
    ],
)
def test_what_is_no_date_of_that_word_stands_for_nothing(line: str, why: str) -> None:
    assert words_in_line(line) == ("来週",), why


SPELLINGS = ("{0:%Y-%m-%d}", "{0.year}/{0.month}/{0.day}", "{0.year}年{0.month}月{0.day}日")


@given(
    st.dates(date(1900, 1, 1)),
    st.sampled_from(SPELLINGS),
    st.sampled_from(["", "の月曜日", "金曜", "末", "の 水曜"]),
    st.booleans(),
)
def test_every_real_day_is_understood(day: date, form: str, tail: str, is_wide: bool) -> None:
    written = form.format(day)
    if is_wide:
        written = written.translate({code: code + 0xFEE0 for code in map(ord, "0123456789-/")})

    assert words_in_line(f"来週{tail}（{written}）に出す") == ()


@given(
    st.text(st.sampled_from("来週昨日年月の()（）[]【=、: 曜金12026-/.年月日令和元"), max_size=60)
)
def test_any_text_is_judged(text: str) -> None:
    assert all(word in text for word in words_in_line(text))
