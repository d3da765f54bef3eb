"""What a model was told of."""

from schemas.base import Own
from schemas.kinds import Kind


class ShownRecord(Own):
    """A record that a model is told of: a memory by its id, a note by its file."""

    kind: Kind
    id: int | None = None
    path: str | None = None
