"""
Words for a date that mean another day tomorrow: 昨日, 来週, today, 3 days ago.

A note outlives the day it was written on, so such a word says nothing to its
reader. The lists hold what is a date for certain. Left out on purpose are words
that hang on a day named elsewhere (翌日, 当日, the next day), vague ones (最近,
recently), hours and minutes (30分前: as often a span as a moment), and 今日 or
明日 in kana, which stand inside other words (きょう in きょうと, あした in あしたば).

No date is what stands in code, in quotation marks or in a quoted line, what is
part of an identifier, a path or a URL, and what has its date right behind it
("昨日 2026-06-11", "today (2026-06-11)") or stands in brackets behind its date.
"""

import re
from typing import Final, NamedTuple

from runtime.markdown.lines import scan_lines

KANJI: Final = "一-鿿々〆"

JAPANESE: Final = re.compile(
    # A kanji before would make it part of another word: 説明+日, 優先+日, 基本+日程, 過去+年.
    rf"(?<![{KANJI}])(?:"
    r"一昨[々日]|昨[日朝夕晩夜]|今[朝夕晩夜]|明後日|明晩"
    r"|今日(?!子(?!供)|[的性庵]|本(?![番社人件格]))"  # 今日子, 今日的, 今、日本
    r"|明日(?![香菜奈葉翔]|美(?![術容]))"  # 明日香, 明日菜, 明日葉
    r"|本日(?!付)|先日(?!付)"
    r"|(?:先々|先|今|来|再来)[週月]"
    r"|一昨年|[昨去今本来]年|再来年|[昨今来][春夏秋冬])"
    r"|おととい|あさって"
)
"""Days, weeks, months, years. 来年度 and 今週末 begin with one and count."""

NUMBER: Final = "[0-9０-９一二三四五六七八九十百数]{1,4}"
JAPANESE_SPAN: Final = re.compile(
    # Only where a clause begins or a particle stands before: 期限の3日前, 決めた3日後 and
    # 締切3日前 hang on what stands before them.
    r"(?:^|(?<=[\s、。，．・,.:：;；!?！？(（「『\[［【はがをもにでとへ]))"
    rf"(?:{NUMBER}(?:[〜～~-]{NUMBER})? ?(?:日|週間?|[かヶケカヵ箇]月[間半]?|年[間半]?)|半年) ?"
    # 3日前までに is a term: it hangs on what is to be done then.
    r"(?:前(?![後半期提払者]|までに)|後(?![半期者方続述]))"
)

DAY: Final = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
ENGLISH_NUMBER: Final = (
    r"(?:(?:[0-9]{1,4}\s?[-–]\s?)?[0-9]{1,4}|an?|one|two|three|four|five|six|seven|eight|nine|ten"
    r"|eleven|twelve|several|(?:a\s)?few|(?:a\s)?couple\sof)"
)
BEFORE: Final = r"(?<![A-Za-z0-9_$@#/\\])(?<![A-Za-z0-9_)\]][.:-])"
AFTER: Final = (
    r"(?![A-Za-z0-9_(=\\])(?![.:-][A-Za-z0-9_])(?!/(?!(?:today|tomorrow|yesterday)\b)[A-Za-z0-9_])"
)
ENGLISH: Final = re.compile(
    rf"{BEFORE}(?:"
    r"(?<!USA )(?<!Psychology )(?<!India )(?<!Russia )(?<!Physics )today"  # titles of papers
    r"|yesterday|tomorrow|tonight|(?:the )?other day"
    # "the last week of June" is a span of its own, "last week" is not.
    rf"|(?<!the )(?:last|next)\s+(?:week|weekend|month|quarter|year|night|{DAY})"
    rf"|this\s+(?:week|weekend|month|quarter|year|morning|afternoon|evening|{DAY})"
    rf"|{ENGLISH_NUMBER}\s+(?:day|week|fortnight|month|quarter|year|decade)s?\s+(?:ago|from\s+now)"
    rf"){AFTER}",
    re.IGNORECASE,
)
WORDS: Final = (JAPANESE, JAPANESE_SPAN, ENGLISH)

EXCEPTED: Final = re.compile(
    r"(?<!`)(?P<ticks>`+)(?!`)(?:[^\n]*?[^`\n])?(?P=ticks)(?!`)"
    r"|「[^「」\n]*」|『[^『』\n]*』|“[^“”\n]*”|‘[^‘’\n]*’|«[^«»\n]*»"
    r"|\"[^\"\n]*\"|(?<!\w)'[^'\n]*'(?!\w)"
    r"|[A-Za-z][A-Za-z0-9+.-]{0,20}://[^\s　、。」』）)>]*"
)
"""Code spans, quotations and URLs, within one line."""

QUOTED_LINE: Final = re.compile(r"[ \t]*(?:(?:[-+*]|[0-9]{1,9}[.)])[ \t]+)*>")
DATE: Final = r"[0-9]{4}(?:-[0-9]{2}-[0-9]{2}|/[0-9]{1,2}/[0-9]{1,2}|年)"
DATE_BEHIND: Final = re.compile(rf"[ \t　]*の?[ \t　,、:：=＝]*[(（\[［]?[ \t　]*{DATE}")
DATE_BEFORE: Final = re.compile(rf"{DATE}[0-9月日]*[ \t　]*[(（\[［=＝][ \t　]*\Z")
NEAR_CHARS: Final = 24


class Relative(NamedTuple):
    """A word for a relative date, and its line, counted from 1."""

    word: str
    line: int


def find_relative(body: str) -> Relative | None:
    """Give the first relative date of a block's body, None without one."""
    # Below a heading, as it will stand: three dashes at its beginning are no front matter.
    lines = list(scan_lines(f"## \n{body}"))[1:]
    for number, line in enumerate(lines, start=1):
        if line.kind in {"fence", "code"} or QUOTED_LINE.match(line.body):
            continue
        word = find_in_line(line.body)
        if word:
            return Relative(word, number)
    return None


def find_in_line(line: str) -> str:
    """Give the first relative date in one line, such as a heading, "" without one."""
    open_text = EXCEPTED.sub(lambda found: "\0" * len(found[0]), line)
    found = (match for words in WORDS for match in words.finditer(open_text))
    dateless = (match for match in found if not _has_its_date(open_text, match))
    first = min(dateless, key=lambda match: match.start(), default=None)
    return first[0] if first else ""


def _has_its_date(line: str, word: re.Match[str]) -> bool:
    before = line[max(0, word.start() - NEAR_CHARS) : word.start()]
    return bool(DATE_BEHIND.match(line, word.end()) or DATE_BEFORE.search(before))
