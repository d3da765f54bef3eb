"""
The options of `runtime search`, read without the package that reads all others.

Loading that takes longer than a search. Only what is plainly right is read here:
for the rest, help and mistakes among it, the command itself is there.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from runtime.query import Asked, Filters, filter_value, parse

SHORT: Final = "-n"
FROM: Final = "--from"
HELP: Final = "-h"
MOST_HITS: Final = 100
HITS: Final = 5
FLAGS: Final = {"--json": "as_json", "--all": "is_all"}


class Options(NamedTuple):
    """What is asked for."""

    query: str
    limit: int = HITS
    filters: Filters = Filters()
    as_json: bool = False
    is_all: bool = False

    @property
    def asked(self) -> Asked:
        """The question, with the filters of the options added to its own."""
        asked = parse(self.query)
        return asked._replace(filters=asked.filters.and_also(self.filters))


def read(arguments: Sequence[str]) -> Options | None:
    """Return the options that the arguments plainly give, None when that is not certain."""
    queries: list[str] = []
    flags = dict.fromkeys(FLAGS.values(), False)
    filters: dict[str, list[str]] = {name: [] for name in Filters._fields}
    limit = HITS
    left = list(arguments)
    while left:
        argument = left.pop(0)
        if argument == "--":
            queries += left
            break
        if is_word(argument):
            queries.append(argument)
        elif argument in FLAGS:
            flags[FLAGS[argument]] = True
        elif argument == SHORT and left and (count := _count(left[0])):
            limit = count
            left.pop(0)
        elif (name := argument.removeprefix("--")) in filters and left:
            value = filter_value(name, left.pop(0))
            if not value:
                return None
            filters[name].append(value)
        else:
            return None
    if not queries:
        return None
    narrowed = Filters(**{name: tuple(values) for name, values in filters.items()})
    return Options(" ".join(queries), limit, narrowed, **flags)


def words_last(arguments: Sequence[str]) -> list[str]:
    """
    Return the arguments with all words behind `--`, in their order.

    There no option is looked for, so that `-word` is what it is in a query.
    """
    options: list[str] = []
    words: list[str] = []
    left = list(arguments)
    while left:
        argument = left.pop(0)
        if argument == "--":
            words += left
            break
        if is_word(argument):
            words.append(argument)
        elif argument not in _WITH_VALUE:
            options.append(argument)
        elif left:
            options += [argument, left.pop(0)]
        else:
            return [*options, argument]  # without its value, which is then said
    return [*options, "--", *words]


_WITH_VALUE: Final = {SHORT, FROM, *(f"--{name}" for name in Filters._fields)}


def is_word(argument: str) -> bool:
    """Tell an argument from an option: `-word` is none, `-n5`, `-h` and all with `--` are."""
    if not argument.startswith("-") or argument == "-":
        return True
    if argument.startswith(("--", SHORT)):
        return argument.startswith(SHORT) and argument[2:3].isalpha()
    return argument != HELP


def _count(text: str) -> int:
    """Return how many hits a text asks for, 0 for what is no such number."""
    if not text.isascii() or not text.isdigit() or len(text) > len(str(MOST_HITS)):
        return 0
    return int(text) if int(text) <= MOST_HITS else 0
