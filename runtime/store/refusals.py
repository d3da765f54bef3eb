"""Memories that are not stored, or not there, each with what to do instead."""

from collections.abc import Iterable

from runtime.errors import ExpectedError, UnknownIdError


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


class UnknownMemoryError(UnknownIdError):
    """There are no long-term memories of these ids, deleted ones included."""

    def __init__(self, ids: Iterable[int]) -> None:
        hint = "`runtime longterm list` and `runtime search` show ids as #ID"
        super().__init__("memory", tuple(map(str, ids)), hint)


class NotDeletedError(UnknownIdError):
    """Memories that would be purged are not deleted, or not there."""

    def __init__(self, ids: Iterable[int]) -> None:
        hint = "only what was deleted can be purged; `runtime longterm list --deleted` shows ids"
        super().__init__("deleted memory", tuple(map(str, ids)), hint)
