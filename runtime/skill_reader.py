"""
What a hook process tells about a skill while the worker is away, straight from the store.

Its earlier runs, and what names it: read-only, standard library only. Whatever
cannot be told surely from here (another project fills the page, a note has
changed since it was indexed, a word that may be a secret) is left to the
dispatcher.
"""

import _sqlite3
import posix
from _json import encode_basestring

from runtime.frame import INTRO, framed, own, quoted
from runtime.paths import Home
from runtime.tokens.query import phrase_terms

ENTRIES = 5
PAGE = 50
"""Index rows that are looked at before those of other projects are dropped."""
NAME_CHARS = 100
ORIGIN_CHARS = 200
SECRET_CHARS = 20
"""A run of letters and digits of this length may be a key; only the dispatcher can tell."""
WEB = ("tool:WebFetch", "tool:WebSearch")

Row = tuple[str, str, str, str]
"""Date, origin, text, source."""


def answer(event: str, skill: str, home: Home, project_key: str) -> bytes | None:
    """Return what to print, b"" for nothing, None when it cannot be told from here."""
    if len(skill) > NAME_CHARS or not skill.isprintable() or _may_hold_a_secret(skill):
        return None
    try:
        rows = _related(home, skill.rsplit(":", 1)[-1], project_key)
    except _sqlite3.Error:
        return None
    if rows is None or any(_may_hold_a_secret(origin) for _date, origin, *_rest in rows):
        return None
    return _document(event, _context(skill, rows)) if rows else b""


def _related(home: Home, skill: str, project_key: str) -> list[Row] | None:
    """Return at most five records, earlier runs first; None when that takes more than this."""
    found: dict[int, Row] = {}
    connection = _sqlite3.connect(f"file:{_quoted(home.database)}?mode=ro", uri=True, timeout=0.2)
    try:
        runs = connection.execute(RUNS, (project_key, skill, ENTRIES)).fetchall()
        found.update((row[0], row[1:]) for row in runs)
        terms = " AND ".join(phrase_terms(skill))
        named = connection.execute(NAMED, (terms, PAGE)).fetchall() if terms else []
    finally:
        connection.close()
    for number, key, is_global, root, mtime_ns, size, path, *row in named:
        if path is None:
            if key == project_key or is_global:
                found.setdefault(number, tuple(row))
        elif root == home.notes:  # else it is of folders that some other session named
            if not _is_unchanged(path, mtime_ns, size):
                return None
            found.setdefault(number, tuple(row))
    if len(named) == PAGE and len(found) < ENTRIES:
        return None
    return list(found.values())[:ENTRIES]


RUNS = """
SELECT id * 4, substr(created_at, 1, 10), 'an earlier run', summary, source FROM memories
WHERE skills IS NOT NULL AND deleted_at IS NULL AND (project_key = ? OR is_global)
    AND EXISTS (SELECT 1 FROM json_each(memories.skills)
        WHERE substr(value, instr(value, ':') + 1) = ?)
ORDER BY created_at DESC, id DESC LIMIT ?
"""
NAMED = """
SELECT found.rowid, m.project_key, m.is_global, n.root, n.mtime_ns, n.size, n.path,
    substr(coalesce(m.created_at, c.date), 1, 10),
    coalesce(m.target, m.source, c.source || ':' || c.start_line),
    coalesce(m.summary, c.summary), coalesce(m.source, 'note')
FROM (
    SELECT rowid, rank FROM search_index WHERE search_index MATCH ? ORDER BY rank LIMIT ?
) AS found
LEFT JOIN memories AS m ON found.rowid % 4 = 0 AND m.id = found.rowid / 4
LEFT JOIN note_chunks AS c ON found.rowid % 4 = 1 AND c.id = found.rowid / 4
LEFT JOIN notes AS n ON n.path = c.source
ORDER BY found.rank
"""


def _is_unchanged(path: str, mtime_ns: int, size: int) -> bool:
    try:
        status = posix.stat(path)
    except OSError:
        return False
    return (status.st_mtime_ns, status.st_size) == (mtime_ns, size)


def _may_hold_a_secret(text: str) -> bool:
    run = 0
    for char in text:
        run = run + 1 if char.isascii() and char.isalnum() else 0
        if run >= SECRET_CHARS:
            return True
    return False


def _context(skill: str, rows: list[Row]) -> str:
    body = own([INTRO, f"Past records about the skill {_defused(skill)}:"])
    for date, origin, text, source in rows:
        web = " · text from the web, unchecked" if source in WEB else ""
        body += own([f"{date} · {_defused(origin)[:ORIGIN_CHARS]}{web}"]) + quoted(_defused(text))
    return framed(body)


def _defused(text: str) -> str:
    """Summaries and targets are clean and on one line; no sign that may begin a tag is left."""
    for sign in "<\uff1c\ufe64":
        text = text.replace(sign, "&lt;")
    return " ".join(text.split())


def _quoted(path: str) -> str:
    """Return a path as it stands in a URI of SQLite's."""
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def _document(name: str, context: str) -> bytes:
    text: str = encode_basestring(context)
    document = f'{{"hookSpecificOutput":{{"hookEventName":"{name}","additionalContext":{text}}}}}'
    return document.encode("utf-8", "replace")
