import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.mcp_servers.budget import fitting, most_tokens, pages, tokens

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=300)


@pytest.mark.parametrize(
    ("said", "most"),
    [
        ("", 10_000),
        ("25000", 10_000),
        ("5000", 3000),
        ("0", 10_000),
        ("many", 10_000),
        ("-3", 10_000),
    ],
)
def test_an_answer_keeps_well_below_what_the_client_takes(said, most):
    assert most_tokens({"MAX_MCP_OUTPUT_TOKENS": said}) == most


@given(TEXT, st.integers(1, 200))
def test_pages_are_the_text_and_each_fits(text, limit):
    parts = pages(text, limit)

    assert "".join(parts) == text
    # A character that is wider than a page is a page all the same.
    assert all(tokens(part) <= limit or len(part) == 1 for part in parts)


@given(TEXT.filter(bool), st.integers(1, 200))
def test_no_more_than_what_fits_is_taken(text, limit):
    count = fitting(text, limit)

    assert 1 <= count <= len(text)
    assert count == 1 or tokens(text[:count]) <= limit


def test_japanese_counts_for_more_than_english():
    assert tokens("設計" * 100) > tokens("ab" * 100)
