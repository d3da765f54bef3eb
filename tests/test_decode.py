import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.decode import MAX_DEPTH, Decoded, UnreadableError, clean_text, decode, validate
from schemas.events import OtherEvent
from schemas.skill_events import PreToolUse
from schemas.tool_events import PostToolUse
from schemas.turn_events import Stop

BASE = {"session_id": "s", "transcript_path": "/t", "cwd": "/c"}

ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(st.binary() | ANY.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_decode_to_storable_text_or_are_unreadable(data):
    try:
        payload = decode(data).payload
    except UnreadableError:
        return
    text = json.dumps(payload, ensure_ascii=False, allow_nan=False)
    text.encode()
    assert "\\u0000" not in text


@given(
    st.sampled_from(["Stop", "PreToolUse", "PostToolUse", "SessionStart", "Later", "other"]),
    st.dictionaries(
        st.text() | st.sampled_from(["tool_name", "agent_id", "duration_ms", "source", "trigger"]),
        ANY,
    ),
)
def test_any_fields_beside_the_name_leave_a_valid_event(name, fields):
    payload = decode(json.dumps({**fields, "hook_event_name": name}).encode())

    event, _notes = validate(payload)

    assert event.hook_event_name == name


@pytest.mark.parametrize(
    ("data", "kind", "why"),
    [
        (b"", "empty input", "nothing"),
        (b" \n\0", "empty input", "as good as nothing"),
        (b"\xef\xbb\xbf", "empty input", "a byte order mark alone"),
        (b'{"a": ', "not JSON", "cut"),
        (b"[1, 2]", "not an object", "a list"),
        (b"null", "not an object", "null"),
        (b'"text"', "not an object", "a string"),
        (b'{"a":' * 300 + b"1" + b"}" * 300, "nested too deep", "beyond every real payload"),
        (b"[" * 100_000, "nested too deep", "deeper than the parser goes"),
    ],
)
def test_what_holds_no_event(data, kind, why):
    with pytest.raises(UnreadableError) as caught:
        decode(data)

    assert caught.value.kind == kind, why


@pytest.mark.parametrize(
    ("data", "expected", "why"),
    [
        (b'\xef\xbb\xbf{"a": 1}', {"a": 1}, "UTF-8 byte order mark"),
        ('{"a": "あ"}'.encode("utf-16"), {"a": "あ"}, "UTF-16 with its mark"),
        (b'{"a": "\xff"}', {"a": "\ufffd"}, "bytes that are no UTF-8"),
        (b'{"a": "\\ud83d"}', {"a": "\ufffd"}, "half a surrogate pair"),
        (b'{"a": "\\ud83d\\ude00"}', {"a": "\U0001f600"}, "a whole pair"),
        (b'{"\\ud83d": {"\\u0000": ["\\u0000"]}}', {"\ufffd": {"\ufffd": ["\ufffd"]}}, "keys too"),
        (b'{"a": "x\ny"}', {"a": "x\ny"}, "a raw line end in a string"),
        (b'{"a": 1, "a": 2}', {"a": 2}, "a key twice"),
        (b'{"a": 12345678901234567890}', {"a": "12345678901234567890"}, "no 64-bit integer"),
        (b'{"a": 1e999, "b": NaN}', {"a": "1e999", "b": None}, "no finite number"),
    ],
)
def test_what_is_mended(data, expected, why):
    assert decode(data).payload == expected, why


def test_what_stands_after_the_first_object_is_noted():
    decoded = decode(b'{"a": 1} {"b": 2}')

    assert decoded.payload == {"a": 1}
    assert len(decoded.notes) == 1


def test_the_deepest_payload_that_is_read_also_validates():
    levels = MAX_DEPTH - 1
    data = b'{"hook_event_name": "PostToolUse", "tool_response": ' + b"[" * levels
    event, _notes = validate(decode(data[:-1] + b"]" * (levels - 1) + b"}"))

    assert isinstance(event, PostToolUse)


def test_absent_base_fields_become_empty():
    event, notes = validate(Decoded({"hook_event_name": "Stop"}, ()))

    assert (event.session_id, event.transcript_path, event.cwd) == ("", "", "")
    assert len(notes) == 3


def test_a_base_field_of_another_type_is_kept_as_text():
    event, _notes = validate(Decoded({**BASE, "session_id": 7, "hook_event_name": "Stop"}, ()))

    assert event.session_id == "7"


def test_an_optional_field_of_an_unknown_type_costs_only_itself():
    payload = {**BASE, "hook_event_name": "PreToolUse", "tool_name": "Skill", "agent_id": {"a": 1}}

    event, notes = validate(Decoded(payload, ()))

    assert isinstance(event, PreToolUse)
    assert (event.tool_name, event.agent_id) == ("Skill", None)
    assert notes == ("dropped agent_id",)


@pytest.mark.parametrize("name", [None, 5, ["Stop"]])
def test_without_a_name_it_is_no_event(name):
    with pytest.raises(UnreadableError) as caught:
        validate(Decoded({**BASE, "hook_event_name": name}, ()))

    assert caught.value.kind == "unknown event"


def test_an_event_of_tomorrow_is_an_event():
    event, _notes = validate(Decoded({**BASE, "hook_event_name": "Tomorrow", "x": 1}, ()))

    assert isinstance(event, OtherEvent)
    assert event.model_extra == {"x": 1}


@pytest.mark.parametrize("value", [True, "true", 1, None, {}])
def test_the_stop_flag_may_have_any_type(value):
    payload = {**BASE, "hook_event_name": "Stop", "stop_hook_active": value}

    event, notes = validate(Decoded(payload, ()))

    assert isinstance(event, Stop)
    assert event.stop_hook_active == value
    assert notes == ()


@given(st.text(st.characters()))
def test_clean_text_can_be_written_and_is_clean_once_and_for_all(text):
    cleaned = clean_text(text)

    cleaned.encode()
    assert "\0" not in cleaned
    assert clean_text(cleaned) == cleaned
