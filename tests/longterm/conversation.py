"""Conversations that hypothesis makes up, as lines of a transcript and as the words in them."""

import json
from typing import NamedTuple

from hypothesis import strategies as st

from runtime.text import clean
from tests.longterm.session import answer, line, prompt, tool_result, tool_use

LETTERS = 'ab 日本語、。é🎉\n\t\u2028\u0085"\\<>&{}[]`|'
"""What tends to break line by line reading; no word of it is a secret or a tag."""


class Turn(NamedTuple):
    """One turn as the test knows it."""

    lines: tuple[bytes, ...]
    prompt_id: str
    memory: str | None
    """The memory that it must become."""
    words: tuple[str, ...]
    """What was said in it, a prompt that is kept first."""
    final: str | None
    """Its last text, which a Stop brings along."""


class Conversation(NamedTuple):
    """Turns with everything the client writes between them."""

    turns: tuple[Turn, ...]

    @property
    def data(self) -> bytes:
        return b"".join(raw for turn in self.turns for raw in turn.lines)

    @property
    def memories(self) -> list[str]:
        return [turn.memory for turn in self.turns if turn.memory]

    @property
    def words(self) -> list[str]:
        return [words for turn in self.turns for words in turn.words]

    def turn_at(self, cut: int) -> Turn | None:
        """Give the turn that is under way when so many bytes are on disk."""
        found, offset = None, 0
        for turn in self.turns:
            if cut >= offset + len(turn.lines[0]):
                found = turn
            offset += sum(map(len, turn.lines))
        return found


NOISE = st.sampled_from(
    [
        {"type": "attachment", "attachment": {"type": "hook_success", "stdout": "hookstdout"}},
        {"type": "queue-operation", "operation": "enqueue", "content": "queued"},
        {"type": "from-next-year", "uuid": "n1", "message": {"content": "nextyear"}},
        {"type": ["odd"], "message": None},
        {"type": "system", "subtype": "stop_hook_summary"},
        {"no": "type"},
        [1, 2],
        None,
    ]
)


@st.composite
def noise(draw: st.DrawFn) -> tuple[bytes, ...]:
    """Lines that hold nobody's words."""
    lines = [json.dumps(record).encode() + b"\n" for record in draw(st.lists(NOISE, max_size=2))]
    if draw(st.booleans()):
        lines.append(answer("side", "sidewords", isSidechain=True))
    if draw(st.booleans()):
        lines.append(draw(st.sampled_from([b"\n", b"{torn\n", b"\xff\xfe\n"])))
    return tuple(lines)


def words(mark: str) -> st.SearchStrategy[str]:
    """Texts that no other text of the conversation holds."""
    return st.text(LETTERS, max_size=12).map(lambda text: f"«{mark}»{text}".strip())


@st.composite
def turns(draw: st.DrawFn, number: int) -> Turn:
    """One turn of any kind."""
    prompt_id = f"prompt-{number}"
    kind = draw(st.sampled_from(["typed", "blocks", "skill", "model", "machine"]))
    said = draw(words(f"p{number}"))
    lines = [*_opening(kind, number, said, prompt_id)]
    if kind == "model":
        return Turn((*lines, *draw(noise())), prompt_id, None, (), None)
    texts, tools = [], []
    for step, block in enumerate(draw(st.lists(st.booleans(), max_size=4))):
        uuid = f"a{number}.{step}"
        if block:
            texts.append(draw(words(uuid)))
            lines.append(answer(uuid, texts[-1], isMeta=False))
        else:
            tools.append(f"Read /f{step}")
            lines += [tool_use(uuid, "Read", file_path=f"/f{step}"), tool_result(uuid + "r", "x")]
        lines += draw(noise())
    heard = {"typed": f"[user] {said}", "blocks": f"[user] {said}", "skill": f"[user] /go {said}"}
    parts = [heard[kind]] if kind in heard else []
    parts += ["[assistant] " + "\n\n".join(texts)] if texts else []
    parts += ["[tools] " + ", ".join(tools)] if tools else []
    is_kept = texts or kind in ("typed", "blocks")
    # What no terminal may see is not kept (`runtime.text.clean`).
    memory = clean("\n\n".join(parts)) if is_kept else None
    heard_words = [said] if kind in ("typed", "blocks") else []
    final = texts[-1] if texts else None
    said = tuple(clean(words) for words in (*heard_words, *texts))
    return Turn(tuple(lines), prompt_id, memory, said, final)


def _opening(kind: str, number: int, said: str, prompt_id: str) -> tuple[bytes, ...]:
    uuid = f"u{number}"
    if kind == "machine":
        text = f"<task-notification>\n{said}\n</task-notification>"
        return (prompt(uuid, text, promptSource="system", promptId=prompt_id),)
    if kind == "blocks":
        image = {"type": "image", "source": {"type": "base64", "data": "QUFB"}}
        return (prompt(uuid, [image, {"type": "text", "text": said}], promptId=prompt_id),)
    if kind == "skill":
        body = line("user", f"{uuid}b", "skillbody", isMeta=True)
        return (prompt(uuid, typed_command("go", said), promptId=prompt_id), body)
    if kind == "model":
        output = f"<local-command-stdout>{said}</local-command-stdout>"
        return (
            prompt(uuid, typed_command("model", "opus"), promptId=prompt_id)
            + prompt(f"{uuid}o", output, promptId=prompt_id),
        )
    return (prompt(uuid, said, promptId=prompt_id),)


def typed_command(name: str, arguments: str) -> str:
    """Give what the client writes for a typed `/name arguments`."""
    return (
        f"<command-name>/{name}</command-name>\n<command-message>{name}</command-message>\n"
        f"<command-args>{arguments}</command-args>"
    )


@st.composite
def conversations(draw: st.DrawFn) -> Conversation:
    """Up to four turns."""
    count = draw(st.integers(1, 4))
    return Conversation(tuple(draw(turns(number)) for number in range(count)))


class Step(NamedTuple):
    """The transcript grows to a length, then an event fires."""

    cut: int
    event: str
    last: str | None = None
    prompt_id: str | None = None


@st.composite
def steps(draw: st.DrawFn, conversation: Conversation) -> list[Step]:
    """Cuts anywhere in the bytes, each with an event that could fire then."""
    size = len(conversation.data)
    cuts = sorted(draw(st.lists(st.integers(0, size), max_size=5)))
    return [draw(_step(conversation, cut)) for cut in cuts]


@st.composite
def _step(draw: st.DrawFn, conversation: Conversation, cut: int) -> Step:
    event = draw(st.sampled_from(["Stop", "Stop", "PreCompact", "SessionEnd"]))
    kind = draw(st.sampled_from(["bare", "current", "any"])) if event == "Stop" else "bare"
    if kind == "bare":
        return Step(cut, event)
    if kind == "current":  # Older clients send no prompt_id, but what they send is on its way.
        turn = conversation.turn_at(cut)
        return Step(cut, event, turn.final if turn else None)
    # With it, a Stop that is handled late or ahead of the file is known for what it is.
    turn = draw(st.sampled_from(conversation.turns))
    return Step(cut, event, turn.final, turn.prompt_id)
