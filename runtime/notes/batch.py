"""Operations of a batch, from JSON."""

import json
from typing import Any

from pydantic import ValidationError

from runtime.notes.refusals import BadOperationError
from schemas.notes import OPERATION, Operation


def parse(data: bytes, default_file: str | None) -> tuple[Operation, ...]:
    """
    Give the operations of an array, or of one object a line; at least one.

    Lines that begin with `#` are comments.
    One that names no file is about *default_file*. Raises BadOperationError.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        problem = f"the byte at offset {error.start} is not UTF-8"
        raise BadOperationError(problem) from error
    values = _values(text)
    if not values:
        raise BadOperationError("there is no operation")
    return tuple(
        _operation(number, value, default_file) for number, value in enumerate(values, start=1)
    )


def _values(text: str) -> list[Any]:
    try:
        whole = json.loads(text)
    except RecursionError as error:
        raise BadOperationError("it is nested too deep") from error
    except ValueError:
        # Not splitlines: JSON strings may hold U+2028 and the like as they are.
        lines = enumerate(text.split("\n"), start=1)
        return [_decoded(number, line) for number, line in lines if not _is_skipped(line)]
    return whole if isinstance(whole, list) else [whole]


def _is_skipped(line: str) -> bool:
    """Tell whether a line is blank or a comment, as in a plan of `runtime notes tidy`."""
    return not line.strip() or line.startswith("#")


def _decoded(number: int, line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadOperationError(f"line {number} is not JSON") from error


def _operation(number: int, value: Any, default_file: str | None) -> Operation:
    if not isinstance(value, dict):
        raise _numbered(number, f"operation {number} is no object")
    if default_file is not None:
        value = {"file": default_file, **value}
    try:
        return OPERATION.validate_python(value)
    except ValidationError as error:
        raise _numbered(number, f"operation {number}: {_misfit(error)}") from error


def _misfit(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    names = ".".join(str(part) for part in first["loc"][1:])
    # Without a name it is the kind that does not fit, whose message would quote it.
    return f"{names}: {first['msg']}" if names else "op is none of the four"


def _numbered(number: int, problem: str) -> BadOperationError:
    error = BadOperationError(problem)
    error.operation = number
    return error
