import pytest

from runtime.events.query import Selection, select
from runtime.events.record import insert
from tests.events.test_record import event

EVENTS = [
    event(1, session_id="aaa-1"),
    event(2, session_id="aaa-2", name="SessionStart"),
    event(3, session_id="bbb-1", outcome="failed"),
    event(4, session_id="a%_'", outcome="ignored"),
]


@pytest.fixture
async def connection(app):
    for item in EVENTS:
        await insert(app.opened.connection, item, {"id": item.id})
    await app.opened.connection.execute("UPDATE events SET payload = NULL WHERE seq = 1")
    return app.opened.connection


@pytest.mark.parametrize(
    ("wanted", "expected", "why"),
    [
        (Selection(), [1, 2, 3, 4], "all, oldest first"),
        (Selection(last=2), [3, 4], "the newest two, oldest first"),
        (Selection(ids=[EVENTS[2].id, EVENTS[0].id]), [1, 3], "in the order of time"),
        (Selection(ids=["none"]), [], "no such id"),
        (Selection(failed=True), [3], "failed ones"),
        (Selection(session="aaa"), [1, 2], "the beginning of a session's id"),
        (Selection(session="%"), [], "no pattern"),
        (Selection(session="a%_'"), [4], "any text"),
        (Selection(name="SessionStart"), [2], "by name"),
        (Selection(since=EVENTS[2].received_at), [3, 4], "since a moment, which counts"),
        (Selection(with_payload=True), [2, 3, 4], "what can be replayed"),
        (Selection(session="aaa", last=1), [2], "conditions first, then the newest"),
        (Selection(session="aaa", failed=True), [], "everything given must hold"),
    ],
)
async def test_which_events_are_selected(connection, wanted, expected, why):
    found = await select(connection, wanted)

    assert [int(item.event.id[:20]) for item in found] == expected, why


async def test_a_payload_that_is_no_longer_kept_is_none(connection):
    first, second = await select(connection, Selection(ids=[EVENTS[0].id, EVENTS[1].id]))

    assert (first.payload, second.payload) == (None, {"id": EVENTS[1].id})
