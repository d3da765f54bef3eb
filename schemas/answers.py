"""The document that Claude Code reads."""

from pydantic import ConfigDict, JsonValue
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

    hook_specific_output: HookSpecificOutput | None = None
    """What the model is told."""
    system_message: str | None = None
    """What the person is told; the model never sees it."""

    @property
    def context(self) -> str:
        """What the model is told, "" for nothing."""
        specific = self.hook_specific_output
        return specific.additional_context if specific is not None else ""

    def document(self) -> dict[str, JsonValue]:
        """Return the document as it is printed: what there is to say, and no more."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)
