"""Two machines, one folder, and everything that goes wrong: both end equal, nothing is lost."""

from pathlib import Path

import pytest

from tests.longterm.simulation import HOSTS, Simulation
from tests.store.indexes import check_index


@pytest.mark.process
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("count", [100, pytest.param(10_000, marks=pytest.mark.long)])
async def test_both_end_equal_nothing_comes_back_and_nothing_is_lost(count: int, tmp_path: Path):
    simulation = Simulation(tmp_path, count, seed=20260611)

    await simulation.run()

    a, b = await simulation.states()
    expected = {key: simulation.texts[key] for key, alive in simulation.alive.items() if alive}
    assert a == b
    assert a == expected
    assert len(a) > count
    for host in HOSTS:
        check_index(str(tmp_path / host / "memory.db"))
