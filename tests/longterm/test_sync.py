import json
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from pathlib import Path

import anyio
import pytest

from tests.longterm.machines import Machine, machine
from tests.store.indexes import check_index


@pytest.fixture
async def both(tmp_path: Path) -> AsyncGenerator[tuple[Machine, Machine]]:
    """Two machines and one folder."""
    async with AsyncExitStack() as stack:
        a, b = [
            await stack.enter_async_context(machine(tmp_path, host, tmp_path / "shared"))
            for host in ("mac-a", "mac-b")
        ]
        yield a, b


async def exchange(*machines: Machine) -> None:
    for each in machines:
        await each.dump()
    for each in machines:
        await each.sync()


async def test_what_one_machine_knows_the_other_learns(both):
    a, b = both
    await a.remember("認証の方針", tags=("t",), skills=("p:s",), target="/x", tool="Write")
    await b.remember("retry policy", key="turn:1")

    await exchange(a, b)

    assert await a.living() == await b.living()
    assert await a.texts() == ["retry policy", "認証の方針"]
    for each in both:
        check_index(each.store.path)


async def test_syncing_again_reads_nothing_and_changes_nothing(both):
    a, b = both
    await a.remember("one")
    await a.dump()
    first = await b.sync()

    again = await b.sync()

    assert [file.state for file in first.files] == ["taken"]
    assert [file.state for file in again.files] == ["unchanged"]
    assert (first.hosts[0].new, again.hosts[0].new) == (1, 0)


async def test_a_dump_needs_not_be_read_by_who_wrote_it(both):
    a, _b = both
    await a.remember("one")
    await a.dump()

    assert [file.state for file in (await a.sync()).files] == ["unchanged"]


async def test_a_deletion_goes_round_and_nothing_comes_back(both):
    a, b = both
    await a.remember("one")
    await a.remember("two")
    await exchange(a, b)
    await a.delete("one")

    await exchange(b, a)
    await exchange(a, b)

    assert await a.texts() == await b.texts() == ["two"]


async def test_who_stores_it_again_later_has_it_again_everywhere(both):
    a, b = both
    await a.remember("one")
    await exchange(a, b)
    await a.delete("one")
    await exchange(a, b)
    await b.restore("one")

    await exchange(b, a)

    assert await a.texts() == await b.texts() == ["one"]


async def test_a_purged_text_leaves_the_other_machine_and_every_dump(both, tmp_path):
    a, b = both
    await a.remember("the password is zebra-horse")
    await exchange(a, b)
    await a.purge("the password is zebra-horse")

    await exchange(a, b)
    await exchange(a, b)

    for each in both:
        rows = await each.store.connection.execute_fetchall("SELECT content FROM memories")
        assert [row[0] for row in rows] == [""]
    assert all("zebra" not in path.read_text("utf-8") for path in (tmp_path / "shared").iterdir())


async def test_a_turn_that_grew_is_the_longer_one_everywhere(both):
    a, b = both
    await a.remember("[user] a", key="turn:1", may_grow=True)
    await exchange(a, b)
    await b.remember("[user] a [assistant] b", key="turn:1", may_grow=True)
    await exchange(a, b)
    assert await a.texts() == ["[user] a [assistant] b"]
    await a.remember("[user] a", key="turn:1", may_grow=True)

    await exchange(a, b)

    assert await a.texts() == await b.texts() == ["[user] a [assistant] b"]
    check_index(a.store.path)


async def test_an_answer_that_its_turn_replaced_does_not_come_back(both):
    a, b = both
    await a.remember("[assistant] yes", key="answer:1")
    await exchange(a, b)
    await a.remember("[user] a [assistant] yes", key="turn:1", replaces=("answer:1",))

    await exchange(b, a)
    await exchange(a, b)

    assert await a.texts() == await b.texts() == ["[user] a [assistant] yes"]


async def test_the_last_marks_hold_whatever_else_was_changed(both):
    a, b = both
    await a.remember("[user] a", key="turn:1", may_grow=True)
    await exchange(a, b)
    await b.pin("[user] a")
    await a.remember("[user] a, and more", key="turn:1", may_grow=True)
    await exchange(a, b)
    pinned = [row[-1] for row in await a.living()]
    await a.pin("[user] a, and more", is_pinned=False)

    await exchange(a, b)

    assert pinned == [1]
    assert [row[-1] for row in await b.living()] == [0]


async def test_composed_and_decomposed_forms_are_one_memory(both):
    a, b = both
    await a.remember("ガイドを書いた")
    await b.remember("カ\u3099イト\u3099を書いた")

    await exchange(a, b)

    assert len(await a.living()) == 1
    assert await a.living() == await b.living()


async def test_the_first_date_stays(both):
    a, b = both
    await a.remember("one", created_at="2020-01-02T03:04:05+09:00")
    await exchange(a, b)

    assert [row[10] for row in await b.living()] == ["2020-01-01T18:04:05.000Z"]


async def test_a_full_dump_makes_older_ones_needless(both):
    a, _b = both
    await a.remember("one")
    first = await a.dump()
    second = await a.dump(incremental=True)
    await a.remember("two")
    third = await a.dump(incremental=True)

    last = await a.dump()

    assert second.name is None
    assert (third.kind, third.memories) == ("incremental", 1)
    assert last.removed == (first.name, third.name)
    left = await anyio.to_thread.run_sync(a.folder.entries)
    assert [entry.name for entry in left] == [last.name]


async def test_incremental_dumps_say_all_that_a_full_one_would(both):
    a, b = both
    await a.remember("one")
    await a.remember("two")
    await a.dump(incremental=True)
    await a.delete("one")
    await a.remember("three")
    await a.dump(incremental=True)

    await b.sync()

    assert await b.texts() == ["three", "two"]


async def test_another_machine_of_the_same_name_keeps_its_dumps(tmp_path):
    (tmp_path / "other").mkdir()
    async with (
        machine(tmp_path, "mac", tmp_path / "shared") as a,
        machine(tmp_path / "other", "mac", tmp_path / "shared") as b,
    ):
        await a.remember("one")
        await b.remember("two")
        await a.dump()
        await b.dump()
        await a.dump()

        await exchange(a, b)

        assert await a.texts() == await b.texts() == ["one", "two"]


async def test_five_fields_come_first_and_what_the_source_system_cannot_read_it_skips(both):
    """Its importer takes five fields and skips lines whose content is null."""
    a, _b = both
    await a.remember("one", tags=("t",))
    await a.remember("two")
    await a.delete("two")
    done = await a.dump()

    lines = (Path(a.folder.place) / done.name).read_text("utf-8").splitlines()

    first, tombstone, trailer = [json.loads(line) for line in lines]
    assert list(first)[:5] == ["content", "source", "project", "tags", "created_at"]
    assert [first["content"], tombstone["content"], trailer["content"]] == ["one", None, None]
    assert (tombstone["op"], trailer["op"], trailer["count"]) == ("delete", "end", 2)
    assert "two" not in lines[1]


async def test_a_file_read_by_helpers_is_taken_like_any_other(both, monkeypatch):
    a, b = both
    for number in range(30):
        await a.remember(f"記憶 {number}" + "x" * number)
    await a.dump()
    monkeypatch.setattr("runtime.longterm.sync.HELP_BYTES", 0)

    report = await b.sync(helpers=2)

    assert report.hosts[0].new == 30
    assert await a.living() == await b.living()
    check_index(b.store.path)
