"""
The search syntax of esa, as far as its own clients show it.

Space is AND, `OR` or `|` binds weaker (so that a careless client's scope breaks
here as it might there), `-` negates, `"…"` is literal. Qualifiers: tag, category,
in, on, title, keyword, wip, created, updated. Anything else is looked for in
name and body.
"""

import re
from collections.abc import Callable
from datetime import date, datetime

from tests.esa_posts import StoredPost

Test = Callable[[StoredPost], bool]

WORD = re.compile(r'(?P<minus>-?)(?P<qualifier>[a-z]+:)?(?:"(?P<phrase>[^"]*)"?|(?P<plain>\S+))')


def parse(query: str) -> Test:
    """Return what tells whether a post answers *query*; an empty one is answered by all."""
    either: list[list[Test]] = [[]]
    for found in WORD.finditer(query):
        if found[0] in {"OR", "|"}:
            either.append([])
        else:
            either[-1].append(_test(found))
    return lambda post: any(all(test(post) for test in tests) for tests in either)


def _test(found: re.Match[str]) -> Test:
    value = found["phrase"] if found["phrase"] is not None else found["plain"]
    name = (found["qualifier"] or "").removesuffix(":")
    make = _QUALIFIERS.get(name)
    test = make(value) if make else _words(f"{name and name + ':'}{value}")
    return (lambda post: not test(post)) if found["minus"] else test


def _words(value: str) -> Test:
    wanted = value.casefold()
    return lambda post: wanted in f"{post.name}\n{post.body_md}".casefold()


def _title(value: str) -> Test:
    return lambda post: value.casefold() in post.name.casefold()


def _tag(value: str) -> Test:
    return lambda post: value.casefold() in [tag.casefold() for tag in post.tags]


def _category(value: str) -> Test:
    return lambda post: value.casefold() in (post.category or "").casefold()


def _in(value: str) -> Test:
    wanted = value.strip("/").casefold()
    return lambda post: f"{post.category or ''}/".casefold().startswith(f"{wanted}/")


def _on(value: str) -> Test:
    wanted = value.strip("/").casefold()
    return lambda post: (post.category or "").casefold() == wanted


def _wip(value: str) -> Test:
    return lambda post: post.wip == (value == "true")


def _moment(field: str) -> Callable[[str], Test]:
    def test(value: str) -> Test:
        sign, day = value[:1], value.lstrip("<>=")
        try:
            wanted = date.fromisoformat(day)
        except ValueError:
            return lambda _post: False

        def holds(post: StoredPost) -> bool:
            moment = datetime.fromisoformat(getattr(post, field)).date()
            if sign == ">":
                return moment > wanted
            return moment < wanted if sign == "<" else moment == wanted

        return holds

    return test


_QUALIFIERS: dict[str, Callable[[str], Test]] = {
    "tag": _tag,
    "category": _category,
    "in": _in,
    "on": _on,
    "title": _title,
    "keyword": _words,
    "wip": _wip,
    "created": _moment("created_at"),
    "updated": _moment("updated_at"),
}
