"""How good a ranking is: the usual measures of retrieval, for ten places."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from benchmarks.retrieval.sets import Query

PLACES = 10


class Quality(NamedTuple):
    """Each 0 to 1; of one answer, or the mean over several."""

    hit1: float
    """The first place is right."""
    recall5: float
    recall10: float
    """Share of the right documents that are on the page, of at most as many as it has places."""
    ndcg10: float
    """The same, with early places worth more."""
    empty: float
    """Nothing was found."""


def judge(found: Sequence[str], query: Query) -> Quality:
    """Judge one answer."""
    hits = [document in query.relevant for document in found[:PLACES]]
    right = len(query.relevant)
    gain = sum(hit / math.log2(place + 2) for place, hit in enumerate(hits))
    best = sum(1 / math.log2(place + 2) for place in range(min(right, PLACES)))
    return Quality(
        hit1=float(any(hits[:1])),
        recall5=sum(hits[:5]) / min(right, 5),
        recall10=sum(hits) / min(right, PLACES),
        ndcg10=gain / best,
        empty=float(not found),
    )


def mean(answers: Iterable[Quality]) -> Quality:
    """Return the mean of each measure; there must be one answer at least."""
    columns = list(zip(*answers, strict=True))
    return Quality(*(sum(column) / len(column) for column in columns))
