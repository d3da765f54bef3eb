"""What the pages say about the code, as far as it can be looked up."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

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
