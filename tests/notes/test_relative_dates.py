"""Words that mean another day tomorrow, and words that only look like them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.notes.relative_dates import Relative, relative_dates, words_in_line


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("昨日の決定", "昨日"),
        ("これは今日から", "今日"),
        ("明日実施する", "明日"),
        ("一昨日まで", "一昨日"),
        ("一昨々日まで", "一昨々日"),
        ("一昨昨日まで", "一昨昨日"),
        ("しあさってに出す", "しあさって"),
        ("さきおとといの話", "さきおととい"),
        ("おととしの版", "おととし"),
        ("きょうは休み", "きょう"),
        ("- きのうの会議", "きのう"),
        ("障害（きのうから続く）", "きのう"),
        ("あすから使う", "あす"),
        ("会議はあした、朝に", "あした"),
        ("明朝9時に出す", "明朝"),
        ("明朝までに直す", "明朝"),
        ("次の金曜に出す", "次の金曜"),
        ("会議は今度の月曜日", "今度の月曜日"),
        ("さっき決めた", "さっき"),
        ("ついさっき決めた", "ついさっき"),
        ("この前、話した", "この前"),
        ("この前の会議で", "この前"),
        ("この前決めた", "この前"),
        ("この前買った機械", "この前"),
        ("機械（さっき直した）", "さっき"),
        ("予約は、次の月曜日に取る", "次の月曜日"),
        ("こないだの件", "こないだ"),
        ("明後日まで", "明後日"),
        ("先週の会議", "先週"),
        ("先々週の会議", "先々週"),
        ("今週末に出す", "今週"),
        ("再来月から", "再来月"),
        ("先月分の請求", "先月"),
        ("昨年度の予算", "昨年"),
        ("去年の版", "去年"),
        ("来年やる", "来年"),
        ("今朝の障害", "今朝"),
        ("本日より", "本日"),
        ("先日話した件", "先日"),
        ("おとといの話", "おととい"),
        ("3日前に決めた", "3日前"),
        ("決めたのは３日前", "３日前"),
        ("これは二週間後に消す", "二週間後"),
        ("数か月前まで", "数か月前"),
        ("Yesterday we chose it", "Yesterday"),
        ("yesterday's call", "yesterday"),
        ("it's today's plan", "today"),
        ("do it today/tomorrow", "today"),
        ("done by tomorrow.", "tomorrow"),
        ("moved to next week", "next week"),
        ("since last Friday", "last Friday"),
        ("released this month", "this month"),
        ("decided 3 days ago", "3 days ago"),
        ("a week from now", "a week from now"),
        ("the other day", "the other day"),
        ("2026-06-11 昨日の決定", "昨日"),
        ("半年前に決めた", "半年前"),
        ("方針は半年後に見直す", "半年後"),
        ("2年半前の版", "2年半前"),
        ("2〜3日前に話した", "2〜3日前"),
        ("10-15日前のログ", "10-15日前"),
        ("3日前までは動いていた", "3日前"),
        ("昨夕の障害", "昨夕"),
        ("明晩に出す", "明晩"),
        ("来春に出す", "来春"),
        ("decided eight days ago", "eight days ago"),
        ("a couple of weeks ago", "a couple of weeks ago"),
        ("few days ago", "few days ago"),
        ("2-3 days ago", "2-3 days ago"),
        ("two quarters ago", "two quarters ago"),
        ("moved to last  week", "last  week"),
    ],
)
def test_a_relative_date_is_found(line: str, word: str) -> None:
    assert words_in_line(line) == (word,)


@pytest.mark.parametrize(
    "line",
    [
        *("今日子さんの案", "明日香の担当", "明日葉を植える", "今日的な課題", "今日本では"),
        *("本日付の通知", "先日付小切手", "説明日程", "証明日時", "基本日程", "優先日を見る"),
        *("昨今日本では", "過去年度", "日本年金", "きょうとの店", "あしたばの栽培"),
        *("翌日に送る", "前日の夜", "当日の朝", "最近の傾向", "30分前に通知"),
        *("期限の3日前に知らせる", "決めた3日後", "締切3日前", "3日前後かかる", "2年前半"),
        *("昨日 2026-06-11 の続き", "昨日（2026-06-11）", "昨日の2026-06-11", "2026-06-11（昨日）"),
        *(
            "来週（2026/6/15〜）",
            "明日: 2026年6月12日",
            "tomorrow, 2026-06-12",
            "today (2026-06-11)",
        ),
        *("date.today()", "today()", "today_total", "TODAY_LIMIT", "$today", "@today", "x.today"),
        *("is-today", "logs/today/a.md", "see https://example.com/today", "use `today` here"),
        *('the song "Yesterday"', "「Yesterday」を聴く", "『明日への道』", "“Tomorrow” by them"),
        *("‘next week’ is a phrase", "'Yesterday' is a song", "USA Today", "yesterdays"),
        *("the last week of June", "the next month of the plan", "this may fail", "in 3 days"),
        *("another day", "next steps"),
        *(
            "3日前までに予約する",
            "半年前までに届け出る",
            "期限の2〜3日前",
            "発行の半年後",
            "3年前半",
        ),
        *("あすかの案", "あすなろ", "きょうだいは三人", "機能（きのう）は", "きのうの機能"),
        *(
            "今日子（きょうこ）",
            "脅迫をきょうはくと読む",
            "京都（きょうと）の店",
            "あすと長町",
        ),
        *("ああすればよい", "とうきょうは", "あしたのジョー", "話した。", "貸した、"),
        *(
            "明朝体で組む",
            "明朝の皇帝",
            "明朝から清朝へ",
            "復活祭の次の日曜日",
            "次の土地",
            "その次の月曜",
        ),
        *("この前提で", "この前処理", "この前に置く", "この前後", "この前年", "彼はこないだろう"),
        *("さっきゅうに", "さっきょく家", "さっきんする"),
        *(
            "返ってこないだけ",
            "彼がこないだもん",
            "この前提とした",
            "この前半だけ",
            "うれしさのうち",
        ),
        *(
            "月曜でなければ次の月曜から",
            "週末なら、次の月曜",
            "省略時は次の月曜に",
            "金曜に完了 → 次の月曜",
        ),
        *("次の月曜日を求める", "次の金曜を返す"),
        *("古今秋の歌", "years ago", "version 2-3 days"),
    ],
)
def test_what_only_looks_like_one_is_left_alone(line: str) -> None:
    assert words_in_line(line) == ()


def test_all_are_named_with_their_lines_and_each_once_a_line() -> None:
    body = (
        "昨日、昨日の本文\n\n来週、昨日の（today もか）\n```\n明日\n```\n昨日（2026-06-11）と今日"
    )

    assert list(relative_dates(body)) == [
        Relative("昨日", 1),
        Relative("来週", 3),
        Relative("昨日", 3),
        Relative("today", 3),
        Relative("今日", 7),
    ]


@pytest.mark.parametrize(
    "body",
    [
        "```\nyesterday 昨日\n```",
        "~~~text\ntoday\n~~~\n",
        "- ```\n  today\n  ```\n",
        "> 昨日決めた、と書いてある",
        "- > today",
        "1. 引用\n   > tomorrow",
    ],
)
def test_code_and_quoted_lines_may_say_anything(body: str) -> None:
    assert list(relative_dates(body)) == []


def test_what_looks_like_front_matter_is_read_too() -> None:
    """Below a heading three dashes are a rule, and hide nothing."""
    assert list(relative_dates("---\n昨日\n---\n")) == [Relative("昨日", 2)]


@pytest.mark.parametrize("body", ["```\nx\n```\n昨日", "`a\n昨日 b`", '"a\ntoday"', "# today"])
def test_what_stands_outside_of_code_and_quotation_is_found(body: str) -> None:
    assert list(relative_dates(body)) != []


@given(st.text(st.sampled_from("昨今明日週前3 a`\"'「」today-/.(:\n>2026-06-11"), max_size=80))
def test_any_text_is_judged_and_a_word_found_stands_in_it(text: str) -> None:
    lines = text.split("\n")

    for word, line in relative_dates(text):
        assert word in lines[line - 1]
