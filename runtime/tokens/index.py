"""
Index tokens: what a text is found by.

The tokens go into a contentless FTS5 table with ``tokenize='porter ascii'``. Text
is folded and cut here, so FTS5 only has to split at spaces and stem English.
Deleting from such a table takes the same tokens again: any change of the output
must raise ``TOKENIZER_VERSION``, and the index must then be rebuilt.
"""

from runtime.tokens.dates import date_tokens
from runtime.tokens.japanese import katakana_words, okurigana_skeletons, single_kanji
from runtime.tokens.script import CJK, WORD, normalize, runs, scripts_of
from runtime.tokens.sequence import ordered_tokens

TOKENIZER_VERSION: int = 1


def index_tokens(text: str) -> str:
    """
    Give the tokens of *text*, separated by spaces; any string is accepted.

    First the tokens in text order, which phrases need, then dates, joined
    identifiers, okurigana skeletons, katakana words and single kanji.
    """
    text = normalize(text)
    ordered: list[str] = []
    dates = date_tokens(text)
    joined: list[str] = []
    skeletons: list[str] = []
    katakana: list[str] = []
    kanji: list[str] = []
    for family, run in runs(text):
        tokens = ordered_tokens(family, run)
        ordered += tokens
        if family == WORD:
            if len(tokens) > 1:
                joined.append("".join(tokens))
        elif family == CJK:
            scripts = scripts_of(run)
            skeletons += okurigana_skeletons(run, scripts)
            katakana += katakana_words(run, scripts)
            kanji += single_kanji(run, scripts)
    return " ".join(ordered + dates + joined + skeletons + katakana + kanji)
