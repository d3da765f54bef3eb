"""How commands write moments and numbers for people."""

import time
from collections.abc import Generator

import pytest

from runtime.cli.output import counted
from runtime.store.clock import local_time


@pytest.fixture
def _in_tokyo(monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    """The machine's clock stands nine hours before UTC, without summer time."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "Asia/Tokyo")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("_in_tokyo")
def test_a_moment_is_shown_by_the_persons_clock() -> None:
    assert local_time("2026-11-30T23:30:00.000Z") == "2026-12-01 08:30:00"


@pytest.mark.usefixtures("_in_tokyo")
@pytest.mark.parametrize("text", ["never", "-", "", "0001-01-01T00:00:00+23:00"])
def test_what_is_no_moment_stays_as_it_is(text: str) -> None:
    assert local_time(text) == text


def test_one_is_not_many() -> None:
    assert [counted(number, "block") for number in (0, 1, 2000)] == [
        "0 blocks",
        "1 block",
        "2,000 blocks",
    ]
    assert counted(2, "memory", "memories") == "2 memories"
