"""Memories that are not stored, each with what to do instead."""

from runtime.errors import ExpectedError


class NothingToStoreError(ExpectedError):
    """Of what was to be stored, nothing is left."""

    def __init__(self, what: str) -> None:
        self.what = what
        super().__init__(
            f"{what} is empty, or holds secrets and private parts alone: nothing was stored; "
            "say it in words that may be kept"
        )


class ContentTooLongError(ExpectedError):
    """A text is too long for one memory."""

    def __init__(self, chars: int, most_chars: int) -> None:
        self.chars, self.most_chars = chars, most_chars
        super().__init__(
            f"the content has {chars:,} characters and one memory takes at most {most_chars:,}: "
            "nothing was stored; store what matters of it, or several memories"
        )
