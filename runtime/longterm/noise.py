"""Turns that say nothing: chatter about how it goes, and prompts that were tried again."""

import re
import unicodedata
from typing import Final, NamedTuple

CHATTER_CHARS: Final = 120
"""A longer answer says something, whatever it answers."""
_WORDS: Final = """
ok okay yes yep yeah y no sure thanks thank you thx go ahead continue proceed do it please next
done great good nice perfect cool fine right exactly again retry try resume test ping hi hello lgtm
はい うん ええ いいえ お願いします お願い よろしく よろしくお願いします 続けて 続き 続けてください
進めて 進めてください ありがとう ありがとうございます 了解 了解です わかりました 分かりました
いいね いいですね それで それでいいです 次 次へ もう一度 再度 もう一回 テスト こんにちは どうぞ
"""
NODS: Final = frozenset(_WORDS.split())
"""Prompts made of these words alone ask for nothing that could be found again."""

_PARTS: Final = re.compile(r"\n\n(?=\[(?:assistant|tools)\] )")
_BETWEEN: Final = re.compile(r"[\W_]+")


class Said(NamedTuple):
    """A turn in its parts, "" where there is none."""

    prompt: str
    answer: str
    tools: str


def read_turn(content: str) -> Said:
    """Cut a turn's memory into what it was put together from."""
    found = dict.fromkeys(("[user]", "[assistant]", "[tools]"), "")
    for part in _PARTS.split(content):
        mark, blank, text = part.partition(" ")
        if mark in found and blank:
            found[mark] = text
    return Said(found["[user]"], found["[assistant]"], found["[tools]"])


def is_chatter(said: Said) -> bool:
    """Tell whether a turn is a nod, or a short word about how it goes, and no tool was used."""
    if said.tools or len(said.answer) > CHATTER_CHARS or not (said.prompt or said.answer):
        return False
    return not said.prompt or is_nod(said.prompt)


def is_nod(prompt: str) -> bool:
    """Tell whether a prompt says nothing but to go on."""
    words = [word for word in _BETWEEN.split(asked(prompt)) if word]
    return all(word in NODS for word in words)


def asked(prompt: str) -> str:
    """Return a prompt as it is compared: without case, width and blanks around."""
    return " ".join(unicodedata.normalize("NFKC", prompt).casefold().split())
