"""The tokeniser is on the way of every hook: importing it must cost next to nothing."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOADED = """
import sys
sys.path.insert(0, sys.argv[1])
before = set(sys.modules)
import runtime.tokens.index, runtime.tokens.query, runtime.tokens.alternatives
print(*sorted(set(sys.modules) - before))
"""


@pytest.mark.process
def test_importing_the_tokeniser_loads_only_itself_and_built_in_modules() -> None:
    """Not even ``re``, which takes longer to load than the rest of the tokeniser."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", LOADED, str(ROOT)],
        check=True,
        capture_output=True,
        encoding="utf-8",
        timeout=30,
    )

    foreign = {name for name in done.stdout.split() if name.split(".")[0] != "runtime"}
    assert foreign <= {"itertools", "unicodedata"}
    assert "runtime.tokens.query" in done.stdout.split()
