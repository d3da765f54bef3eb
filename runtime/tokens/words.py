"""Words of spaced scripts: identifier parts, hexadecimal ids and English stop words."""

_HEX_DIGITS = "0123456789abcdef"
_HEX_ID_CHARS = 6  # Shorter ones are more often words or numbers.

_UPPER, _LOWER, _DIGIT = "A", "a", "0"
_KIND = {
    **dict.fromkeys("ABCDEFGHIJKLMNOPQRSTUVWXYZ", _UPPER),
    **dict.fromkeys("abcdefghijklmnopqrstuvwxyz", _LOWER),
    **dict.fromkeys("0123456789", _DIGIT),
}

# Function words that say nothing about a topic, and what an apostrophe leaves of "isn't".
_STOP_WORDS = """
a about am an and are aren as at be been but by can could d did didn do does doesn don for
from had has have he her here him his how i if in into is isn it its ll m may me might must
my no not of on or our over re s shall she should so t than that the their them then there
these they this those to under us ve was wasn we were what when where which who whom whose
why will with would you your
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())


def is_hex_id(word: str) -> bool:
    """Say whether a folded word looks like a commit or object id, often quoted by its start."""
    return len(word) >= _HEX_ID_CHARS and not word.strip(_HEX_DIGITS) and not word.isalpha()


def word_parts(run: str) -> list[str]:
    """
    Give the folded parts of a word in order: one for a plain word, more for an identifier.

    Identifiers part at ``_``, at case changes and between letters and digits;
    hexadecimal ids stay whole. Underscores and stray accents alone give nothing.
    """
    if run.islower() and run.isalpha():
        return [run.casefold()]  # Most words, so worth not looking further.
    return [part for section in run.split("_") if section for part in _section_parts(section)]


def _section_parts(word: str) -> list[str]:
    if not word[0].isalnum():
        # NFKC makes a space and a combining mark of the free-standing accent in "it´s".
        start = next((at for at, char in enumerate(word) if char.isalnum()), len(word))
        word = word[start:]
    folded = word.casefold()
    plain = word.isalpha() and (word.islower() or word.isupper() or word[1:].islower())
    if plain or is_hex_id(folded):
        return [folded]
    return [part.casefold() for part in _camel_parts(word)]


def _camel_parts(word: str) -> list[str]:
    from itertools import groupby  # noqa: PLC0415 - dear for a hook, and few words are made of parts

    parts: list[str] = []
    previous: str | None = None
    for kind, chars in groupby(word, _KIND.get):
        part = "".join(chars)
        if kind == _LOWER and previous == _UPPER:
            # The last capital begins this word, those before it are an acronym.
            capitals = parts.pop()
            part = capitals[-1] + part
            if len(capitals) > 1:
                parts.append(capitals[:-1])
        parts.append(part)
        previous = kind
    return parts
