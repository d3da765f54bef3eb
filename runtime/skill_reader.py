"""
What a hook process tells about a skill while the worker is away, straight from the store.

Its earlier runs, and what names it: read-only, standard library only.
"""

import _sqlite3
from _json import encode_basestring

from runtime.frame import INTRO, framed, own, quoted
from runtime.tokens.query import phrase_terms

ENTRIES = 5
WEB = ("tool:WebFetch", "tool:WebSearch")


def answer(event: str, skill: str, database: str, project_key: str) -> bytes | None:
    """Return what to print, b"" for nothing, None when the store cannot be read."""
    try:
        rows = _related(database, skill, project_key)
    except _sqlite3.Error:
        return None
    return _document(event, _context(skill, rows)) if rows else b""


def _related(database: str, skill: str, project_key: str) -> list[tuple[str, str, str, str]]:
    """Return (date, origin, text, source) of at most five records, earlier runs first."""
    bare = skill.rsplit(":", 1)[-1]
    connection = _sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=0.2)
    try:
        found = dict.fromkeys(connection.execute(RUNS, (project_key, bare, ENTRIES)).fetchall())
        terms = " AND ".join(phrase_terms(bare))
        if terms:
            values = (terms, project_key, ENTRIES)
            found |= dict.fromkeys(connection.execute(NAMED, values).fetchall())
    finally:
        connection.close()
    # Index row numbers tell records apart; a run is also found by its name.
    return list({row[0]: row[1:] for row in reversed(found)}.values())[::-1][:ENTRIES]


RUNS = """
SELECT id * 4, substr(created_at, 1, 10), 'an earlier run', summary, source FROM memories
WHERE skills IS NOT NULL AND deleted_at IS NULL AND (project_key = ? OR is_global)
    AND EXISTS (SELECT 1 FROM json_each(memories.skills)
        WHERE substr(value, instr(value, ':') + 1) = ?)
ORDER BY created_at DESC, id DESC LIMIT ?
"""
NAMED = """
SELECT found.rowid, substr(coalesce(m.created_at, c.date), 1, 10),
    coalesce(m.target, m.source, c.source || ':' || c.start_line),
    coalesce(m.summary, c.summary), coalesce(m.source, 'note')
FROM (
    SELECT rowid, rank FROM search_index WHERE search_index MATCH ? ORDER BY rank LIMIT 50
) AS found
LEFT JOIN memories AS m ON found.rowid % 4 = 0 AND m.id = found.rowid / 4
LEFT JOIN note_chunks AS c ON found.rowid % 4 = 1 AND c.id = found.rowid / 4
WHERE c.id IS NOT NULL OR m.project_key = ? OR m.is_global
ORDER BY found.rank LIMIT ?
"""


def _context(skill: str, rows: list[tuple[str, str, str, str]]) -> str:
    body = own([INTRO, f"Past records about the skill {_defused(skill)}:"])
    for date, origin, text, source in rows:
        web = " · text from the web, unchecked" if source in WEB else ""
        body += own([f"{date} · {_defused(origin)}{web}"]) + quoted(_defused(text))
    return framed(body)


def _defused(text: str) -> str:
    """Summaries are clean and on one line; no sign that may begin a tag is left."""
    for sign in "<\uff1c\ufe64":
        text = text.replace(sign, "&lt;")
    return " ".join(text.split())


def _document(name: str, context: str) -> bytes:
    text: str = encode_basestring(context)
    document = f'{{"hookSpecificOutput":{{"hookEventName":"{name}","additionalContext":{text}}}}}'
    return document.encode("utf-8", "replace")
