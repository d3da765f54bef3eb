"""
The two kinds of model: what others send us, and what is ours.

The line between them is the whole policy. A newer client may add fields at any
time, so what it sends is kept whole; a field that we do not know in a record
of our own is a mistake.
"""

from pydantic import BaseModel, ConfigDict


class Lenient(BaseModel):
    """Somebody else's record: frozen, unknown fields are kept."""

    model_config = ConfigDict(frozen=True, extra="allow", hide_input_in_errors=True)


class Own(BaseModel):
    """A record of ours: frozen, unknown fields are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)
