"""One exact word, asked of the search and of Python's own `in`."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runtime.query import parse
from runtime.store.search_hits import Question, find
from runtime.store.store import Store, open_store
from tests.store.kept import TODAY, remember

JAPANESE = st.text("認証設定の期限サーバー", min_size=1, max_size=4)
LATIN = st.sampled_from(["redis", "zebra", "JWT", "x1", "3.11", "retry_policy"])
WORDS = st.lists(JAPANESE | LATIN, min_size=1, max_size=5)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncGenerator[Store]:
    async with open_store(str(tmp_path / "memory.db"), 5) as opened:
        yield opened


def _holds(text: str, word: str) -> bool:
    """In Japanese a word is any piece of a text; in Latin it stands by itself."""
    return word in text.split(" ") if word.isascii() else word in text


@settings(
    max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(st.lists(WORDS, min_size=1, max_size=6), JAPANESE | LATIN)
async def test_a_quoted_word_finds_what_holds_it_and_nothing_else(
    store: Store, written: list[list[str]], word: str
) -> None:
    texts = {" ".join(words) for words in written}
    await store.connection.execute("DELETE FROM memories")
    for text in texts:
        await remember(store, text)

    question = Question(parse(f'"{word}"'), 100, TODAY, is_all=True)
    found = [hit.content for hit in await store.reader.run(find, question)]

    assert sorted(found) == sorted(text for text in texts if _holds(text, word))
