"""
Where a search looks: the parts of a question that narrow it down, as SQL.

What must occur is told twice. The index knows where a phrase may stand, without
case, endings or the marks between words; the record's own text then says whether
it stands there as it was written.
"""

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, NamedTuple

from runtime.days import begin_of
from runtime.query import Asked, Filters
from runtime.tokens.query import whole_phrase
from runtime.tokens.script import normalize

if TYPE_CHECKING:
    from sqlite3 import Connection

MEMORY_TEXT: Final = "coalesce(target || char(10), '') || content"
NOTE_TEXT: Final = "heading_path || char(10) || content"
POST_TEXT: Final = "title || char(10) || body_md"
"""What the index holds of a record (`runtime/store/sql`)."""


class Where(NamedTuple):
    """Which records may be found."""

    match: tuple[str, ...]
    """Expressions of the index that must all match."""
    memory: str
    """What holds of a row of `memories`."""
    note: str
    """What holds of a row of `note_chunks`."""
    post: str
    """What holds of a row of `permanent_posts`."""
    values: dict[str, str]
    """By the names that stand in them."""

    @property
    def condition(self) -> str:
        """What holds of a row of the index."""
        return _EITHER.format(memory=self.memory, note=self.note, post=self.post)


_WITHOUT: Final = """NOT (
    {row} IN (SELECT rowid FROM search_index WHERE search_index MATCH :match{number})
    AND holds_each({text}, :not{number})
)"""
_EITHER: Final = """CASE search_index.rowid % 4
    WHEN 0 THEN EXISTS (SELECT 1 FROM memories WHERE id = search_index.rowid / 4 AND {memory})
    WHEN 1 THEN EXISTS (SELECT 1 FROM note_chunks WHERE id = search_index.rowid / 4 AND {note})
    ELSE EXISTS (SELECT 1 FROM permanent_posts WHERE id = search_index.rowid / 4 AND {post})
END"""


def narrowed(connection: "Connection", asked: Asked) -> Where | None:
    """
    Return where a question looks, None for everywhere.

    Prepares the connection for it: it is to be used for this question.
    """
    phrases = {phrase: match for phrase in asked.phrases if (match := whole_phrase(phrase))}
    without = {phrase: match for phrase in asked.without if (match := whole_phrase(phrase))}
    if not (phrases or without or any(asked.filters)):
        return None
    values: dict[str, str] = {}
    memory, note, post = _filters(asked.filters, values)
    if phrases:
        values["phrases"] = _array(phrases)
        memory.append(f"holds_each({MEMORY_TEXT}, :phrases)")
        note.append(f"holds_each({NOTE_TEXT}, :phrases)")
        post.append(f"holds_each({POST_TEXT}, :phrases)")
    for number, (phrase, match) in enumerate(without.items()):
        values |= {f"not{number}": _array([phrase]), f"match{number}": match}
        for conditions, text, row in (
            (memory, MEMORY_TEXT, "id * 4"),
            (note, NOTE_TEXT, "id * 4 + 1"),
            (post, POST_TEXT, "id * 4 + 2"),
        ):
            conditions.append(_WITHOUT.format(row=row, text=text, number=number))
    connection.create_function("holds_each", 2, _Texts().hold_each, deterministic=True)
    # Paths too: those of macOS have each accent by itself.
    connection.create_function("folded", 1, folded, deterministic=True)
    memory_is, note_is, post_is = (" AND ".join(each) for each in (memory, note, post))
    return Where(tuple(phrases.values()), memory_is, note_is, post_is, values)


def newest(connection: "Connection", where: Where, limit: int) -> list[int]:
    """Return the rows that may be found, the newest first; what has no date comes last."""
    statement = _NEWEST.format(memory=where.memory, note=where.note, post=where.post)
    found = connection.execute(statement, {**where.values, "limit": limit})
    return [row for (row,) in found]


def rows_within(connection: "Connection", where: Where) -> set[int]:
    """Return all rows that may be found; each record is looked at."""
    statement = _WITHIN.format(memory=where.memory, note=where.note, post=where.post)
    return {row for (row,) in connection.execute(statement, where.values)}


_WITHIN: Final = """
SELECT id * 4 FROM memories WHERE {memory} UNION ALL SELECT id * 4 + 1 FROM note_chunks WHERE {note}
UNION ALL SELECT id * 4 + 2 FROM permanent_posts WHERE {post}
"""
_NEWEST: Final = """
SELECT row FROM (
    SELECT id * 4 AS row, created_at AS at FROM memories WHERE {memory}
    UNION ALL
    SELECT id * 4 + 1 AS row, coalesce(date, '') AS at FROM note_chunks WHERE {note}
    UNION ALL
    SELECT id * 4 + 2 AS row, saved_at AS at FROM permanent_posts WHERE {post}
) ORDER BY at DESC, row DESC LIMIT :limit
"""


def _filters(filters: Filters, values: dict[str, str]) -> tuple[list[str], list[str], list[str]]:
    """Return the conditions on each kind of record; their values are added."""
    memory, note, post = ["deleted_at IS NULL"], ["1"], ["1"]
    if filters.kind:
        memory.append("1" if "long-term" in filters.kind else "0")
        note.append("1" if "note" in filters.kind else "0")
        post.append("1" if "permanent" in filters.kind else "0")
    for name, condition in (("project", _IS_PROJECT), ("tool", _IS_TOOL)):
        if wanted := getattr(filters, name):
            values[name] = _array(wanted)
            memory.append(condition)
            # Neither a note nor a permanent memory is of a project, and no tool made it.
            note.append("0")
            post.append("0")
    if filters.file:
        values["file"] = _array(map(folded, filters.file))
        memory.append(_IN_FILE.format("coalesce(target, '')"))
        note.append(_IN_FILE.format("source"))
        post.append(_IN_FILE.format("source"))
    if filters.after:
        day = max(filters.after)
        values |= {"after": begin_of(day), "after_day": day}
        memory.append("created_at >= :after")
        note.append("date >= :after_day")
        post.append("saved_at >= :after")
    if filters.before:
        day = min(filters.before)
        values |= {"before": begin_of(day), "before_day": day}
        memory.append("created_at < :before")
        note.append("date < :before_day")
        post.append("saved_at < :before")
    return memory, note, post


_IS_PROJECT: Final = "lower(project) IN (SELECT lower(value) FROM json_each(:project))"
_IS_TOOL: Final = "lower(tool) IN (SELECT lower(value) FROM json_each(:tool))"
_IN_FILE: Final = "EXISTS (SELECT 1 FROM json_each(:file) WHERE instr(folded({}), value))"


def _array(values: Iterable[str]) -> str:
    return json.dumps(list(values))


class _Texts:
    """Compares texts as people read them: width, case and blanks aside."""

    def __init__(self) -> None:
        self._wanted: dict[str, list[str]] = {}

    def hold_each(self, text: str, phrases: str) -> bool:
        """Tell whether a text holds each of a JSON array of phrases."""
        wanted = self._wanted.get(phrases)
        if wanted is None:
            wanted = self._wanted[phrases] = [folded(phrase) for phrase in json.loads(phrases)]
        text = folded(text)
        return all(phrase in text for phrase in wanted)


def folded(text: str) -> str:
    """Return a text on one line, without differences of width and case."""
    return " ".join(normalize(text).casefold().split())
