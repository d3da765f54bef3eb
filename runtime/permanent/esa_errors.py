"""What an answer of esa that is no success means."""

from collections.abc import Callable
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Final, NamedTuple

import httpx2
from pydantic import ValidationError

from runtime.permanent.errors import (
    BackendError,
    ForbiddenError,
    MovedOnError,
    NoPostError,
    NotEsaError,
    NotFoundError,
    RefusedError,
    ServerError,
    TooManyRequestsError,
    UnauthorizedError,
)
from runtime.redact import redact
from runtime.text import clean, one_line
from schemas.esa import EsaProblem

DETAIL_CHARS: Final = 200
NO_HEADER_S: Final = 60.0
"""The wait that esa's own documentation names."""
MAX_DIGITS: Final = 6


class Asked(NamedTuple):
    """Whom was asked, with whose token, about which post."""

    place: str
    origin: str
    number: int | None


def error_of(answer: httpx2.Response, asked: Asked) -> BackendError:
    """Return the error that an answer stands for."""
    if answer.is_redirect:
        return NotEsaError(asked.place, f"a redirect ({answer.status_code})")
    if answer.is_server_error:
        return ServerError(asked.place, answer.status_code, _detail(answer))
    make = _ERRORS.get(answer.status_code, _refused)
    return make(answer, asked)


def wait_until(wait_s: float) -> str:
    """Return the time of day at which a wait is over."""
    return (datetime.now().astimezone() + timedelta(seconds=wait_s)).strftime("%H:%M:%S")


def problem_of(error: httpx2.RequestError) -> str:
    """Return why a request has no answer."""
    if isinstance(error, httpx2.TimeoutException):
        return "no answer in time"
    return one_line(redact(clean(str(error))), DETAIL_CHARS) or type(error).__name__


def _unauthorized(_answer: httpx2.Response, asked: Asked) -> BackendError:
    return UnauthorizedError(asked.place, asked.origin)


def _forbidden(answer: httpx2.Response, asked: Asked) -> BackendError:
    return ForbiddenError(asked.place, _detail(answer))


def _not_found(_answer: httpx2.Response, asked: Asked) -> BackendError:
    if asked.number is None:
        return NotFoundError(asked.place)
    return NoPostError(asked.place, asked.number)


def _moved_on(_answer: httpx2.Response, asked: Asked) -> BackendError:
    return MovedOnError(asked.place, asked.number)


def _too_many(answer: httpx2.Response, asked: Asked) -> BackendError:
    text = answer.headers.get("retry-after", "").strip()
    wait_s = float(text) if text.isdecimal() and len(text) <= MAX_DIGITS else NO_HEADER_S
    return TooManyRequestsError(asked.place, wait_s, wait_until(wait_s))


def _refused(answer: httpx2.Response, asked: Asked) -> BackendError:
    return RefusedError(asked.place, answer.status_code, _detail(answer))


_ERRORS: Final[dict[int, Callable[[httpx2.Response, Asked], BackendError]]] = {
    HTTPStatus.UNAUTHORIZED: _unauthorized,
    HTTPStatus.FORBIDDEN: _forbidden,
    HTTPStatus.NOT_FOUND: _not_found,
    HTTPStatus.CONFLICT: _moved_on,
    HTTPStatus.TOO_MANY_REQUESTS: _too_many,
}


def _detail(answer: httpx2.Response) -> str:
    try:
        problem = EsaProblem.model_validate_json(answer.content)
    except ValidationError:
        return ""
    message = one_line(redact(clean(problem.message)), DETAIL_CHARS)
    return f": {message}" if message else ""
