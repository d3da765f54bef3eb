"""Filters of sources: what people write is taken, what may take hours is not."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.mcp_servers.refusals import PatternError
from runtime.mcp_servers.source_pattern import MOST_REPEATS, pattern


@pytest.mark.parametrize(
    "source_filter",
    [
        r"(a+)+$",
        r"(\w|\w\w){9,}!",
        "a?" * 30,
        r"(a*)*b",
        "(a|a)*b",
        "(a|ab)*c",
        "(?:a|b|a)+c",
        "(|a)*b",
        "(.|b)*c",
        r"(\d|1)*c",
        "([ab]|a)+c",
        "((a)*)*",
        "(a?){30}b",
        "(a{1,9}){9}b",
        ".*" * (MOST_REPEATS + 1) + "x",
        "(ab)*" * (MOST_REPEATS + 1) + "x",
    ],
)
def test_a_pattern_that_may_take_hours_is_refused(source_filter: str) -> None:
    with pytest.raises(PatternError, match=r"hours|short time"):
        pattern(source_filter)


@pytest.mark.parametrize(
    "source_filter",
    [
        None,
        "^obs",
        r"tool:(?:Web|Edit)",
        r".*\.md$",
        "(?i)A|b",
        "(tool:)?(Write|Edit)$",
        "(foo|bar)+",
        "(?:ab)*c",
        "(ab){2,3}c",
        r"C\+\+ \(v2\)* [*+?]{2}",
        r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}",
        "[]*+?]x",
        "a.*?b",
    ],
)
def test_an_ordinary_pattern_is_one(source_filter: str | None) -> None:
    assert pattern(source_filter).pattern == (source_filter or "")


def test_the_end_of_a_text_is_written_as_the_original_takes_it() -> None:
    r"""Ruby's \A and \z; Python knows \z from 3.14 on only."""
    found = pattern(r"\Aobsidian\z")

    assert found.search("obsidian")
    assert not found.search("obsidian 2")
    assert pattern(r"\\z").search("\\z")


@pytest.mark.parametrize("source_filter", ["(", "[", "a{2,1}", r"\p", "*", "(?P<a"])
def test_what_is_no_expression_is_refused(source_filter: str) -> None:
    with pytest.raises(PatternError, match="no regular expression"):
        pattern(source_filter)


@given(st.text(st.sampled_from("ab.|()*+?{},12[]^$\\dz-"), max_size=14))
def test_what_is_taken_is_compared_at_once(source_filter: str) -> None:
    """A text of two hundred characters that nearly fits; the suite's time-out is the judge."""
    try:
        wanted = pattern(source_filter)
    except PatternError:
        return
    for text in ("a" * 200 + "!", "ab" * 100 + "!", "12" * 100):
        assert wanted.search(text) is None or isinstance(wanted.search(text), re.Match)
