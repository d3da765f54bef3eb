import ast
import re
import tomllib
from pathlib import Path
from typing import Final

import pytest

import runtime

ROOT: Final = Path(__file__).resolve().parent.parent
MAX_LINES: Final = 350
"""Beyond this a module holds more than one idea; most stay below 300."""

MODULES: Final = sorted(
    path.relative_to(ROOT).as_posix()
    for package in ("runtime", "handlers", "schemas")
    for path in (ROOT / package).rglob("*.py")
)
PACKAGE_FILES: Final = [name for name in MODULES if name.endswith("/__init__.py")]


def project_version() -> str:
    with (ROOT / "pyproject.toml").open("rb") as file:
        return tomllib.load(file)["project"]["version"]


def test_the_package_knows_its_version():
    assert runtime.__version__ == project_version()


def test_the_changelog_has_an_entry_for_the_version():
    headings = re.findall(
        r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE
    )

    assert headings[0] == "Unreleased"
    assert project_version() in headings


@pytest.mark.parametrize("name", PACKAGE_FILES)
def test_importing_a_package_costs_nothing(name):
    """A docstring, and the version where it lives; everything else has a module of its own."""
    tree = ast.parse((ROOT / name).read_text(encoding="utf-8"))
    statements = [ast.unparse(node) for node in tree.body if not is_docstring(node)]

    allowed = [f"__version__ = '{project_version()}'"] if name == "runtime/__init__.py" else []
    assert statements == allowed


def is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


@pytest.mark.parametrize("name", MODULES)
def test_a_module_holds_one_idea(name):
    lines = (ROOT / name).read_text(encoding="utf-8").count("\n")

    assert lines <= MAX_LINES
