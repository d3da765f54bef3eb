"""
Put our entries into a settings document, and take them out again.

Pure text in, text out. Nobody else's entry, group or key changes; what was
empty before stays known as such, so that taking out ends where it began.
"""

from typing import Any, Final, NamedTuple

from runtime.install import json_text
from runtime.install.entries import EVENTS, entry, group, has_matcher, is_ours
from runtime.install.json_text import Item

HOOKS: Final = "hooks"


class ShapeError(Exception):
    """A value on our way is of another type than Claude Code reads."""

    def __init__(self, reason: str, offset: int) -> None:
        self.reason, self.offset = reason, offset
        super().__init__(reason)


class Edited(NamedTuple):
    """A document after the change."""

    text: str
    empty_before: frozenset[str]
    """`hooks`, or events, whose value was there and empty until we came."""


class Ours(NamedTuple):
    """One of our entries, with the places above it."""

    event: Item
    group: Item
    list_start: int
    handler: Item


def put_in(text: str) -> Edited:
    """
    Return the document with exactly one current entry of ours per event.

    One that is current already is left where it is; an older one in the right
    group is replaced there; any other of ours goes. Raises ShapeError.
    """
    empty = set[str]()
    if (hooks := _hooks(text)) is None:
        text = json_text.append(text, json_text.root(text), {}, HOOKS)
    elif not hooks.value:
        empty.add(HOOKS)
    for event in [*_events_of_ours(text), *EVENTS]:
        if event not in EVENTS:
            text = _take_out_event(text, event, is_empty_kept=False)
            continue
        item = _event(text, event)
        if item is not None and not item.value:
            empty.add(event)
        text = _put_in_event(text, event)
    return Edited(text, frozenset(empty))


def take_out(text: str, empty_before: frozenset[str] = frozenset()) -> str:
    """
    Return the document without our entries and the groups and keys that held only them.

    Keys named in `empty_before` stay, empty. Raises ShapeError.
    """
    events = _events_of_ours(text)
    for event in events:
        text = _take_out_event(text, event, is_empty_kept=event in empty_before)
    hooks = _hooks(text)
    if events and hooks is not None and not hooks.value and HOOKS not in empty_before:
        text = json_text.remove(text, json_text.root(text), hooks.start)
    return text


def ours_in(document: Any) -> list[tuple[str, str | None, Any]]:
    """Return (event, matcher, handler) of each entry of ours in a parsed document."""
    hooks = document.get(HOOKS) if isinstance(document, dict) else None
    found = list[tuple[str, str | None, Any]]()
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for one in groups if isinstance(groups, list) else ():
            handlers = one.get(HOOKS) if isinstance(one, dict) else None
            if isinstance(handlers, list):
                ours = filter(is_ours, handlers)
                found.extend((event, one.get("matcher"), handler) for handler in ours)
    return found


def _put_in_event(text: str, event: str) -> str:
    found = _ours(text, event)
    if len(found) == 1 and has_matcher(event, found[0].group.value.get("matcher")):
        handler = found[0].handler
        is_current = handler.value == entry(event)
        return text if is_current else json_text.replace(text, handler, entry(event))
    text = _take_out_event(text, event, is_empty_kept=True)
    item = _event(text, event)
    if item is None:
        return json_text.append(text, _hooks_start(text), [group(event)], event)
    return json_text.append(text, item.value_start, group(event))


def _take_out_event(text: str, event: str, *, is_empty_kept: bool) -> str:
    is_changed = False
    while found := _ours(text, event):
        last, is_changed = found[-1], True
        if len(json_text.items(text, last.list_start)) > 1:
            text = json_text.remove(text, last.list_start, last.handler.start)
        else:
            text = json_text.remove(text, last.event.value_start, last.group.start)
    item = _event(text, event)
    if is_changed and item is not None and not item.value and not is_empty_kept:
        text = json_text.remove(text, _hooks_start(text), item.start)
    return text


def _events_of_ours(text: str) -> list[str]:
    hooks = _hooks(text)
    if hooks is None:
        return []
    names = dict.fromkeys(item.key for item in json_text.items(text, hooks.value_start))
    return [name for name in names if name is not None and _ours(text, name)]


def _hooks(text: str) -> Item | None:
    start = json_text.root(text)
    if text[start] != "{":
        msg = "settings are no JSON object"
        raise ShapeError(msg, start)
    hooks = json_text.member(text, start, HOOKS)
    if hooks is not None and not isinstance(hooks.value, dict):
        msg = "`hooks` is no JSON object"
        raise ShapeError(msg, hooks.value_start)
    return hooks


def _hooks_start(text: str) -> int:
    hooks = _hooks(text)
    if hooks is None:
        msg = "`hooks` is not there"
        raise ShapeError(msg, json_text.root(text))
    return hooks.value_start


def _event(text: str, event: str) -> Item | None:
    hooks = _hooks(text)
    item = None if hooks is None else json_text.member(text, hooks.value_start, event)
    if item is not None and event in EVENTS and not isinstance(item.value, list):
        msg = f"`hooks.{event}` is no JSON array"
        raise ShapeError(msg, item.value_start)
    return item


def _ours(text: str, event: str) -> list[Ours]:
    """Return our entries of one event, in order."""
    item, found = _event(text, event), []
    if item is None or not isinstance(item.value, list):
        return []
    for one in json_text.items(text, item.value_start):
        if not isinstance(one.value, dict):
            continue
        handlers = json_text.member(text, one.value_start, HOOKS)
        if handlers is None or not isinstance(handlers.value, list):
            continue
        start = handlers.value_start
        found += [
            Ours(item, one, start, handler)
            for handler in json_text.items(text, start)
            if is_ours(handler.value)
        ]
    return found
