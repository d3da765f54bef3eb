"""The rule for titles: `[keyword][keyword] outline`, at most 180 characters."""

import re
from typing import Final

from runtime.permanent.errors import TitleRefusedError
from runtime.text import clean

MAX_CHARS: Final = 180
RULE: Final = re.compile(r"(\[[^\[\]]+\])+\s*\S.*")


def require_title(title: str) -> str:
    """Return the title on one line, without what nobody sees. Raises TitleRefusedError."""
    title = " ".join(clean(title).split())
    if not title:
        raise TitleRefusedError("the title is empty")
    if len(title) > MAX_CHARS:
        raise TitleRefusedError(f"the title has {len(title):,} characters of {MAX_CHARS}")
    return title


def problem_of(title: str) -> str | None:
    """Return what is wrong with a title that exists, None when it keeps to the rule."""
    if len(title) > MAX_CHARS:
        return f"{len(title):,} characters of {MAX_CHARS}"
    return None if RULE.fullmatch(title) else "no [keywords] in front"
