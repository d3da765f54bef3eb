"""The place that a match was found in, as a person is shown it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.longterm.match_place import LEFT, RIGHT, place_of
from runtime.store.search_filter import folded


@pytest.mark.parametrize(
    ("text", "match", "place"),
    [
        ("the party is at nine", "party", "the »party« is at nine"),
        ("xxhunter2yy", "hunter2", "xx»hunter2«yy"),
        ("a\nSurprise\t party\nb", "surprise party", "a »Surprise party« b"),
        ("ＡＢＣ 期限です", "abc", "»ＡＢＣ« 期限です"),
        ("x" * 100 + "key" + "y" * 100, "key", "…" + "x" * 30 + "»key«" + "y" * 40 + "…"),
        ("a" * 99, "a" * 90, f"»{'a' * 79}…«" + "a" * 9),
        ("nothing here", "party", ""),
        ("nothing here", " ", ""),
        ("evil\x1b[31mword", "word", "evil»word«"),
    ],
)
def test_the_first_place_stands_between_marks(text: str, match: str, place: str) -> None:
    assert place_of(text, match) == place


@given(before=st.text(), match=st.text(min_size=1), after=st.text())
def test_what_is_marked_is_what_was_looked_for(before: str, match: str, after: str) -> None:
    """Folding may join characters over the edge of a piece, so whole texts are compared."""
    text = f"{before}{match}{after}"
    place = place_of(text, match)

    assert bool(place) == bool(folded(match) and folded(match) in folded(text))
    if place:
        assert LEFT in place
        assert RIGHT in place
