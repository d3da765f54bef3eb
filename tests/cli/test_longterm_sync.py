import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from runtime.context import AppContext
from runtime.longterm.dump_places import default_place, open_folder
from runtime.longterm.exchange import exchange_if_due, is_done_lately
from runtime.longterm.sync_errors import DumpFolderError
from runtime.paths import Home
from runtime.settings import absolute, load
from tests.cli.conftest import WRITE

NOW = datetime(2026, 6, 11, 9, 30, tzinfo=UTC)
BAD = '{"content": "x", "source": "s", "created_at": "never"}\n'


def test_what_was_captured_is_dumped_into_the_home_unless_told_otherwise(run, capture, home):
    capture(WRITE)

    result = run("longterm", "dump")

    (file,) = Path(home.root, "dumps").iterdir()
    assert result.exception is None
    assert result.stdout == f"{file}: 1 memory, 0 deletions\n"


def test_an_incremental_dump_of_nothing_new_is_none(run, capture, run_json):
    capture(WRITE)
    run("longterm", "dump")

    done = run_json("longterm", "dump", "--incremental")

    assert (done["name"], done["kind"], done["memories"]) == (None, "incremental", 0)


def test_each_file_and_line_that_was_not_taken_is_named(run, tmp_path):
    (tmp_path / "book.ndjson").write_text(BAD, encoding="utf-8")
    (tmp_path / ".nas.ndjson.icloud").touch()

    result = run("longterm", "sync", str(tmp_path))

    assert result.exception is None
    assert "nas.ndjson: not downloaded yet\n" in result.stdout
    assert "book.ndjson: 1 line, 1 skipped\n" in result.stdout
    assert "skipped: book.ndjson, line 1: created_at is no moment (ISO 8601)\n" in result.stderr


def test_a_folder_without_dumps_says_how_to_make_one(run, tmp_path):
    assert "`runtime longterm dump` writes one" in run("longterm", "sync", str(tmp_path)).stdout


def test_a_folder_that_is_not_there_is_an_error(run, tmp_path):
    result = run("longterm", "sync", str(tmp_path / "gone"))

    assert isinstance(result.exception, DumpFolderError)
    assert result.exception.place == str(tmp_path / "gone")


def test_by_itself_it_dumps_and_syncs_once_in_an_interval(run, capture, home):
    capture(WRITE)

    first = run("longterm", "sync", "--auto", "--json")
    second = run("longterm", "sync", "--auto", "--json")

    done = json.loads(first.stdout)
    assert done["dumped"]["memories"] == 1
    assert [file["state"] for file in done["synced"]["files"]] == ["unchanged"]
    assert json.loads(second.stdout) is None
    assert len(list(Path(home.root, "dumps").iterdir())) == 1


async def test_what_failed_is_not_tried_again_at_once(app: AppContext, tmp_path: Path):
    place = str(tmp_path / "no" / "disk")
    with pytest.raises(DumpFolderError):
        await exchange_if_due(app, place, NOW)

    assert await exchange_if_due(app, place, NOW + timedelta(seconds=10)) is None
    assert await is_done_lately(app, NOW + timedelta(seconds=10))
    assert not await is_done_lately(app, NOW + timedelta(hours=1))
    # A clock that was ahead must not keep it from ever being done.
    assert not await is_done_lately(app, NOW - timedelta(hours=1))


def test_the_default_folder_is_icloud_drive_on_a_mac(monkeypatch):
    monkeypatch.setenv("HOME", "/Users/a")
    home = Home("/Users/a/.oboegaki")

    assert default_place(home, "darwin") == (
        "/Users/a/Library/Mobile Documents/com~apple~CloudDocs/oboegaki"
    )
    assert default_place(home, "linux") == "/Users/a/.oboegaki/dumps"


def test_a_relative_folder_begins_where_it_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    config = tmp_path / "config.toml"
    config.write_text('[sync]\ndir = "there"\n', encoding="utf-8")

    assert open_folder("here", Home("/h")).place == str(tmp_path / "here")
    assert load(str(config), {}).settings.sync.dir == str(tmp_path / "there")


def test_an_address_is_no_path(tmp_path):
    config = tmp_path / "config.toml"
    config.write_text('[sync]\ndir = "s3://bucket/x"\n', encoding="utf-8")

    assert load(str(config), {}).settings.sync.dir == "s3://bucket/x"
    assert absolute("OBOEGAKI_SYNC_DIR", "s3://bucket/x", "/project") == "s3://bucket/x"
    assert absolute("OBOEGAKI_SYNC_DIR", "x", "/project") == "/project/x"
