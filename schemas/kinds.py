"""The kinds of memory."""

from typing import Literal

Kind = Literal["note", "long-term", "permanent"]
"""The kind of memory that a record is of."""
