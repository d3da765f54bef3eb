from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runtime.store.connection import fetch_all
from runtime.store.sqlite import total
from tests.store.indexes import check_index

TEXTS = st.sampled_from(["セッションの期限", "retry policy", "SQLiteのFTS5", "", "é ﾊﾟ", "a b a"])
IDS = st.integers(1, 3)
INSERT = (
    "INSERT OR IGNORE INTO memories"
    " (id, content, target, source, content_hash, created_at, key, updated_at)"
    " VALUES (:id, :text, :target, 's', 'h', 't', :id, 't')"
)
STATEMENTS = st.sampled_from(
    [
        INSERT,
        "UPDATE memories SET content = :text WHERE id = :id",
        "UPDATE memories SET target = :target WHERE id = :id",
        "UPDATE memories SET deleted_at = 'now' WHERE id = :id",
        "UPDATE memories SET deleted_at = NULL WHERE id = :id",
        "UPDATE memories SET deleted_at = 'now', content = :text WHERE id = :id",
        "UPDATE memories SET deleted_at = NULL, content = :text WHERE id = :id",
        "UPDATE memories SET is_pinned = 1 WHERE id = :id",
        "UPDATE OR IGNORE memories SET id = id + 10 WHERE id = :id",
        "DELETE FROM memories WHERE id = :id",
        "DELETE FROM memories",
    ]
)
STEPS = st.lists(st.tuples(STATEMENTS, IDS, TEXTS, st.none() | TEXTS), max_size=15)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS)
async def test_whatever_is_done_to_memories_the_index_follows(store, steps):
    await store.connection.execute("DELETE FROM memories")
    for statement, memory_id, text, target in steps:
        values = {"id": memory_id, "text": text, "target": target}
        await store.connection.execute(statement, values)

    check_index(store.path)
    rows = await fetch_all(store.connection, "SELECT count(*) FROM search_index_docsize")
    assert await store.reader.run(total) == rows[0][0]


async def test_a_deleted_memory_leaves_the_index_and_comes_back(store):
    await store.connection.execute(INSERT, {"id": 1, "text": "retry policy", "target": None})
    counts = []
    for value in ("'now'", "NULL"):
        await store.connection.execute(f"UPDATE memories SET deleted_at = {value}")
        async with store.connection.execute(
            "SELECT count(*) FROM search_index WHERE search_index MATCH 'retry'"
        ) as cursor:
            counts.append((await cursor.fetchone())[0])

    assert counts == [0, 1]
    check_index(store.path)
