"""Tell which script a character is written in, and cut a text into runs of one script."""

import unicodedata

# Scripts, one letter each, so that a word's scripts are a string as long as the word.
KANJI = "k"
HIRAGANA = "h"
KATAKANA = "t"
HANGUL = "g"
ABUGIDA = "a"
WORD = "w"
SYMBOL = "s"
SEPARATOR = " "

# Families: what runs are made of. Kanji and kana form one run, because Japanese words do.
CJK = "j"

# First code point, last code point, script. Everything else is judged by its Unicode category.
_RANGES = (
    (0x0E01, 0x0EFF, ABUGIDA),  # Thai, Lao
    (0x1000, 0x109F, ABUGIDA),  # Burmese
    (0x1100, 0x11FF, HANGUL),
    (0x1780, 0x17DD, ABUGIDA),  # Khmer without its digits
    (0x3005, 0x3007, KANJI),  # the iteration mark, the closing mark and zero count as kanji
    (0x3041, 0x309F, HIRAGANA),
    (0x30A1, 0x30FA, KATAKANA),  # the middle dot that follows separates words
    (0x30FC, 0x30FF, KATAKANA),
    (0x3130, 0x318F, HANGUL),
    (0x31F0, 0x31FF, KATAKANA),
    (0x3400, 0x9FFF, KANJI),
    (0xAC00, 0xD7FF, HANGUL),
    (0xF900, 0xFAFF, KANJI),
    (0x20000, 0x3FFFF, KANJI),
)
_JAPANESE = frozenset({KANJI, HIRAGANA, KATAKANA})

# Variation selectors, soft hyphen, word joiner and byte order mark: they change how a character
# looks or where a line breaks, never which word it is.
_INVISIBLE = frozenset(
    map(chr, (0x00AD, 0x2060, 0xFEFF, *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)))
)

# ASCII with a space for punctuation and control characters; "_" stays, identifiers have it.
_ASCII_WORDS = "".join(
    char if char.isalnum() or char == "_" else " " for char in map(chr, range(128))
)


class _Scripts(dict[str, str]):
    """The script of each character, worked out when it is first asked for."""

    def __missing__(self, char: str) -> str:
        script = self[char] = _script(char)
        return script


class _Families(dict[str, str]):
    """The family of each character, worked out when it is first asked for."""

    def __missing__(self, char: str) -> str:
        script = _script(char)
        family = self[char] = CJK if script in _JAPANESE else script
        return family


# Remembered facts about Unicode, at most one entry per character seen.
_SCRIPT_OF = _Scripts()
_FAMILY_OF = _Families()


def _script(char: str) -> str:
    point = ord(char)
    for first, last, script in _RANGES:
        if first <= point <= last:
            return script
    category = unicodedata.category(char)
    if category[0] in "LN" or category in {"Mn", "Mc"} or char == "_":
        return WORD
    return SYMBOL if category == "So" else SEPARATOR


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


def runs(text: str) -> list[tuple[str, str]]:
    """
    Give (family, run) in text order from normalised *text*.

    Symbols come one by one. Separators, among them control characters and lone
    surrogates, are left out, so every run is safe to hand to SQLite.
    """
    found: list[tuple[str, str]] = []
    for piece in text.split():
        if piece.isascii():
            found += [(WORD, word) for word in piece.translate(_ASCII_WORDS).split()]
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
