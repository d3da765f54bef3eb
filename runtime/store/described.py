"""What other programs are told of the store as a whole; its tables tell of themselves in SQL."""

from typing import Final

NAME: Final = "long_term_memory"
"""The name that the source system gives this database."""
DESCRIPTION: Final = (
    "What was said and done with Claude Code, and notes (長期記憶, long-term memory)."
)


def entry(path: str) -> dict[str, str]:
    """Return the store's entry for chiebukuro.json, as chiebukuro-mcp takes it."""
    # Without `semantic_search`: that would promise vectors of a certain model.
    return {"path": path, "description": DESCRIPTION}
