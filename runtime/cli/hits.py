"""What a search has found, as text: for people, and as JSON."""

import json
from collections.abc import Mapping, Sequence
from typing import Final, TextIO

from runtime.days import age_of, local_day
from runtime.query import Asked
from runtime.store.search_hits import Hit
from runtime.store.snippets import matches
from runtime.text import clean, replace_surrogates

BOLD: Final = "\x1b[1;33m"
PLAIN: Final = "\x1b[0m"
NOTHING: Final = "nothing found; try fewer or other words, or `runtime stats` to see what there is"
NARROWED: Final = "nothing found; try it without {}, or `runtime stats` to see what there is"


def document(query: str, found: Sequence[Hit], *, one_line: bool = False) -> str:
    """Return one JSON document; Japanese stays readable."""
    value = {"query": query, "hits": [hit._asdict() for hit in found]}
    text = json.dumps(value, ensure_ascii=False, indent=None if one_line else 2)
    return replace_surrogates(text)


def for_people(found: Sequence[Hit], asked: Asked, today: str, *, is_coloured: bool) -> str:
    """Return the hits one after the other; what was stored cannot drive a terminal."""
    return "\n\n".join(_shown(hit, asked, today, is_coloured=is_coloured) for hit in found)


def nothing(asked: Asked) -> str:
    """Return what to say when nothing was found, and what to try."""
    named = {
        "the quotation marks": asked.phrases,
        "the words with a dash": asked.without,
        **{f"`{name}:`": values for name, values in asked.filters._asdict().items()},
    }
    used = [name for name, values in named.items() if values]
    return NARROWED.format(" or ".join(used)) if used else NOTHING


def said(asked: Asked, found: Sequence[Hit], *, as_json: bool) -> list[str]:
    """Return what to say beside the hits: how the question was read, and what to try."""
    tips = [] if found or as_json else [nothing(asked)]
    return [clean(text) for text in (*asked.remarks, *tips)]


def is_coloured(stream: TextIO, environ: Mapping[str, str]) -> bool:
    """Tell whether to mark matches: on a terminal only, and not where colour is not wanted."""
    if environ.get("NO_COLOR") or environ.get("TERM") == "dumb":
        return False
    return stream.isatty()


def _shown(hit: Hit, asked: Asked, today: str, *, is_coloured: bool) -> str:
    place = hit.source if hit.line is None else f"{hit.source}:{hit.line}"
    pinned = "  pinned" if hit.is_pinned else ""
    # 0.0 says nothing: no word was asked for, or each stands everywhere.
    score = f"  score {hit.score:.1f}" if round(hit.score, 1) else ""
    lines = [f"{_date(hit, today)}  {hit.kind} #{hit.id}  {place}{score}{pinned}"]
    details = [part for part in (hit.heading, hit.target, hit.project, _state(hit, today)) if part]
    if details:
        lines.append("  " + "  ·  ".join(details))
    snippet = clean(hit.snippet)
    text = clean("\n".join(lines))
    marked = _marked(snippet, asked.shown) if is_coloured else snippet
    more = f"\n  and {hit.more} more of the same: --all shows them" if hit.more else ""
    return f"{text}\n  {marked}{more}"


def _state(hit: Hit, today: str) -> str:
    """Return which revision of a permanent memory it is, and of a copy how old that is."""
    if hit.revision is None:
        return ""
    seen = f", seen {age_of(local_day(hit.seen_at), today)}" if hit.seen_at else ""
    return f"revision {hit.revision}{seen}"


def _date(hit: Hit, today: str) -> str:
    if not hit.date:
        return "undated"
    return f"{hit.date} ({', '.join(filter(None, (hit.date_origin, age_of(hit.date, today))))})"


def _marked(text: str, query: str) -> str:
    parts: list[str] = []
    at = 0
    for start, end in matches(text, query):
        parts += [text[at:start], BOLD, text[start:end], PLAIN]
        at = end
    return "".join([*parts, text[at:]])
