from pathlib import Path
from typing import Final

import pytest

from tests.docs.examples import ExampleError, run_page

ROOT: Final = Path(__file__).resolve().parents[2]
PAGES: Final = [
    path.relative_to(ROOT).as_posix()
    for path in (
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *sorted((ROOT / "docs").rglob("*.md")),
    )
]


@pytest.mark.process
@pytest.mark.parametrize("name", PAGES)
def test_the_examples_of_the_page_hold(name, tmp_path):
    try:
        examples = run_page(ROOT / name, tmp_path)
    except ExampleError as error:
        pytest.fail(str(error), pytrace=False)

    page = (ROOT / name).read_text(encoding="utf-8")
    assert examples == page.count("```python\n") + page.count("```console\n")
