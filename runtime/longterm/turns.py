"""
From transcript lines to turns: a prompt and what the assistant said to it.

A turn is known by the uuid of the line that opens it. Resume and fork copy
history under new session ids with the same uuids, and Stop fires many times
over one growing file: with that key each turn is one memory whatever happens.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from runtime.decode import clean_text
from runtime.digest import sha256_hex
from runtime.longterm.transcript_file import NewLines, ReadLine
from runtime.longterm.words import Said, read_user, said_words, text_blocks
from runtime.privacy import Privacy, mentioned, touched
from runtime.redact import redact
from runtime.text import head_and_tail, one_line
from schemas.records import NewMemory
from schemas.transcript import AssistantLine, UserLine

SOURCE: Final = "session"
TARGETS: Final = (
    "file_path", "notebook_path", "url", "query", "skill", "pattern", "path", "description",
    "command",
)  # fmt: skip
"""Fields of a tool's input that say what it worked on, the most telling first."""
TARGET_CHARS: Final = 120
SYNTHETIC: Final = "<synthetic>"
"""The "model" of answers that the client itself wrote."""
LAST_BLOCKS: Final = 8
"""So many text blocks at most can the client's final answer be made of."""


@dataclass(slots=True)
class Turn:
    """One turn while it is being read."""

    offset: int
    key: str
    at: str | None
    prompt: str = ""
    prompt_id: str | None = None
    """The client's id of the prompt, which hook events carry too (since 2.1.196)."""
    is_command: bool = False
    message_id: str | None = None
    texts: list[str] = field(default_factory=list)
    tools: list[str] = field(default_factory=list)
    skills: list[str] = field(default_factory=list)
    is_hidden: bool = False
    """It touched what is not to be kept, and may tell of it in any of its words."""

    @property
    def is_unanswered_command(self) -> bool:
        """A typed `/name` to which nothing has been said."""
        return self.is_command and not self.texts

    @property
    def is_worth_keeping(self) -> bool:
        """A prompt by itself is; a command or a machine's prompt only with an answer."""
        return bool(self.texts or (self.prompt and not self.is_command))


class ReadTurns(NamedTuple):
    """Turns in order, where the next reading begins, and what was passed over."""

    turns: list[Turn]
    next_offset: int
    skipped: dict[str, int]


def read_turns(new: NewLines, privacy: Privacy | None = None) -> ReadTurns:
    """
    Return the turns of the lines; the last one may still grow and is read again.

    Not when it fills all that one event may read: reading would never get past
    it, so its rest becomes a memory of its own.
    """
    turns: list[Turn] = []
    skipped, seen = dict(new.skipped), set[str]()
    is_open = False
    for read in new.lines:
        line = read.line
        if line.isSidechain or (line.uuid and line.uuid in seen):
            reason: str | None = "sidechain" if line.isSidechain else "repeated"
        elif isinstance(line, UserLine):
            said = read_user(line)
            if said.kind == "command output" and is_open and turns[-1].is_unanswered_command:
                turns.pop()  # it was a command of the client's own, such as /model
                is_open = False
            reason = None if said.kind in _OPENING else said.kind
            if reason is None:
                turns.append(_opened(read, said))
                if privacy is not None:
                    turns[-1].is_hidden = privacy.hides_any(mentioned(said.text), _cwd(line))
                is_open = True
        else:
            if not is_open:
                turns.append(_opened(read, Said("machine")))
                is_open = True
            reason = _answer(turns[-1], line, privacy)
        if line.uuid:
            seen.add(line.uuid)
        if reason is not None:
            skipped[reason] = skipped.get(reason, 0) + 1
    is_read_again = is_open and (new.at_end or turns[-1].offset > new.start)
    next_offset = turns[-1].offset if is_read_again else new.end
    return ReadTurns(turns, next_offset, skipped)


_OPENING: Final = frozenset({"prompt", "command", "machine"})


def add_last_message(turns: list[Turn], message: str, prompt_id: str | None) -> bool:
    """
    Add the final answer to its turn unless it is there. False when its turn is not.

    The client may not have written it yet when Stop fires (2.1.197: 10 of 12
    times); the payload has it. And a Stop may be handled late, when the person
    has already asked the next thing: that turn must not get this answer.
    """
    text = redact(said_words(clean_text(message)))
    if not text:
        return True
    is_there = any(_ends_with(turn, text) for turn in turns)
    last = turns[-1] if turns else None
    if last is None or (prompt_id and last.prompt_id and last.prompt_id != prompt_id):
        return is_there
    is_known = bool(prompt_id and last.prompt_id)
    if not is_there or (is_known and not _ends_with(last, text)):
        _put_last(last, text)
    return True


def _ends_with(turn: Turn, text: str) -> bool:
    return _squeezed("".join(turn.texts)).endswith(_squeezed(text))


def _put_last(turn: Turn, text: str) -> None:
    """Add a final answer, some blocks of which may be on disk already."""
    whole = _squeezed(text)
    for first in range(max(0, len(turn.texts) - LAST_BLOCKS), len(turn.texts)):
        if whole.startswith(_squeezed("".join(turn.texts[first:]))):
            del turn.texts[first:]
            break
    turn.texts.append(text)


def to_memory(turn: Turn, session_id: str, max_chars: int, now: datetime) -> NewMemory:
    """Return the memory of a turn."""
    parts = [f"[user] {turn.prompt}"] if turn.prompt else []
    if turn.texts:
        parts.append("[assistant] " + "\n\n".join(turn.texts))
    if turn.tools:
        parts.append("[tools] " + ", ".join(dict.fromkeys(turn.tools)))
    return NewMemory(
        key=turn.key,
        content=head_and_tail("\n\n".join(parts), max_chars),
        source=SOURCE,
        created_at=_moment(turn.at, now),
        tags=("session", session_id),
        skills=tuple(dict.fromkeys(turn.skills)),
        session_id=session_id,
        message_id=turn.message_id,
        may_grow=True,
        # Each text may have been a final answer: a Stop hook can keep a turn going.
        replaces=tuple(dict.fromkeys(answer_key(session_id, text) for text in turn.texts)),
    )


def answer_alone(message: str, session_id: str, max_chars: int, now: datetime) -> NewMemory:
    """Return the final answer of a session whose transcript cannot be read."""
    text = redact(said_words(clean_text(message)))
    return NewMemory(
        key=answer_key(session_id, text),
        content=head_and_tail(f"[assistant] {text}", max_chars),
        source=SOURCE,
        created_at=now,
        tags=("session", session_id),
        session_id=session_id,
        unless_turn_holds=text,
    )


def answer_key(session_id: str, text: str) -> str:
    """Return the key of an answer that was stored without its turn."""
    return "answer:" + sha256_hex(f"{session_id}\0{_squeezed(text)}")


def _opened(read: ReadLine, said: Said) -> Turn:
    line = read.line
    fallback = sha256_hex(f"{line.timestamp}\0{said.text}")
    return Turn(
        offset=read.offset,
        key=f"turn:{line.uuid or fallback}",
        at=line.timestamp,
        prompt=redact(said.text),
        prompt_id=_prompt_id(line),
        is_command=said.kind == "command",
        message_id=line.uuid,
        skills=[said.skill] if said.skill else [],
    )


def _prompt_id(line: UserLine | AssistantLine) -> str | None:
    value = line.promptId if isinstance(line, UserLine) else None
    return value if isinstance(value, str) else None


def _answer(turn: Turn, line: AssistantLine, privacy: Privacy | None) -> str | None:
    """Add one block of an answer to its turn, or return why it is no answer."""
    if line.isApiErrorMessage or (line.message.model_extra or {}).get("model") == SYNTHETIC:
        return "client message"
    texts = [words for text in text_blocks(line.message.content) if (words := said_words(text))]
    turn.texts += [redact(text) for text in texts]
    for name, tool_input in _tool_uses(line.message.content):
        if privacy is not None:
            turn.is_hidden |= privacy.hides_touched(touched(tool_input), _cwd(line))
            if privacy.hides_tool(name):
                continue
        target = _target(tool_input)
        turn.tools.append(f"{name} {target}".strip())
        if name == "Skill" and isinstance(tool_input.get("skill"), str):
            turn.skills.append(tool_input["skill"])
    return None


def _cwd(line: UserLine | AssistantLine) -> str:
    value = (line.model_extra or {}).get("cwd")
    return value if isinstance(value, str) else ""


def keys_of(turn: Turn, session_id: str) -> tuple[str, ...]:
    """Return the keys under which a turn, or a part of it, may have been kept."""
    return turn.key, *(answer_key(session_id, text) for text in turn.texts)


def _tool_uses(content: Any) -> Iterable[tuple[str, dict[str, Any]]]:
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and block.get("type") == "tool_use":
            tool_input = block.get("input")
            yield str(block.get("name")), tool_input if isinstance(tool_input, dict) else {}


def _target(tool_input: dict[str, Any]) -> str:
    for name in TARGETS:
        value = tool_input.get(name)
        if isinstance(value, str) and value.strip():
            return one_line(redact(clean_text(value)), TARGET_CHARS)
    return ""


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _moment(stamp: str | None, now: datetime) -> datetime:
    try:
        moment = datetime.fromisoformat(stamp) if stamp else now
    except ValueError:
        return now
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
