"""`runtime permanent`, against a folder and against a server like esa's."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from runtime.paths import Home
from runtime.permanent.errors import (
    CannotReadError,
    NoPostError,
    NotSetUpError,
    TitleRefusedError,
    UnauthorizedError,
    UnknownRevisionError,
)
from tests.cli.conftest import Run
from tests.esa_server import EsaServer

TITLE = "[auth] sessions"
Json = Callable[..., Any]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[EsaServer]:
    with EsaServer() as running:
        monkeypatch.setenv("OBOEGAKI_PERMANENT_TEAM", "team")
        monkeypatch.setenv("OBOEGAKI_PERMANENT_URL", running.url)
        monkeypatch.setenv("ESA_ACCESS_TOKEN", running.token)
        yield running


@pytest.fixture(params=["local", "esa"])
def place(
    request: pytest.FixtureRequest, server: EsaServer, monkeypatch: pytest.MonkeyPatch
) -> str:
    monkeypatch.setenv("OBOEGAKI_PERMANENT_BACKEND", request.param)
    return str(request.param)


def create(run_json: Json, title: str = TITLE, body: str = "one\n", *tags: str) -> Any:
    options = [word for tag in tags for word in ("--tag", tag)]
    return run_json("permanent", "create", "--title", title, "--body", body, *options)


def test_a_memory_is_created_found_shown_updated_and_archived(place: str, run_json: Json) -> None:
    made = create(run_json, TITLE, "one\n", "auth")
    assert (made["status"], made["number"], made["revision"]) == ("created", 1, 1)
    assert create(run_json)["status"] == "known"

    found = run_json("permanent", "search", "sessions")
    assert [(post["number"], post["revision"]) for post in found["posts"]] == [(1, 1)]
    updated = run_json("permanent", "update", "1", "--revision", "1", "--body", "two\n")
    assert (updated["revision"], updated["title"]) == (2, TITLE)
    assert run_json("permanent", "show", "1")["body_md"] == "two\n"
    assert run_json("permanent", "show", "1", "--revision", "1")["body_md"] == "one\n"
    history = run_json("permanent", "history", "1")
    assert [revision["number"] for revision in history] == [2, 1]

    assert [post["archived"] for post in run_json("permanent", "archive", "1")] == [True]
    assert [post["archived"] for post in run_json("permanent", "archive", "1")] == [False]
    assert run_json("permanent", "search")["posts"] == []


def test_an_update_of_what_has_moved_on_shows_both_and_exits_with_1(
    place: str, run: Run, run_json: Json
) -> None:
    create(run_json)
    run_json("permanent", "update", "1", "--revision", "1", "--body", "theirs\n")

    result = run("permanent", "update", "1", "--revision", "1", "--body", "mine\n")

    assert result.exit_code == 1
    assert "you have revision 1 of memory 1, it is at 2" in result.stdout
    assert "-theirs\n+mine" in result.stdout
    told = json.loads(
        run("permanent", "update", "1", "--revision", "1", "--body", "mine\n", "--json").stdout
    )
    assert (told["yours"]["body_md"], told["theirs"]["body_md"]) == ("mine\n", "theirs\n")


def test_a_merge_says_that_it_was_one(place: str, run: Run, run_json: Json) -> None:
    create(run_json, TITLE, "one\n\ntwo\n")
    run_json("permanent", "update", "1", "--revision", "1", "--body", "ONE\n\ntwo\n")

    result = run(
        "permanent", "update", "1", "--revision", "1", "--merge", input="one\n\ntwo\nthree\n"
    )

    assert result.stdout == "saved: #1 is at revision 3, merged with what was saved meanwhile\n"
    assert run_json("permanent", "show", "1")["body_md"] == "ONE\n\ntwo\nthree\n"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("show", "9"), NoPostError),
        (("history", "9"), NoPostError),
        (("archive", "1", "9"), NoPostError),
        (("show", "1", "--revision", "9"), UnknownRevisionError),
        (("create", "--title", "x" * 181, "--body", ""), TitleRefusedError),
    ],
)
def test_what_cannot_be_done_is_told(
    place: str, run: Run, run_json: Json, arguments: tuple[str, ...], error: type[Exception]
) -> None:
    create(run_json)

    assert isinstance(run("permanent", *arguments).exception, error)


def test_of_several_that_are_archived_one_that_is_not_there_keeps_none_back(
    place: str, run: Run, run_json: Json
) -> None:
    create(run_json)
    create(run_json, "[b] other", "two\n")

    told = run("permanent", "archive", "1", "1", "98", "99", "2")
    again = run("permanent", "archive", "1", "99", "--json")

    assert isinstance(told.exception, NoPostError)
    assert "no memory 99" in str(told.exception)
    assert "no memory 98" in told.stderr
    assert [line[:13] for line in told.stdout.splitlines()] == ["archived: #1 ", "archived: #2 "]
    assert [post["archived"] for post in json.loads(again.stdout)] == [False]
    assert run_json("permanent", "search")["posts"] == []


def test_an_empty_title_is_no_title_that_stays(place: str, run: Run, run_json: Json) -> None:
    create(run_json)

    result = run("permanent", "update", "1", "--revision", "1", "--title", "", "--body", "two\n")

    assert isinstance(result.exception, TitleRefusedError)
    assert run_json("permanent", "show", "1")["body_md"] == "one\n"


def test_a_page_behind_the_last_is_no_search_without_result(
    place: str, run: Run, run_json: Json
) -> None:
    create(run_json)

    assert run("permanent", "search", "--page", "9").stderr == "there is no page 9; 1 in all\n"


@pytest.mark.parametrize("command", [("search",), ("report",), ("show", "1"), ("history", "1")])
def test_a_folder_that_is_none_is_told(
    home: Home, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    file = tmp_path / "a file"
    file.write_text("mine", encoding="utf-8")
    monkeypatch.setenv("OBOEGAKI_PERMANENT_DIR", str(file))

    for words in (command, ("create", "--title", TITLE, "--body", "x")):
        error = run("permanent", *words).exception
        assert isinstance(error, CannotReadError)
        assert "Not a directory" in str(error)
    assert file.read_text(encoding="utf-8") == "mine"


def test_an_address_that_is_none_is_told(
    server: EsaServer, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OBOEGAKI_PERMANENT_BACKEND", "esa")
    monkeypatch.setenv("OBOEGAKI_PERMANENT_URL", "http://[::1")

    error = run("permanent", "search").exception

    assert isinstance(error, NotSetUpError)
    assert "permanent.url is no address" in str(error)


def test_esa_without_team_or_token_says_what_to_set(
    home: Home, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OBOEGAKI_PERMANENT_BACKEND", "esa")
    result = run("permanent", "search")
    assert isinstance(result.exception, NotSetUpError)
    assert "permanent.team" in str(result.exception)

    monkeypatch.setenv("OBOEGAKI_PERMANENT_TEAM", "team")
    monkeypatch.delenv("ESA_ACCESS_TOKEN", raising=False)
    result = run("permanent", "search")
    assert isinstance(result.exception, NotSetUpError)
    assert "ESA_ACCESS_TOKEN" in str(result.exception)


def test_a_wrong_token_is_no_empty_answer(
    server: EsaServer, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OBOEGAKI_PERMANENT_BACKEND", "esa")
    monkeypatch.setenv("ESA_ACCESS_TOKEN", "wrong-but-secret")

    result = run("permanent", "search")

    assert isinstance(result.exception, UnauthorizedError)
    assert "wrong-but-secret" not in f"{result.output}{result.exception}"


EDITOR = """#!/bin/sh
cp "$1" {seen}
sed -i {script} "$1"
"""


def editor(tmp_path: Path, script: str) -> str:
    path = tmp_path / "editor"
    path.write_text(EDITOR.format(seen=tmp_path / "seen", script=f"'{script}'"), encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def test_edit_opens_the_editor_and_saves_title_and_text(
    place: str, run: Run, run_json: Json, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    create(run_json)
    monkeypatch.setenv("EDITOR", editor(tmp_path, "s/one/two/; s/sessions/tokens/"))

    result = run("permanent", "edit", "1")

    assert result.stdout == "saved: #1 is at revision 2\n"
    assert (tmp_path / "seen").read_text(encoding="utf-8") == f"title: {TITLE}\n\none\n"
    shown = run_json("permanent", "show", "1")
    assert (shown["title"], shown["body_md"]) == ("[auth] tokens", "two\n")


def test_edit_merges_what_was_saved_while_the_editor_was_open(
    server: EsaServer, run: Run, run_json: Json, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OBOEGAKI_PERMANENT_BACKEND", "esa")
    create(run_json, TITLE, "one\n\n\ntwo\n")
    path = tmp_path / "slow"
    url = f"{server.url.removesuffix('/v1')}/_edit/1?body=ONE%0A%0A%0Atwo%0A"
    path.write_text(
        f'#!/bin/sh\nsed -i s/two/2/ "$1"\n{__import__("sys").executable} -I -c '
        f"'import urllib.request as r; r.urlopen(\"{url}\").read()'\n",
        encoding="utf-8",
    )
    path.chmod(0o755)
    monkeypatch.setenv("EDITOR", str(path))

    result = run("permanent", "edit", "1")

    assert "merged with what was saved meanwhile" in result.stdout
    assert run_json("permanent", "show", "1")["body_md"] == "ONE\n\n\n2\n"


def test_an_edit_that_cannot_be_saved_stays_in_a_file(
    home: Home, run: Run, run_json: Json, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    create(run_json)
    monkeypatch.setenv("EDITOR", editor(tmp_path, "s/^title.*/title: /; s/one/my words/"))

    result = run("permanent", "edit", "1")

    assert "not saved: the title is empty" in str(result.exception)
    (left,) = (Path(home.root) / "edits").iterdir()
    assert "my words" in left.read_text(encoding="utf-8")
    assert str(left) in str(result.exception)
    assert left.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("script", "why"),
    [
        (None, "the file was never written"),
        ("s/no such word//", "the file was written as it was"),
        ("$s/$/\\n/", "a line end at the end is no change"),
    ],
)
def test_an_editor_that_changes_nothing_saves_nothing(
    place: str,
    run: Run,
    run_json: Json,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    script: str | None,
    why: str,
) -> None:
    create(run_json)
    monkeypatch.setenv("EDITOR", editor(tmp_path, script) if script else "true")

    assert run("permanent", "edit", "1").stderr == "nothing changed\n"
    assert run_json("permanent", "show", "1")["revision"] == 1


def test_a_file_is_shown_by_a_path_that_a_shell_takes(home: Home, run: Run, run_json: Json) -> None:
    create(run_json, "[認証] 期限")

    shown = run("permanent", "show", "1").stdout

    (line,) = [line for line in shown.splitlines() if line.startswith("at: ")]
    assert Path(line.removeprefix("at: ")).read_text(encoding="utf-8").endswith("one\n")
    assert "認証" in line


def test_titles_with_the_same_fault_stand_together(place: str, run: Run, run_json: Json) -> None:
    create(run_json, "build", "How the image is built.")
    create(run_json, "holidays", "Who is away in August.")

    shown = run("permanent", "report").stdout

    (part,) = [part for part in shown.split("\n\n") if part.startswith("title, ")]
    assert [line.split()[0] for line in part.splitlines()[1:]] == ["#2", "#1"]


def test_the_report_names_what_is_worth_a_look(place: str, run: Run, run_json: Json) -> None:
    text = "Sessions expire after thirty minutes without any request from the browser.\n"
    create(run_json, "[auth] sessions", text)
    create(run_json, "[auth] expiry", text)
    create(run_json, "[auth] almost", text.replace("thirty", "forty"))
    create(run_json, "no keywords", "Something else entirely, about the build.")

    found = run_json("permanent", "report")

    assert found["posts"] == 4
    assert sorted(twins["how"] for twins in found["twins"]) == ["same", "similar"]
    assert [bad["post"]["title"] for bad in found["titles"]] == ["no keywords"]
    assert [group["keywords"] for group in found["together"]] == [["auth"]]
    assert "same, 100%" in run("permanent", "report").stdout


def test_a_report_in_the_future_finds_what_is_bound_to_its_time(
    server: EsaServer, run_json: Json, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OBOEGAKI_PERMANENT_BACKEND", "esa")
    server.add("[ci] versions", "当面は Node 20.1 を使う。")
    server.add("[ci] rule", "Tests run before every merge.")

    found = run_json("permanent", "report")

    assert [(stale["post"]["number"], stale["words"]) for stale in found["stale"]] == [
        (1, ["当面", "20.1"])
    ]


def test_memories_move_to_esa_and_back_each_once(
    server: EsaServer, home: Home, run: Run, run_json: Json
) -> None:
    for number in range(3):
        create(run_json, f"[n] {number}", f"text {number}\n", "extra")
    gone = create(run_json, "[n] archived", "old\n")["number"]
    run_json("permanent", "archive", str(gone))
    there = ("permanent", "migrate", "--from", "local", "--to", "esa")

    assert {moved["status"] for moved in run_json(*there, "--dry-run")} == {"would be created"}
    assert server.posts.all() == []
    assert {moved["status"] for moved in run_json(*there)} == {"created"}
    assert {moved["status"] for moved in run_json(*there)} == {"known"}
    posts = [(post.name, post.body_md, post.tags) for post in server.posts.all()]
    assert posts == [(f"[n] {n}", f"text {n}\n", ["永続", "extra"]) for n in range(3)]

    server.add("[n] from esa", "new\n")
    back = run_json("permanent", "migrate", "--from", "esa", "--to", "local")
    assert sorted(moved["status"] for moved in back) == ["created", *["known"] * 3]
    assert run_json("permanent", "search", "from esa")["total"] == 1
    assert run("permanent", "migrate", "--from", "esa", "--to", "esa").exit_code == 2


def test_files_that_are_no_posts_are_named_and_left_alone(
    home: Home, run_json: Json, tmp_path: Path
) -> None:
    create(run_json)
    folder = Path(home.root) / "permanent"
    (folder / "mine.md").write_text("# mine\n", encoding="utf-8")
    (first,) = folder.glob("0001-*.md")
    (folder / "zz-copy.md").write_bytes(first.read_bytes())

    found = run_json("permanent", "report")

    assert [(Path(path).name, reason) for path, reason in found["strangers"]] == [
        ("mine.md", "no number in its head"),
        ("zz-copy.md", f"the number of {first.name}"),
    ]
    assert run_json("permanent", "search")["total"] == 1


def test_the_search_of_all_memory_finds_what_was_created(place: str, run_json: Json) -> None:
    create(run_json, "[認証] セッションの期限", "30日にした\n")

    [hit] = run_json("search", "期限")["hits"]

    assert (hit["kind"], hit["id"], hit["revision"]) == ("permanent", 1, 1)
    assert (hit["seen_at"] is None) == (place == "local")
    run_json("permanent", "archive", "1")
    assert run_json("search", "期限")["hits"] == []


def test_a_refresh_tells_what_has_changed_and_search_needs_no_esa(
    run: Run, server: EsaServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OBOEGAKI_PERMANENT_BACKEND", "esa")
    server.add("[auth] sessions", "thirty days")
    assert run("search", "thirty").stdout == ""

    refreshed = run("permanent", "refresh")
    server.fail("status", status=401, times=100)
    found = run("search", "thirty")
    refused = run("permanent", "refresh")

    assert refreshed.stdout == "1 permanent memory: 1 new or changed, 0 gone\n"
    assert "permanent #1  https://team.esa.io/posts/1" in found.stdout
    assert "[auth] sessions  ·  revision 1, seen today" in found.stdout
    assert isinstance(refused.exception, UnauthorizedError)
    assert "thirty days" in run("search", "thirty").stdout


def test_a_folder_is_refreshed_by_being_looked_at(run_json: Json) -> None:
    create(run_json)

    assert run_json("permanent", "refresh") == {
        "posts": 1, "changed": 0, "removed": 0, "is_whole": True,
    }  # fmt: skip


def test_a_folder_that_is_a_file_is_named_with_the_reason(run, tmp_path, monkeypatch):
    place = tmp_path / "a file"
    place.write_text("text", encoding="utf-8")
    monkeypatch.setenv("OBOEGAKI_PERMANENT_DIR", str(place))

    result = run("permanent", "refresh")

    assert result.exit_code == 1
    assert str(result.exception).startswith(f"{place} cannot be read: Not a directory")
