"""
What a hook process tells about a skill while the worker is away, straight from the store.

Its earlier runs, and what is about its name and arguments: found as the worker
finds it, shown with less. Read-only, standard library only. Whatever cannot be
told surely from here (a note has changed since it was indexed, a word that may
be a secret) is left to the dispatcher.
"""

import posix

from runtime.days import local_day
from runtime.frame import INTRO, framed, own, quoted
from runtime.orders import MARK, reads_like_an_order
from runtime.paths import Home
from runtime.store.skill_runs import runs_of
from runtime.store.sqlite import Error, open_read_only

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection, Row

LOCK_WAIT_S = 0.2
ENTRIES = 5
PAGE = 50
"""Hits that are looked at before notes of other sessions' folders are dropped."""
NAME_CHARS = 100
ORIGIN_CHARS = 200
SECRET_CHARS = 20
"""A run of letters and digits of this length may be a key; only the dispatcher can tell."""
WEB = ("tool:WebFetch", "tool:WebSearch")

ESCAPES = {code: f"\\u{code:04x}" for code in range(32)} | {34: '\\"', 92: "\\\\", 10: "\\n"}
"""What JSON wants escaped in a string."""

Told = tuple[str, str, str, str]
"""Date, origin, text, source."""


def answer(event: str, skill: str, arguments: str, home: Home, project_key: str) -> bytes | None:
    """Return what to print, b"" for nothing, None when it cannot be told from here."""
    if len(skill) > NAME_CHARS or not skill.isprintable() or _may_hold_a_secret(skill):
        return None
    try:
        connection = open_read_only(home.database, LOCK_WAIT_S)
        try:
            connection.execute("BEGIN")  # one state of the database for all that follows
            rows = _records(connection, skill, arguments, home, project_key)
        finally:
            connection.close()
    except Error:
        return None
    if rows is None or any(_may_hold_a_secret(origin) for _date, origin, *_rest in rows):
        return None
    return _document(event, _context(skill, rows)) if rows else b""


def _records(
    connection: "Connection", skill: str, arguments: str, home: Home, project_key: str
) -> list[Told] | None:
    """Return at most five records, earlier runs first; None when that takes more than this."""
    runs = runs_of(connection, skill, project_key, ENTRIES)
    told = [_of_run(run) for run in runs]
    if len(told) >= ENTRIES:
        return told
    # Not before: loading what finds by words takes as long as finding.
    from runtime.store.search_index import KINDS  # noqa: PLC0415
    from runtime.store.search_records import load  # noqa: PLC0415
    from runtime.store.search_skill import related  # noqa: PLC0415

    known = {run["id"] * KINDS for run in runs}
    found = [hit.row for _text, hit in related(connection, skill, arguments, PAGE, project_key)]
    records = load(connection, [row for row in found if row not in known])
    for row in found:
        record = records.get(row)
        if record is None or len(told) == ENTRIES:
            continue
        if record["kind"] == "note" and record["root"] != home.notes:
            continue  # it is of folders that some other session named
        if record["mtime_ns"] is not None and not _is_unchanged(
            record["source"], record["mtime_ns"], record["size"]
        ):
            return None
        told.append(_of_record(record))
    return told if len(found) < PAGE or len(told) == ENTRIES else None


def _of_run(run: "Row") -> Told:
    return local_day(run["created_at"]), "an earlier run", run["summary"] or "", run["source"]


def _of_record(record: "Row") -> Told:
    line = record["line"]
    origin = record["source"] if line is None else f"{record['source']}:{line}"
    made = record["source"] if line is None else "note"
    if record["kind"] == "permanent":
        made = "permanent"
        seen = f" · as seen on {local_day(record['seen_at'])}" if record["seen_at"] else ""
        origin = f"permanent memory #{record['id']} · {record['heading']}{seen}"
    date = local_day(record["date"] or "")
    summary = record["summary"]
    if summary is None:
        from runtime.store.search_records import beginning  # noqa: PLC0415

        summary = beginning(record["content"])
    return date, record["target"] or origin, summary, made


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


def _context(skill: str, rows: list[Told]) -> str:
    body = own([INTRO, f"Past records about the skill {_defused(skill)}:"])
    for date, origin, text, source in rows:
        web = " · text from the web, unchecked" if source in WEB else ""
        order = f" · {MARK}" if reads_like_an_order(f"{origin}\n{text}") else ""
        label = f"{date} · {_defused(origin)[:ORIGIN_CHARS]}{web}{order}"
        body += own([label]) + quoted(_defused(text))
    return framed(body)


def _defused(text: str) -> str:
    """Summaries and targets are clean and on one line; no sign that may begin a tag is left."""
    for sign in "<\uff1c\ufe64":
        text = text.replace(sign, "&lt;")
    return " ".join(text.split())


def _document(name: str, context: str) -> bytes:
    text = context.translate(ESCAPES)
    document = f'{{"hookSpecificOutput":{{"hookEventName":"{name}","additionalContext":"{text}"}}}}'
    return document.encode("utf-8", "replace")
