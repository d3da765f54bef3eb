import pytest
from pydantic import ValidationError

from schemas.answers import HookAnswer, HookSpecificOutput
from schemas.outputs import HookOutput, Section


def test_the_answer_has_the_client_s_names():
    specific = HookSpecificOutput(hook_event_name="SessionStart", additional_context="x")

    assert HookAnswer(hook_specific_output=specific).document() == {
        "hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "x"}
    }


@pytest.mark.parametrize("key", ["decision", "continue", "stopReason", "suppressOutput"])
def test_an_answer_can_never_decide_anything(key):
    document = {
        "hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "x"},
        key: True,
    }

    with pytest.raises(ValidationError):
        HookAnswer.model_validate(document)


@pytest.mark.parametrize("name", ["Stop", "PostToolUse", "Later"])
def test_only_events_that_take_context_are_answered(name):
    with pytest.raises(ValidationError):
        HookSpecificOutput.model_validate({"hookEventName": name, "additionalContext": "x"})


def test_an_output_says_nothing_unless_told():
    assert HookOutput().model_dump(exclude_defaults=True) == {}


def test_a_field_that_is_none_of_ours_is_a_mistake():
    with pytest.raises(ValidationError):
        Section.model_validate({"titel": "x"})
