"""
What an encoder is: texts become vectors whose directions are alike where meanings are.

Standard library only: `runtime search` loads this where it has nothing else to do.
"""

from array import array
from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

Vector = Sequence[float]
"""As many numbers as the encoder has dimensions; of any length, only the direction counts."""
TEXT_CHARS: Final = 1000
"""How much of a text is encoded: models read some 500 tokens and leave out the rest."""
MOST: Final = 127
"""The largest number in a stored vector."""


class Identity(NamedTuple):
    """Which vectors may be compared: those of one encoder in one version."""

    name: str
    version: str
    dimensions: int


class Encoder(Protocol):
    """Turns texts into vectors, in the thread that calls; one call at a time."""

    @property
    def identity(self) -> Identity:
        """What its vectors are kept under."""

    def documents(self, texts: Sequence[str]) -> list[Vector]:
        """Return a vector for each of some texts that may be found."""

    def query(self, text: str) -> Vector:
        """Return the vector of what is looked for."""

    def close(self) -> None:
        """Give its memory back; it cannot be used any more."""


def packed(vector: Vector) -> bytes:
    """
    Return a vector as it is stored: a signed byte for each dimension.

    The largest number becomes 127, so vectors of any length keep what they can of
    their direction; one of zeros stays zeros.
    """
    largest = max(map(abs, vector), default=0.0)
    if not largest > 0:
        return bytes(len(vector))
    return array("b", [round(number / largest * MOST) for number in vector]).tobytes()
