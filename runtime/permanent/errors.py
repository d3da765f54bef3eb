"""
What can go wrong with permanent memories, told apart.

"Nothing was found" is never among it, and none of these is ever an empty list.
"""

from runtime.errors import ExpectedError
from runtime.store.clock import local_time
from schemas.permanent import Difference

WAIT_AND_SEE = "nothing was changed; try again later"


class BackendError(ExpectedError):
    """A backend cannot tell or do what it was asked."""


class NotSetUpError(BackendError):
    """A setting or an extra is missing."""


class UnauthorizedError(BackendError):
    """The token is not accepted."""

    def __init__(self, place: str, origin: str) -> None:
        super().__init__(
            f"{place} does not accept the token from {origin} (401); make a new one with the "
            "scopes read and write, and put it there"
        )


class ForbiddenError(BackendError):
    """The token is accepted, and this is not allowed to it."""

    def __init__(self, place: str, detail: str) -> None:
        super().__init__(
            f"{place} does not allow this to your token (403{detail}); it needs the scopes read "
            "and write, and you must be a member of the team"
        )


class NoPostError(BackendError):
    """There is no such post."""

    def __init__(self, place: str, number: int) -> None:
        self.number = number
        super().__init__(f"no memory {number} in {place}: `runtime permanent search` shows numbers")


class NotFoundError(BackendError):
    """The whole place is not there."""

    def __init__(self, place: str) -> None:
        super().__init__(f"{place} was not found (404); check permanent.team and permanent.url")


class TooManyRequestsError(BackendError):
    """The rate limit is reached, or so near that the rest is left to the person."""

    def __init__(self, place: str, retry_s: float, at: str, *, is_reserve: bool = False) -> None:
        self.retry_s = retry_s
        self.is_reserve = is_reserve
        why = "has few requests left, which are kept for you" if is_reserve else "asks to wait"
        super().__init__(f"{place} {why} (429): try again in {retry_s:.0f} s, at {at}")


class ServerError(BackendError):
    """The other side has a fault."""

    def __init__(self, place: str, status: int, detail: str) -> None:
        self.status = status
        super().__init__(f"{place} has a fault of its own ({status}{detail}); {WAIT_AND_SEE}")


class RefusedError(BackendError):
    """The request is refused for a reason that repeating does not change."""

    def __init__(self, place: str, status: int, detail: str) -> None:
        self.status = status
        super().__init__(f"{place} refused this ({status}{detail})")


class NoAnswerError(BackendError):
    """The other side cannot be reached, or does not answer in time."""

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(f"{place} cannot be reached: {problem}; are you online?")


class NotEsaError(BackendError):
    """Something answers that is not the API."""

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(
            f"{place} answered with {problem} where its API was expected; check permanent.url, "
            "or whether a login page or a proxy stands between"
        )


class AnswerLostError(BackendError):
    """A write was sent, and whether it was done is not known."""

    def __init__(self, place: str, problem: str) -> None:
        self.problem = problem
        super().__init__(f"{place} did not say whether it saved this: {problem}")


class NotSavedError(BackendError):
    """A write whose answer was lost, and which was looked for and not found."""

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(f"{place} has not saved this: {problem}; do the same again")


class MovedOnError(BackendError):
    """Somebody saved the memory between look and write; nothing was saved."""

    def __init__(self, place: str, number: int | None) -> None:
        self.number = number
        which = "the memory" if number is None else f"memory {number}"
        super().__init__(
            f"{place}: {which} has just been saved by somebody else; nothing was changed: do the "
            "same again"
        )


class PlaceChangedError(BackendError):
    """The settings name another place than when a refresh began."""

    def __init__(self, place: str) -> None:
        super().__init__(
            f"{place} is not where permanent memories are looked for any more: its refresh has "
            "ended; the next one reads the place of the settings"
        )


class CannotReadError(BackendError):
    """The folder of permanent memories cannot be read."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(
            f"{place} cannot be read: {reason}; mend its rights, or name another in permanent.dir"
        )


class CannotWriteError(BackendError):
    """The folder of permanent memories takes no file."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(
            f"{place} cannot be written: {reason}; nothing was saved: make room there or mend its "
            "rights, and do the same again"
        )


class ConflictError(BackendError):
    """The post has moved on since the caller read it; nothing was saved."""

    def __init__(self, difference: Difference) -> None:
        self.difference = difference
        found = difference
        super().__init__(
            f"conflict: you have revision {found.your_revision} of memory {found.number}, it is "
            f"at {found.revision}, saved by {found.theirs_by} at {local_time(found.theirs_at)}; "
            f"nothing was changed. {_next(found)}"
        )


def _next(found: Difference) -> str:
    if found.merged is not None:
        return "Both changed the same lines: put the merged text in order, and save that"
    return "Read it again and put your change into that text, or update with merge"


class OverlapError(BackendError):
    """Somebody saved at the very same moment: the post now holds both texts."""

    def __init__(self, number: int, revision: int, body_md: str) -> None:
        self.number, self.revision, self.body_md = number, revision, body_md
        super().__init__(
            f"conflict: memory {number} was saved by somebody else at the same moment; both texts "
            f"stand side by side in revision {revision}. Read it, and put it in order"
        )


class UnknownRevisionError(BackendError):
    """The revision that the caller claims to have read does not exist."""

    def __init__(self, number: int, claimed: int, current: int) -> None:
        super().__init__(
            f"memory {number} has no revision {claimed}, it is at {current}; nothing was changed: "
            "read it, and give the revision that you have read"
        )


class NotPermanentError(BackendError):
    """The post is not a permanent memory."""

    def __init__(self, number: int, tag: str) -> None:
        super().__init__(
            f"#{number} does not have the tag {tag}, so it is no permanent memory; "
            "nothing was changed"
        )


class EmptyTextError(BackendError):
    """A memory that says nothing."""

    def __init__(self) -> None:
        super().__init__(
            "the text is empty; nothing was saved: say in full sentences what is to be kept"
        )


class TitleRefusedError(BackendError):
    """A title that breaks the rule."""

    def __init__(self, problem: str) -> None:
        super().__init__(
            f"{problem}; a title is [keyword][keyword] and an outline, such as "
            "[auth][token] how sessions expire; nothing was saved"
        )
