"""
What a loan word sounds like, so that コンポーネント and component meet.

A word is reduced to its consonants, as far as Japanese hears them: no l beside r,
no v beside b, no m beside n, no th beside s, no vowels, no r that closes a
syllable, nothing doubled. Two words of one sound need not be the same word; the
sound only adds to what the letters say.
"""

from runtime.tokens.script import Remembered
from runtime.tokens.words import STOP_WORDS

# Written with characters that normalised text never holds, so no other token is the same;
# as the last character they also keep the stemmer away.
_OF_KATAKANA = "ｱ"
_OF_LATIN = "ａ"

_MIN_SOUND_CHARS = 2
_MIN_LATIN_CHARS = 4
_MIN_KATAKANA_CHARS = 3

# チ is an English ch only where it closes a syllable or goes with a small vowel, else a t.
_KATAKANA_PAIRS = (
    ("チャ", "シ"), ("チュ", "シ"), ("チョ", "シ"),
    ("チェ", "シ"), ("ッチ", "シ"), ("ンチ", "ンシ"),
)  # fmt: skip
_ROWS = (
    ("k", "カキクケコヵヶ"), ("g", "ガギグゲゴ"), ("s", "サシスセソザジズゼゾヂヅ"),
    ("t", "タチツテト"), ("d", "ダデド"), ("n", "ナニヌネノンマミムメモ"), ("f", "フ"),
    ("b", "バビブベボヴヷヸヹヺ"), ("p", "パピプペポ"), ("r", "ラリルレロ"),
    # Vowels, and consonants that English spells too freely to tell.
    ("", "アイウエオァィゥェォッーハヒヘホヤユヨャュョワヲヮヰヱ"),
)  # fmt: skip
_KATAKANA_SOUNDS = {ord(kana): sound for sound, row in _ROWS for kana in row}

# Spellings of one sound, longest first where one holds the other.
_LATIN_PAIRS = (
    ("tion", "sn"), ("tia", "sa"), ("ture", "sa"), ("dule", "sre"), ("dure", "sre"), ("sch", "sk"),
    ("tch", "s"), ("dg", "s"), ("gg", "G"), ("ph", "f"), ("gh", ""), ("ck", "k"), ("sh", "s"),
    ("th", "s"), ("ch", "s"), ("qu", "k"), ("wr", "r"), ("kn", "n"), ("x", "ks"),
)  # fmt: skip
_VOWELS = frozenset("aeiou")
_AFTER_R = frozenset("aeiouy")
_SOFTENING = frozenset("eiy")
_LATIN_SOUNDS = {
    **{ord(char): char for char in "bdfknprst"},
    **{ord(char): "" for char in "aeiouhwy"},
    **dict(zip(map(ord, "cgjlmqvzG"), "kgsrnkbsg", strict=True)),
}


def katakana_sound(word: str) -> str:
    """Give the sound of a katakana word; empty for one that is too short to tell."""
    if len(word) < _MIN_KATAKANA_CHARS:
        return ""
    for spelling, same in _KATAKANA_PAIRS:
        word = word.replace(spelling, same)
    return _worth_it(word.translate(_KATAKANA_SOUNDS))


def latin_sound(word: str) -> str:
    """Give the sound of an English word in lower case; empty for one that cannot be told."""
    if len(word) < _MIN_LATIN_CHARS or not word.isascii() or word in STOP_WORDS:
        return ""
    for spelling, same in _LATIN_PAIRS:
        if spelling in word:
            word = word.replace(spelling, same)
    return _worth_it(_heard(word).translate(_LATIN_SOUNDS))


def _heard(word: str) -> str:
    """Soften c and g before bright vowels, and leave out the r that closes a syllable."""
    heard = []
    previous = ""
    for char, following in zip(word, word[1:] + " ", strict=True):
        if char in "cg" and following in _SOFTENING:
            heard.append("s")
        elif char != "r" or previous not in _VOWELS or following in _AFTER_R:
            heard.append(char)
        previous = char
    return "".join(heard)


def _worth_it(sound: str) -> str:
    """Take doubled consonants once; give nothing for what too many words sound like."""
    once = "".join(char for char, before in zip(sound, " " + sound, strict=False) if char != before)
    return once if len(once) >= _MIN_SOUND_CHARS and once.isalpha() else ""


def singular(word: str) -> str:
    """Take the plural's s off; Japanese leaves it out."""
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _katakana_token(word: str) -> str:
    sound = katakana_sound(word)
    return sound + _OF_KATAKANA if sound else ""


def _latin_token(word: str) -> str:
    sound = latin_sound(singular(word))
    return sound + _OF_LATIN if sound else ""


_KATAKANA_TOKEN_OF = Remembered(_katakana_token)
_LATIN_TOKEN_OF = Remembered(_latin_token)


def sound_tokens(words: list[str], katakana: list[str]) -> list[str]:
    """
    Give the index tokens for the sounds of a text's words.

    A katakana word counts as often as it stands there. Latin words are many, so each
    sound of theirs comes once.
    """
    latin = dict.fromkeys(map(_LATIN_TOKEN_OF.__getitem__, words))
    latin.pop("", None)
    return [*filter(None, map(_KATAKANA_TOKEN_OF.__getitem__, katakana)), *latin]


def sounds_like_katakana(word: str) -> list[str]:
    """List the tokens of the katakana words that a Latin word, in lower case, may be written as."""
    return [sound + _OF_KATAKANA for sound in _sounds(stems(word))]


def sounds_like_latin(word: str) -> list[str]:
    """List the tokens of the Latin words that a katakana word may stand for."""
    sound = katakana_sound(word)
    sounds = {sound: None, _worth_it(singular(sound)): None}
    return [sound + _OF_LATIN for sound in sounds if sound]


def _sounds(words: list[str]) -> dict[str, None]:
    return {sound: None for word in words if (sound := latin_sound(word))}


def stems(word: str) -> list[str]:
    """List a word and what it may be an inflected form of: rendering, render."""
    stems = [word.removesuffix(ending) for ending in ("s", "es", "ed", "ing")]
    return list(dict.fromkeys([word, *stems]))
