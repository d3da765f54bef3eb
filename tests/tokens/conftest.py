"""A fresh token table for each test."""

from collections.abc import Iterator

import pytest

from tests.tokens.token_table import TokenTable, open_table


@pytest.fixture
def table() -> Iterator[TokenTable]:
    with open_table() as opened:
        yield opened
