"""What the hooks meet: a store of many memories, notes, a transcript that grows, payloads."""

import json
import random
import shutil
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import accumulate, permutations, product
from pathlib import Path
from typing import Any, Final

import anyio

from runtime.project import Project, identify
from runtime.store.longterm import Origin, keep
from runtime.store.store import open_store
from schemas.records import NewMemory

MEMORIES: Final = 10_000
SKILL: Final = "release-notes"
NEW_SKILL: Final = "unheard-of"
BEGIN: Final = datetime(2026, 1, 1, tzinfo=UTC)
SEED: Final = 20_260_101
SYLLABLES: Final = ("ka", "ren", "to", "mi", "sol", "da", "ver", "lin", "pro", "cat", "ex", "bu")
KANJI: Final = (
    "索引検設定環境変数優先会議決方針記録順位移行手確認失敗原因調公開要約文字符号期限担当日本語処理"
    "機能画面更新削除追加保存読込書出力入値型関配列名前後上下左右中外内部分全体時間年月週火水木金土"
    "人口電話番地図駅道路車空港海山川花鳥風雨雪石糸竹米貝足耳目虫犬早草林森校学生先正直線点角形算"
    "音楽歌声色白黒赤青黄茶紙絵工場店市町村里家族父母兄弟姉妹友達男女子親切心思考知識意味質問答案"
)
COMMON: Final = 20
"""Rank that the commonest word has by Zipf's law: those before it would be stop words."""


class Prose:
    """English and Japanese sentences whose words are as rare as words are."""

    def __init__(self, seed: object) -> None:
        self._rng = random.Random(str(seed))

    def text(self, chars: int) -> str:
        """Return about so many characters."""
        parts: list[str] = []
        size = 0
        while size < chars:
            english = " ".join(self._draw(ENGLISH) for _ in range(self._rng.randint(5, 12)))
            first, second, third = (self._draw(JAPANESE) for _ in range(3))
            parts.append(f"{english.capitalize()}. {first}の{second}を{third}した。\n")
            size += len(parts[-1])
        return "".join(parts)[:chars]

    def _draw(self, words: "Words") -> str:
        return self._rng.choices(words.words, cum_weights=words.weights)[0]


class Words:
    """A vocabulary and how often each word of it comes."""

    def __init__(self, words: Iterable[str]) -> None:
        self.words = list(words)
        random.Random(SEED).shuffle(self.words)
        self.weights = list(accumulate(1 / (COMMON + rank) for rank in range(len(self.words))))


ENGLISH: Final = Words("".join(parts) for parts in product(SYLLABLES, repeat=3))
JAPANESE: Final = Words("".join(parts) for parts in permutations(KANJI, 2))


def build_store(path: Path, project: Path) -> None:
    """Write a store of 10,000 memories with the product's own functions, unless it is there."""
    if not path.exists():
        making = path.with_suffix(".making")
        making.unlink(missing_ok=True)
        anyio.run(_fill, making, identify(str(project)))
        making.rename(path)


def beginnings(path: Path) -> list[str]:
    """Return how some memories begin: what a skill may be asked about."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        rows = connection.execute("SELECT substr(content, 1, 60) FROM memories WHERE id % 97 = 0")
        return [text for (text,) in rows]


async def _fill(path: Path, project: Project) -> None:
    rng, prose = random.Random(SEED), Prose(SEED)
    async with open_store(str(path), 5.0) as store:
        origin = Origin(project.name, project.key, None, "bench")
        async with store.transaction() as connection:
            for number in range(MEMORIES):
                await keep(connection, _memory(rng, prose, number), origin, BEGIN)


def _memory(rng: random.Random, prose: Prose, number: int) -> NewMemory:
    # One in a thousand is an earlier run of the skill, one in 300 speaks of it.
    about = f" The {SKILL} were written." if number % 300 == 0 else ""
    return NewMemory(
        key=f"bench:{number}",
        content=prose.text(rng.randint(200, 900)) + about + f" #{number}",
        source=rng.choice(("session", "tool:Write", "tool:WebFetch")),
        created_at=BEGIN + timedelta(minutes=number),
        skills=(SKILL,) if number % 1000 == 0 else (),
        session_id=f"past-{number // 40}",
    )


def make_home(home: Path, store: Path | None, config: str = "") -> None:
    """Make a home anew: with a copy of the store, notes of 8 KB and settings."""
    shutil.rmtree(home, ignore_errors=True)
    for name in ("spool", "dead", "logs", "run", "notes"):
        (home / name).mkdir(parents=True, mode=0o700)
    if store is not None:
        shutil.copyfile(store, home / "memory.db")
    if config:
        (home / "config.toml").write_text(config, encoding="utf-8")
    text = "\n".join(f"- {Prose(line).text(300)}" for line in range(40))
    (home / "notes" / "CONTEXT.md").write_text(
        f"# Context\n\n## 2026-01-01 Now\n\n{text}\n", "utf-8"
    )


class Transcript:
    """A session's file as the client writes it."""

    def __init__(self, path: Path, size_bytes: int) -> None:
        self.path = path
        self._turns = 0
        self._prose = Prose(path.name)
        path.unlink(missing_ok=True)
        self.grow(1)
        while path.stat().st_size < size_bytes:
            self.grow(50)

    def grow(self, turns: int) -> None:
        """Add turns of a prompt and an answer."""
        with self.path.open("a", encoding="utf-8") as file:
            for _ in range(turns):
                self._turns += 1
                for line in self._turn(self._turns):
                    file.write(json.dumps(line, ensure_ascii=False) + "\n")

    def _turn(self, number: int) -> tuple[dict[str, Any], dict[str, Any]]:
        at = (BEGIN + timedelta(seconds=number)).isoformat().replace("+00:00", "Z")
        common = {"isSidechain": False, "sessionId": "bench", "timestamp": at, "version": "2.1.332"}
        prompt = f"{self._prose.text(200)} (question {number})"
        answer = [{"type": "text", "text": f"{self._prose.text(800)} (answer {number})"}]
        said = {"role": "user", "content": prompt}
        replied = {"id": f"msg_{number}", "role": "assistant", "content": answer}
        user = {"type": "user", "uuid": f"u{number}", "promptSource": "typed", "message": said}
        assistant = {"type": "assistant", "uuid": f"a{number}", "message": replied}
        return common | user, common | assistant


def payload(event: str, session_id: str, project: Path, **own: object) -> dict[str, Any]:
    """Return an event as the client sends it."""
    return {
        "session_id": session_id,
        "transcript_path": "/nowhere/session.jsonl",
        "cwd": str(project),
        "permission_mode": "default",
        "hook_event_name": event,
        **own,
    }


def wrote(session_id: str, project: Path, chars: int) -> dict[str, Any]:
    """Return a PostToolUse of Write; its content is in it twice, as the client does it."""
    path = str(project / "src" / "app.py")
    text = f"# {session_id}\n" + Prose(session_id).text(chars)
    response: dict[str, object] = {
        "type": "create",
        "filePath": path,
        "content": text,
        "structuredPatch": [],
        "originalFile": None,
    }
    return payload(
        "PostToolUse",
        session_id,
        project,
        tool_name="Write",
        tool_input={"file_path": path, "content": text},
        tool_response=response,
        tool_use_id=f"toolu_{session_id}",
    )


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Write a payload as the client does: compact, in UTF-8."""
    path.write_text(json.dumps(value, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
