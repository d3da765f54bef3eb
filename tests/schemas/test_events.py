import pytest
from pydantic import ValidationError

from schemas.events import BASE_FIELDS, MODULES, HookEvent, OtherEvent, validated

BASE = {"session_id": "s", "transcript_path": "/t", "cwd": "/c"}


@pytest.mark.parametrize("name", sorted(MODULES))
def test_an_event_becomes_the_model_of_its_name(name):
    event = validated({**BASE, "hook_event_name": name})

    assert type(event).__name__ == name
    assert set(BASE_FIELDS) <= set(type(event).model_fields)


@pytest.mark.parametrize("name", ["Notification", "other", "", "stop", "HookEvent"])
def test_every_other_name_is_another_event(name):
    assert type(validated({**BASE, "hook_event_name": name})) is OtherEvent


@pytest.mark.parametrize("key", ["model_dump", "__class__", "model_fields", "copy", "new_field"])
def test_a_newer_client_s_fields_are_kept_and_shadow_nothing(key):
    payload = {**BASE, "hook_event_name": "Stop", key: {"a": [1]}}

    event = validated(payload)

    assert event.model_dump(exclude_unset=True) == payload
    assert isinstance(event, HookEvent)


def test_an_event_cannot_be_changed():
    event = validated({**BASE, "hook_event_name": "Stop"})

    with pytest.raises(ValidationError):
        event.session_id = "other"


def test_an_error_does_not_show_the_input():
    with pytest.raises(ValidationError) as caught:
        validated({**BASE, "hook_event_name": "Stop", "agent_id": ["secret"]})

    assert "secret" not in str(caught.value)
