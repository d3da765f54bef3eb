"""What a query may also be answered by: other words of the same meaning or sound."""

from runtime.tokens.glossary import Glossary
from runtime.tokens.japanese import katakana_words
from runtime.tokens.query import MAX_QUERY_CHARS, phrase_terms, query_terms
from runtime.tokens.script import CJK, WORD, normalize, runs, scripts_of
from runtime.tokens.sequence import ordered_tokens
from runtime.tokens.sound import sounds_like_katakana, sounds_like_latin
from runtime.tokens.words import is_hex_id

MAX_ALTERNATIVES: int = 64


def alternatives(query: str, glossary: Glossary) -> dict[str, tuple[str, ...]]:
    """
    Give FTS5 expressions, each with the terms of the query that it stands for.

    What is meant to the letter has none: what stands in quotation marks, ids, and
    identifiers or paths of several parts.
    """
    text = " ".join(_loose(normalize(query[:MAX_QUERY_CHARS])))
    found: dict[str, tuple[str, ...]] = {}
    for word, meanings in glossary.meanings(text):
        own = query_terms(word).terms
        for meaning in meanings:
            # Several words of one meaning must stand together.
            phrases = phrase_terms(f"{meaning}".replace(" ", "-"))
            found.update({phrase: own for phrase in phrases if phrase not in own})
    for family, run in runs(text):
        if family == WORD:
            own = query_terms(run).terms
            found.update({f'"{token}"': own for token in sounds_like_katakana(run.casefold())})
        elif family == CJK:
            for word in katakana_words(run, scripts_of(run)):
                own = query_terms(word).terms
                found.update({f'"{token}"': own for token in sounds_like_latin(word)})
    return dict(list(found.items())[:MAX_ALTERNATIVES])


def _loose(text: str) -> list[str]:
    """List the pieces of a text that are not meant to the letter."""
    parts = text.split('"')
    if len(parts) % 2 == 0:  # the last quotation mark opens nothing
        parts[-2:] = [" ".join(parts[-2:])]
    return [piece for part in parts[::2] for piece in part.split() if not _is_name(piece)]


def _is_name(piece: str) -> bool:
    """Say whether a piece between spaces is an id, or an identifier or a path of several parts."""
    words = [ordered_tokens(family, run) for family, run in runs(piece) if family == WORD]
    if any(len(parts) > 1 for parts in words):
        return True
    return any(is_hex_id(part) for parts in words for part in parts) or (
        len(words) > 1 and piece.isascii()
    )
