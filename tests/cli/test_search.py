"""`runtime search`: what people see, what scripts read, and the quick way to both."""

import io
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TextIO

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.cli import quick_search
from runtime.cli.hits import BOLD, PLAIN, is_coloured
from runtime.cli.search import search as command
from runtime.cli.search_options import Options, read
from runtime.paths import Home
from runtime.query import Filters
from runtime.store import index_backlog
from runtime.store.replicas import insert_rows
from runtime.store.store import open_store
from tests.cli.conftest import WRITE, Run
from tests.store.test_index_backlog import row

NOTE = """# Decisions

## 2020-11-20 Cache
The cache is emptied at night. redis is used.

## 2020-11-02 認証の方式
認証設定はJWT。再試行の上限は三回。
"""


class Terminal(io.TextIOWrapper):
    """A stream that a person looks at."""

    def isatty(self) -> bool:
        return True


Quick = Callable[..., tuple[str, str] | None]


@pytest.fixture
def noted(home: Home) -> Path:
    path = Path(home.notes) / "decisions.md"
    path.write_text(NOTE, encoding="utf-8")
    return path


@pytest.fixture
def quick(home: Home, monkeypatch: pytest.MonkeyPatch) -> Quick:
    """Search the quick way: what is printed, None where the command itself has to do it."""

    def search(*arguments: str, is_terminal: bool = False) -> tuple[str, str] | None:
        printed, err = io.BytesIO(), io.StringIO()
        out = (Terminal if is_terminal else io.TextIOWrapper)(printed, "utf-8")
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            try:
                quick_search.search(arguments)
            except SystemExit as end:
                code = end.code
            else:
                return None
        assert code == 0
        return printed.getvalue().decode(), err.getvalue()

    return search


def test_people_see_where_it_stands_how_old_it_is_and_the_words(run: Run, noted: Path) -> None:
    shown = run("search", "cache").stdout.splitlines()

    assert shown[0].startswith("2020-11-20 (heading, ")
    assert f" years ago)  note #2  {noted}:3  score " in shown[0]
    assert shown[1] == "  Decisions › 2020-11-20 Cache"
    assert shown[2].startswith("  ## 2020-11-20 Cache The cache is emptied at night.")
    assert len(shown) == 3


def test_scripts_read_one_object(run_json: Callable[..., Any], noted: Path) -> None:
    found = run_json("search", '"redis is" kind:note')

    assert found["query"] == '"redis is" kind:note'
    (hit,) = found["hits"]
    assert list(hit)[:7] == ["id", "kind", "source", "heading", "date", "score", "snippet"]
    assert (hit["source"], hit["date"]) == (str(noted), "2020-11-20")


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        (("--kind", "note"), 1),
        (("--kind", "long-term"), 1),
        (("--kind", "notes", "--kind", "long-term"), 2),
        (("--project", "shop"), 1),
        (("--tool", "write"), 1),
        (("--file", "retry.md"), 1),
        (("--after", "2020"), 1),
        (("--before", "2020-12"), 2),
        (("--before", "2020-11-20", "--after", "2020-01-01"), 0),
    ],
)
def test_options_narrow_down_like_words_do(
    run: Run, noted: Path, capture: Callable[..., str], arguments: Sequence[str], found: int
) -> None:
    capture(WRITE)
    noted.write_text("## 2020-11-20 Retry\nretry policy\n", encoding="utf-8")
    words = [
        f"{name.removeprefix('--')}:{value}"
        for name, value in zip(arguments[::2], arguments[1::2], strict=True)
    ]

    by_options = json.loads(run("search", "retry", *arguments, "--json").stdout)["hits"]
    by_words = json.loads(run("search", " ".join(["retry", *words]), "--json").stdout)["hits"]

    assert len(by_options) == found
    assert by_options == by_words


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("x", "--from", "-"),
        ("x", "--from"),
        ("x", "--jsn"),
        ("x", "-n"),
        ("x", "-n0"),
        ("-n", "-認証"),
        ("x", "-n", "101"),
        ("x", "--kind", "diary"),
        ("x", "--after", "yesterday"),
        ("x", "--before", "2026-02-30"),
        ("x", "--project", ""),
        ("--from", "/no/such/file"),
    ],
)
def test_what_cannot_be_meant_is_said(run: Run, arguments: Sequence[str]) -> None:
    assert run("search", *arguments).exit_code == 2


def test_a_query_a_line_gives_an_object_a_line(run: Run, noted: Path, tmp_path: Path) -> None:
    file = tmp_path / "queries"
    file.write_bytes("\ufeffcache\r\n\n認証設定\nnothing-at-all\n\xff\n".encode("utf-8"))

    from_file = run("search", "--from", str(file), "-n", "1").stdout
    from_stdin = run("search", "--from", "-", "-n", "1", input=file.read_bytes()).stdout

    lines = [json.loads(line) for line in from_file.splitlines()]
    assert [line["query"] for line in lines] == ["cache", "", "認証設定", "nothing-at-all", "\xff"]
    assert [len(line["hits"]) for line in lines] == [1, 0, 1, 0, 0]
    assert from_stdin == from_file


@pytest.mark.parametrize("data", [b"\xff\xfe x", b"\0\n", b"\r\n"])
def test_a_file_of_anything_is_read(run: Run, tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "queries"
    file.write_bytes(data)

    (line,) = run("search", "--from", str(file)).stdout.splitlines()

    assert json.loads(line)["hits"] == []


def test_a_file_of_nothing_asks_nothing(run: Run, tmp_path: Path) -> None:
    (tmp_path / "queries").write_bytes(b"")

    result = run("search", "--from", str(tmp_path / "queries"))

    assert (result.exit_code, result.stdout) == (0, "")


@pytest.mark.parametrize(
    ("query", "tip"),
    [
        ("zzz", "try fewer or other words"),
        ('"zzz"', "try it without the quotation marks"),
        ("cache -emptied", "try it without the words with a dash"),
        ("cache kind:long-term after:2030", "try it without `kind:` or `after:`"),
    ],
)
def test_where_nothing_is_found_the_next_step_is_told(
    run: Run, noted: Path, query: str, tip: str
) -> None:
    result = run("search", query)

    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.startswith(f"nothing found; {tip}")


def test_words_need_no_quotation_marks_and_a_dash_no_other(run: Run, noted: Path) -> None:
    apart = json.loads(run("search", "redis", "cache", "--json").stdout)
    without = json.loads(run("search", "-認証", "kind:note", "--json").stdout)

    assert apart == json.loads(run("search", "redis cache", "--json").stdout)
    assert without["query"] == "-認証 kind:note"
    headings = [hit["heading"] for hit in without["hits"]]
    assert headings == ["Decisions", "Decisions › 2020-11-20 Cache"]


def test_help_is_no_word(run: Run) -> None:
    assert run("search", "x", "--help").stdout.startswith("Usage: ")


def test_a_filter_that_is_not_understood_is_told_beside_the_hits(run: Run, noted: Path) -> None:
    result = run("search", "The cache is emptied at night", "kind:foo")

    assert "2020-11-20 Cache" in result.stdout
    assert result.stderr == (
        "kind: is no kind here: foo; write note, long-term or permanent, "
        "it was searched for as a word\n"
    )


def test_in_a_file_of_queries_the_line_is_told(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "queries"
    file.write_text("cache\ncache kind:foo\n", encoding="utf-8")

    result = run("search", "--from", str(file))

    assert len(result.stdout.splitlines()) == 2
    assert result.stderr.startswith("line 2: kind: is no kind here: foo; ")
    assert len(result.stderr.splitlines()) == 1


def test_a_score_is_shown_where_words_were_scored(run: Run, noted: Path) -> None:
    listed, found = run("search", "kind:note").stdout, run("search", "redis cache").stdout

    assert "  score " not in listed
    assert "  score " in found
    assert "score 0.0" not in found


def test_edits_of_one_file_are_one_hit_until_all_are_asked_for(
    run: Run, capture: Callable[..., str]
) -> None:
    for number in range(3):
        response = {"content": f"retry policy number{number} " * 20}
        capture({**WRITE, "tool_response": response, "session_id": str(number)}, number + 1)

    one = run("search", "retry").stdout
    every = run("search", "retry", "--all").stdout

    assert one.count("long-term #") == 1
    assert one.endswith("  and 2 more of the same: --all shows them\n")
    assert every.count("long-term #") == 3


def test_a_note_is_found_as_soon_as_it_is_written(run: Run, noted: Path, quick: Quick) -> None:
    run("search", "cache")
    noted.write_text(NOTE + "\n## 2020-12-01 New\nxylophone\n", encoding="utf-8")

    assert quick("xylophone") is None
    assert "xylophone" in run("search", "xylophone").stdout
    assert "xylophone" in str(quick("xylophone"))


ARGUMENTS = [
    ("cache",),
    ("cache", "--json"),
    ("認証設定", "-n", "1"),
    ("--all", "cache", "--kind", "note"),
    ("--json", "--", "-emptied"),
    ("cache", "-redis", "--json"),
    ("-認証", "--json"),
    ("night", "-nothing", "cache", "--json"),
    ("cache", "--file", "-x"),
    ("cache", "--kind", "Note"),
    ("cache after:昨日 kind:foo \x1b[31m", "--json"),
    ("zzz after:\udcff",),
    ("cache", "--after", "2020-11", "--before", "2021"),
    ("nothing-at-all",),
    ('"redis is" \udcff', "--json"),
    ("\0 NEAR( AND *",),
    ("",),
]


@pytest.mark.parametrize("arguments", ARGUMENTS)
def test_both_ways_print_the_same(
    run: Run, noted: Path, quick: Quick, arguments: Sequence[str]
) -> None:
    result = run("search", *arguments)

    assert quick(*arguments) == (result.stdout, result.stderr)


@pytest.mark.parametrize(
    "why",
    ["no search before", "an event waits", "a note has changed", "settings", "no database", "help"],
)
def test_the_command_itself_does_what_has_to_be_done_before(
    run: Run,
    noted: Path,
    quick: Quick,
    why: str,
    home: Home,
    capture: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if why != "no search before":
        run("search", "cache")
        assert quick("cache") is not None
    if why == "an event waits":
        capture(WRITE)
    elif why == "a note has changed":
        noted.unlink()
    elif why == "settings":
        monkeypatch.setenv("MEMORY_DIRS", home.root)
    elif why == "no database":
        os.unlink(home.database)

    assert quick("cache", *(["--help"] if why == "help" else [])) is None


def test_what_was_kept_in_one_folder_by_relative_paths_holds_there_alone(
    run: Run, home: Home, quick: Quick, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/a.md").write_text("## 2020-01-01\nxylophone\n", encoding="utf-8")
    monkeypatch.setenv("MEMORY_DIRS", "mine")
    monkeypatch.chdir(tmp_path)
    run("search", "xylophone")
    here = quick("xylophone")
    monkeypatch.chdir(tmp_path / "mine")

    assert here is not None
    assert "xylophone" in here[0]
    assert quick("xylophone") is None


def test_the_archive_is_looked_at_the_quick_way_too(
    run: Run, home: Home, quick: Quick, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = tmp_path / "logs" / "context_archive.md"
    archive.parent.mkdir()
    archive.write_text("## 2020-01-01\nxylophone\n", encoding="utf-8")
    monkeypatch.setenv("MEMORY_CONTEXT", str(tmp_path / "memory" / "CONTEXT.md"))
    run("search", "xylophone")
    found = quick("xylophone")
    archive.with_name("context_archive.2.md").write_text("## 2020-01-02\nmore\n", encoding="utf-8")

    assert found is not None
    assert "xylophone" in found[0]
    assert quick("xylophone") is None


@pytest.mark.parametrize("data", [b"", b"null", b"[]", b"{", b'{"of": 1}', b"\xff"])
def test_what_was_kept_and_cannot_be_read_is_made_anew(
    run: Run, home: Home, noted: Path, quick: Quick, data: bytes
) -> None:
    Path(home.run, "search.json").write_bytes(data)

    assert quick("cache") is None
    run("search", "cache")
    assert quick("cache") is not None


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        (("a b",), Options("a b")),
        (("a", "-n", "7", "--json", "--all"), Options("a", 7, as_json=True, is_all=True)),
        (("--", "-a"), Options("-a")),
        (("-",), Options("-")),
        (("a", "b"), Options("a b")),
        (("-a",), Options("-a")),
        (("a", "-client", "--json", "-nothing"), Options("a -client -nothing", as_json=True)),
        (("a", "--file", "-b", "--", "--c"), Options("a --c", filters=Filters(file=("-b",)))),
        (("a", "--kind", "ＮＯＴＥ"), Options("a", filters=Filters(kind=("note",)))),
        (
            ("a", "--kind", "notes", "--file", "x", "--file", "y"),
            Options("a", filters=Filters(kind=("note",), file=("x", "y"))),
        ),
        (("a", "--after", "2026"), Options("a", filters=Filters(after=("2026-01-01",)))),
    ],
)
def test_plain_arguments_are_read_at_once(arguments: Sequence[str], options: Options) -> None:
    assert read(arguments) == options


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("a", "-n"),
        ("a", "-h"),
        ("a", "-n", "0"),
        ("a", "-n", "101"),
        ("a", "-n", "x"),
        ("a", "-n5"),
        ("a", "--help"),
        ("a", "--kind", "other"),
        ("a", "--kind=note"),
        ("a", "--after", "x"),
        ("a", "--file"),
        ("--from", "x"),
        ("a", "--js"),
    ],
)
def test_anything_else_is_left_to_the_command(arguments: Sequence[str]) -> None:
    assert read(arguments) is None


@pytest.mark.parametrize(
    ("stream", "environ", "coloured"),
    [
        (Terminal(io.BytesIO(), encoding="utf-8"), {}, True),
        (Terminal(io.BytesIO(), encoding="utf-8"), {"NO_COLOR": "1"}, False),
        (Terminal(io.BytesIO(), encoding="utf-8"), {"NO_COLOR": ""}, True),
        (Terminal(io.BytesIO(), encoding="utf-8"), {"TERM": "dumb"}, False),
        (io.StringIO(), {}, False),
    ],
)
def test_matches_are_marked_on_a_terminal_that_wants_it(
    stream: TextIO, environ: dict[str, str], coloured: bool
) -> None:
    assert is_coloured(stream, environ) is coloured


@pytest.mark.parametrize(
    ("query", "marked"),
    [
        ("CACHE", f"The {BOLD}cache{PLAIN} is emptied"),
        ("認証設定 jwt", f"{BOLD}認証設定{PLAIN}は{BOLD}JWT{PLAIN}。"),
        ('"redis is"', f". {BOLD}redis{PLAIN} {BOLD}is{PLAIN} used"),
    ],
)
def test_the_words_looked_for_stand_out(
    run: Run,
    noted: Path,
    quick: Quick,
    query: str,
    marked: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run("search", "cache")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")

    found = quick(query, is_terminal=True)

    assert found is not None
    assert marked in found[0]
    assert BOLD not in str(quick(query))


PLAIN_ARGUMENTS = st.sampled_from(
    [
        *(("a",), ("-",), ("--",), ("",), ("-b",), ("-nothing",), ("-認証",), ("\u2212c",)),
        *(("--json",), ("--all",), ("-n", "7"), ("--kind", "Note"), ("--kind", "long\u2010term")),
        *(("--after", "2021年1月"), ("--before", "2021/1/5"), ("--file", "-d"), ("--tool", "--")),
    ]
)


@given(st.lists(PLAIN_ARGUMENTS))
def test_what_is_read_at_once_is_what_the_command_reads(given_: list[tuple[str, ...]]) -> None:
    arguments = ["word", *(argument for each in given_ for argument in each)]

    options = read(arguments)
    params = command.make_context("search", list(arguments)).params

    assert options is not None
    assert options.query == " ".join(params["words"])
    assert options.limit == params["limit"]
    assert (options.as_json, options.is_all) == (params["as_json"], params["is_all"])
    assert options.filters == Filters(**{name: params[name] for name in Filters._fields})


def test_memories_that_wait_to_be_indexed_are_no_silent_miss(run, home, monkeypatch):
    monkeypatch.setattr(index_backlog, "STEP_CHARS", 1)

    async def leave() -> None:
        path = str(Path(home.root, "memory.db"))
        async with open_store(path, 5) as store, store.transaction() as connection:
            await insert_rows(connection, [row(number) for number in range(9)])

    anyio.run(leave)

    first, again = run("search", "word8"), run("search", "word8")

    said = "8 memories not in the index yet, and not found: `runtime reindex` puts them in"
    assert said in first.stderr
    assert "not in the index yet" in again.stderr
    run("reindex")
    found = run("search", "word8")
    assert "word8" in found.stdout
    assert "not in the index yet" not in found.stderr
