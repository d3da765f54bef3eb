"""The merge of two states of one memory: a join, so that any order ends the same."""

import json
from functools import reduce
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.longterm.lines import Clock, Taken, read_line
from runtime.longterm.merge import Life, Marks, State, Text, merge, settled

CLOCK = Clock("2026-06-11T00:00:00.000Z", "2026-06-12T00:00:00.000Z")
KEYS = st.sampled_from(["turn:1", "content:1"])


def moment(number: int) -> str:
    return f"2026-06-01T00:00:{number:02d}.000Z"


MOMENTS = st.integers(0, 5).map(moment)


@st.composite
def alive(draw: st.DrawFn) -> State:
    lived = draw(MOMENTS)
    text = Text(
        max(lived, draw(MOMENTS)),
        draw(st.sampled_from(["a", "bb", "ccc"])),
        draw(st.sampled_from(["1", "2"])),
        "session",
        host=draw(st.sampled_from([None, "m", "n"])),
    )
    return State(draw(MOMENTS), Life(lived, is_over=False), text, draw(MARKS))


@st.composite
def gone(draw: st.DrawFn) -> State:
    deleted = draw(MOMENTS)
    purged = draw(st.sampled_from(["", deleted]))
    return State(draw(MOMENTS), Life(deleted, is_over=True), None, draw(MARKS), purged)


MARKS = st.builds(Marks, st.just("") | MOMENTS, st.booleans(), st.booleans())
STATES = alive() | gone()


@given(st.lists(STATES, min_size=1, max_size=5), KEYS, st.randoms())
def test_any_order_and_any_repetition_ends_the_same(states, key, random):
    settled_states = [settled(state, key) for state in states]
    shuffled = settled_states + random.choices(settled_states, k=3)
    random.shuffle(shuffled)

    def all_of(some):
        return reduce(lambda one, other: merge(one, other, key), some)

    assert all_of(shuffled) == all_of(settled_states)


@given(STATES, STATES, STATES, KEYS)
def test_it_does_not_matter_who_met_whom_first(one, other, third, key):
    one, other, third = (settled(state, key) for state in (one, other, third))

    left = merge(merge(one, other, key), third, key)

    assert left == merge(one, merge(other, third, key), key)


def living(at: int, content: str = "a", *, updated: int | None = None) -> State:
    text = Text(moment(at if updated is None else updated), content, content, "session")
    return State(moment(at), Life(moment(at), is_over=False), text)


def dead(at: int, *, is_purged: bool = False) -> State:
    purged = moment(at) if is_purged else ""
    return State(moment(0), Life(moment(at), is_over=True), None, purged_at=purged)


@pytest.mark.parametrize(
    ("key", "states", "content", "why"),
    [
        ("content:1", [living(1), dead(2)], None, "a deletion holds against what came before"),
        ("content:1", [living(1), dead(2), living(3)], "a", "a later re-creation wins"),
        ("content:1", [living(2), dead(2)], None, "of one moment the deletion counts"),
        ("turn:1", [living(1, "abc"), living(2, "a")], "abc", "a turn only grows"),
        ("turn:1", [living(1), dead(2), living(1, "abc", updated=4)], None,
         "growing is no coming back"),
        ("turn:1", [living(1), dead(2), living(3, "b")], "b", "a turn can be restored"),
        ("turn:1", [dead(2, is_purged=True), living(3, "abc")], None, "but not a purged one"),
        ("content:1", [dead(2, is_purged=True), living(3)], "a", "who stores it again means it"),
        ("content:1", [living(1), living(2, "b")], "b", "the last writer wins"),
    ],
)  # fmt: skip
def test_the_rules(key, states, content, why):
    for order in permutations(states):
        merged = reduce(lambda one, other: merge(one, other, key), order)

        shown = None if merged.life.is_over or merged.text is None else merged.text.content
        assert shown == content, why


def test_a_purged_text_is_nowhere_in_the_state():
    merged = merge(living(1, "secret"), dead(2, is_purged=True), "content:1")

    assert merged.text is None


def test_a_deleted_memory_keeps_its_text_to_be_restored():
    merged = merge(living(1), dead(2), "content:1")

    assert merged.text is not None
    assert merged.life.is_over


PUT = {"content": "a", "source": "s", "created_at": "2020-01-01T00:00:00Z"}
OWN = {**PUT, "v": 1, "op": "put", "uid": "k"}
GONE = {**OWN, "content": None, "op": "delete", "lived_at": "2021-01-01T00:00:00Z"}
NEVER = "2099-01-01T00:00:00+09:00"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ({**PUT, "created_at": NEVER}, ("2026-06-11T00:00:00.000Z", "1970-01-01T00:00:00.000Z")),
        ({**PUT, "created_at": "2026-06-11T23:00:00Z"}, ("2026-06-11T23:00:00.000Z",) * 2),
        ({**OWN, "updated_at": NEVER}, ("2020-01-01T00:00:00.000Z",) * 2),
        ({**GONE, "deleted_at": NEVER}, ("2020-01-01T00:00:00.000Z", "2021-01-01T00:00:00.000Z")),
    ],
)
def test_a_moment_that_has_not_come_does_not_count(line, expected):
    read = read_line(1, json.dumps(line).encode(), CLOCK)

    assert isinstance(read, Taken)
    assert (read.state.created_at, read.state.life.at) == expected
    assert read.is_ahead == (NEVER in line.values())
