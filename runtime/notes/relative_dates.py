"""
Words for a date that mean another day tomorrow: 昨日, 来週, today, 3 days ago.

A note outlives the day it was written on, so such a word says nothing to its
reader. The lists hold what is a date for certain. Left out on purpose are words
that hang on a day named elsewhere (翌日, 当日, the next day), vague ones (最近,
recently), and hours and minutes (30分前: as often a span as a moment). What
stands inside other words too (きょう in きょうと, あした in あしたば, 明朝 in 明朝体)
counts only where what is around it leaves no doubt.

No date is what stands in code, in quotation marks or in a quoted line, what is
part of an identifier, a path or a URL, and what has its date beside it, which
`runtime.notes.dates_beside` knows.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from runtime.markdown.lines import scan_lines
from runtime.notes.dates_beside import has_date_beside

KANJI: Final = "一-鿿々〆"

JAPANESE: Final = re.compile(
    # A kanji before would make it part of another word: 説明+日, 優先+日, 基本+日程, 過去+年.
    rf"(?<![{KANJI}])(?:"
    r"一昨[々昨]?[日年夜晩]|昨[日朝夕晩夜]|今[朝夕晩夜]|明後日|明晩"
    r"|今日(?!子(?!供)|[的性庵]|本(?![番社人件格]))"  # 今日子, 今日的, 今、日本
    r"|明日(?![香菜奈葉翔]|美(?![術容]))"  # 明日香, 明日菜, 明日葉
    r"|本日(?!付)|先日(?!付)"
    r"|(?:先々|先|今|来|再来)[週月]"
    r"|[昨去今本来]年|再来年|[昨今来][春夏秋冬])"
    r"|(?:さき)?おととい|(?:さき)?おととし|(?:し|やの)?あさって"
)
"""Days, weeks, months, years. 来年度 and 今週末 begin with one and count."""

CLAUSE: Final = r"(?:^|(?<=[\s、。，．・,.:：;；!?！？…—―「『はがをもにでと*]))"
"""Where a word begins for certain, in a script that sets no blanks."""
PARTICLE: Final = (
    "(?:は(?!く[さしすざをはにのと]|ん|ひのき)|も(?!の)|に(?!ゃ)|から|まで|より|[中以朝昼夕夜晩午])"
)
KANA: Final = re.compile(
    rf"(?:{CLAUSE}|(?<=[(（]))(?:きょう|きのう|あす|あした)"
    rf"(?=(?:の(?!ジョー|機能))|{PARTICLE})"
    # A reading stands in brackets with marks alone around it: 今日（きょう、こんにち）.
    rf"|{CLAUSE}(?:きょう|きのう|あす|あした)(?=[、。,.!?！？\s]|$)"
    # Not 早急, 作曲, 殺菌, 来ないだろう.
    rf"|(?:{CLAUSE}|(?<=[(（]))(?:(?:つい)?さっき(?![ゅょんだ])|こないだ(?![ろけっが]|もん))"
)
"""Days in kana, only where a clause begins, 今日 and the like before a particle or a mark too."""

UNSURE: Final = re.compile(
    # A dynasty and a typeface, too.
    rf"(?<![{KANJI}])明朝(?= ?[0-9０-９一二三四五六七八九十]{{1,2}}[時:：]|までに|一番|いちばん"
    r"|の(?:定例|会議|朝会|作業|予定)|に(?:再|確認|対応|実施|行[うい]|や[るり])|リリース|確認)"
    # 復活祭の次の日曜日 and 週末なら次の月曜 hang on what stands before them.
    rf"|(?<![{KANJI}のそこばら→=＝>])(?<![ばら→=＝>][、 ])(?<![時合]は)"
    r"(?:次|今度|こんど)の[月火水木金土日]曜(?:日(?!を)|(?![日を]))"
    # Before this, and what begins with 前: この前提, この前年, この前処理.
    rf"|(?<![{KANJI}])この前(?=[、はも]|の(?:会[議話]|話|件|打|障害|リリース|相談|決定|週|回|[月火水木金土日]曜)"
    rf"|(?![提後者年月日半処面置述記項期編章列行文払])[{KANJI}](?:[っいきしえけせべめれ]?[ただ]|[っしいめ]て))"
)
"""Words that count only beside what makes them a day."""

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
WORDS: Final = (JAPANESE, KANA, UNSURE, JAPANESE_SPAN, ENGLISH)

EXCEPTED: Final = re.compile(
    r"(?<!`)(?P<ticks>`+)(?!`)(?:[^\n]*?[^`\n])?(?P=ticks)(?!`)"
    r"|「[^「」\n]*」|『[^『』\n]*』|“[^“”\n]*”|‘[^‘’\n]*’|«[^«»\n]*»"
    r"|\"[^\"\n]*\"|(?<!\w)'[^'\n]*'(?!\w)"
    r"|[A-Za-z][A-Za-z0-9+.-]{0,20}://[^\s　、。」』）)>]*"
)
"""Code spans, quotations and URLs, within one line."""

QUOTED_LINE: Final = re.compile(r"[ \t]*(?:(?:[-+*]|[0-9]{1,9}[.)])[ \t]+)*>")


class Relative(NamedTuple):
    """A word for a relative date, and its line, counted from 1."""

    word: str
    line: int


def relative_dates(body: str) -> Iterator[Relative]:
    """Give every relative date of a block's body in order, each word once a line."""
    # Below a heading, as it will stand: three dashes at its beginning are no front matter.
    lines = list(scan_lines(f"## \n{body}"))[1:]
    for number, line in enumerate(lines, start=1):
        if line.kind in {"fence", "code"} or QUOTED_LINE.match(line.body):
            continue
        for word in words_in_line(line.body):
            yield Relative(word, number)


def words_in_line(line: str) -> tuple[str, ...]:
    """Give the relative dates in one line, such as a heading, in order and each once."""
    open_text = EXCEPTED.sub(lambda found: "\0" * len(found[0]), line)
    found = [match for words in WORDS for match in words.finditer(open_text)]
    dateless = [match for match in found if not has_date_beside(open_text, match)]
    dateless.sort(key=lambda match: (match.start(), -match.end()))
    return tuple(dict.fromkeys(match[0] for match in dateless))
