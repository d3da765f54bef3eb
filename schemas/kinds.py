"""The kinds of memory."""

from typing import Literal

Kind = Literal["note", "long-term"]
"""The kind of memory that a record is of (permanent memories have their own service)."""
