"""Arguments that a tool does not take: told to the model as what is wrong and what is allowed."""

from collections.abc import Mapping
from typing import Any, Final

from pydantic import ValidationError

SHOWN: Final = 5
KINDS: Final = {
    "string_type": "has to be a text",
    "int_type": "has to be a whole number",
    "int_parsing": "has to be a whole number",
    "int_parsing_size": "has to be a whole number of less digits",
    "int_from_float": "has to be a whole number",
    "list_type": "has to be a list of texts",
    "bool_type": "has to be true or false",
    "bool_parsing": "has to be true or false",
    "literal_error": "has to be one of {expected}",
    "greater_than_equal": "has to be at least {ge:,}",
    "less_than_equal": "may be at most {le:,}",
    "missing": "is missing",
}


def refusal(tool: str, error: ValidationError) -> str:
    """
    Return what to tell the model that called a tool with other arguments than it takes.

    Of what was given only the kind is repeated, of numbers the value: a text may hold a secret.
    """
    found = error.errors(include_url=False)
    problems = "; ".join(_problem(each) for each in found[:SHOWN])
    more = f"; and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    return (
        f"{tool} was not called, nothing was done: {problems}{more}. Call it again with the "
        "arguments that its description names"
    )


def _problem(error: Mapping[str, Any]) -> str:
    name, *places = error["loc"] or ("the arguments",)
    where = f"`{name}`" + "".join(f"[{place}]" for place in places)
    rule = KINDS.get(error["type"], "is not allowed").format(**error.get("ctx", {}))
    if error["type"] == "missing":
        return f"{where} {rule}"
    return f"{where} {rule}, and is {_kind(error['input'])}"


def _kind(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"{value:,}" if abs(value) < MOST_SHOWN else "a number of many digits"
    if isinstance(value, str):
        return "a text" if value else "an empty text"
    return "a list" if isinstance(value, list) else "an object"


MOST_SHOWN: Final = 1e21
