"""A bar for those who wait, and for nobody else."""

import io
from collections.abc import Iterator

import pytest

from runtime.cli.progress import progress_bar


class Terminal(io.StringIO):
    """What a person looks at."""

    def isatty(self) -> bool:
        return True


def drawn(stream: io.StringIO, moments: Iterator[float]) -> str:
    with progress_bar("indexing notes", stream, lambda: next(moments)) as report:
        for done in (1, 2, 3, 4):
            report(done, 4)
    return stream.getvalue()


def test_a_bar_is_drawn_when_it_takes_longer_than_a_second():
    shown = drawn(Terminal(), iter([0.0, 0.4, 1.5]))

    assert "indexing notes" in shown
    assert "50%" in shown
    assert "100%" in shown


@pytest.mark.parametrize(
    ("stream", "last", "why"),
    [(Terminal(), 0.9, "it was quick"), (io.StringIO(), 9.0, "nobody looks at a file")],
)
def test_nothing_is_drawn_otherwise(stream, last, why):
    assert drawn(stream, iter([0.0, 0.1, 0.2, 0.3, last])) == "", why
