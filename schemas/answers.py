"""The document that Claude Code reads."""

from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from schemas.base import Own
from schemas.outputs import InjectingEvent


class HookSpecificOutput(Own):
    """The part of the answer that is meant for one event."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    hook_event_name: InjectingEvent
    additional_context: str


class HookAnswer(Own):
    """The one JSON document on stdout. It never holds a decision."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    hook_specific_output: HookSpecificOutput
