"""
What a person types into a search: words, phrases, exclusions and filters.

`"quoted text"` must occur as it stands, `-word` must not, and `kind:`, `project:`,
`tool:`, `file:`, `before:` and `after:` narrow down where to look. Everything
else is a word, whatever it looks like: no input is an error, and what looks like a
filter and is none is remarked on. Width and case of a filter make no difference, nor
does the kind of dash. Nothing is looked up here. Standard library only.
"""

from typing import Final, NamedTuple

from runtime.tokens.first_day import first_day
from runtime.tokens.script import normalize

KINDS: Final = {
    "note": "note",
    "notes": "note",
    "long-term": "long-term",
    "permanent": "permanent",
}
"""What `kind:` takes, and the kind of record it means."""
QUOTE: Final = '"'
CLOSING: Final = {QUOTE: QUOTE, "\uff02": "\uff02", "\u201c": "\u201d"}
"""Marks that quote, by the one that opens: full-width, and as telephones write them. 「」 are
none: Japanese questions have them around any name."""
MOST: Final = 16
"""Phrases, exclusions or values of one filter that are heeded; further ones are words."""
REMARK_CHARS: Final = 40
"""How much of what was written a remark repeats."""
_MINUS: Final = "-"
# Hyphens, the figure and the en dash, and the minus sign; longer dashes part sentences.
_DASHES: Final = dict.fromkeys((0x2010, 0x2011, 0x2012, 0x2013, 0x2212), _MINUS)
_AS_WORD: Final = "it was searched for as a word"
_EXAMPLES: Final = {
    "kind": ("kind", "note, long-term or permanent"),
    "project": ("project", "shop"),
    "tool": ("tool", "Write"),
    "file": ("path", "decisions"),
    "after": ("date", "2021-01-05"),
    "before": ("date", "2021-01-05"),
}


class Filters(NamedTuple):
    """Where to look. Every filter must hold; of several values for one, any will do."""

    kind: tuple[str, ...] = ()
    project: tuple[str, ...] = ()
    """Names of projects, in any case."""
    tool: tuple[str, ...] = ()
    """Names of tools, in any case."""
    file: tuple[str, ...] = ()
    """Parts of a note's path, or of the path or address that a tool worked on."""
    after: tuple[str, ...] = ()
    """Local days YYYY-MM-DD: that day or later. Of several the last one counts."""
    before: tuple[str, ...] = ()
    """Local days: earlier than that day. Of several the first one counts."""

    def and_also(self, others: "Filters") -> "Filters":
        """Return these with the values of others added."""
        return Filters(*(mine + more for mine, more in zip(self, others, strict=True)))


class Asked(NamedTuple):
    """One question, taken apart."""

    words: str
    """What is to be found by any of its words."""
    phrases: tuple[str, ...] = ()
    """What must occur."""
    without: tuple[str, ...] = ()
    """What must not occur."""
    filters: Filters = Filters()
    remarks: tuple[str, ...] = ()
    """What looks like a filter and was not understood: a sentence each, for the person."""

    @property
    def text(self) -> str:
        """All that is looked for, phrases between quotation marks: words hold no such mark."""
        phrases = (f"{QUOTE}{_without_marks(phrase)}{QUOTE}" for phrase in self.phrases)
        return " ".join([_without_marks(self.words), *phrases]).strip()

    @property
    def shown(self) -> str:
        """The same without the marks."""
        return " ".join([self.words, *self.phrases]).strip()

    @property
    def is_narrowed(self) -> bool:
        """Something else than words decides, so that an answer needs none of them."""
        return bool(self.phrases or self.without or any(self.filters))


class Piece(NamedTuple):
    """What stands between two blanks, or as a whole in quotation marks."""

    written: str
    is_without: bool
    name: str
    """Of a filter, "" for none."""
    value: str
    is_quoted: bool


def parse(text: str) -> Asked:
    """Take a question apart; any text is one."""
    words: list[str] = []
    phrases: list[str] = []
    without: list[str] = []
    remarks: list[str] = []
    filters: dict[str, list[str]] = {name: [] for name in Filters._fields}
    for piece in pieces(text):
        value = filter_value(piece.name, piece.value) if piece.name else ""
        if value and not piece.is_without and len(filters[piece.name]) < MOST:
            filters[piece.name].append(value)
        elif piece.name or not piece.value.strip():
            words.append(piece.written)
            remarks += [_remark(piece, value)] if piece.name else []
        elif piece.is_without and len(without) < MOST:
            without.append(piece.value)
        elif piece.is_quoted and not piece.is_without and len(phrases) < MOST:
            phrases.append(piece.value)
        else:
            words.append(piece.written)
    return Asked(
        " ".join(words),
        tuple(dict.fromkeys(phrases)),
        tuple(dict.fromkeys(without)),
        Filters(**{name: tuple(dict.fromkeys(values)) for name, values in filters.items()}),
        tuple(dict.fromkeys(remarks)),
    )


def pieces(text: str) -> list[Piece]:
    """Cut a question where it is blank; a quotation mark that nothing closes is a character."""
    found: list[Piece] = []
    at, end = 0, len(text)
    while at < end:
        if text[at].isspace():
            at += 1
            continue
        start = at
        is_without = _folded(text[at]) == _MINUS
        at += is_without
        name = _name_at(text, at)
        at += len(name) + 1 if name else 0
        mark = CLOSING.get(text[at : at + 1])
        closing = text.find(mark, at + 1) if mark else -1
        if closing < 0:
            stop = next((place for place in range(at, end) if text[place].isspace()), end)
            value = text[at:stop]
        else:
            stop, value = closing + 1, text[at + 1 : closing]
        # `--flag` and a lone dash are no exclusions.
        is_without = is_without and bool(value) and _folded(value[0]) != _MINUS
        found.append(Piece(text[start:stop], is_without, name, value, closing >= 0))
        at = stop
    return found


def _without_marks(text: str) -> str:
    return text.replace(QUOTE, "'").replace("\uff02", "'")


def filter_value(name: str, value: str) -> str:
    """Return a filter's value as it is compared, "" for one that means nothing."""
    value = value.strip().encode("utf-8", "replace").decode()
    if name == "kind":
        return KINDS.get(_folded(value), "")
    return first_day(value) if name in {"after", "before"} else value


def _name_at(text: str, at: int) -> str:
    """Return the name of the filter that begins at a place, "" for none."""
    head = text[at : at + _LONGEST]
    if ":" not in (folded := _folded(head)):
        return ""
    name = folded.partition(":")[0]
    # The colon has to be where the name's length says: folding may change lengths.
    return name if name in _EXAMPLES and _folded(head[len(name) : len(name) + 1]) == ":" else ""


_LONGEST: Final = max(map(len, Filters._fields)) + 1


def _folded(text: str) -> str:
    return normalize(text).translate(_DASHES).casefold()


def _remark(piece: Piece, value: str) -> str:
    """Return why a filter was taken for a word, and what to write; *value* "" if it has none."""
    name, written = piece.name, _short(piece.written)
    what, example = _EXAMPLES[name]
    if piece.is_without:
        return f"{written}: a filter takes no dash; leave it out, {_AS_WORD}"
    if value:
        return f"{name}: {MOST} are heeded and no more; leave out {written}, {_AS_WORD}"
    if not piece.value.strip():
        first = example.split()[0].rstrip(",")
        return f"{name}: is followed by nothing; write {name}:{first}, {_AS_WORD}"
    return f"{name}: is no {what} here: {_short(piece.value)}; write {example}, {_AS_WORD}"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= REMARK_CHARS else f"{line[:REMARK_CHARS]}…"
