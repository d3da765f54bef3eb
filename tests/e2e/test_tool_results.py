"""Tool results through real hook processes."""

import json
from pathlib import Path

import pytest

from tests.payloads import FIXTURES
from tests.processes import Product

pytestmark = pytest.mark.process


def test_the_same_page_is_kept_once_in_each_of_two_projects(
    product: Product, tmp_path: Path
) -> None:
    event = json.loads((FIXTURES / "payloads" / "PostToolUse-WebFetch-200.json").read_bytes())
    projects = [tmp_path / "one", tmp_path / "two"]

    for project in projects:
        (project / ".git").mkdir(parents=True)
        for _ in range(2):
            product.hook(event, environ={"CLAUDE_PROJECT_DIR": str(project)})

    hits = product.search("widget API")
    assert [hit["project"] for hit in hits] in (["one", "two"], ["two", "one"])
