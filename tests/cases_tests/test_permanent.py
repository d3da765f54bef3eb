"""Permanent memories, on both backends: edits beside the agent, and archiving twice."""

import ast
import json
import logging
from collections.abc import Callable, Generator, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from anyio import to_thread

from runtime.mcp_servers import permanent
from runtime.mcp_servers.common import Memory, Server
from runtime.permanent import folder as files
from runtime.permanent import front_matter
from tests.cases_tests.playground import CASES
from tests.esa_server import EsaServer
from tests.mcp_servers.conftest import call, refused
from tests.mcp_servers.test_permanent import ARCHIVE, CREATE, HISTORY, SEARCH, SHOW, UPDATE

TAG = "永続"
BROWSER = "ブラウザで直した本文"
Facts = Mapping[str, Any]


class State(NamedTuple):
    """What stands in the place itself, whatever the server says of it."""

    title: str
    body_md: str
    category: str | None
    tags: list[str]
    wip: bool


class Place:
    """A server of permanent memories, what lies behind it, and a person who edits there."""

    def __init__(self, server: Server, folder: Path, esa: EsaServer | None) -> None:
        self.server = server
        self.folder = folder
        self.esa = esa

    def put(self, facts: Facts) -> None:
        """Lay a post there, as a person has made it."""
        facts = {"body_md": "本文\n", "wip": False, "revision_number": 1, **facts}
        if self.esa is None:
            self.folder.mkdir(parents=True, exist_ok=True)
            head = {"title" if name == "name" else name: facts[name] for name in facts}
            body, head["revision"] = head.pop("body_md"), head.pop("revision_number")
            text = front_matter.write(head, (), body)
            (self.folder / f"{facts['number']:04d}.md").write_text(text, encoding="utf-8")
            return
        self.esa.add(**facts)
        for _save in range(facts["revision_number"] - 1):
            self.esa.edit(facts["number"], body_md=facts["body_md"])

    def edit(self, number: int, body_md: str) -> None:
        """Save a text over a post's: in the browser, or in an editor."""
        if self.esa is not None:
            self.esa.edit(number, body_md=body_md)
            return
        file = files.scan(self.folder)[number]
        head = file.text.removesuffix(file.post.body_md)
        file.path.write_text(head + body_md, encoding="utf-8")

    def state(self, number: int) -> State:
        """Return what is there."""
        if self.esa is not None:
            post = self.esa.posts.get(number)
            assert post is not None
            return State(post.name, post.body_md, post.category, post.tags, post.wip)
        file = files.scan(self.folder)[number].post
        return State(file.title, file.body_md, file.category, list(file.tags), file.wip)

    def edit_before_write(
        self, monkeypatch: pytest.MonkeyPatch, edit: Callable[[], object]
    ) -> None:
        """Let a person save right before the next write takes effect, once."""
        if self.esa is not None:
            self.esa.before_write.append(edit)
            return
        save, waiting = files.save, [edit]

        def raced(*arguments: Any) -> Path:
            if waiting:
                waiting.pop()()
            return save(*arguments)

        monkeypatch.setattr(files, "save", raced)

    async def revisions(self, number: int) -> list[int]:
        """Return the numbers of a post's revisions, newest first."""
        told = await call(self.server, HISTORY, post_number=number)
        return [each["revision"] for each in told["revisions"]]


@pytest.fixture(autouse=True)
def _logging_is_put_back() -> Generator[None]:
    """The SDK's server configures logging when it is made."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers, root.level = handlers, level


@pytest.fixture(params=["local", "esa", "esa with 409"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    name = request.param.partition(" ")[0]
    with EsaServer(latest_is_409=request.param.endswith("409")) as esa:
        environ = {
            "OBOEGAKI_HOME": str(tmp_path / "home"),
            "OBOEGAKI_PERMANENT_BACKEND": name,
            "OBOEGAKI_PERMANENT_TEAM": "team",
            "OBOEGAKI_PERMANENT_URL": esa.url,
            "ESA_ACCESS_TOKEN": esa.token,
        }
        server = permanent.build(Memory(environ))
        folder = tmp_path / "home" / "permanent"
        yield Place(server, folder, esa if name == "esa" else None)


def e01_post() -> Facts:
    """Return the post that the case's own small server holds."""
    lines = (CASES / "E01" / "fake_esa.py").read_text(encoding="utf-8").splitlines()
    (line,) = [line for line in lines if line.startswith("P=")]
    facts: Facts = ast.literal_eval(line.removeprefix("P="))
    return facts


def e03_posts() -> list[Facts]:
    lines = (CASES / "E03" / "posts.ndjson").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def e03_queries() -> list[str]:
    return (CASES / "E03" / "queries.txt").read_text(encoding="utf-8").splitlines()


async def test_e01_a_page_that_was_edited_in_the_browser_is_not_overwritten(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = e01_post()
    await to_thread.run_sync(place.put, facts)
    mine = {"post_number": 7, "title": facts["name"], "body_md": "エージェントの本文"}

    read = await call(place.server, SHOW, post_number=7)
    assert (read["revision"], read["body_md"]) == (3, facts["body_md"])
    await to_thread.run_sync(place.edit, 7, BROWSER)

    said = await refused(place.server, UPDATE, **mine, revision=3)
    assert "conflict: you have revision 3 of memory 7, it is at 4" in said
    assert BROWSER in said
    assert mine["body_md"] in said
    assert f"-{BROWSER}\n+{mine['body_md']}" in said
    assert (await to_thread.run_sync(place.state, 7)).body_md == BROWSER

    said = await refused(place.server, UPDATE, **mine)
    assert "revision" in said
    assert (await to_thread.run_sync(place.state, 7)).body_md == BROWSER

    read = await call(place.server, SHOW, post_number=7)
    done = await call(place.server, UPDATE, **mine, revision=read["revision"])
    assert (read["revision"], done["revision"]) == (4, 5)
    assert (await to_thread.run_sync(place.state, 7)).body_md == mine["body_md"]

    place.edit_before_write(monkeypatch, lambda: place.edit(7, BROWSER))
    said = await refused(place.server, UPDATE, **{**mine, "body_md": "もう一度"}, revision=5)
    after = await to_thread.run_sync(place.state, 7)
    assert "conflict: " in said
    assert BROWSER in said
    assert BROWSER in after.body_md
    assert (after.title, after.category, after.tags, after.wip) == (
        facts["name"], facts["category"], facts["tags"], facts["wip"],
    )  # fmt: skip


async def test_e03_archiving_twice_is_archiving_once(place: Place) -> None:
    """Of the two readings of a category in small letters, Archived is the archive alone."""
    posts = e03_posts()
    for facts in posts:
        await to_thread.run_sync(place.put, facts)
    ours = [facts for facts in posts if TAG in facts["tags"]]

    first = [await call(place.server, ARCHIVE, post_number=facts["number"]) for facts in ours]
    before = [await to_thread.run_sync(place.state, facts["number"]) for facts in ours]
    revisions = [await place.revisions(facts["number"]) for facts in ours]
    second = [await call(place.server, ARCHIVE, post_number=facts["number"]) for facts in ours]

    assert [each["category"] for each in first] == [
        "Archived", "Archived", "Archived/記憶", "Archived/記憶/Archived", "Archived/archived/x",
        "Archived/ArchivedNotes",
    ]  # fmt: skip
    assert [each["archived"] for each in first] == [True, False, False, True, True, True]
    assert [each["archived"] for each in second] == [False] * len(ours)
    assert [len(found) for found in revisions] == [2, 1, 1, 2, 2, 2]
    assert [await place.revisions(facts["number"]) for facts in ours] == revisions
    after = [await to_thread.run_sync(place.state, facts["number"]) for facts in ours]
    assert after == before
    assert [(state.title, state.tags) for state in after] == [
        (facts["name"], facts["tags"]) for facts in ours
    ]


async def test_e03_a_post_without_the_tag_is_refused(place: Place) -> None:
    (other,) = [facts for facts in e03_posts() if TAG not in facts["tags"]]
    await to_thread.run_sync(place.put, other)
    before = await to_thread.run_sync(place.state, other["number"])
    change = {"title": other["name"], "body_md": "mine", "revision": 1}

    for tool, arguments in ((UPDATE, change), (ARCHIVE, {}), (SHOW, {}), (HISTORY, {})):
        said = await refused(place.server, tool, post_number=other["number"], **arguments)
        assert f"does not have the tag {TAG}" in said

    assert await to_thread.run_sync(place.state, other["number"]) == before


@pytest.mark.parametrize("query", e03_queries())
async def test_e03_no_query_switches_the_scope_off(place: Place, query: str) -> None:
    archived = {"number": 1, "category": "Archived", "name": "済み", "tags": [TAG]}
    other = {"number": 2, "category": None, "name": "他人の", "tags": ["他"]}
    for facts in (archived, other):
        await to_thread.run_sync(place.put, {**facts, "body_md": f"認証 引用 {query}\n"})

    assert (await call(place.server, SEARCH, query=query))["posts"] == []
    assert (await call(place.server, SEARCH))["posts"] == []
    if place.esa is not None:
        asked = [request.query["q"] for request in place.esa.requests if "q" in request.query]
        assert [each.split()[:2] for each in asked] == [[f"tag:{TAG}", "-in:Archived"]] * 2
        assert "-in:Archived" in asked[0].removeprefix(f"tag:{TAG} -in:Archived ")


async def test_e03_the_tag_is_added_once_and_a_slash_makes_no_category(place: Place) -> None:
    made = await call(
        place.server, CREATE, title="[記憶] a/b", body_md="本文", extra_tags=[TAG, "他", TAG]
    )

    after = await to_thread.run_sync(place.state, made["number"])
    assert after.tags == [TAG, "他"]
    assert after.category is None
    assert (await call(place.server, SHOW, post_number=made["number"]))["name"] == "[記憶] a/b"
