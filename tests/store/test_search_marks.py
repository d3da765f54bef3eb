import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.store.search_marks import Marks

NAMES = st.lists(st.text("abcdefgh", min_size=1, max_size=2), max_size=40)


@given(names=NAMES, data=st.data())
def test_a_set_of_expressions_weighs_what_each_of_them_does(
    names: list[str], data: st.DataObject
) -> None:
    marks = Marks(names)
    weights = {name: data.draw(st.floats(0, 20)) for name in set(names)}
    some = data.draw(st.sets(st.sampled_from(names))) if names else set()

    weigh = marks.weights(weights)

    assert weigh[marks.of(*some)] == pytest.approx(sum(weights[name] for name in some))
    assert weigh[marks.of(*some, "unknown")] == weigh[marks.of(*some)]


def test_what_is_not_weighed_counts_for_nothing() -> None:
    marks = Marks(["a", "b"])

    assert marks.weights({"a": 2.0})[marks.of("a", "b")] == 2.0
    assert marks.of("a") & marks.of("b") == 0
