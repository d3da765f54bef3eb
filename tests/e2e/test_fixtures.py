"""Every captured payload and transcript, through the pipeline in this process."""

import pytest

from runtime.context import AppContext
from runtime.pipeline import handle
from runtime.spool import Captured
from schemas.events import MODULES, validated
from tests.payloads import Payloads


@pytest.mark.parametrize("name", list(Payloads()))
def test_a_captured_payload_validates_into_the_model_of_its_event(
    name: str, payloads: Payloads
) -> None:
    """Nothing that the client sent is lost on the way through the model."""
    payload = payloads[name]

    event = validated(payload)

    expected = payload["hook_event_name"] if payload["hook_event_name"] in MODULES else "OtherEvent"
    assert type(event).__name__ == expected
    assert event.model_dump(exclude_unset=True) == payload


async def test_all_captured_payloads_are_handled_and_recorded(
    app: AppContext, payloads: Payloads
) -> None:
    """No payload of the real client fails a handler."""
    for number, name in enumerate(payloads):
        captured = Captured(f"{number:020d}-1", {}, payloads.raw(name))
        await handle(captured, app)

    async with app.opened.connection.execute(
        "SELECT outcome, count(*) FROM events GROUP BY outcome ORDER BY outcome"
    ) as cursor:
        outcomes = [tuple(row) for row in await cursor.fetchall()]
    assert dict(outcomes).keys() == {"ignored", "ok"}
    assert sum(count for _outcome, count in outcomes) == len(payloads)
