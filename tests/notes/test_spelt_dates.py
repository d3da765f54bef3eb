"""Dates that the rules for headings do not know."""

import pytest

from runtime.notes.spelt_dates import spelt_date


@pytest.mark.parametrize(
    ("heading", "body", "found"),
    [
        ("令和8年6月11日 締め日", "", ("2026-06-11", "締め日")),
        ("締め日（令和八年六月十一日）十日", "", ("2026-06-11", "締め日 十日")),
        ("令和元年5月1日", "", ("2019-05-01", "")),
        ("二〇二六年六月十一日：名前", "", ("2026-06-11", "名前")),
        ("令和8年13月1日", "", ("", "令和8年13月1日")),
        ("名前", "2026年6月11日に決めた。", ("2026-06-11", "名前")),
        ("名前", "\n- (2026/6/11) 決定", ("2026-06-11", "名前")),
        ("名前", "期限は2026-06-11", ("", "名前")),
        ("名前", "2026-06-110", ("", "名前")),
    ],
)
def test_a_date_is_known_from_the_heading_or_from_how_the_text_begins(
    heading: str, body: str, found: tuple[str, str]
) -> None:
    assert spelt_date(heading, body) == found
