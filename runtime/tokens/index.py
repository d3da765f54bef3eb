"""
Index tokens: what a text is found by.

The tokens go into a contentless FTS5 table with ``tokenize='porter ascii'``. Text
is folded and cut here, so FTS5 only has to split at spaces and stem English.
Deleting from such a table takes the same tokens again: any change of the output
must raise ``TOKENIZER_VERSION``, and the index must then be rebuilt.
"""

TOKENIZER_VERSION: int = 3


def index_tokens(text: str) -> str:
    """
    Give the tokens of *text*, separated by spaces; any string is accepted.

    First the tokens in text order, which phrases need, then dates, joined
    identifiers, okurigana skeletons, katakana words, single kanji and sounds.
    """
    # Not at the top: who only reads wants the version, not what makes the tokens.
    from runtime.tokens.cutting import cut  # noqa: PLC0415

    return cut(text)
