"""
All characters of a text at once, where one after the other would take most of indexing.

The UTF-16 units of a text are two byte strings, the high bytes being the characters'
pages. `bytes.translate` looks up all low bytes in a page's table by one call; a mask of
ones at the page's characters then leaves the others out, both being integers of as many
bytes. A text with characters of two units is done character by character.
"""

import re
from itertools import compress

from runtime.tokens.dates import tokens_of_dates
from runtime.tokens.named_dates import ERAS, NUMERALS, STARTS, arabic, named_dates
from runtime.tokens.script import (
    ABUGIDA,
    HANGUL,
    HIRAGANA,
    KANJI,
    KATAKANA,
    SEPARATOR,
    SYLLABARY,
    SYMBOL,
    WORD,
    ascii_words,
    fold_kana,
    normalize,
    scripts_of,
)

RUNS = re.compile(
    f"[{KANJI}{HIRAGANA}{KATAKANA}]+|{WORD}(?:[{WORD}{SEPARATOR}]*{WORD})?"
    f"|{HANGUL}+|{SYLLABARY}+|{ABUGIDA}+|{SYMBOL}".encode()
)
"""Finds what is of one family in the scripts of a text; words with what is between them."""
# What begins with a character, not with a repetition, is looked for several times as fast.
KATAKANA_WORDS = re.compile(f"{KATAKANA}{KATAKANA}+".encode())
_WORDS = re.compile(f"{WORD}{WORD}*".encode())
_NUMBERS = re.compile("([0-9][0-9]*)")
UNSETTLED = re.compile("[^\0-~、。「」ぁ-ゖァ-ヺー一-鿿]")
"""Finds none where NFKC changes nothing and nothing is invisible."""
# Without this one `named_dates` finds nothing; without the other, or an era, `arabic` has no work.
_MONTH_NAME = re.compile(rf"(?:{'|'.join(STARTS)})(?<![^\W_]...)")
_NUMERAL = re.compile(f"[{''.join(NUMERALS)}元][年月日]")

_LATIN, _KANA = 0x00, 0x30
_ONE_SCRIPT = {KANJI: range(0x4E, 0xA0), HANGUL: range(0xAC, 0xD7)}
"""Pages whose characters are all of one script."""
_OF_PAGE = bytes(
    next((ord(script) for script, pages in _ONE_SCRIPT.items() if page in pages), 0)
    for page in range(0x100)
)
_USUAL = bytes(page for page, script in enumerate(_OF_PAGE) if script or page in {_LATIN, _KANA})
_FOLDED = bytes(ord(fold_kana(chr(_KANA << 8 | low))) & 0xFF for low in range(0x100))
WINDOW_CHARS = 3
_WINDOW = bytearray("\0\0 ".encode("utf-16-le"))


class _Tables(dict[int, bytearray]):
    """The scripts of the characters of each page by their low bytes, 0 where not yet known."""

    def __missing__(self, page: int) -> bytearray:
        table = self[page] = bytearray(0x100)
        return table

    def learn(self, chars: set[str]) -> None:
        """Look up the scripts of these characters."""
        for char in chars:
            page, low = divmod(ord(char), 0x100)
            self[page][low] = ord(scripts_of(char))


_TABLES = _Tables()


def normalized(text: str) -> str:
    """Give what `normalize` does, at once where nothing is to be done."""
    return normalize(text) if UNSETTLED.search(text) else text


def date_tokens(text: str) -> list[str]:
    """Give what the function of that name in `dates` does, which loads no expressions."""
    if not text.isascii() and (_NUMERAL.search(text) or any(map(text.__contains__, ERAS))):
        text = arabic(text)
    cuts = _NUMBERS.split(f" {text} ")
    if len(cuts) == 1:
        return []
    named = named_dates(text) if _MONTH_NAME.search(text.casefold()) else []
    return tokens_of_dates(named, cuts)


def pieces(expression: re.Pattern[bytes], text: str, scripts: bytes) -> list[str]:
    """List the pieces of a text where an expression finds their scripts."""
    return [text[found.start() : found.end()] for found in expression.finditer(scripts)]


def words(text: str, scripts: bytes) -> list[str]:
    """List the words of a text that holds nothing else."""
    return ascii_words(text) if text.isascii() else pieces(_WORDS, text, scripts)


def scripts_and_windows(text: str) -> tuple[bytes, str]:
    """
    Give the letter of each character's script, and its window: itself, the next one, a space.

    A window is `WINDOW_CHARS` long, and kana are folded in it.
    """
    try:
        units = text.encode("utf-16-le")
    except UnicodeEncodeError:  # a lone surrogate
        return _one_by_one(text)
    if len(units) > 2 * len(text):
        return _one_by_one(text)
    lows, highs = units[::2], units[1::2]
    scripts = _scripts(lows, highs)
    if 0 in scripts:
        _TABLES.learn(set(compress(text, map((0).__eq__, scripts))))
        scripts = _scripts(lows, highs)
    return scripts, _windows(_with_hiragana(lows, highs), highs)


def _one_by_one(text: str) -> tuple[bytes, str]:
    folded = fold_kana(text)
    return scripts_of(text).encode(), "".join(map("{}{} ".format, folded, f"{folded[1:]} "))


def _scripts(lows: bytes, highs: bytes) -> bytes:
    scripts = int.from_bytes(highs.translate(_OF_PAGE))
    for page in (_LATIN, _KANA, *set(highs.translate(None, _USUAL))):
        scripts |= _mask(page, highs) & int.from_bytes(lows.translate(_TABLES[page]))
    return scripts.to_bytes(len(lows))


def _mask(page: int, highs: bytes) -> int:
    """Give 0xFF for the characters of a page, 0 for all others."""
    return int.from_bytes(highs.translate(_MASKS[page]))


class _Masks(dict[int, bytes]):
    def __missing__(self, page: int) -> bytes:
        mask = self[page] = bytes(page) + b"\xff" + bytes(0xFF - page)
        return mask


_MASKS = _Masks()


def _with_hiragana(lows: bytes, highs: bytes) -> bytes:
    """Give the low bytes with katakana written as hiragana, which is in the same page."""
    is_kana = _mask(_KANA, highs)
    if not is_kana:
        return lows
    before = int.from_bytes(lows)
    changed = is_kana & (before ^ int.from_bytes(lows.translate(_FOLDED)))
    return (before ^ changed).to_bytes(len(lows))


def _windows(lows: bytes, highs: bytes) -> str:
    windows = _WINDOW * len(lows)
    windows[::6], windows[1::6] = lows, highs
    windows[2:-6:6], windows[3:-6:6] = lows[1:], highs[1:]
    return windows.decode("utf-16-le")
