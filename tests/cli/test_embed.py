"""`runtime embed`, and searches that its vectors answer; with a small model from a folder."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runtime.cli import quick_search
from runtime.paths import Home
from tests.cli.conftest import Run
from tests.embeddings.models import static_model


@pytest.fixture
def model(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Settings that name a model which knows two words of one meaning, and notes with them."""
    folder = static_model(tmp_path / "small")
    text = f'[semantic]\nencoder = "model2vec"\nmodel = "{folder}"\n'
    Path(home.config).write_text(text, encoding="utf-8")
    (Path(home.notes) / "a.md").write_text(
        "## one\nthe ログイン page\n\n## two\nthe cache of the page\n\n## three\nand the page\n",
        encoding="utf-8",
    )
    return folder


def test_records_are_encoded_once_and_status_tells_how_far(
    run: Run, run_json: Callable[..., Any], model: Path
) -> None:
    run("reindex")
    before = run_json("embed", "status")

    first = run_json("embed", "backfill")
    again = run_json("embed", "backfill")

    after = run_json("embed", "status")
    assert (before["records"], before["encoded"], before["encoders"]) == (3, 0, [])
    assert (first, again["stored"]) == ({"stored": 3, "memories_vec": ""}, 0)
    assert (after["encoded"], after["problem"], after["enabled"]) == (3, "", False)
    (encoder,) = after["encoders"]
    assert (encoder["name"], encoder["dimensions"], encoder["is_used"]) == ("small", 2, True)
    assert after["ways"][-2:] == ["numpy", "python"]
    assert (after["has_ruri_table"], after["wants_ruri_table"]) == (False, False)


def test_people_read_what_there_is_to_do(run: Run, model: Path) -> None:
    run("reindex")

    before = run("embed", "status").stdout.splitlines()
    run("embed", "backfill")
    after = run("embed", "status").stdout.splitlines()

    assert before[:2] == [
        "encoder model2vec: 0 of 3 records",
        "  3 to go: `runtime embed backfill`",
    ]
    assert after[0] == "encoder model2vec: 3 of 3 records"
    assert after[1].startswith("  small ")
    assert after[1].endswith(": 3 vectors of 2 dimensions")


def test_meaning_alone_finds_what_no_word_finds(run: Run, model: Path) -> None:
    run("embed", "backfill")

    by_words = json.loads(run("search", "login", "--json").stdout)["hits"]
    by_meaning = json.loads(run("search", "login", "--semantic", "--json").stdout)["hits"]

    assert "ログイン" not in "".join(hit["content"] for hit in by_words)
    assert "ログイン" in by_meaning[0]["content"]


def test_both_ways_to_search_order_by_meaning_where_that_is_switched_on(
    run: Run, home: Home, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("embed", "backfill")
    by_words = json.loads(run("search", "of page login the", "--json").stdout)["hits"]
    text = Path(home.config).read_text(encoding="utf-8")
    Path(home.config).write_text(text + "enabled = true\n", encoding="utf-8")

    long_way = json.loads(run("search", "of page login the", "--json").stdout)["hits"]
    with pytest.raises(SystemExit):
        quick_search.search(("of page login the", "--json"))
    quick = json.loads(capsys.readouterr().out)["hits"]

    assert quick == long_way
    assert [hit["id"] for hit in long_way] != [hit["id"] for hit in by_words]
    assert sorted(hit["id"] for hit in long_way) == sorted(hit["id"] for hit in by_words)


def test_a_search_goes_on_without_an_encoder_that_fails(
    run: Run, home: Home, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("embed", "backfill")
    text = Path(home.config).read_text(encoding="utf-8")
    Path(home.config).write_text(text + "enabled = true\n", encoding="utf-8")
    run("search", "the page of cache")
    (model / "model.safetensors").write_bytes(b"")

    found = run("search", "the page of cache")
    quick_search.search(("the page of cache",))

    assert "page" in found.stdout
    assert "encoder small cannot be used" in found.stderr
    assert capsys.readouterr().out == ""


def test_meaning_alone_without_an_encoder_is_an_error(run: Run, home: Home) -> None:
    Path(home.config).write_text('[semantic]\nencoder = "onnx"\n', encoding="utf-8")

    failed = run("search", "x", "--semantic")

    assert failed.exit_code == 1
    assert "semantic.model names no folder" in str(failed.exception)
    assert run("search", "x").exit_code == 0
    assert run("embed", "status").stdout.startswith("encoder onnx: semantic.model names no folder")


def test_vectors_are_dropped_and_records_stay(
    run: Run, run_json: Callable[..., Any], model: Path
) -> None:
    run("embed", "backfill")

    others = run_json("embed", "drop", "--others")
    all_of_them = run_json("embed", "drop")

    assert (others, all_of_them) == ({"dropped": 0}, {"dropped": 3})
    found = run_json("embed", "status")
    assert (found["records"], found["encoders"]) == (3, [])
    assert run_json("embed", "backfill")["stored"] == 3


def test_only_what_another_model_has_left_is_dropped(
    run: Run, run_json: Callable[..., Any], home: Home, model: Path, tmp_path: Path
) -> None:
    run("embed", "backfill")
    other = static_model(tmp_path / "other")
    text = f'[semantic]\nencoder = "model2vec"\nmodel = "{other}"\n'
    Path(home.config).write_text(text, encoding="utf-8")
    run("embed", "backfill")
    shown = run("embed", "status").stdout

    dropped = run_json("embed", "drop", "--others")

    assert "used by nothing" in shown
    assert dropped == {"dropped": 3}
    (left,) = run_json("embed", "status")["encoders"]
    assert (left["name"], left["vectors"], left["is_used"]) == ("other", 3, True)


def test_which_are_the_others_is_not_guessed(run: Run, home: Home, model: Path) -> None:
    run("embed", "backfill")
    (model / "tokenizer.json").unlink()

    kept = run("embed", "drop", "--others")

    assert "which vectors are used is not known" in kept.stderr
    assert "3 vectors deleted" in run("embed", "drop").stdout
