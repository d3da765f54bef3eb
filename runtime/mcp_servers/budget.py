"""
Answers that a client takes whole.

Claude Code refuses a tool's answer of more than 25,000 tokens (MAX_MCP_OUTPUT_TOKENS
says another number) and warns of one of more than 10,000. It counts with a tokenizer
that is not here, so the estimate is a high one.
"""

from collections.abc import Mapping
from typing import Final

from runtime.text import cluster_border

CLIENT_TOKENS: Final = 25_000
MOST_TOKENS: Final = 10_000
SAFE_SHARE: Final = 0.6
"""Of the client's limit: what an estimate may be wrong by."""
ASCII_PER_TOKEN: Final = 3
TOKENS_PER_OTHER: Final = 1.5


def most_tokens(environ: Mapping[str, str]) -> int:
    """Return how long an answer may be, estimated."""
    said = environ.get("MAX_MCP_OUTPUT_TOKENS", "")
    limit = int(said) if said.isascii() and said.isdigit() and int(said) else CLIENT_TOKENS
    return min(MOST_TOKENS, int(limit * SAFE_SHARE))


def tokens(text: str) -> int:
    """Return how many tokens a text has, rather too many than too few."""
    ascii_chars = len(text.encode("ascii", "ignore"))
    return int(ascii_chars / ASCII_PER_TOKEN + (len(text) - ascii_chars) * TOKENS_PER_OTHER) + 1


def fitting(text: str, limit: int) -> int:
    """Return how many characters from the beginning fit; at least one, and no half ones."""
    low, high = 1, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if tokens(text[:middle]) <= limit else (low, middle - 1)
    return max(1, cluster_border(text, low)) if low < len(text) else len(text)


def pages(text: str, limit: int) -> list[str]:
    """Cut a text into pages that fit; joined they are the text."""
    found = []
    at = 0
    while at < len(text):
        # No more can fit than characters of the cheaper kind.
        end = at + fitting(text[at : at + limit * ASCII_PER_TOKEN], limit)
        found.append(text[at:end])
        at = end
    return found or [""]
