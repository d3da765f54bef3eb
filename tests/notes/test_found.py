"""What a search finds in notes, and what it must not: faults of memory_system, turned round."""

from pathlib import Path

import pytest

from runtime.store.search import search
from runtime.store.store import Store
from tests.notes.shadow import chunks, found, index, write

DECISION = (
    "## 2026-06-11 決定\nThe retry policy of sqlite3 and FTS5 is three attempts."
    "リトライは三回。認証の方針はJWT。\n"
)
FUSED = "## 2026-06-12 検索\nSQLiteのFTS5を使った検索。retryは3回\n"


@pytest.mark.parametrize(
    "query",
    [
        *("how did we decide the retry policy", "policy retry", "retry policy"),
        *("sqlite", "SQLite3", "FTS", "FTS5", "ＦＴＳ５", "FTS5 リトライ"),
        *("認証の方針はどう決めた", "認証 方針", "リトライ 方針", "方針"),
    ],
)
async def test_words_in_any_order_and_width_are_found(store: Store, root: Path, query: str) -> None:
    """A4: only an exact run of characters used to be found."""
    write(root / "a.md", DECISION)
    await index(store, root)

    assert await found(store, query) == ["a.md"]


@pytest.mark.parametrize("query", ["FTS5", "SQLite", "sqlite", "retry", "3回"])
async def test_latin_words_that_touch_japanese_are_found(
    store: Store, root: Path, query: str
) -> None:
    """A5: such words used to be one token with their neighbours."""
    write(root / "a.md", FUSED)
    await index(store, root)

    assert await found(store, query) == ["a.md"]


@pytest.mark.parametrize("query", ["retry\0policy", "\0", "\0retry", 'retry"\0'])
async def test_a_nul_in_a_query_is_no_error(store: Store, root: Path, query: str) -> None:
    """A6: it used to end the search with an error of SQLite's."""
    write(root / "a.md", DECISION)
    await index(store, root)

    assert await found(store, query) == (["a.md"] if "retry" in query else [])


@pytest.mark.parametrize("query", ["割%", "_設", "設_", "%計", "%", "_"])
async def test_signs_are_no_wildcards(store: Store, root: Path, query: str) -> None:
    """A7: `%` and `_` used to stand for any text, so 割% found 割引 by its sign."""
    write(root / "a.md", "## a\nまったく別の話\n")
    write(root / "b.md", "## b\n100 パーセント\n")
    await index(store, root)

    assert await found(store, query) == []


async def test_the_best_of_many_short_hits_are_not_the_first_ones_written(
    store: Store, root: Path
) -> None:
    """A8: of 28 notes with a word of two characters the oldest three used to be the answer."""
    for day in range(1, 29):
        extra = "寿司" if day == 28 else ""
        write(root / f"2026-02-{day:02}.md", f"## 2026-02-{day:02} 昼\n寿司を食べた{extra}\n")
    await index(store, root)

    hits = await search(store.reader, "寿司", 3)

    assert len(hits) == 3
    assert hits[0].date == "2026-02-28"


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("人々の声", "々"),
        ("人々の声", "人々"),
        ("ｶﾞｲﾄﾞを読む", "ガイド"),
        ("ガイドを読む", "ｶﾞｲﾄﾞ"),
        ("ﾊﾟｽを通す", "パス"),
        ("ㄅㄆㄇの表", "ㄅㄆㄇ"),
        ("㐂寿の祝い", "㐂寿"),
        ("𠮷野家で会う", "𠮷野"),
    ],
)
async def test_rare_scripts_are_found_as_japanese(
    store: Store, root: Path, text: str, query: str
) -> None:
    """A9: iteration marks, half-width kana and the extensions used to be no CJK."""
    write(root / "a.md", f"## x\n{text}\n")
    write(root / "b.md", "## x\nまったく別の話\n")
    await index(store, root)

    assert await found(store, query) == ["a.md"]


@pytest.mark.parametrize("query", ["寿", "寿司"])
async def test_words_of_one_and_two_characters_are_found(
    store: Store, root: Path, query: str
) -> None:
    write(root / "a.md", "## x\n昼に寿司を食べた\n")
    await index(store, root)

    assert await found(store, query) == ["a.md"]


async def test_one_pair_of_characters_in_common_is_no_hit(store: Store, root: Path) -> None:
    write(root / "a.md", "## 2026-06-11 検索\n検索の設計を見直した\n")
    await index(store, root)

    assert await found(store, "宇宙ステーション建設計画") == []


async def test_comments_in_code_and_keys_of_front_matter_are_no_headings(
    store: Store, root: Path
) -> None:
    """A23: `# comment` in a fence used to begin a section, and `# key` before the first one."""
    text = "---\n# about\ntitle: x\n---\n## 手順\n```sh\n# comment\nmake\n```\n~~~\n## b\n~~~\n"
    write(root / "a.md", text)
    await index(store, root)

    assert [row[2] for row in await chunks(store.connection)] == ["", "手順"]
    assert await found(store, "comment") == ["a.md"]


async def test_a_section_without_a_date_has_that_of_the_heading_above(
    store: Store, root: Path
) -> None:
    """A24: it used to have the day of the file's last change."""
    write(root / "a.md", "## 2020-01-01 決定\n### 詳細\ndetailword\n#### 深い\nx\n## 別\ny\n")
    await index(store, root)

    hits = await search(store.reader, "detailword", 5)

    assert [(hit.date, hit.date_origin) for hit in hits] == [("2020-01-01", "parent")]
    rows = await chunks(store.connection)
    assert [row[-1] for row in rows] == ["heading", "parent", "parent", "file time"]


async def test_headings_without_text_and_titles_above_are_found(store: Store, root: Path) -> None:
    """A25: neither used to be in the index at all."""
    write(root / "a.md", "# Quarterly goals\n\n## 2026-06-11 Deadlines\n\n### Payroll\nJune.\n")
    await index(store, root)

    async def headings(query: str) -> set[str]:
        return {hit.heading for hit in await search(store.reader, query, 5)}

    payroll = "Quarterly goals › 2026-06-11 Deadlines › Payroll"
    assert "Quarterly goals" in await headings("quarterly")
    assert {"Quarterly goals › 2026-06-11 Deadlines", payroll} <= await headings("deadlines")
    assert payroll in await headings("quarterly payroll")
