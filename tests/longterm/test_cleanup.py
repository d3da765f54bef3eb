"""What could go, why, and that what goes comes back."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runtime.commit import PRUNE_EVERY, prune_now_and_then
from runtime.context import AppContext
from runtime.longterm.cleanup import Measures, find_candidates
from runtime.longterm.cleanup_plan import apply_plan, make_plan, read_plan, undo_plan
from runtime.longterm.refusals import EmptyPlanError, PlanLineError
from runtime.longterm.retention import apply_rules, is_due
from runtime.retention_rules import parse_rule
from runtime.setting_sections import Retention
from runtime.store.connection import fetch_all
from runtime.store.longterm import mark
from runtime.store.store import Store, open_store
from schemas.cleanup import CleanupReport
from tests.store.kept import remember

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
LONG = "The retry policy has three attempts with a growing pause between them. " * 8
SAID = "[user] {}\n\n[assistant] {}"


async def look(store: Store, **measures: Any) -> CleanupReport:
    return await find_candidates(
        store.connection, Measures(NOW, **measures), lambda _done, _total: None
    )


async def reasons(store: Store, **measures: Any) -> dict[int, str]:
    report = await look(store, **measures)
    return {item.id: item.reason for item in report.candidates}


async def recorded_since(store: Store, moment: str) -> None:
    async with store.transaction() as connection:
        await connection.execute("UPDATE meta SET value = ? WHERE name = 'shown_since'", (moment,))


async def test_all_but_one_of_almost_equal_texts_could_go(store: Store) -> None:
    await remember(store, LONG, at="2026-06-01T03:00:00")
    await remember(store, LONG.replace("three", "four", 1), at="2026-06-02T03:00:00")
    await remember(store, LONG + "  ", at="2026-06-03T03:00:00")
    await remember(store, "Something else entirely.", at="2026-06-04T03:00:00")

    report = await look(store)

    assert [(item.id, item.reason, item.keeps) for item in report.candidates] == [
        (1, "copy", 3),
        (2, "near-duplicate", 3),
    ]
    assert report.candidates[1].similarity is not None
    assert 0.9 <= report.candidates[1].similarity < 1


async def test_texts_that_differ_in_figures_alone_are_to_be_looked_at(store: Store) -> None:
    await remember(store, LONG + "The limit is 30 s.", at="2026-06-01T03:00:00")
    await remember(store, LONG + "The limit is 45 s.", at="2026-06-02T03:00:00")

    (item,) = (await look(store)).candidates

    assert item.why.endswith("look at both: they differ in figures alone")


async def test_the_one_that_was_told_or_is_pinned_stays(store: Store) -> None:
    for day in (1, 2, 3):
        await remember(store, LONG + f"{day}", at=f"2026-06-0{day}T03:00:00")
    async with store.transaction() as connection:
        await connection.execute(
            "INSERT INTO shown (event_id, rank, kind, record_id, place, shown_at)"
            " VALUES ('e', 1, 'long-term', 1, 'skill', '2026-06-04T00:00:00.000Z')"
        )
    told = await reasons(store)
    async with store.transaction() as connection:
        await mark(connection, [2], is_global=None, is_pinned=True)

    pinned = await reasons(store)

    assert set(told) == {2, 3}
    assert set(pinned) == {1, 3}


async def test_a_memory_without_a_summary_is_shown_by_its_beginning(store: Store) -> None:
    await remember(store, "[assistant] Done.")
    await store.connection.execute("UPDATE memories SET summary = NULL")

    (item,) = (await look(store)).candidates

    assert item.summary == "[assistant] Done."


async def test_texts_of_two_projects_do_not_concern_each_other(store: Store) -> None:
    await remember(store, LONG, project="shop")
    await remember(store, LONG, project="bank")

    assert await reasons(store) == {}


async def test_earlier_edits_of_a_file_in_one_session_could_go(store: Store) -> None:
    for number, (session, target) in enumerate(
        [("s", "/a.py"), ("s", "/a.py"), ("s", "/b.py"), ("other", "/a.py"), ("s", "/a.py")]
    ):
        await remember(
            store,
            f"version {number} of something",
            tool="Edit",
            target=target,
            session_id=session,
            at=f"2026-06-01T03:0{number}:00",
        )

    report = await look(store)

    assert [(item.id, item.reason, item.keeps) for item in report.candidates] == [
        (1, "superseded", 5),
        (2, "superseded", 5),
    ]
    assert "edited 2 times more in this session" in report.candidates[0].why


NOISE = [
    (SAID.format("ok", "Done."), "chatter"),
    (SAID.format("続けてください", "はい、続けます。"), "chatter"),
    ("[assistant] Done.", "chatter"),
    (SAID.format("ok", "I have decided on SQLite, because " + "x" * 200), None),
    (SAID.format("What is the port?", "5432"), None),
    ("[user] ok\n\n[assistant] Done.\n\n[tools] Edit a.py", None),
    ("[user] Remember that the office moves in June.", None),
]


@pytest.mark.parametrize(("text", "expected"), NOISE)
async def test_chatter_could_go(text: str, expected: str | None, store: Store) -> None:
    await remember(store, text, session_id="s")

    assert (await reasons(store)).get(1) == expected


async def test_a_prompt_that_was_put_again_in_its_session_is_a_retry(store: Store) -> None:
    for number, session in enumerate(["s", "s", "other"]):
        text = SAID.format("Fix the  login test", f"attempt {number} with another outcome")
        await remember(store, text, session_id=session, at=f"2026-06-01T03:0{number}:00")
    for number in (4, 5):
        text = SAID.format("continue", f"{number} " + "a long and useful answer " * 10)
        await remember(store, f"{text} {number * 99}", session_id="s", at="2026-06-01T04:00:00")

    found = await reasons(store)

    assert found[1] == "retry"
    assert 2 not in found
    assert 3 not in found
    assert "retry" not in {found.get(4), found.get(5)}


async def test_what_no_model_was_told_of_for_long_could_go(store: Store) -> None:
    await remember(store, "old and never told", at="2026-01-01T03:00:00")
    await remember(store, "old and told once", at="2026-01-01T03:00:00")
    await remember(store, "young", at="2026-11-01T03:00:00")
    async with store.transaction() as connection:
        await connection.execute(
            "INSERT INTO shown (event_id, rank, kind, record_id, place, shown_at)"
            " VALUES ('e', 1, 'long-term', 2, 'skill', '2026-02-01T00:00:00.000Z')"
        )
    await recorded_since(store, "2026-01-01T00:00:00.000Z")

    assert await reasons(store, unused_days=90) == {1: "never-told"}


async def test_nobody_knows_what_was_told_before_that_was_noted(store: Store) -> None:
    await remember(store, "old", at="2020-01-01T03:00:00")
    await recorded_since(store, "2026-11-01T00:00:00.000Z")

    assert await reasons(store, unused_days=90) == {}


async def test_what_is_large_could_go_unless_it_is_pinned(store: Store) -> None:
    for number in range(2):
        await remember(store, f"{number} " + "".join(f"w{n}x{number} " for n in range(900)))
    async with store.transaction() as connection:
        await mark(connection, [2], is_global=None, is_pinned=True)

    report = await look(store, max_chars=3000)

    assert [(item.id, item.reason) for item in report.candidates] == [(1, "oversized")]
    assert report.pinned == 1


async def test_what_stays_for_others_is_not_proposed_itself(store: Store) -> None:
    """Else a plan would delete both, each because of the other."""
    large = "".join(f"word{number} " for number in range(900))
    await remember(store, large, at="2026-06-01T03:00:00")
    await remember(store, large + " ", at="2026-06-02T03:00:00")

    assert await reasons(store, max_chars=100) == {1: "copy"}


RULES = [
    ("age=30d", {1, 2}),
    ("count=2", {1, 2}),
    ("kind=session count=1", {1}),
    ("kind=tool:* age=1d", {2, 4}),
    ("project=shop size=40B", {1, 2}),
    ("project=bank age=1d", set()),
]


@pytest.mark.parametrize(("rule", "expected"), RULES)
async def test_rules_keep_the_newest(rule: str, expected: set[int], store: Store) -> None:
    for number, (days, tool) in enumerate([(90, ""), (60, "Write"), (20, ""), (10, "Write")]):
        fields = {"tool": tool, "target": f"/{number}"} if tool else {}
        at = (NOW - timedelta(days=days)).isoformat()[:19]
        await remember(store, f"memory {number} of twenty b", at=at, project="shop", **fields)

    proposed = await reasons(store, rules=(parse_rule(rule),))
    done = await apply_rules(store, (parse_rule(rule),), NOW)

    assert set(proposed) == done == expected
    assert set(proposed.values()) <= {"retention"}
    assert not await is_due(store.connection, NOW + timedelta(hours=23))
    assert await is_due(store.connection, NOW + timedelta(hours=25))


async def test_no_rule_takes_what_is_pinned(store: Store) -> None:
    await remember(store, "old", at="2020-01-01T03:00:00")
    async with store.transaction() as connection:
        await mark(connection, [1], is_global=None, is_pinned=True)

    assert await apply_rules(store, (parse_rule("count=0"),), NOW) == set()


@pytest.mark.parametrize(
    "text", ["", "age=30", "keep=1 age=1d", "project=x", "size=5TB", "count=many", "age=1d x"]
)
def test_a_rule_that_cannot_be_read_says_so(text: str) -> None:
    with pytest.raises(ValueError, match=r"rule|fit"):
        parse_rule(text)


def plan_of(report: CleanupReport, *taken: str) -> str:
    return make_plan(report, "2026-11-30", taken).text


async def test_a_plan_that_nobody_edited_changes_nothing(store: Store) -> None:
    await remember(store, LONG)
    await remember(store, LONG + " ")
    text = plan_of(await look(store))

    with pytest.raises(EmptyPlanError) as caught:
        read_plan(text, "plan")

    assert caught.value.proposed == 1
    assert len(read_plan(text.replace("# {", "{"), "plan")) == 1
    assert len(read_plan(plan_of(await look(store), "copy"), "plan")) == 1


@pytest.mark.parametrize(
    "line", ['{"op": "delete", "id": 1}', "{", '{"op": "drop", "id": 1, "hash": "x"}', "[1]"]
)
def test_a_line_that_cannot_be_read_is_named(line: str) -> None:
    with pytest.raises(PlanLineError) as caught:
        read_plan(f"# a plan\n{line}\n", "plan")

    assert caught.value.number == 2


async def test_only_what_is_still_as_it_was_seen_goes(store: Store) -> None:
    for number in range(4):
        await remember(store, f"[assistant] Fine {number}.", key=f"turn:{number}")
    lines = read_plan(plan_of(await look(store), "all"), "plan")
    assert len(lines) == 4
    await remember(store, "[assistant] Fine 0, and more.", key="turn:0", may_grow=True)
    async with store.transaction() as connection:
        await mark(connection, [2], is_global=None, is_pinned=True)
        await connection.execute("DELETE FROM memories WHERE id = 3")

    applied = await apply_plan(store, lines, NOW)

    assert {item.id: item.why for item in applied.skipped} == {
        1: "it has changed since the plan was made",
        2: "it is pinned",
        3: "there is no such memory",
    }
    assert applied.done == (4,)
    assert (await apply_plan(store, lines, NOW)).before == (4,)


async def test_the_last_of_several_copies_does_not_go(store: Store) -> None:
    await remember(store, LONG, at="2026-06-01T03:00:00")
    await remember(store, LONG + " ", at="2026-06-02T03:00:00")
    lines = read_plan(plan_of(await look(store), "all"), "plan")
    await store.connection.execute("UPDATE memories SET deleted_at = 'x' WHERE id = 2")

    applied = await apply_plan(store, lines, NOW)

    assert applied.done == ()
    assert [item.why for item in applied.skipped] == ["#2, which was to stay for it, is gone"]


async def test_two_that_stand_for_each_other_in_an_edited_plan_do_not_both_go(
    store: Store,
) -> None:
    await remember(store, LONG)
    await remember(store, LONG + " ")
    (line,) = read_plan(plan_of(await look(store), "all"), "plan")
    (other,) = await fetch_all(
        store.connection, "SELECT content_hash FROM memories WHERE id = ?", (line.keeps,)
    )
    back = line.model_copy(update={"id": line.keeps, "keeps": line.id, "hash": other[0]})

    applied = await apply_plan(store, [line, back], NOW)

    assert applied.done == (line.id,)
    assert [item.id for item in applied.skipped] == [line.keeps]


async def test_a_plan_holds_no_secret_and_names_what_it_saw(store: Store) -> None:
    """Weakness B19 of the source system: its list printed a field that was not there."""
    await remember(store, LONG)
    await remember(store, LONG + " ")

    (line,) = [line for line in plan_of(await look(store), "all").split("\n") if line[:1] == "{"]

    values = json.loads(line)
    assert values["summary"].startswith("The retry policy")
    assert (values["id"], values["keeps"], values["reason"]) == (1, 2, "copy")
    assert len(values["hash"]) == 64


TEXTS = st.lists(
    st.sampled_from(
        [
            *(LONG, LONG + " ", LONG.replace("three", "two"), "x" * 300, "short", "設計の方針"),
            *("[assistant] Done.", SAID.format("Fix it", "tried")),
        ]
    ),
    min_size=1,
    max_size=8,
)


async def state(store: Store) -> tuple[Sequence[tuple[Any, ...]], Sequence[tuple[Any, ...]]]:
    """Everything but when it was last touched, and what the index finds."""
    rows = await fetch_all(
        store.connection, "SELECT id, content, content_hash, is_pinned, deleted_at FROM memories"
    )
    await store.connection.execute(
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.seen"
        " USING fts5vocab('main', 'search_index', 'instance')"
    )
    terms = await fetch_all(store.connection, "SELECT term, doc, offset FROM temp.seen")
    return [tuple(row) for row in rows], sorted(tuple(row) for row in terms)


@given(texts=TEXTS, pinned=st.sets(st.integers(1, 8)))
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_undoing_is_the_inverse_of_applying(
    texts: list[str], pinned: set[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whatever a plan takes: rows and index are as they were, and pinned ones never went."""
    path = str(tmp_path_factory.mktemp("store") / "memory.db")

    async def run() -> None:
        async with open_store(path, 5) as store:
            for number, text in enumerate(texts):
                await remember(store, text, key=f"k{number}", session_id="s")
            async with store.transaction() as connection:
                await mark(connection, sorted(pinned), is_global=None, is_pinned=True)
            before = await state(store)
            report = await look(store, max_chars=200, rules=(parse_rule("count=3"),))
            if not report.candidates:
                return
            lines = read_plan(plan_of(report, "all"), "plan")
            applied = await apply_plan(store, lines, NOW)
            gone = await state(store)
            undone = await undo_plan(store, lines, NOW)

            assert {item.id for item in report.candidates} == set(applied.done)
            assert not pinned & set(applied.done)
            assert {item.keeps for item in report.candidates}.isdisjoint(applied.done)
            assert [row[0] for row in gone[0] if row[4]] == list(applied.done)
            assert undone.done == applied.done
            assert await state(store) == before

    anyio.run(run)


async def test_what_was_purged_is_not_brought_back(store: Store) -> None:
    await remember(store, "[assistant] Done.")
    lines = read_plan(plan_of(await look(store), "all"), "plan")
    await apply_plan(store, lines, NOW)
    await store.connection.execute("UPDATE memories SET content = ''")

    undone = await undo_plan(store, lines, NOW)

    assert undone.done == ()
    assert [item.id for item in undone.skipped] == [1]


@pytest.mark.parametrize("automatic", [True, False])
async def test_rules_are_kept_by_themselves_only_when_that_is_set(
    automatic: bool, app: AppContext
) -> None:
    await remember(app.opened, "old", at="2020-01-01T03:00:00")
    retention = Retention(rules=("age=30d",), automatic=automatic)
    for number in range(PRUNE_EVERY):
        await app.opened.connection.execute(
            "INSERT INTO events (id, name, session_id, received_at, outcome, duration_ms, handlers,"
            " facts, payload_bytes) VALUES (?, 'Stop', 's', '2026', 'ok', 1, '[]', '{}', 0)",
            (str(number),),
        )

    await prune_now_and_then(app.opened, app.settings.events, retention, app.home)

    rows = await fetch_all(app.opened.connection, "SELECT deleted_at FROM memories")
    assert (rows[0][0] is not None) is automatic
