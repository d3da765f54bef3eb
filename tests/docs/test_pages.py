"""What the pages say about the code, as far as it can be looked up."""

import ast
import fnmatch
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.processes import Product

ROOT: Final = Path(__file__).resolve().parents[2]
PAGES: Final = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
FENCED: Final = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
LINK: Final = re.compile(r"\]\(([^)\s]+)\)")
LEVELS: Final = {"debug", "info", "warning", "error", "exception"}


def anchors(page: Path) -> set[str]:
    """Give the names under which a page's headings can be linked to."""
    titles = re.findall(r"^#+ (.+)$", FENCED.sub("", page.read_text("utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title).strip().lower().replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_to_a_file_leads_somewhere(page):
    broken = []
    for link in LINK.findall(FENCED.sub("", page.read_text("utf-8"))):
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        if "://" in link:
            continue
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)

    assert broken == []


def test_the_map_leads_to_every_page():
    linked = {
        (page.parent / link).resolve()
        for page in (ROOT / "docs/index.md", ROOT / "docs/adr/README.md")
        for link in LINK.findall(page.read_text("utf-8"))
    }

    assert {page for page in PAGES if page.parent != ROOT} - linked == {ROOT / "docs/index.md"}


def test_every_log_event_is_on_its_page():
    page = (ROOT / "docs/reference/logs.md").read_text("utf-8")
    described = set(re.findall(r"^\| `(\w+)` \| \w", page, re.MULTILINE))

    assert described == {"library_message", *logged()}


def logged() -> Iterator[str]:
    """Find the event names that the code logs, also where one of two is chosen."""
    for folder in ("runtime", "handlers"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Call):
                    yield from names_in(node)


def names_in(call: ast.Call) -> Iterator[str]:
    match call.func, call.args:
        case ast.Attribute(value=ast.Name(id="log"), attr=level), [name, *_] if level in LEVELS:
            # An expression that chooses the name also holds the string it compares with.
            parts = [name.body, name.orelse] if isinstance(name, ast.IfExp) else [name]
        case ast.Name(id="_note"), [_home, name, *_]:
            parts = [name]
        case _:
            return
    for part in parts:
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


def test_every_finding_of_the_doctor_is_on_its_page_with_its_levels():
    page = (ROOT / "docs/reference/doctor.md").read_text("utf-8")
    rows = re.findall(r"^\| `([\w….]+\.[\w….]+)` \| ([^|]+) \|", page, re.MULTILINE)

    assert {name: set(re.findall(r"`(\w+)`", levels)) for name, levels in rows} == findings()


def findings() -> dict[str, set[str]]:
    """Find the ids that the checks give, with their levels; … for a part that varies."""
    found: dict[str, set[str]] = {}
    for path in (ROOT / "runtime/doctor").glob("*.py"):
        for function in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                for name, levels in findings_in(function):
                    found.setdefault(name, set()).update(levels)
    return found


def findings_in(function: ast.AST) -> Iterator[tuple[str, set[str]]]:
    nodes = list(ast.walk(function))
    values = {
        target.id: node.value
        for node in nodes
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in nodes:
        match node:
            case ast.Call(func=ast.Name(id="found"), args=[name, level, *_]):
                name = values.get(name.id, name) if isinstance(name, ast.Name) else name
                yield spelled(name), {*chosen(level)}


def spelled(name: ast.expr) -> str:
    parts = name.values if isinstance(name, ast.JoinedStr) else [name]
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in parts)


def chosen(level: ast.expr) -> Iterator[str]:
    for part in [level.body, level.orelse] if isinstance(level, ast.IfExp) else [level]:
        assert isinstance(part, ast.Constant)
        yield str(part.value)


@pytest.mark.process
def test_every_file_of_a_home_is_on_its_page(product: Product, tmp_path):
    page = (ROOT / "docs/reference/home.md").read_text("utf-8")
    names = [name for row in re.findall(r"^\| (`[^|]+) \|", page, re.MULTILINE)
             for name in re.findall(r"`([^`]+)`", row)]  # fmt: skip
    patterns = [name.replace("NNN-PID", "[0-9]*-[0-9]*").replace("notes/", "notes/*")
                for name in names]  # fmt: skip

    use_everything(product, tmp_path)

    paths = [path for path in product.home.rglob("*") if not path.is_dir()]
    left = {path.relative_to(product.home).as_posix() for path in paths}
    assert {"memory.db", "run/prepared", "run/worker.json", "install.json"} <= left
    assert {"dead", "logs", "notes"} <= {name.partition("/")[0] for name in left}
    assert [
        name for name in left if not any(fnmatch.fnmatch(name, pattern) for pattern in patterns)
    ] == []


def use_everything(product: Product, tmp_path: Path) -> None:
    """Leave as many kinds of files in the home as a person's days would."""
    claude = tmp_path / "claude"
    claude.mkdir()
    (claude / "settings.json").write_text('{"hooks": {}}', encoding="utf-8")
    product.environ["CLAUDE_CONFIG_DIR"] = str(claude)
    notes = product.home / "notes"
    notes.mkdir(parents=True)
    (notes / "CONTEXT.md").write_text("## b\n\n## a\n", encoding="utf-8")
    product.hook(b"no event")
    product.hook({"hook_event_name": "SessionStart", "session_id": "s", "source": "startup"})
    commands = (
        ["install"],
        ["notes", "rotate", str(notes / "CONTEXT.md"), "-n", "1"],
        ["worker", "start"],
        ["search", "anything"],
        ["worker", "stop"],
    )
    for arguments in commands:
        ran = product.command(*arguments)
        assert ran.code == 0, ran.err
