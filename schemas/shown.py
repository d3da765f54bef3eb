"""What a model was told of."""

from schemas.base import Own
from schemas.kinds import Kind


class ShownRecord(Own):
    """A record that a model is told of: a memory by its id, others by where they lie."""

    kind: Kind
    id: int | None = None
    path: str | None = None
