"""
Index tokens: what a text is found by.

The tokens go into a contentless FTS5 table with ``tokenize='porter ascii'``. Text
is folded and cut here, so FTS5 only has to split at spaces and stem English.
Deleting from such a table takes the same tokens again: any change of the output
must raise ``TOKENIZER_VERSION``, and the index must then be rebuilt.
"""

from runtime.tokens.dates import date_tokens
from runtime.tokens.japanese import katakana_words, okurigana_skeletons, single_kanji
from runtime.tokens.script import CJK, WORD, Remembered, normalize, runs, scripts_of
from runtime.tokens.sequence import ordered_tokens
from runtime.tokens.sound import sound_tokens
from runtime.tokens.words import word_parts

TOKENIZER_VERSION: int = 3


_PARTS_OF = Remembered(lambda run: " ".join(word_parts(run)))


def index_tokens(text: str) -> str:
    """
    Give the tokens of *text*, separated by spaces; any string is accepted.

    First the tokens in text order, which phrases need, then dates, joined
    identifiers, okurigana skeletons, katakana words, single kanji and sounds.
    """
    text = normalize(text)
    ordered: list[str] = []
    dates = date_tokens(text)
    joined: list[str] = []
    skeletons: list[str] = []
    katakana: list[str] = []
    kanji: list[str] = []
    words: list[str] = []
    for family, run in runs(text):
        if family == WORD:
            parts = _PARTS_OF[run]
            if parts:
                words.append(parts)
                ordered.append(parts)
                if " " in parts:
                    joined.append(parts.replace(" ", ""))
            continue
        ordered += ordered_tokens(family, run)
        if family == CJK:
            scripts = scripts_of(run)
            skeletons += okurigana_skeletons(run, scripts)
            katakana += katakana_words(run, scripts)
            kanji += single_kanji(run, scripts)
    sounds = sound_tokens(" ".join(words).split(), katakana)
    return " ".join(ordered + dates + joined + skeletons + katakana + kanji + sounds)
