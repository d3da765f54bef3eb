"""
Physical lines of a Markdown text, each with what it is.

Follows CommonMark 0.31 where block borders depend on it: ATX headings (indented
by up to 3 spaces, with or without closing marks), fenced code, indented code.
A border must be a line of the file itself, so it differs on purpose, and a test
lists the differences:

- Setext headings (a line underlined with `---` or `===`) are text: a rule of
  dashes under a sentence is far more often meant as a rule.
- A heading in a quotation (`> ## x`) or right after a list marker (`- ## x`) is
  text. Further down in a list item, indented by up to 3 spaces, it is a heading
  like any other.
- An HTML comment that begins a line hides headings up to the line with `-->`.
  Other HTML hides nothing.
- Of lists only one thing is known: a fence that opens right after the list
  marker ends with its item. Otherwise its closing fence would open a new one
  and swallow the rest of the text. Any other fence ends only where it is closed.
- Front matter between two lines of `---` at the very start is set apart.

A fence or a comment that is never closed runs to the end of the text.
"""

import re
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

LineKind = Literal["text", "heading", "fence", "code", "front_matter", "html_comment"]

BOM: Final = "\ufeff"

# Only these end a line. str.splitlines also cuts at form feed, U+0085, U+2028 …,
# which are ordinary characters inside a line of Markdown.
_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_SPECIAL: Final = re.compile(r" {0,3}[#`~<+*0-9-]")
_HEADING: Final = re.compile(r" {0,3}(#{1,6})(?=[ \t]|\Z)")
_FENCE: Final = re.compile(
    r"(?P<lead> {0,3}(?P<items>(?:(?:[-+*]|[0-9]{1,9}[.)]) {1,4})*))"
    r"(?P<marks>`{3,}|~{3,})(?P<info>.*)",
    re.DOTALL,
)
_FENCE_END: Final = re.compile(r"(?P<lead>[ \t]*)(?P<marks>`{3,}|~{3,})[ \t]*\Z")
_COMMENT: Final = re.compile(r" {0,3}<!--")
_COMMENT_END: Final = "-->"
_MAX_INDENT: Final = 3  # Columns; from 4 on a line is indented code.


class Line(NamedTuple):
    """
    One physical line.

    *number* counts from 1, *offset* in characters from the start of the text,
    *text* keeps the line's own ending. *kind* is "fence" for a line that opens
    or closes a fence, "code" for what lies between; *level* (1 to 6) and
    *title* are set on headings only.
    """

    number: int
    offset: int
    text: str
    kind: LineKind
    level: int
    title: str

    @property
    def body(self) -> str:
        """The line without its ending."""
        return self.text.rstrip("\r\n")


class _Fence(NamedTuple):
    mark: str
    length: int
    base: int  # Columns of the list item that the fence lives in; 0 outside of lists.


class _Classifier:
    """Says what each next line is; remembers the open fence or comment."""

    def __init__(self) -> None:
        self._fence: _Fence | None = None
        self._in_comment = False

    @property
    def closing_line(self) -> str:
        """What would end the construct that is open now, or an empty string."""
        if self._fence is not None:
            return " " * self._fence.base + self._fence.mark * self._fence.length
        return _COMMENT_END if self._in_comment else ""

    def classify(self, body: str) -> tuple[LineKind, int, str]:
        kind = self._continue(body)
        return self._begin(body) if kind is None else (kind, 0, "")

    def _continue(self, body: str) -> LineKind | None:
        if self._in_comment:
            self._in_comment = _COMMENT_END not in body
            return "html_comment"
        if self._fence is None or _leaves_item(body, self._fence):
            return None
        if not _closes(body, self._fence):
            return "code"
        self._fence = None
        return "fence"

    def _begin(self, body: str) -> tuple[LineKind, int, str]:
        self._fence = None
        if not _SPECIAL.match(body):  # Most lines: spares them three more looks.
            return "text", 0, ""
        self._fence = _opened_fence(body)
        if self._fence is not None:
            return "fence", 0, ""
        if heading := _HEADING.match(body):
            return "heading", len(heading[1]), _title(body[heading.end() :])
        if comment := _COMMENT.match(body):
            # The dashes of the opening count: "<!-->" is a whole comment.
            self._in_comment = _COMMENT_END not in body[comment.end() - 2 :]
            return "html_comment", 0, ""
        return "text", 0, ""


def split_lines(text: str) -> list[str]:
    r"""Cut *text* after each `\n`, `\r\n` or lone `\r`; joining gives *text* back."""
    return _LINE.findall(text)


def newline_of(text: str) -> str:
    r"""Give the line ending that *text* uses first, `\n` when it has none."""
    first = _LINE.match(text)
    return (first[0][len(first[0].rstrip("\r\n")) :] if first else "") or "\n"


def scan_lines(text: str) -> Iterator[Line]:
    """Yield every line of *text* in order; a leading byte order mark is part of none."""
    yield from _scan(text, _Classifier())


def closing_line(text: str) -> str:
    """Give the line that closes what *text* leaves open (fence, comment), or ""."""
    classifier = _Classifier()
    for _ in _scan(text, classifier):
        pass
    return classifier.closing_line


def _scan(text: str, classifier: _Classifier) -> Iterator[Line]:
    offset = 1 if text.startswith(BOM) else 0
    lines = split_lines(text[offset:])
    front_matter_lines = _count_front_matter(lines)
    for number, line in enumerate(lines, start=1):
        if number <= front_matter_lines:
            yield Line(number, offset, line, "front_matter", 0, "")
        else:
            yield Line(number, offset, line, *classifier.classify(line.rstrip("\r\n")))
        offset += len(line)


def _count_front_matter(lines: list[str]) -> int:
    """Count the lines of YAML front matter, its two marks included; 0 without one."""
    if not lines or lines[0].rstrip() != "---":
        return 0
    # With an empty line below, the dashes are a rule between paragraphs.
    if len(lines) > 1 and not lines[1].strip():
        return 0
    for index, line in enumerate(lines[1:], start=1):
        if line.rstrip() in {"---", "..."}:
            return index + 1
    return 0


def _opened_fence(body: str) -> _Fence | None:
    match = _FENCE.match(body)
    if match is None:
        return None
    marks = match["marks"]
    if marks[0] == "`" and "`" in match["info"]:
        return None  # Inline code that begins the line.
    return _Fence(marks[0], len(marks), len(match["lead"]) if match["items"] else 0)


def _closes(body: str, fence: _Fence) -> bool:
    match = _FENCE_END.match(body)
    if match is None or match["marks"][0] != fence.mark or len(match["marks"]) < fence.length:
        return False
    return fence.base <= _columns(match["lead"]) <= fence.base + _MAX_INDENT


def _leaves_item(body: str, fence: _Fence) -> bool:
    content = body.lstrip(" \t")
    return content != "" and _columns(body[: len(body) - len(content)]) < fence.base


def _columns(blanks: str) -> int:
    return len(blanks.expandtabs(4))


def _title(after_marks: str) -> str:
    """Strip blanks and a closing run of `#`, which must stand apart from the words."""
    title = after_marks.strip(" \t")
    opened = title.rstrip("#")
    if opened == "" or opened[-1] in " \t":
        return opened.rstrip(" \t")
    return title
