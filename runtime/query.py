"""
What a person types into a search: words, phrases, exclusions and filters.

`"quoted text"` must occur as it stands, `-word` must not, and `kind:`, `project:`,
`tool:`, `file:`, `before:` and `after:` narrow down where to look. Everything
else is a word, whatever it looks like: no input is an error. Nothing is looked up
here. Standard library only.
"""

from typing import Final, NamedTuple

from runtime.days import day_number

KINDS: Final = {"note": "note", "notes": "note", "long-term": "long-term"}
"""What `kind:` takes, and the kind of record it means."""
QUOTE: Final = '"'
MOST: Final = 16
"""Phrases, exclusions or values of one filter that are heeded; further ones are words."""
_YEAR: Final = 4
_MONTH: Final = 7


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

    @property
    def text(self) -> str:
        """All that is looked for, phrases between quotation marks: words hold no such mark."""
        phrases = (f"{QUOTE}{phrase}{QUOTE}" for phrase in self.phrases)
        return " ".join([self.words.replace(QUOTE, "'"), *phrases]).strip()

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
    filters: dict[str, list[str]] = {name: [] for name in Filters._fields}
    for piece in pieces(text):
        value = filter_value(piece.name, piece.value) if piece.name else ""
        if value and not piece.is_without and len(filters[piece.name]) < MOST:
            filters[piece.name].append(value)
        elif piece.name or not piece.value.strip():
            words.append(piece.written)
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
        is_without = text[at] == "-"
        at += is_without
        name = next((name for name in Filters._fields if text.startswith(f"{name}:", at)), "")
        at += len(name) + 1 if name else 0
        closing = text.find(QUOTE, at + 1) if text.startswith(QUOTE, at) else -1
        if closing < 0:
            stop = next((place for place in range(at, end) if text[place].isspace()), end)
            value = text[at:stop]
        else:
            stop, value = closing + 1, text[at + 1 : closing]
        # `--flag` and a lone dash are no exclusions.
        is_without = is_without and not value.startswith("-") and bool(value)
        found.append(Piece(text[start:stop], is_without, name, value, closing >= 0))
        at = stop
    return found


def filter_value(name: str, value: str) -> str:
    """Return a filter's value as it is compared, "" for one that means nothing."""
    value = value.strip().encode("utf-8", "replace").decode()
    if name == "kind":
        return KINDS.get(value.casefold(), "")
    return first_day(value) if name in {"after", "before"} else value


def first_day(text: str) -> str:
    """Return the first day of a date, a month (2026-06) or a year (2026), "" for anything else."""
    padded = text + {_YEAR: "-01-01", _MONTH: "-01"}.get(len(text), "")
    return "" if day_number(padded) is None else padded
