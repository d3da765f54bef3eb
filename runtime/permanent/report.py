"""
What a person may want to look at among their permanent memories. No LLM, no change.

A rule here finds candidates; whether two posts are one, or a post is outdated,
is for the person to say.
"""

import re
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from datetime import datetime
from typing import Final, Literal, NamedTuple

from runtime.permanent.service import Permanent
from runtime.permanent.titles import problem_of
from schemas.permanent import (
    BadTitle,
    PermanentReport,
    Post,
    PostRef,
    Stale,
    Together,
    Twins,
)

PER_PAGE: Final = 100
STALE_MONTHS: Final = 6  # Source text, `permanent-memory-organize`.
DAYS_PER_MONTH: Final = 30.44
LEAST_TOGETHER: Final = 2
MAX_WORDS: Final = 5
KEYWORD: Final = re.compile(r"\[([^\[\]]+)\]")
BOUND: Final = re.compile(
    r"\b20\d\d[-/年.](?:0?[1-9]|1[0-2])\b|20\d\d年"
    r"|\bv?\d+\.\d+(?:\.\d+)*\b"
    r"|現在|現時点|最新|今のところ|当面|予定|来週|来月|今週|今月|今年"
    r"|\b(?:currently|at the moment|for now|as of|latest|upcoming|TODO)\b"
    r"|\bnext (?:week|month|release)\b",
    re.IGNORECASE,
)


class Pair(NamedTuple):
    """Two alike texts by their place in a sequence."""

    a: int
    b: int
    similarity: float
    how: Literal["similar", "reordered"]


FindPairs = Callable[[Sequence[str]], Iterable[Pair]]


async def walk(
    permanent: Permanent, progress: Callable[[int, int], None] = lambda _done, _total: None
) -> AsyncIterator[Post]:
    """
    Give every permanent memory that is not archived, each once, page by page.

    Raises TooManyRequestsError rather than use up what the person needs.
    """
    seen: set[int] = set()
    page: int | None = 1
    while page:
        found = (await permanent.search("", page, PER_PAGE)).page
        for post in found.posts:
            # A save during the walk moves a post to the first page, and others down one place.
            if post.number not in seen:
                seen.add(post.number)
                yield post
        progress(min(page * PER_PAGE, found.total), found.total)
        page = found.next_page if found.next_page and found.next_page > page else None


def report(
    place: str,
    posts: Sequence[Post],
    find_pairs: FindPairs,
    now: datetime,
    strangers: Sequence[tuple[str, str]] = (),
) -> PermanentReport:
    """Return what is worth a look."""
    return PermanentReport(
        place=place,
        posts=len(posts),
        twins=tuple(_twins(posts, find_pairs)),
        stale=tuple(_stale(posts, now)),
        titles=tuple(
            BadTitle(post=_ref(post), problem=problem)
            for post in posts
            if (problem := problem_of(post.title))
        ),
        together=tuple(_together(posts)),
        strangers=tuple(strangers),
    )


def _twins(posts: Sequence[Post], find_pairs: FindPairs) -> Iterable[Twins]:
    first: dict[str, int] = {}
    different: list[int] = []
    for at, post in enumerate(posts):
        text = "\n".join(line.rstrip() for line in post.body_md.strip().splitlines())
        if text in first:
            a, b = posts[first[text]], post
            yield Twins(a=_ref(a), b=_ref(b), similarity=1.0, how="same")
        elif text:
            first[text] = at
            different.append(at)
    for pair in find_pairs([posts[at].body_md for at in different]):
        a, b = posts[different[pair.a]], posts[different[pair.b]]
        yield Twins(a=_ref(a), b=_ref(b), similarity=round(pair.similarity, 3), how=pair.how)


def _stale(posts: Iterable[Post], now: datetime) -> Iterable[Stale]:
    for post in posts:
        months = _months(post.updated_at, now)
        words = tuple(dict.fromkeys(BOUND.findall(f"{post.title}\n{post.body_md}")))[:MAX_WORDS]
        if months >= STALE_MONTHS and words:
            yield Stale(post=_ref(post), months=months, words=words)


def _together(posts: Iterable[Post]) -> Iterable[Together]:
    groups: dict[tuple[str, ...], list[Post]] = {}
    for post in posts:
        keywords = tuple(sorted({word.casefold() for word in KEYWORD.findall(post.title)}))
        if keywords:
            groups.setdefault(keywords, []).append(post)
    for keywords, group in sorted(groups.items()):
        if len(group) >= LEAST_TOGETHER:
            yield Together(keywords=keywords, posts=tuple(map(_ref, group)))


def _months(moment: str, now: datetime) -> int:
    try:
        since = now - datetime.fromisoformat(moment)
    except (ValueError, TypeError):  # no moment, or one without a zone
        return 0
    return int(since.days / DAYS_PER_MONTH)


def _ref(post: Post) -> PostRef:
    return PostRef(
        number=post.number, title=post.title, revision=post.revision, updated_at=post.updated_at
    )
