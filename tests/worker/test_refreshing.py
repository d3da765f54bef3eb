"""A worker renews what the search knows of esa, without anybody asking."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.esa_server import EsaServer
from tests.leftovers import until
from tests.worker.hooks import Hooks, written

pytestmark = pytest.mark.process


def test_the_worker_reads_what_is_in_esa_and_goes_on_when_it_is_refused(
    hooks: Hooks, tmp_path: Path
) -> None:
    with EsaServer() as server:
        server.add("[auth] sessions", "thirty days")
        hooks.root.mkdir(mode=0o700)
        token = tmp_path / "token"
        token.write_text(server.token, encoding="utf-8")
        (hooks.root / "config.toml").write_text(
            '[permanent]\nbackend = "esa"\nteam = "team"\nrefresh_s = 0.1\n'
            f'url = "{server.url}"\ntoken_command = "cat {token}"\n',
            encoding="utf-8",
        )

        hooks.run(written("one"))
        until(lambda: rows(hooks, "SELECT body_md FROM permanent_posts") == ["thirty days"])
        server.fail("status", status=401, times=10**6)
        until(lambda: any(rows(hooks, "SELECT problem FROM permanent_place")))
        server.heal()
        server.edit(1, body_md="sixty days")
        until(lambda: rows(hooks, "SELECT body_md FROM permanent_posts") == ["sixty days"])

    assert server.token.encode() not in b"".join(
        path.read_bytes() for path in hooks.root.rglob("*.jsonl")
    )


def rows(hooks: Hooks, statement: str) -> list[object]:
    try:
        with closing(sqlite3.connect(hooks.home.database)) as connection:
            return [row for (row,) in connection.execute(statement)]
    except sqlite3.Error:
        return []  # it is about to be made
