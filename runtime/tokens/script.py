"""Tell which script a character is written in, and cut a text into runs of one script."""

import unicodedata

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# Scripts, one letter each, so that a word's scripts are a string as long as the word.
KANJI = "k"
HIRAGANA = "h"
KATAKANA = "t"
HANGUL = "g"
SYLLABARY = "y"
ABUGIDA = "a"
WORD = "w"
SYMBOL = "s"
SEPARATOR = " "

# Families: what runs are made of. Kanji and kana form one run, because Japanese words do.
CJK = "j"

# First words of Unicode's character names, script. Everything else is judged by its category.
_NAMES = {
    **dict.fromkeys(("CJK", "IDEOGRAPHIC", "HANGZHOU"), KANJI),
    **dict.fromkeys(("HIRAGANA", "HENTAIGANA", "VERTICAL"), HIRAGANA),
    **dict.fromkeys(("KATAKANA", "KATAKANA-HIRAGANA"), KATAKANA),
    "HANGUL": HANGUL,
    **dict.fromkeys(("BOPOMOFO", "YI", "TANGUT", "KHITAN", "NUSHU"), SYLLABARY),
    **dict.fromkeys(
        ("THAI", "LAO", "KHMER", "MYANMAR", "TAI", "NEW", "JAVANESE", "BALINESE", "AHOM"), ABUGIDA
    ),
}
# Planes of ideographs alone: new ones come with every version of Unicode, and the index
# should not depend on which one a Python knows.
_IDEOGRAPHIC_PLANES = frozenset({2, 3})
_COMBINING_KANA = "COMBINING KATAKANA-HIRAGANA"
_JAPANESE = frozenset({KANJI, HIRAGANA, KATAKANA})

# Variation selectors, soft hyphen, word joiner and byte order mark: they change how a character
# looks or where a line breaks, never which word it is.
_INVISIBLE = frozenset(
    map(chr, (0x00AD, 0x2060, 0xFEFF, *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)))
)

_TO_HIRAGANA = {point: point - 0x60 for point in range(0x30A1, 0x30F7)}

# ASCII with a space for punctuation and control characters; "_" stays, identifiers have it.
_ASCII_WORDS = "".join(
    char if char.isalnum() or char == "_" else " " for char in map(chr, range(128))
)


class Remembered(dict[str, str]):
    """
    What a function says of each string, worked out when it is first asked for.

    Bounded, so that a worker of many days keeps its size: texts repeat their words,
    and what is too long to be one is not kept.
    """

    __slots__ = ("_work_out",)
    MOST = 1 << 16
    LONGEST_CHARS = 32

    def __init__(self, work_out: "Callable[[str], str]") -> None:
        self._work_out = work_out

    def __missing__(self, text: str) -> str:
        answer = self._work_out(text)
        if len(text) <= self.LONGEST_CHARS:
            if len(self) >= self.MOST:
                self.clear()
            self[text] = answer
        return answer


def _family(char: str) -> str:
    script = _script(char)
    return CJK if script in _JAPANESE else script


def _script(char: str) -> str:
    if ord(char) >> 16 in _IDEOGRAPHIC_PLANES:
        return KANJI
    category = unicodedata.category(char)
    if category[0] not in "LN" and category not in {"Mn", "Mc"}:
        return WORD if char == "_" else SYMBOL if category == "So" else SEPARATOR
    name = unicodedata.name(char, "")
    if name.startswith(_COMBINING_KANA):
        return HIRAGANA
    return _NAMES.get(name.partition(" ")[0], WORD)


_SCRIPT_OF = Remembered(_script)
_FAMILY_OF = Remembered(_family)


def scripts_of(text: str) -> str:
    """Give the script of each character; letters of scripts not named here are ``WORD``."""
    return "".join(map(_SCRIPT_OF.__getitem__, text))


def normalize(text: str) -> str:
    """Fold width and composition (NFKC) and drop invisible marks; letter case stays."""
    if text.isascii():
        return text
    text = unicodedata.normalize("NFKC", text)
    if _INVISIBLE.isdisjoint(text):
        return text
    # A mark may have kept two characters apart that now compose.
    visible = "".join(char for char in text if char not in _INVISIBLE)
    return unicodedata.normalize("NFKC", visible)


def fold_kana(run: str) -> str:
    """Write katakana as hiragana."""
    return run.translate(_TO_HIRAGANA)


def ascii_words(text: str) -> list[str]:
    """List the runs of a text of ASCII characters: they are all words."""
    return text.translate(_ASCII_WORDS).split()


def runs(text: str) -> list[tuple[str, str]]:
    """
    Give (family, run) in text order from normalised *text*.

    Symbols come one by one. Separators, among them control characters and lone
    surrogates, are left out, so every run is safe to hand to SQLite.
    """
    found: list[tuple[str, str]] = []
    for piece in text.split():
        if piece.isascii():
            found += [(WORD, word) for word in ascii_words(piece)]
        else:
            found += _mixed_runs(piece)
    return found


def _mixed_runs(piece: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    start, current = 0, SEPARATOR
    for end, family in enumerate(map(_FAMILY_OF.__getitem__, piece)):
        if family != current or family == SYMBOL:
            if current != SEPARATOR:
                found.append((current, piece[start:end]))
            start, current = end, family
    if current != SEPARATOR:
        found.append((current, piece[start:]))
    return found
