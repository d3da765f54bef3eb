"""Operations of a batch, from JSON."""

import json
from collections.abc import Iterator
from typing import Any, Final

from pydantic import ValidationError

from runtime.notes.refusals import BadOperationError, MarkedOperationsError
from schemas.notes import OPERATION, Operation

MISFITS: Final = {
    "missing": "{} has to be given",
    "extra_forbidden": "{} does not belong there",
}
"""What is said of a field, by pydantic's name of the error; its own words stay inside."""
NO_TEXT: Final = "{} is no text"
"""The fields of all operations are texts, so whatever else does not fit is none."""


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
        if any(_is_marked(line) for line in text.split("\n")):
            raise MarkedOperationsError
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


def _is_marked(line: str) -> bool:
    """Tell whether a line is an operation behind `# `, as a plan begins."""
    try:
        value = json.loads(line.removeprefix("#"))
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and "op" in value


def _decoded(number: int, line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadOperationError(f"line {number} is not JSON") from error


def _operation(number: int, value: Any, default_file: str | None) -> Operation:
    if not isinstance(value, dict):
        raise _numbered(number, "it is no object")
    if default_file is not None:
        value = {"file": default_file, **value}
    try:
        return OPERATION.validate_python(value)
    except ValidationError as error:
        raise _numbered(number, ", ".join(_misfits(error))) from error


def _misfits(error: ValidationError) -> Iterator[str]:
    for misfit in error.errors(include_url=False, include_input=False):
        names = [str(part) for part in misfit["loc"][1:]]
        if names:
            yield MISFITS.get(misfit["type"], NO_TEXT).format(".".join(names))
        else:  # The kind itself does not fit; it is not quoted.
            yield "op is none of append, replace, delete and move"


def _numbered(number: int, problem: str) -> BadOperationError:
    error = BadOperationError(problem)
    error.operation = number
    return error
