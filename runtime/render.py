"""
From what handlers returned to the one JSON document that Claude Code reads.

The client counts a value in UTF-16 code units and replaces more than 10,000 by
a preview of the first 2,000 (measured on 2.1.332). So the whole stays below
that with its frame, and what matters most comes first.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple, get_args

from runtime.frame import INTRO, framed, own, quoted
from runtime.orders import MARK, reads_like_an_order
from runtime.redact import redact
from runtime.text import clean, cut, defuse_tags, one_line, utf16_units
from schemas.outputs import HookOutput, InjectingEvent, Quote, Section
from schemas.shown import ShownRecord

if TYPE_CHECKING:
    from schemas.answers import HookAnswer

MAX_UNITS: Final = 9500
CUT_MARK: Final = "\n│ (cut here)"
MIN_QUOTE_UNITS: Final = 80
"""A quotation with less room than this is left out rather than shown in crumbs."""
KEPT_QUOTES: Final = 100
INJECTING: Final = frozenset(get_args(InjectingEvent))


class Rendered(NamedTuple):
    """What is printed, and whom it tells of."""

    answer: "HookAnswer | None"
    """None when there is nothing to say."""
    shown: tuple[ShownRecord, ...] = ()
    """The records in it, in order; what had no room is not among them."""


def render(event_name: str, outputs: Iterable[HookOutput]) -> Rendered:
    """Return the document for stdout, and the records that it shows."""
    if event_name not in INJECTING:
        return Rendered(None)
    sections, messages = list[Section](), list[str]()
    for output in outputs:
        sections += output.sections
        messages += [_safe_line(output.message)] if output.message else []
    text, quotes = _context(sections, MAX_UNITS)
    if not text and not messages:
        return Rendered(None)
    # Not before: most events are not answered, and these models would be made for nothing.
    from schemas.answers import HookAnswer, HookSpecificOutput  # noqa: PLC0415

    specific = {"hook_event_name": event_name, "additional_context": text}
    answer = HookAnswer(
        hook_specific_output=HookSpecificOutput.model_validate(specific) if text else None,
        system_message="\n".join(messages) or None,
    )
    shown = tuple(quote.record for quote in quotes if quote.record is not None)
    return Rendered(answer, shown)


def to_bytes(answer: "HookAnswer") -> bytes:
    """Return the document as printed: UTF-8, one line."""
    return answer.model_dump_json(by_alias=True, exclude_none=True).encode()


def context(sections: Sequence[Section], max_units: int = MAX_UNITS) -> str:
    """Return the framed text, "" when no section has anything in it."""
    return _context(sections, max_units)[0]


def _context(sections: Sequence[Section], max_units: int) -> tuple[str, list[Quote]]:
    """Return the framed text, and the quotations that stand in it."""
    left = max_units - utf16_units(framed(own([INTRO])))
    parts, shown = [], list[Quote]()
    for section in sections:
        part, quotes = _section(section, min(section.max_units, left))
        left -= utf16_units(part)
        parts.append(part)
        shown += quotes
    body = "".join(parts)
    return (framed(own([INTRO]) + body), shown) if body else ("", [])


def _section(section: Section, units: int) -> tuple[str, list[Quote]]:
    head = own(_safe_line(line) for line in (section.title, *section.lines) if line)
    notice = own([_safe_line(section.notice)]) if section.notice else ""
    left = units - utf16_units(head) - utf16_units(notice)
    if left < 0:
        return _fit(head, units), []
    body, shown = "", list[Quote]()
    for quote in section.quotes:
        room = left - utf16_units(body)
        part = _quote(quote)
        if utf16_units(part) > room:
            part = _fit(part, room) if room >= MIN_QUOTE_UNITS else ""
        body += part
        if not part:
            break
        shown.append(quote)
    return (head + body + notice if head or body else ""), shown


def _quote(quote: Quote) -> str:
    return _quotation(quote.date, quote.origin, quote.text, is_untrusted=quote.untrusted)


@lru_cache(KEPT_QUOTES)
def _quotation(date: str | None, origin: str, text: str, *, is_untrusted: bool) -> str:
    """
    Return a quotation as it stands in the frame.

    Kept, since the records of a skill are told each time it runs, and looking for
    secrets and orders in them takes longer than finding them.
    """
    parts = [_safe_line(part) for part in (date, origin) if part]
    if is_untrusted:
        parts.append("text from the web, unchecked")
    if reads_like_an_order(clean(f"{origin}\n{text}")):
        parts.append(MARK)
    label = " · ".join(parts)
    return (own([label]) if label else "") + quoted(_safe(text).strip("\n"))


def _fit(part: str, units: int) -> str:
    fitted = cut(part.rstrip("\n"), units - 1, CUT_MARK) if units > 0 else ""
    return fitted + "\n" if fitted else ""


def _safe_line(line: str) -> str:
    return one_line(_safe(line), 400)


def _safe(text: str) -> str:
    # Before anything is measured or framed: redaction may lengthen a text, and what
    # it takes out of a whole frame could be the frame's end.
    return defuse_tags(redact(clean(text)))
