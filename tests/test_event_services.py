"""The parts of one event's services: made once, when they are asked for."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from runtime.context import AppContext
from runtime.project import Project

if TYPE_CHECKING:
    from runtime.services import Services

AT = datetime(2026, 6, 11, tzinfo=UTC)


async def test_each_part_is_made_once_and_shared(app: AppContext):
    services: Services = app.services(Project("shop", "key"), AT)

    assert services.notes is services.notes
    assert services.recall is services.recall
    assert services.transcripts is services.transcripts


async def test_an_event_has_its_own_time_and_project(app: AppContext):
    services = app.services(Project("shop", "key"), AT)

    assert (services.now(), services.project_name, services.project_key) == (AT, "shop", "key")
