"""A real FTS5 table over the tokens, as small as it can be."""

import sqlite3
from collections.abc import Generator, Iterable
from contextlib import closing, contextmanager

from runtime.tokens.index import index_tokens
from runtime.tokens.query import phrase_terms, query_terms


class TokenTable:
    """Texts by row id, found by any term of a query or by all terms of a name."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        connection.execute(
            "CREATE VIRTUAL TABLE found USING fts5(t, content='', tokenize='porter ascii')"
        )
        self.texts: dict[int, str] = {}

    def add(self, *texts: str) -> None:
        for text in texts:
            rowid = len(self.texts) + 1
            self.texts[rowid] = text
            self.connection.execute(
                "INSERT INTO found(rowid, t) VALUES (?, ?)", (rowid, index_tokens(text))
            )

    def delete(self, rowid: int) -> None:
        self.connection.execute(
            "INSERT INTO found(found, rowid, t) VALUES ('delete', ?, ?)",
            (rowid, index_tokens(self.texts.pop(rowid))),
        )

    def check(self) -> None:
        self.connection.execute("INSERT INTO found(found) VALUES ('integrity-check')")

    def postings(self) -> int:
        """Count what is left in the index, row by row and token by token."""
        self.connection.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS vocabulary USING fts5vocab(found, instance)"
        )
        row = self.connection.execute("SELECT count(*) FROM vocabulary").fetchone()
        return int(row[0])

    def match(self, expression: str) -> list[int]:
        rows = self.connection.execute(
            "SELECT rowid FROM found WHERE found MATCH ? ORDER BY bm25(found)", (expression,)
        )
        return [row[0] for row in rows]

    def search(self, query: str) -> list[int]:
        """Row ids where any term of the query matches, best first."""
        terms = query_terms(query).terms
        return self.match(" OR ".join(terms)) if terms else []

    def naming(self, name: str) -> list[int]:
        """Row ids where the name occurs."""
        return self.all_of(phrase_terms(name))

    def all_of(self, terms: Iterable[str]) -> list[int]:
        expression = " AND ".join(terms)
        return self.match(expression) if expression else []


@contextmanager
def open_table() -> Generator[TokenTable]:
    """Open a table in memory; property tests need one for every example."""
    with closing(sqlite3.connect(":memory:")) as connection:
        yield TokenTable(connection)
