"""
The search index as one question sees it: each term is counted once.

The statements that touch the index are here and nowhere else. Standard library
only: the hook process imports this.
"""

from math import log

from runtime.store.sqlite import total

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from sqlite3 import Connection

    from runtime.store.search_filter import Where

Common = dict[str, tuple[int, int]]
"""How many rows hold a common term, and how many there were in all at that time."""
POSTINGS_CAP = 10_000
"""Terms are counted up to this; beyond, one more makes little difference to their weight."""
CAPS = (1000, 4000, POSTINGS_CAP)
"""What a term's count is raised to as long as it matters."""
COMMON_ROWS = 200
"""Rows that hold a common term: fewer are counted in no time."""
READ_PER_ROW = 3
READ_PER_SEEK = 250
"""Entries of a term that are read in the time of putting a row on a list to compare with,
and in that of looking up one row by itself."""
COMMON_MAX = 10_000
"""Terms whose counts are remembered from question to question."""
STEADY = 50
"""A count is remembered until the index has grown or shrunk by one part in so many."""
KINDS = 4
"""A row of the index is a record's id times this, plus its kind's number: 0 memory, 1 note,
2 permanent memory."""


def own(expression: str) -> str:
    """Return the expression for a record's own words, without what was said before it."""
    return f"tokens : ({expression})"


class Index:
    """
    The index, read by FTS5 expressions: one term, or several joined by AND or OR.

    Expressions must come from `runtime.tokens.query`, through `own` if wanted. Counts
    and weights are of all records, whatever part of them *where* leaves to be found.
    """

    __slots__ = (
        "_common",
        "_connection",
        "_counts",
        "_crowds",
        "_read",
        "_total",
        "_where",
        "_within",
    )

    def __init__(
        self,
        connection: "Connection",
        where: "Where | None" = None,
        *,
        is_own: bool = False,
        common: "Common | None" = None,
    ) -> None:
        """
        *is_own*: all that is asked is asked of a record's own words.

        *common* remembers counts for the next question to the same database.
        """
        self._connection = connection
        self._where = where
        self._within = own if is_own else str
        self._common = common
        self._counts: dict[str, int] = {}
        self._crowds: set[str] = set()
        """Terms that stand in more rows than they were counted to."""
        self._read: dict[str, str] = {}
        """All rows of a term, in order, as SQLite gives them: most are never told apart."""
        self._total = total(connection)

    def count(self, term: str) -> int:
        """Return how many rows hold a term, up to a cap."""
        if term not in self._counts:
            self._count(term, POSTINGS_CAP)
        return self._counts[term]

    def rarest(self, terms: "Iterable[str]", enough: int) -> list[str]:
        """
        Return the terms that occur, the rarest first, until they stand in enough rows.

        At least one, if any occurs. What is too common to be among them is counted no
        further than it takes to know that.
        """
        wanted = dict.fromkeys(terms)
        for cap in CAPS:
            for term in wanted:
                if self._total <= POSTINGS_CAP:
                    # To list them takes hardly longer than to count, and they will be read.
                    listed = self._listed(term)
                    self._counts[term] = listed.count(",") + 1 if listed else 0
                elif self._counts.get(term, 0) < cap and (
                    term in self._crowds or term not in self._counts
                ):
                    self._count(term, cap)
            known = sum(self._counts[term] for term in wanted if term not in self._crowds)
            if known and known + cap > enough:
                break
        found: list[str] = []
        spent = 0
        for term in self.by_count(filter(self._counts.__getitem__, wanted)):
            spent += self._counts[term]
            if found and (spent > enough or term in self._crowds):
                break
            found.append(term)
        return found

    def by_count(self, terms: "Iterable[str]") -> list[str]:
        """Return terms in the order of their counts, equal ones as in the alphabet."""
        return sorted(terms, key=lambda term: (self.count(term), term))

    def _remembered(self, term: str) -> int | None:
        count, total = self._common.get(self._within(term), (0, 0)) if self._common else (0, 0)
        return count if total and abs(self._total - total) * STEADY <= total else None

    def _count(self, term: str, cap: int) -> None:
        count = self._remembered(term)
        if count is None:
            # Counting to the end is the quicker, where the end cannot be far.
            statement = _COUNT if self._total <= POSTINGS_CAP else _COUNT_CAPPED
            values = {"term": self._within(term), "cap": cap}
            count = int(self._connection.execute(statement, values).fetchone()[0])
            if count < cap or cap == POSTINGS_CAP:
                self._remember(term, count)
        else:
            cap = POSTINGS_CAP
        self._counts[term] = count
        is_crowd = self._total > POSTINGS_CAP and count >= cap
        (self._crowds.add if is_crowd else self._crowds.discard)(term)

    def _remember(self, term: str, count: int) -> None:
        if self._common is not None and count >= COMMON_ROWS:
            if len(self._common) >= COMMON_MAX:
                self._common.clear()
            self._common[self._within(term)] = (count, self._total)

    def _text(self, statement: str, **values: "str | int") -> str:
        """Return the rows of a statement that gives them as one text, which is the quicker."""
        return str(self._connection.execute(statement, values).fetchone()[0] or "")

    def weight(self, term: str) -> float:
        """Return what a term says about a record: the rarer, the more."""
        # Smoothed, so that in a store of three records a missing word does not
        # outweigh all that were found.
        return log(1 + (self._total + 10) / (self.count(term) + 1))

    def is_crowd(self, expression: str) -> bool:
        """Tell whether a term stands in more rows than are worth reading."""
        self.count(expression)
        return expression in self._crowds

    def rows(self, expression: str) -> list[int]:
        """Return all rows that match, in the order of their ids."""
        return list(map(int, self.names(expression)))

    def names(self, expression: str) -> list[str]:
        """Return the same as they are written: to make numbers of them takes four times as long."""
        return _parts(self._listed(expression))

    def _listed(self, expression: str) -> str:
        if expression not in self._read:
            self._read[expression] = self._text(_ROWS, match=self._within(expression))
        return self._read[expression]

    def newest(self, expression: str, limit: int, project_key: str | None) -> list[int]:
        """Return the last rows that match and may be found; of a project if given."""
        values: dict[str, str | int] = {"match": self._within(expression), "limit": limit}
        statement = _NEWEST.format(self._narrow(values, project_key))
        return list(map(int, _parts(self._text(statement, **values))))

    def allowed(self, expression: str) -> list[str] | None:
        """Return the rows that match and may be found, as they are written; None for all."""
        if self._where is None:
            return None
        values: dict[str, str | int] = {"match": self._within(expression)}
        return _parts(self._text(_ROWS + self._narrow(values), **values))

    def rows_among(
        self, expression: str, rows: "Iterable[int]", within: str = ""
    ) -> "Collection[int]":
        """
        Return those of these rows that match.

        *within* is an expression that all of them match: beside it, a crowd is not
        read as a whole.
        """
        some = list(rows)
        if (
            within
            and self._total > POSTINGS_CAP
            and (expression in self._crowds or expression not in self._counts)
        ):
            both = self._within(f"({expression}) AND ({within})")
            text = self._text(_ROWS + _BETWEEN, match=both, first=min(some), last=max(some))
            return set(some).intersection(map(int, _parts(text)))
        count = self._counts.get(expression, 0)
        if expression in self._read or 0 < count < len(some) * READ_PER_ROW:
            wanted = {str(row): row for row in some}
            return [wanted[name] for name in wanted.keys() & self.names(expression)]
        if count > len(some) * READ_PER_SEEK:
            return self.rows_each(expression, some)
        values = (self._within(expression), min(some), max(some), _array(some))
        return [row[0] for row in self._connection.execute(_ROWS_AMONG, values)]

    def rows_each(self, expression: str, rows: "Iterable[int]") -> list[int]:
        """Return those of these rows that match, each sought by itself: for few rows."""
        values = (_array(sorted(rows)), self._within(expression))
        return [row[0] for row in self._connection.execute(_ROWS_EACH, values)]

    def best(
        self, expression: str, limit: int, project_key: str | None = None
    ) -> list[tuple[int, float]]:
        """Return the best rows by bm25 with their scores, best first; of a project if given."""
        expression = self._within(expression)
        values: dict[str, str | int] = {"match": expression, "limit": limit}
        statement = _BEST.format(self._narrow(values, project_key))
        scored = self._connection.execute(statement, values)
        return [(row[0], -row[1]) for row in scored]

    def _narrow(self, values: "dict[str, str | int]", project_key: str | None = None) -> str:
        """Return what else holds of a row that may be found; adds to a statement's values."""
        conditions = ""
        if self._where is not None:
            values |= self._where.values
            values["match"] = " AND ".join((f"({values['match']})", *self._where.match))
            conditions = f" AND {self._where.condition}"
        if project_key is not None:
            values["project_key"] = project_key
            conditions += _OF_PROJECT
        return conditions

    def scores_among(self, expression: str, rows: "Iterable[int]") -> list[tuple[int, float]]:
        """Return the scores of those of these rows that match, best first."""
        # Without ORDER BY: FTS5 would work out the score of every row that matches.
        values = (self._within(expression), _array(rows))
        found = self._connection.execute(_SCORES_AMONG, values)
        return sorted(((row[0], -row[1]) for row in found), key=lambda pair: -pair[1])

    def of_project(self, rows: "Iterable[int]", project_key: str) -> set[int]:
        """Return those of these rows that a project may see: its own, global ones, other kinds."""
        seen = set(rows)
        memories = [row // KINDS for row in seen if row % KINDS == 0]
        ours = self._connection.execute(_OURS, (_array(memories), project_key))
        return {row for row in seen if row % KINDS}.union(row[0] * KINDS for row in ours)


def _parts(text: str) -> list[str]:
    return text.split(",") if text else []


def _array(numbers: "Iterable[int]") -> str:
    """Return whole numbers as the one value that json_each makes rows of."""
    return f"[{','.join(map(str, numbers))}]"


_COUNT = "SELECT count(*) FROM search_index WHERE search_index MATCH :term"
_COUNT_CAPPED = """
SELECT count(*) FROM (SELECT 1 FROM search_index WHERE search_index MATCH :term LIMIT :cap)
"""
_ROWS = "SELECT group_concat(rowid) FROM search_index WHERE search_index MATCH :match"
_BETWEEN = " AND rowid BETWEEN :first AND :last"
_NEWEST = """
SELECT group_concat(rowid) FROM (
    SELECT rowid FROM search_index WHERE search_index MATCH :match{}
    ORDER BY rowid DESC LIMIT :limit
)
"""
_ROWS_AMONG = """
SELECT rowid FROM search_index WHERE search_index MATCH ? AND rowid BETWEEN ? AND ?
    AND +rowid IN (SELECT value FROM json_each(?))
"""
_ROWS_EACH = """
SELECT search_index.rowid FROM json_each(?) AS wanted CROSS JOIN search_index
WHERE search_index MATCH ? AND search_index.rowid = wanted.value
"""
# What was said before a turn counts for less than its own words.
_BEST = """
SELECT rowid, rank FROM search_index
WHERE search_index MATCH :match AND rank MATCH 'bm25(1.0, 0.4)'{} ORDER BY rank LIMIT :limit
"""
_OF_PROJECT = """ AND (
    rowid % 4 <> 0 OR EXISTS (
        SELECT 1 FROM memories WHERE id = search_index.rowid / 4
            AND (project_key = :project_key OR is_global)
    )
)"""
_SCORES_AMONG = """
SELECT rowid, rank FROM search_index
WHERE search_index MATCH ? AND rank MATCH 'bm25(1.0, 0.4)'
    AND +rowid IN (SELECT value FROM json_each(?))
"""
_OURS = """
SELECT id FROM memories
WHERE id IN (SELECT value FROM json_each(?)) AND (project_key = ? OR is_global)
"""
