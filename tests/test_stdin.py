import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.stdin import is_whole

ANY_TEXT = st.text() | st.text('{}[]"\\,: \n', max_size=12)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
    max_leaves=8,
)


def is_json(data: bytes) -> bool:
    try:
        json.loads(data.decode("utf-8", "surrogatepass"))
    except ValueError:
        return False
    return True


@given(st.dictionaries(ANY_TEXT, VALUES, max_size=3), st.booleans(), st.sampled_from([None, 1]))
def test_an_object_is_whole_at_its_last_byte_and_nowhere_before(value, is_ascii, indent):
    text = json.dumps(value, ensure_ascii=is_ascii, indent=indent)
    data = text.encode("utf-8", "surrogatepass")

    assert is_whole(data)
    assert [end for end in range(len(data)) if is_whole(data[:end])] == []


@given(VALUES, st.integers(0, 200))
def test_it_agrees_with_json_about_any_beginning_of_any_value(value, end):
    data = json.dumps(value).encode()[:end]

    assert is_whole(data) == (data.startswith(b"{") and is_json(data))


@pytest.mark.parametrize(
    ("data", "expected", "why"),
    [
        (b"", False, "nothing yet"),
        (b"  \n", False, "white space"),
        (b'{"a": 1} \r\n', True, "a line end after it"),
        (b'{"a": {}', False, "an inner object is not the whole"),
        (b'{"a": "}', False, "the brace stands inside a string"),
        (b'{"a": "\\"}', False, "the quote is escaped"),
        (b'{"a": "\\\\"}', True, "the backslash is escaped"),
        (b'{"a": [{}', False, "the list is open"),
        (b"[{}]", False, "a list is no event: end of file decides"),
    ],
)
def test_when_an_object_is_whole(data, expected, why):
    assert is_whole(data) is expected, why
    assert is_whole(bytearray(data)) is expected
