"""Notes to index: Japanese and English decisions under dated headings, always the same."""

import random
from pathlib import Path
from typing import Final

SENTENCES: Final = (
    "記憶の設計を見直して、検索の精度を上げることにした。",
    "理由は、二文字の語が今の索引では見つからないからである。",
    "We keep the retry policy at three attempts with exponential backoff. ",
    "The deadline of the payroll export moves to Friday because of rate limits. ",
    "SQLiteのFTS5を使い、トークンはPythonで作る。",
    "認証の方針はJWTのままとし、期限は30日にした。",
)
SENTENCES_PER_SECTION: Final = 7
"""Some 530 bytes a section, as in the notes that memory_system was measured with."""
FOLDERS: Final = 20


def make(folder: Path, files: int, sections: int) -> int:
    """Write that many files of that many sections each. Returns their bytes."""
    chosen = random.Random(20260611)
    size = 0
    for number in range(files):
        path = folder / f"{number % FOLDERS:02}" / f"note-{number:05}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = "\n".join(_section(chosen, number, section) for section in range(sections))
        data = text.encode()
        path.write_bytes(data)
        size += len(data)
    return size


def _section(chosen: random.Random, file: int, section: int) -> str:
    day = f"2026-{chosen.randrange(1, 13):02}-{chosen.randrange(1, 29):02}"
    body = "".join(chosen.choices(SENTENCES, k=SENTENCES_PER_SECTION))
    number = chosen.randrange(10**6)
    return f"## {day} 決定 {file}-{section}\n{body}\nticket{number}\n"
