"""Query terms: FTS5 expressions that find texts indexed by ``index_tokens``."""

from runtime.tokens.script import (
    CJK,
    HIRAGANA,
    KANJI,
    SYMBOL,
    WORD,
    fold_kana,
    normalize,
    runs,
    scripts_of,
)
from runtime.tokens.sequence import WINDOW_CHARS, full_windows, ordered_tokens
from runtime.tokens.words import STOP_WORDS, is_hex_id

# A prompt may be a pasted file: past these bounds, terms cost time and add little.
MAX_QUERY_CHARS: int = 20_000
MAX_TERMS: int = 512
MAX_PHRASES: int = 64
MAX_PHRASE_TOKENS: int = 64


class QueryTerms:
    """
    What a query looks for, as FTS5 expressions that are safe to join with ``OR``.

    ``phrases`` stand for something whole: an identifier, a path, a quoted phrase, a
    date. ``plain`` are single tokens, the broadest last. ``terms`` is both, phrases
    first, and empty when the query holds nothing but separators.
    """

    __slots__ = ("phrases", "plain")

    def __init__(self, phrases: tuple[str, ...], plain: tuple[str, ...]) -> None:
        self.phrases = phrases
        self.plain = plain

    @property
    def terms(self) -> tuple[str, ...]:
        """All expressions, the most specific first; no expression comes twice."""
        return self.phrases + self.plain


def query_terms(query: str) -> QueryTerms:
    """
    Give the expressions of which any may match; any string is accepted.

    Stop words, kana endings and particles are left out unless there is nothing else.
    At most ``MAX_TERMS`` are given, from the first ``MAX_QUERY_CHARS`` characters.
    """
    text = normalize(query[:MAX_QUERY_CHARS])
    found = _Found()
    # Every second piece is quoted; after an odd number of quotes the last one is not.
    for quoted in text.split('"')[1:-1:2]:
        phrase, tokens = _phrase(quoted)
        if tokens > 1:
            found.phrases.append(phrase)
    dates = _dates(text)
    # Whoever names the day does not ask for the month.
    longer = {token[:-2] for token in dates}
    found.phrases += (_exact(token) for token in dates if token not in longer)
    for piece in text.split():
        name: list[str] = []
        for family, run in runs(piece):
            if family == WORD:
                name += found.add_word(run)
                continue
            found.add_name(name)
            name = []
            if family == CJK:
                found.add_japanese(run)
            else:
                found.add_unspaced(family, run)
        found.add_name(name)
    return found.result()


def _dates(text: str) -> list[str]:
    if text.isascii() and not any(map(str.isdigit, text)):
        return []  # What knows of dates takes longer to load than all else here to run.
    from runtime.tokens.dates import date_tokens  # noqa: PLC0415

    return date_tokens(text)


def phrase_terms(text: str) -> tuple[str, ...]:
    """
    Give the expressions that must all match where this exact word or name occurs.

    One per piece between white space. Parts of a name must follow each other, but
    what joins them is free: code-review, codeReview and "code review" are the same.
    In scripts without spaces a name is also found inside a longer word, and English
    words are found in their inflected forms. Stop words count here; only separators
    give nothing.
    """
    pieces = normalize(text[:MAX_QUERY_CHARS]).split()
    phrases = (_phrase(piece)[0] for piece in pieces)
    return tuple(dict.fromkeys(phrase for phrase in phrases if phrase))[:MAX_PHRASES]


def whole_phrase(text: str) -> str:
    """Give the one expression for all of a text as it stands; empty for only separators."""
    return _phrase(normalize(text[:MAX_QUERY_CHARS]))[0]


class _Found:
    """The expressions found so far, by how much they say about the topic."""

    __slots__ = ("broad", "joined", "phrases", "strong", "weak")

    def __init__(self) -> None:
        self.phrases: list[str] = []
        self.joined: list[str] = []
        self.strong: list[str] = []
        self.broad: list[str] = []
        self.weak: list[str] = []

    def add_word(self, run: str) -> list[str]:
        """Take one run of a spaced script and return its parts for the name it stands in."""
        parts = ordered_tokens(WORD, run)
        if len(parts) > 1:
            self.joined.append(_exact("".join(parts)))
            self.strong += map(_exact, parts)
        elif parts:
            word = parts[0]
            term = _prefix(word) if is_hex_id(word) else _exact(word)
            (self.weak if word in STOP_WORDS else self.strong).append(term)
        return parts

    def add_name(self, parts: list[str]) -> None:
        """Take the parts of a path, version, flag or identifier as one phrase."""
        if len(parts) > 1:
            self.phrases.append(_exact(" ".join(parts[:MAX_PHRASE_TOKENS])))

    def add_japanese(self, run: str) -> None:
        """Take one run of kanji and kana."""
        # Not at the top: a hook asks mostly in one script, and loading takes it longer.
        from runtime.tokens.japanese import (  # noqa: PLC0415
            grammar_pairs,
            katakana_words,
            okurigana_skeletons,
            single_kanji,
        )

        scripts = scripts_of(run)
        if len(run) == 1:
            term = _exact(run) if scripts == KANJI else _prefix(fold_kana(run))
            (self.weak if scripts == HIRAGANA else self.strong).append(term)
            return
        windows = full_windows(CJK, run)
        for token, grammar in zip(windows, grammar_pairs(run, scripts), strict=True):
            (self.weak if grammar else self.strong).append(_exact(token))
        self.strong += map(_exact, okurigana_skeletons(run, scripts))
        self.strong += map(_exact, katakana_words(run, scripts))
        self.broad += map(_exact, single_kanji(run, scripts))

    def add_unspaced(self, family: str, run: str) -> None:
        """Take one run of another script without spaces, or a symbol."""
        if family == SYMBOL:
            self.strong.append(_exact(run))
        else:
            windows = full_windows(family, run)
            self.strong += map(_exact, windows) if windows else (_prefix(run),)

    def result(self) -> QueryTerms:
        """Leave out what is weak or said twice, and keep to the bounds."""
        phrases = tuple(dict.fromkeys(self.phrases + self.joined))[:MAX_PHRASES]
        plain = dict.fromkeys(self.strong + self.broad or self.weak)
        for phrase in phrases:
            plain.pop(phrase, None)
        return QueryTerms(phrases, tuple(plain)[: MAX_TERMS - len(phrases)])


def _phrase(text: str) -> tuple[str, int]:
    """
    Give the phrase for all of normalised *text* and its number of tokens, 0 for none.

    A run in the middle ends where it ends in the text looked for; the last one may
    go on there, so its short final windows are not part of the phrase.
    """
    sequence = [
        (family, run, tokens)
        for family, run in runs(text)
        if (tokens := ordered_tokens(family, run))
    ]
    if not sequence:
        return "", 0
    *before, (family, run, last) = sequence
    tokens = [token for _, _, closed in before for token in closed]
    goes_on = False
    if family in WINDOW_CHARS:
        windows = full_windows(family, run)
        # A lone kanji is a token wherever it stands, but outside the text order.
        goes_on = not windows and (bool(tokens) or scripts_of(run) != KANJI)
        last = windows or last[:1]
    tokens += last
    if len(tokens) > MAX_PHRASE_TOKENS:
        tokens, goes_on = tokens[:MAX_PHRASE_TOKENS], False
    joined = " ".join(tokens)
    return (_prefix(joined) if goes_on else _exact(joined)), len(tokens)


def _exact(token: str) -> str:
    """Quote a token, or tokens with spaces between, as one FTS5 phrase; no token holds a quote."""
    return f'"{token}"'


def _prefix(token: str) -> str:
    """Quote the same way, but let the last token go on."""
    return f'"{token}"*'
