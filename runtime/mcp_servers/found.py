"""What the search of this program has found, as answers that a client takes whole."""

import json
from collections.abc import Sequence
from functools import cache
from typing import Any, Final, Literal

import structlog
from anyio import to_thread

from runtime.context import AppContext
from runtime.days import age_of, day_at, local_day
from runtime.embeddings.answering import answer
from runtime.embeddings.choosing import chosen_by, reordering
from runtime.errors import UnknownIdError
from runtime.mcp_servers.budget import fitting, pages, tokens
from runtime.mcp_servers.refusals import NoSuchPageError
from runtime.notes.book import refresh
from runtime.orders import MARK, reads_like_an_order
from runtime.permanent.shadow import follow
from runtime.query import Asked
from runtime.store.clock import utc_now
from runtime.store.connection import fetch_all
from runtime.store.listing import one
from runtime.store.search_hits import Hit, Question
from runtime.store.search_index import KINDS
from runtime.store.search_records import POST, load
from runtime.text import clean
from runtime.tokens.glossary import read_glossary

log = structlog.get_logger(__name__)

Kind = Literal["long-term", "note", "permanent"]
HEAD_TOKENS: Final = 600
"""Of a page, for what stands above its text."""
PASSAGE_TOKENS: Final = 1500
"""Of one text among several."""
FRAME_TOKENS: Final = 120
"""Of one text, for what stands around it."""
LEAST_TOKENS: Final = 40
SHOWN: Final = (
    *("id", "kind", "date", "date_origin", "source", "line", "heading", "project", "host"),
    *("target", "revision", "seen_at", "score", "share", "more", "snippet"),
)
"""What a hit tells, in this order; what it does not have is left out."""


async def look_up(app: AppContext, asked: Asked, limit: int) -> list[Hit]:
    """Return the best hits, over notes and permanent memories that are up to date."""
    await refresh(app.home, app.settings, app.opened)
    await follow(app.home, app.settings, app.opened)
    glossary = await to_thread.run_sync(read_glossary, app.home.glossary)
    meaning = None
    if app.settings.semantic.enabled:
        meaning = _reordering(chosen_by(app.settings))
    question = Question(asked, limit, _today(), glossary, meaning=meaning)
    found, problem = await answer(app.opened.reader, question)
    if problem:
        log.warning("meaning_not_asked", error=problem)
    return found


_reordering: Final = cache(reordering)
"""A server answers for hours: its encoder is loaded once."""


def listed(asked: Asked, found: Sequence[Hit], budget: int) -> str:
    """Return a JSON object: the hits that fit, each with date and origin, and what to do next."""
    hits: list[dict[str, Any]] = []
    answer: dict[str, Any] = {"hits": hits}
    if asked.remarks:
        answer["remarks"] = [clean(remark) for remark in asked.remarks]
    if not found:
        answer["next"] = NOTHING
    spent = tokens(json.dumps(answer, ensure_ascii=False))
    for hit in found:
        shown = _shown(hit)
        spent += tokens(json.dumps(shown, ensure_ascii=False, indent=1))
        if hits and spent > budget:
            answer["next"] = f"[cut: {len(hits)} of {len(found)} hits; {NARROW}]"
            break
        hits.append(shown)
    return json.dumps(answer, ensure_ascii=False, indent=1)


NOTHING: Final = "nothing found; try fewer or other words, or the other language"
NARROW: Final = "narrow the query down, for instance with after:2026-06 or project:NAME"


def _shown(hit: Hit) -> dict[str, Any]:
    values = hit._asdict()
    shown = {name: values[name] for name in SHOWN if values[name] not in (None, "", 0)}
    text = {name: clean(value) for name, value in shown.items() if isinstance(value, str)}
    age = {"age": age_of(hit.date, _today())} if hit.date else {}
    pinned = {"pinned": True} if hit.is_pinned else {}
    marked = {"caution": MARK} if reads_like_an_order(clean(hit.content)) else {}
    return {**shown, **text, **age, **pinned, **marked, "chars": len(hit.content)}


def passages(found: Sequence[Hit], budget: int) -> list[dict[str, Any]]:
    """Return texts as the original's semantic search gives them, cut so that all of them fit."""
    most = share(budget, len(found))
    passages: list[dict[str, Any]] = []
    distance = 0.0
    for hit in found:
        # The order is that of the search; a distance never shrinks on the way down.
        distance = max(distance, round(1 - hit.share, 4))
        passages.append(
            {
                "content": shortened(hit.content, most, f"show(id={hit.id}, kind={hit.kind!r})"),
                "source": hit.source,
                "distance": distance,
                "id": hit.id,
                "kind": hit.kind,
                "date": hit.date,
                "project": hit.project,
            }
        )
    return passages


def share(budget: int, count: int) -> int:
    """Return how long each of so many texts may be, when all of them are to fit."""
    return max(LEAST_TOKENS, min(PASSAGE_TOKENS, budget // max(1, count) - FRAME_TOKENS))


def shortened(text: str, most: int, rest: str = "") -> str:
    """Return a text that fits, with a note of what was cut and how to get it."""
    text = clean(text)
    if tokens(text) <= most:
        return text
    shown = fitting(text, most)
    way = f"; {rest} has all of it" if rest else ""
    return f"{text[:shown]}… [cut: {shown:,} of {len(text):,} characters{way}]"


async def whole(app: AppContext, number: int, kind: Kind, page: int, budget: int) -> str:
    """Return one page of a memory with where it comes from. Raises ExpectedError."""
    facts, content = await _READ[kind](app, number)
    content = clean(content)
    parts = pages(content, max(1, budget - HEAD_TOKENS))
    if page > len(parts):
        raise NoSuchPageError(page, len(parts))
    lines = [f"{name}: {shortened(str(value), 100)}" for name, value in facts if value]
    if reads_like_an_order(content):
        lines.append(f"caution: {MARK}")
    if len(parts) > 1:
        lines.append(f"page: {page} of {len(parts)}")
    going_on = (
        f"\n[cut: page {page} of {len(parts)}; show(id={number}, kind={kind!r}, page={page + 1}) "
        "goes on]"
        if page < len(parts)
        else ""
    )
    return "\n".join([*lines, "", parts[page - 1]]) + going_on


Facts = tuple[tuple[str, object], ...]


async def _memory(app: AppContext, number: int) -> tuple[Facts, str]:
    memory = await one(app.opened.connection, number)
    if memory is None or memory.deleted_at:
        hint = (
            f"it was deleted; the person can take that back: `runtime longterm restore {number}`"
            if memory
            else "search shows the ids there are"
        )
        raise UnknownIdError("long-term memory", (str(number),), hint)
    day = local_day(memory.created_at)
    return (
        ("id", memory.id),
        ("kind", "long-term"),
        ("date", f"{day} ({age_of(day, _today())})"),
        ("source", memory.source),
        ("project", memory.project),
        ("host", memory.host),
        ("about", memory.target),
        ("tags", ", ".join(memory.tags)),
        ("skills", ", ".join(memory.skills)),
    ), memory.content


async def _note(app: AppContext, number: int) -> tuple[Facts, str]:
    rows = await fetch_all(app.opened.connection, _CHUNK, (number,))
    if not rows:
        hint = "ids of notes change with the file; search again"
        raise UnknownIdError("note", (str(number),), hint)
    row = rows[0]
    date = f"{row['date']} ({row['date_origin']}, {age_of(row['date'], _today())})"
    return (
        ("id", row["id"]),
        ("kind", "note"),
        ("date", date if row["date"] else ""),
        ("source", f"{row['source']}:{row['start_line']}"),
        ("heading", row["heading_path"]),
    ), row["content"]


async def _post(app: AppContext, number: int) -> tuple[Facts, str]:
    await follow(app.home, app.settings, app.opened)
    records = await app.opened.reader.run(load, [number * KINDS + POST])
    row = next(iter(records.values()), None)
    if row is None:
        hint = "search shows the numbers there are, permanent_memory_show archived ones too"
        raise UnknownIdError("permanent memory", (str(number),), hint)
    day = local_day(row["date"])
    return (
        ("id", row["id"]),
        ("kind", "permanent"),
        ("date", f"{day} (saved, {age_of(day, _today())})"),
        ("source", row["source"]),
        ("title", row["heading"]),
        ("revision", row["revision"]),
        ("seen", _age_of_copy(row["seen_at"])),
    ), row["content"]


def _age_of_copy(seen_at: str | None) -> str:
    if seen_at is None:
        return ""
    day = local_day(seen_at)
    return f"{day} ({age_of(day, _today())}); permanent_memory_show asks esa itself"


_READ: Final = {"long-term": _memory, "note": _note, "permanent": _post}
_CHUNK: Final = (
    "SELECT id, source, start_line, heading_path, date, date_origin, content"
    " FROM note_chunks WHERE id = ?"
)


def _today() -> str:
    return day_at(utc_now().timestamp())
