"""
The two kinds of model: what others send us, and what is ours.

The line between them is the whole policy. A newer client may add fields at any
time, so what it sends is kept whole; a field that we do not know in a record
of our own is a mistake. Either is built when it is first used: a hook process
uses a few of them, and building one takes longer than most of its work.
"""

from pydantic import BaseModel, ConfigDict


class Lenient(BaseModel):
    """Somebody else's record: frozen, unknown fields are kept."""

    model_config = ConfigDict(
        frozen=True, extra="allow", hide_input_in_errors=True, defer_build=True
    )


class Own(BaseModel):
    """A record of ours: frozen, unknown fields are refused."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", hide_input_in_errors=True, defer_build=True
    )


def build_all() -> None:
    """
    Build every model that is loaded: for a process that has threads, and time for it.

    Until pydantic 2.14 two threads that use a model for the first time at once could
    meet it half built.
    """
    models: list[type[BaseModel]] = [Lenient, Own]
    while models:
        model = models.pop()
        model.model_rebuild()
        models += model.__subclasses__()
