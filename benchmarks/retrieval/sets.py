"""Sets of questions with known answers, from the repository or from another folder."""

import json
import lzma
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

OWN: Final = Path(__file__).resolve().parents[1] / "sets"
SUFFIX: Final = ".jsonl.xz"


class Query(NamedTuple):
    """A question and the ids of the documents that answer it."""

    text: str
    relevant: frozenset[str]
    tag: str


class Set(NamedTuple):
    """Documents by id, and questions about them."""

    name: str
    documents: dict[str, str]
    queries: Sequence[Query]


def load(folder: Path = OWN, only: str = "") -> list[Set]:
    """
    Return the sets of a folder whose names hold *only*, by name.

    A set is a file `NAME.jsonl.xz`, or a folder with `corpus.jsonl` and `queries.jsonl`.
    """
    packed = {path.name.removesuffix(SUFFIX): path for path in folder.glob(f"*{SUFFIX}")}
    plain = {path.parent.name: path.parent for path in folder.glob("*/corpus.jsonl")}
    names = [name for name in sorted({**packed, **plain}) if only in name]
    return [_packed(folder, name) if name in packed else _plain(plain[name]) for name in names]


def _packed(folder: Path, name: str) -> Set:
    with lzma.open(folder / f"{name}{SUFFIX}", "rt", encoding="utf-8") as lines:
        records = list(map(json.loads, lines))
    documents = _documents(records)
    for other in next((record["also"] for record in records if "also" in record), ()):
        theirs = _packed(folder, other).documents
        documents.update({f"{other}:{number}": text for number, text in theirs.items()})
    return Set(name, documents, _queries(records))


def _plain(folder: Path) -> Set:
    corpus, queries = (
        map(json.loads, (folder / name).read_text(encoding="utf-8").splitlines())
        for name in ("corpus.jsonl", "queries.jsonl")
    )
    return Set(folder.name, _documents(corpus), _queries(queries))


def _documents(records: Iterable[dict[str, Any]]) -> dict[str, str]:
    return {
        record["id"]: record["text"]
        for record in records
        if "text" in record and "rel" not in record
    }


def _queries(records: Iterable[dict[str, Any]]) -> list[Query]:
    return [
        Query(record["text"], frozenset(record["rel"]), record.get("tag", ""))
        for record in records
        if "rel" in record
    ]
