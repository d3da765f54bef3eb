"""How old the copy of esa is that the search looks at."""

import dataclasses

import anyio
import pytest

from runtime.doctor import permanent
from runtime.permanent.freshness import place_of
from runtime.settings import Settings
from runtime.store.permanent_posts import begin_place, note_place
from runtime.store.store import open_store
from tests.doctor.findings import level, one

AT = "2026-06-11T09:30:00.000Z"


@pytest.fixture
def esa(place):
    """A place whose permanent memories live in esa."""
    values = {"permanent": {"backend": "esa", "team": "docs"}}
    return dataclasses.replace(place, settings=Settings.model_validate(values))


def noted(place, **facts):
    async def make():
        wanted = place_of(place.home, place.settings)
        async with open_store(place.home.database, 5) as store, store.transaction() as connection:
            await begin_place(connection, wanted.name, wanted.tag, is_copy=True)
            if facts:
                await note_place(connection, **facts)

    anyio.run(make)


def test_of_a_folder_nothing_is_said(place, esa):
    noted(esa)
    assert permanent.check(place) == []


def test_a_copy_that_was_never_made_is_a_note_until_it_fails(esa):
    assert permanent.check(esa) == []
    noted(esa)
    assert level(permanent.check(esa), "permanent.copy") == "note"
    noted(esa, problem="esa (team docs) cannot be reached")
    assert level(permanent.check(esa), "permanent.copy") == "warning"


def test_a_fresh_copy_is_fine_and_a_failure_since_is_a_warning(esa):
    noted(esa, refreshed_at=AT)
    assert level(permanent.check(esa), "permanent.copy") == "ok"
    noted(esa, problem="esa (team docs) does not accept the token")

    finding = one(permanent.check(esa), "permanent.copy").finding

    assert finding.level == "warning"
    assert "as of 2026-06-11; since then: esa (team docs) does not accept" in finding.saw
    assert "runtime permanent refresh" in finding.advice
