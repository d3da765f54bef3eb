"""
Annotations that are strings, compiled once each.

`typing` compiles the text of every such annotation when a class is made. The packages
that a hook without a worker loads have some 760 of them, in 210 different words, mostly
`bool` and `str`: to compile them took the thirtieth part of what such a hook does.
Standard library only: the hook process imports this.
"""

import typing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType


def install() -> None:
    """From now on have `typing` take the code of a text that it has met; for one process."""
    typing.compile = _Known().compile  # type: ignore[attr-defined]


class _Known:
    """The code of each expression; it never changes, and says nothing of where it is used."""

    def __init__(self) -> None:
        self._codes: dict[tuple[str, str], CodeType] = {}

    def compile(self, source: str, name: str, mode: str, *more: int) -> "CodeType":
        """Return what the builtin of this name gives for a text, mostly from before."""
        if mode != "eval" or more or type(source) is not str:
            return compile(source, name, mode, *more)
        code = self._codes.get((source, name))
        if code is None:
            code = self._codes[source, name] = compile(source, name, mode)
        return code
