"""
What a block may be: the rules for a heading and a body, pure.

The order is that of what may be said about a text: characters first, then
secrets, so that no later message quotes one; then the shape, then the dates.
"""

import re
import unicodedata
from collections import Counter
from typing import Final, NamedTuple

from runtime.markdown.blocks import BLOCK_LEVEL
from runtime.markdown.dates import find_date, find_iso_date
from runtime.markdown.lines import closing_line, scan_lines, split_lines
from runtime.notes.refusals import TextRefusedError
from runtime.notes.relative_dates import relative_dates, words_in_line
from runtime.redact import redact_lines
from runtime.text import clean

REDACTED: Final = re.compile(r"\[redacted:([a-z-]+)\]")
MOMENT: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9:.,+Z-]*)?")
PRIVATE: Final = "a part marked as private"
TOLD_WORDS: Final = 50
"""Of a refusal for relative dates; a text with more of them is no note."""
MARKS: Final = "#" * BLOCK_LEVEL + " "


class NewBlock(NamedTuple):
    r"""A block that keeps the rules: a heading without marks, a body whose lines end in `\n`."""

    heading: str
    body: str

    def text(self, newline: str) -> str:
        """Write the block out, its last line ended."""
        return f"{MARKS}{self.heading}\n{self.body}\n".replace("\n", newline)


def judge(heading: str, body: str) -> NewBlock:
    """
    Give the block that *heading* and *body* make.

    Blanks around the heading, blank lines around the body and blanks at the end of
    the body go; everything else stays as it is. Raises TextRefusedError.
    """
    body = body.replace("\r\n", "\n").replace("\r", "\n")
    _refuse_unseen("the heading", heading, allowed="")
    _refuse_unseen("the body", body, allowed="\n\t")
    block = NewBlock(heading.strip(), _without_blank_ends(body))
    _refuse_secrets(block)
    if not block.heading:
        raise TextRefusedError("empty_heading")
    if not block.body:
        raise TextRefusedError("empty_body")
    _refuse_marks(block.heading)
    _refuse_shape(block)
    _refuse_undated(block.heading)
    _refuse_relative(block)
    return block


def body_key(block: str) -> str:
    """
    Give what two blocks share that say the same under different headings, "" for no body.

    Line endings, blanks at the end of lines and blank lines around do not count;
    indentation does, as in code.
    """
    lines = [line.rstrip() for line in split_lines(block)[1:]]
    return unicodedata.normalize("NFC", "\n".join(lines).strip("\n"))


def _without_blank_ends(body: str) -> str:
    lines = body.split("\n")
    while lines and not lines[0].strip():
        del lines[0]
    return "\n".join(lines).rstrip()


def _refuse_unseen(where: str, text: str, allowed: str) -> None:
    """Refuse control characters, and what `runtime.text.clean` would not show anybody."""
    for char in dict.fromkeys(text):
        if unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"} and char not in allowed:
            raise TextRefusedError("control_characters", where, _code_point(char))
    if clean(text) != text:
        (lost, *_) = Counter(text) - Counter(clean(text))
        raise TextRefusedError("control_characters", where, _code_point(lost))


def _code_point(char: str) -> str:
    name = {"\n": " (a line break)", "\t": " (a tab)"}.get(char, "")
    return f"the character U+{ord(char):04X}{name}"


def secret_kinds(text: str) -> list[str]:
    """Name the kinds of secrets in a text, in order, each once; never a value."""
    redacted = redact_lines(text)
    return sorted(Counter(REDACTED.findall(redacted)) - Counter(REDACTED.findall(text)))


def _refuse_secrets(block: NewBlock) -> None:
    text = block.text("\n")
    if redact_lines(text) != text:
        raise TextRefusedError("secret", ", ".join(secret_kinds(text)) or PRIVATE)


def _refuse_marks(heading: str) -> None:
    (line,) = scan_lines(MARKS + heading)
    if line.title != heading or heading.startswith("#"):
        raise TextRefusedError("heading_marks")


def _refuse_shape(block: NewBlock) -> None:
    text = block.text("\n")
    for line in scan_lines(text):
        if line.number > 1 and 0 < line.level <= BLOCK_LEVEL:
            raise TextRefusedError("heading_in_body", line.number - 1, line.level)
    closing = closing_line(text)
    if closing:
        raise TextRefusedError("open_end", f"a line of {closing.strip()}")


def _refuse_undated(heading: str) -> None:
    found = find_iso_date(heading)
    if found is None:
        other = find_date(heading)
        raise TextRefusedError("no_date", f" ({other})" if other else "")
    if not re.search(r"\w", MOMENT.sub("", heading)):
        raise TextRefusedError("no_title")


def _refuse_relative(block: NewBlock) -> None:
    """Refuse relative dates, all of them at once, so that one answer is enough to go by."""
    found = [("the heading", word) for word in words_in_line(block.heading)]
    found += [(f"line {line} of the body", word) for word, line in relative_dates(block.body)]
    if not found:
        return
    told: dict[str, list[str]] = {}
    for where, word in found[:TOLD_WORDS]:
        told.setdefault(where, []).append(word)
    places = [f"{where} says {', '.join(words)}" for where, words in told.items()]
    if len(found) > TOLD_WORDS:
        places.append(f"and {len(found) - TOLD_WORDS} more follow")
    raise TextRefusedError("relative_date", "; ".join(places))
