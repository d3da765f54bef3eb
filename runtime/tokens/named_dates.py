"""Dates that are written with words: English months, Japanese numerals and eras."""

from runtime.tokens.script import Remembered

_MONTHS = {
    name: str(number)
    for number, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul",
            "august aug", "september sep sept", "october oct", "november nov", "december dec",
        ),
        1,
    )
    for name in names.split()
}  # fmt: skip
STARTS = tuple({name[:3]: None for name in _MONTHS})
_ORDINALS = ("st", "nd", "rd", "th")
_YEAR_DIGITS = 4
_DAY_DIGITS = 2

_ALNUM = Remembered(lambda char: char if char.isalnum() else " ")

ERAS = {"明治": 1867, "大正": 1911, "昭和": 1925, "平成": 1988, "令和": 2018}
_NUMERALS = {numeral: value for value, numeral in enumerate("〇一二三四五六七八九")}
_TEN = "十"
NUMERALS = (*_NUMERALS, _TEN)
_UNITS = "年月日"
_FIRST_YEAR = "元"

Date = tuple[str, str, str]
"""Year, month, day, in digits; the year or the day may be empty."""


def named_dates(text: str) -> list[Date]:
    """List the dates and months in normalised *text* that name an English month."""
    folded = text.casefold()
    if not any(map(folded.__contains__, STARTS)):
        return []
    words = "".join(map(_ALNUM.__getitem__, folded)).split()
    dates = []
    for at, word in enumerate(words):
        month = _MONTHS.get(word)
        if month:
            before = [word for word in words[max(0, at - 2) : at] if word != "of"][-1:]
            dates.append(_around(month, before, words[at + 1 : at + 3]))
    return [date for date in dates if date[0] or date[2]]


def _around(month: str, before: list[str], after: list[str]) -> Date:
    """Give the date of a month between a day before it, or a day after it, and a year."""
    numbers = [_number(word) for word in [*before, *after]]
    previous = numbers[: len(before)]
    following = numbers[len(before) :]
    days = [number for number in previous + following[:1] if 0 < len(number) <= _DAY_DIGITS]
    years = [number for number in following if len(number) == _YEAR_DIGITS]
    return (years[0] if years else "", month, days[0] if days else "")


def _number(word: str) -> str:
    """Give the digits of a number or an ordinal; nothing for another word."""
    digits = word[:-2] if word.endswith(_ORDINALS) else word
    return digits if digits.isdecimal() and digits.isascii() else ""


def arabic(text: str) -> str:
    """Write the numerals and eras of Japanese dates in digits: 令和八年六月 is 2026年6月."""
    if not any(unit in text for unit in _UNITS):
        return text
    if not (any(era in text for era in ERAS) or any(numeral in text for numeral in NUMERALS)):
        return text
    cuts: list[str] = []
    start = 0
    for at, char in enumerate(text):
        if char in _UNITS:
            cuts += [_digits_at_end(text[start:at], char), char]
            start = at + 1
    return "".join(cuts) + text[start:]


def _digits_at_end(text: str, unit: str) -> str:
    """Write the number that ends a text in digits, and the year of an era as one of ours."""
    start = len(text)
    while start and text[start - 1] in NUMERALS:
        start -= 1
    number = _value(text[start:])
    if unit != _UNITS[0]:
        return text[:start] + number
    if not number:
        if text.endswith(_FIRST_YEAR):
            start, number = len(text) - 1, "1"
        else:
            while start and text[start - 1].isdecimal() and text[start - 1].isascii():
                start -= 1
            number = text[start:]
    era = text[:start].rstrip()[-2:]
    if era in ERAS and number and len(number) <= _DAY_DIGITS:
        return f"{text[:start]} {ERAS[era] + int(number)}"
    return text[:start] + (number or text[start:])


def _value(numerals: str) -> str:
    """Give the digits of a Japanese number below 100, or of one written digit by digit."""
    if _TEN not in numerals:
        return "".join(str(_NUMERALS[numeral]) for numeral in numerals)
    tens, _, ones = numerals.partition(_TEN)
    if len(tens) > 1 or len(ones) > 1:
        return numerals
    return str(_NUMERALS.get(tens, 1) * 10 + _NUMERALS.get(ones, 0))
