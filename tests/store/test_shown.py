"""What models were told is noted with the event that told it, and counted."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from runtime.app import build
from runtime.context import AppContext
from runtime.events.query import Selection, select
from runtime.pipeline import handle
from runtime.replay import for_real, from_store, replay
from runtime.store.shown_stats import shown_stats
from runtime.store.store import Store
from tests.leftovers import until
from tests.processes import Product
from tests.spooled import put
from tests.store.kept import remember

SKILL = {
    "hook_event_name": "PreToolUse",
    "tool_name": "Skill",
    "tool_input": {"skill": "deploy"},
    "cwd": "/nowhere/shop",
}


async def rows(app: AppContext) -> Sequence[tuple[Any, ...]]:
    async with app.opened.connection.execute(
        "SELECT event_id, rank, kind, record_id, path, place FROM shown ORDER BY event_id, rank"
    ) as cursor:
        return [tuple(row) for row in await cursor.fetchall()]


async def put_runs(app: AppContext, *texts: str) -> None:
    for number, text in enumerate(texts, start=1):
        await remember(app.opened, text, at=f"2026-06-{number:02}T03:00:00", skills=("deploy",))
    async with app.opened.transaction() as connection:
        await connection.execute("UPDATE memories SET is_global = 1")


async def test_each_memory_before_a_skill_is_noted_with_its_rank(app: AppContext) -> None:
    await put_runs(app, "first run", "second run")

    event = put(app.home, SKILL)
    await handle(event, app)

    assert await rows(app) == [
        (event.id, 1, "long-term", 2, None, "skill"),
        (event.id, 2, "long-term", 1, None, "skill"),
    ]


async def test_the_same_event_again_and_a_replay_tell_nobody_anything(app: AppContext) -> None:
    await put_runs(app, "first run")
    await handle(put(app.home, SKILL), app)
    before = await rows(app)

    await handle(put(app.home, SKILL), app)
    (stored,) = await select(app.opened.connection, Selection())
    item = from_store(stored)
    assert item is not None
    await replay(item, for_real(app))

    assert await rows(app) == before


async def test_what_had_no_room_was_not_shown(app: AppContext) -> None:
    await put_runs(
        app, *(f"{number} " + "a long account of what happened " * 40 for number in range(9))
    )
    settings = app.settings.model_copy(
        update={"inject": app.settings.inject.model_copy(update={"skill_max_chars": 700})}
    )
    await handle(put(app.home, SKILL), build(app.home, settings, app.store))

    (event,) = await select(app.opened.connection, Selection())
    told = json.dumps(event.event.answer).count("an earlier run")
    assert 0 < told < 5
    assert len(await rows(app)) == told


async def test_a_session_s_start_notes_the_file_it_quoted(app: AppContext) -> None:
    path = Path(app.home.notes) / "CONTEXT.md"
    path.write_text("## 2026-06-01 Under way\n\nThe cache.\n", encoding="utf-8")

    event = put(app.home, {"hook_event_name": "SessionStart", "source": "startup"})
    await handle(event, app)

    assert await rows(app) == [(event.id, 1, "note", None, str(path), "session start")]


@pytest.mark.process
def test_a_start_that_was_answered_by_what_lay_ready_is_noted_too(product: Product) -> None:
    """The hook process writes nothing: whoever takes the event from the spool does."""
    notes = product.home / "notes"
    notes.mkdir(parents=True)
    (notes / "CONTEXT.md").write_text("## 2026-06-01 Under way\n\nThe cache.\n", encoding="utf-8")
    environ = {"OBOEGAKI_WORKER_ENABLED": "1"}
    payload = {
        "hook_event_name": "SessionStart",
        "session_id": "s",
        "transcript_path": "",
        "cwd": "/",
        "source": "startup",
    }

    product.hook(payload, environ=environ)
    until((product.home / "run" / "prepared").exists)

    told = product.hook(payload, environ=environ).context
    stats = product.command("stats", "--json").json["shown"]

    assert "The cache." in told
    assert (stats["total"], stats["before_skills"]) == (2, 0)
    assert stats["often"][0]["path"] == str(notes / "CONTEXT.md")


async def test_stats_say_which_memories_help_and_how_many_never_did(store: Store) -> None:
    await remember(store, "helps often", at="2026-06-01T03:00:00")
    await remember(store, "helps once", at="2026-06-02T03:00:00")
    await remember(store, "never helps", at="2026-06-03T03:00:00")
    async with store.transaction() as connection:
        for number, (memory, rank) in enumerate(((1, 1), (1, 2), (2, 1))):
            await connection.execute(
                "INSERT INTO shown (event_id, rank, kind, record_id, place, shown_at)"
                " VALUES (?, ?, 'long-term', ?, 'skill', '2026-06-04T00:00:00.000Z')",
                (f"e{number}", rank, memory),
            )

    stats = await shown_stats(store.connection)

    assert [(item.summary, item.times, item.mean_rank) for item in stats.often] == [
        ("helps often", 2, 1.5),
        ("helps once", 1, 1.0),
    ]
    assert (stats.total, stats.memories_shown, stats.memories_never) == (3, 2, 1)
    assert stats.since is not None
