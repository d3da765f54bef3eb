"""Cut a text into its index tokens."""

from itertools import compress

from runtime.tokens.bulk import (
    KATAKANA_WORDS,
    RUNS,
    WINDOW_CHARS,
    date_tokens,
    normalized,
    pieces,
    scripts_and_windows,
    words,
)
from runtime.tokens.japanese import okurigana_skeletons, without_long_vowels
from runtime.tokens.script import (
    HANGUL,
    HIRAGANA,
    KANJI,
    KATAKANA,
    SYLLABARY,
    WORD,
    Remembered,
    ascii_words,
)
from runtime.tokens.sequence import ordered_tokens
from runtime.tokens.sound import sound_tokens
from runtime.tokens.words import word_parts

_PARTS_OF = Remembered(lambda run: " ".join(word_parts(run)))


def cut(text: str) -> str:
    """Give the tokens of *text* as `index_tokens` says."""
    text = normalized(text)
    found = _Found()
    if text.isascii():
        found.add_words(ascii_words(text))
    else:
        found.add_all(text)
    joined = [parts.replace(" ", "") for parts in found.words if " " in parts]
    sounds = sound_tokens(" ".join(found.words).split(), found.katakana)
    return " ".join([*found.ordered, *date_tokens(text), *joined, *found.names, *sounds])


class _Found:
    """What a text is cut into."""

    __slots__ = ("katakana", "names", "ordered", "words")

    def __init__(self) -> None:
        self.ordered: list[str] = []
        """Tokens, or several with spaces between, in text order."""
        self.words: list[str] = []
        """The words of spaced scripts among them, their parts with spaces between."""
        self.names: list[str] = []
        """What else Japanese words are found by."""
        self.katakana: list[str] = []

    def add_words(self, words: list[str]) -> None:
        """Take words of spaced scripts."""
        found = [parts for parts in map(_PARTS_OF.__getitem__, words) if parts]
        self.ordered += found
        self.words += found

    def add_all(self, text: str) -> None:
        """Take the whole of a text in any script."""
        scripts, windows = scripts_and_windows(text)
        for run in RUNS.finditer(scripts):
            start, end = run.span()
            script = scripts[start]
            if script == _WORD:
                self.add_words(words(text[start:end], scripts[start:end]))
            elif script in _IN_PAIRS:
                # Of the last window only its first character is of this run.
                self.ordered.append(windows[WINDOW_CHARS * start : WINDOW_CHARS * end - 2])
            else:
                self.ordered += ordered_tokens(chr(script), text[start:end])
        self.katakana = without_long_vowels(pieces(KATAKANA_WORDS, text, scripts))
        self.names += okurigana_skeletons(text, scripts.decode())
        self.names += self.katakana
        self.names += compress(text, scripts.translate(_IS_KANJI))


_WORD = ord(WORD)
_IN_PAIRS = frozenset(map(ord, (KANJI, HIRAGANA, KATAKANA, HANGUL, SYLLABARY)))
_IS_KANJI = bytes(char == ord(KANJI) for char in range(256))
