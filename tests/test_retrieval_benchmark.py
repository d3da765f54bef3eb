"""The benchmark of the search: its sets are whole, its measures are the usual ones."""

import math
from contextlib import closing
from pathlib import Path

import pytest

from benchmarks.retrieval.engines import Source, Trigram
from benchmarks.retrieval.measures import judge, mean
from benchmarks.retrieval.sets import OWN, Query, load


def test_every_question_of_our_sets_has_its_answer_among_the_documents() -> None:
    sets = {item.name: item for item in load()}

    assert {name: len(item.queries) for name, item in sets.items()} == {
        "agentmem": 475, "jsquad-ja": 1500, "reactdoc-ja": 674, "xquad-en": 822,
    }  # fmt: skip
    assert len(sets["agentmem"].documents) == 4583
    for item in sets.values():
        assert all(query.relevant <= item.documents.keys() for query in item.queries)


def test_every_set_is_attributed() -> None:
    rows = (OWN / "README.md").read_text(encoding="utf-8").splitlines()

    for item in load():
        row = next(row for row in rows if row.startswith(f"| {item.name} |"))
        assert "CC BY" in row or "MIT" in row


def test_sets_of_another_folder_are_two_files_each(tmp_path: Path) -> None:
    folder = tmp_path / "small"
    folder.mkdir()
    (folder / "corpus.jsonl").write_text('{"id": "a", "text": "one"}\n', encoding="utf-8")
    (folder / "queries.jsonl").write_text('{"text": "one?", "rel": ["a"]}\n', encoding="utf-8")

    (item,) = load(tmp_path)

    assert item.documents == {"a": "one"}
    assert item.queries == [Query("one?", frozenset({"a"}), "")]
    assert load(tmp_path, only="large") == []


def test_an_answer_is_judged_by_what_is_on_the_page() -> None:
    query = Query("?", frozenset({"a", "b"}), "")

    half = judge(["x", "a"], query)
    nothing = judge([], query)

    assert (half.hit1, half.recall5, half.recall10, half.empty) == (0, 0.5, 0.5, 0)
    assert half.ndcg10 == pytest.approx((1 / math.log2(3)) / (1 + 1 / math.log2(3)))
    assert nothing == (0, 0, 0, 0, 1)
    assert mean([half, nothing]).recall10 == 0.25


def test_the_engines_beside_ours_do_what_they_are_said_to(tmp_path: Path) -> None:
    documents = {"a": "ログイン状態が消える", "b": "the retry policy", "c": "100% と 100点"}

    with closing(Source(tmp_path)) as source, closing(Trigram(tmp_path)) as trigram:
        for engine in (source, trigram):
            engine.index(documents)

        asked = ["状態", "イン状態", "policy retry", "retry policy", "100% と", "", '"']
        by_source = [source.search(query) for query in asked]
        assert by_source == [["a"], ["a"], [], ["b"], ["c"], [], []]
        assert set(trigram.search("ログインの状態 policies")) == {"a", "b"}
        assert trigram.search("状態") == []
