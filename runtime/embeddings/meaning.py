"""
Search by meaning: what words have found in a better order, or what no word finds.

Standard library only: `runtime search` loads this where it has nothing else to do.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from statistics import median
from typing import TYPE_CHECKING, Final

from runtime.embeddings.encoder import TEXT_CHARS, Encoder, packed
from runtime.embeddings.literal import is_literal
from runtime.query import Asked
from runtime.store.nearest import best_way, cosines
from runtime.store.search_filter import Where, rows_within
from runtime.store.search_ranking import CANDIDATES, Found
from runtime.store.vectors import number_of, vectors_of

if TYPE_CHECKING:
    from sqlite3 import Connection

REORDERED: Final = 50
"""Records that words have found, of which the order is looked at again."""
WORTH: Final = 0.3
"""
What the hit most like the question gains: so much of the best hit's score. Between 0.2 and
0.5 both encoders with weights of their own gain on the benchmark's sets; beyond, what one
of them loses across languages is more than the others gain.
"""


class Asker:
    """An encoder that is loaded when it is first asked."""

    def __init__(self, load: Callable[[], Encoder]) -> None:
        self._load = load

    @cached_property
    def encoder(self) -> Encoder:
        """The encoder. Raises EncoderError."""
        return self._load()

    def number(self, connection: "Connection") -> int | None:
        """Return what its vectors are kept under, None where there are none."""
        identity = self.encoder.identity
        return number_of(connection, identity.name, identity.version)

    def ask(self, text: str) -> bytes:
        """Return the vector of what is looked for, as vectors are stored."""
        return packed(self.encoder.query(text[:TEXT_CHARS]))


class Reordering(Asker):
    """The first hits of a question of several words, in the order of words and meaning."""

    def __call__(
        self,
        connection: "Connection",
        asked: Asked,
        _where: Where | None,
        found: Sequence[Found],
    ) -> list[Found]:
        """
        Return the same hits. Those without a vector keep the place that words gave them.

        A hit gains by how much more it is like the question than the hit in the middle,
        as a part of how much the most like it is.
        """
        first = found[:REORDERED]
        if len(first) < 2 or is_literal(asked):  # noqa: PLR2004 - nothing to reorder
            return list(found)
        encoder = self.number(connection)
        rows = [hit.row for hit in first]
        vectors = {} if encoder is None else vectors_of(connection, encoder, rows)
        if len(vectors) < 2:  # noqa: PLR2004 - nothing to compare
            return list(found)
        near = cosines(self.ask(asked.words), vectors.values())
        gains = _gains(
            dict(zip(vectors, near, strict=True)), WORTH * max(hit.score for hit in found)
        )
        first = [Found(hit.row, hit.score + gains.get(hit.row, 0.0), hit.share) for hit in first]
        # Whatever was behind them stays behind them.
        lowest = min(hit.score for hit in first)
        rest = [Found(hit.row, min(hit.score, lowest), hit.share) for hit in found[REORDERED:]]
        return sorted(first, key=lambda hit: -hit.score) + rest


def _gains(near: dict[int, float], most: float) -> dict[int, float]:
    middle = median(near.values())
    span = max(near.values()) - middle
    return {row: most * (cosine - middle) / span for row, cosine in near.items()} if span else {}


class ByMeaning(Asker):
    """What is most like a question, whatever its words."""

    def __call__(
        self,
        connection: "Connection",
        asked: Asked,
        where: Where | None,
        _found: Sequence[Found],
    ) -> list[Found]:
        """
        Return the records whose vectors are nearest, nearest first.

        The nearest scores 1, the last that is looked at 0: the cosines of one encoder
        lie between 0.7 and 0.9, those of another between 0 and 0.5.
        """
        encoder = self.number(connection)
        if encoder is None or not asked.shown.strip():
            return []
        rows = None if where is None else rows_within(connection, where)
        nearest = best_way(connection)
        near = nearest(connection, encoder, self.ask(asked.shown), CANDIDATES, rows)
        if not near:
            return []
        least = near[-1][1]
        span = near[0][1] - least
        return [Found(row, (cosine - least) / span if span else 1.0, 1.0) for row, cosine in near]
