"""Annotations that are strings mean the same when their code comes from before."""

import subprocess
import sys
from typing import Final

import pytest

pytestmark = pytest.mark.process

SAME: Final = """
import typing
from runtime import compile_once
compile_once.install()

class One(typing.TypedDict):
    text: "str"
    many: "list[str]"

class Other(typing.TypedDict):
    text: "str"
    own: "Here"

Here = int
codes = [typing.ForwardRef("str").__forward_code__ for _ in range(2)] \\
    if hasattr(typing.ForwardRef("str"), "__forward_code__") else []
print(len({id(code) for code in codes}) < 2)
print(typing.get_type_hints(One) == {"text": str, "many": list[str]})
print(typing.get_type_hints(Other) == {"text": str, "own": int})
try:
    typing.get_type_hints(type("Bad", (), {"__annotations__": {"x": "1 +"}}))
except SyntaxError as error:
    print("SyntaxError")
exec(typing.compile("made = 1", "<string>", "exec"))
print(made)
"""


def test_a_text_is_compiled_once_and_means_what_it_meant() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SAME], check=True, capture_output=True, timeout=30, encoding="utf-8"
    )

    assert done.stdout.split() == ["True", "True", "True", "SyntaxError", "1"]
