"""
Makes text from anywhere safe to show, and short enough.

Lengths are characters (code points) unless a name says units: the client
counts UTF-16 code units.
"""

import re
import unicodedata
from typing import Final

from runtime.patterns import pattern

LONE_OR_PAIR: Final = pattern("[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff]")

NON_PRINTING: Final = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0, C1
    "\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f"  # tag characters
)
SUSPECT: Final = re.compile(f"[{NON_PRINTING}\ud800-\udfff\ufe00-\ufe0f\U000e0100-\U000e01ef]")
"""One search decides whether a text needs cleaning at all."""

INSIDE_ESCAPE: Final = pattern(r"[\x00-\x06\x08\x0b-\x1a\x1c-\x1f\x7f]")
"""Controls that a terminal skips even inside an escape sequence."""

ESCAPE_SEQUENCE: Final = pattern(
    r"(?:\x1b\[|\x9b)[0-?]*+[ -/]*+[@-~]?"  # CSI
    # OSC, DCS, SOS, PM, APC: a string up to its terminator, or to the end of the line.
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]*+(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]*+[0-~]?"
)
DROPPED: Final = pattern(f"(?!\u200d)[{NON_PRINTING}]")
EMOJI: Final = (
    "\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u27bf\u2900-\u297f\u2b00-\u2bff\u3030\u303d"
    "\u3297\u3299\U0001f000-\U0001faff"
)
SELECTOR: Final = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
STRAY_JOINER: Final = pattern(f"(?<![{EMOJI}{SELECTOR}])\u200d|\u200d(?![{EMOJI}])")
SELECTORS: Final = pattern(f"([{SELECTOR}])[{SELECTOR}]+")
"""More than one variation selector in a row changes no glyph; it hides bytes."""


def utf16_units(text: str) -> int:
    """Count UTF-16 code units, as the client does for its limits."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def replace_surrogates(text: str) -> str:
    """Join surrogate pairs; every other surrogate, which no file can hold, becomes U+FFFD."""
    return LONE_OR_PAIR().sub(_joined, text)


def clean(text: str) -> str:
    r"""
    Remove what must reach neither a terminal nor the model; idempotent.

    Gone are control characters but \n and \t, whole escape sequences, bidi and
    other invisible characters. A zero-width joiner stays between emoji, and
    one variation selector after a character. Every kind of line end becomes \n.
    """
    if not SUSPECT.search(text):
        return text
    text = replace_surrogates(text).replace("\r\n", "\n").replace("\r", "\n")
    text = ESCAPE_SEQUENCE().sub("", INSIDE_ESCAPE().sub("", text))
    text = text.replace("\u2028", "\n").replace("\u2029", "\n")
    return SELECTORS().sub(r"\1", STRAY_JOINER().sub("", DROPPED().sub("", text)))


def _joined(surrogates: re.Match[str]) -> str:
    if len(surrogates[0]) == 1:
        return "\ufffd"
    return surrogates[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le")


LESS_THAN: Final = "<\uff1c\ufe64"  # The sign and what NFKC makes the sign.
GAP: Final = r"[\s\u00ad\u180e\u200b-\u200f\u2060-\u2064\ufe00-\ufe0f\ufeff]"
SIGNS: Final = "/!?\uff0f\uff01\uff1f\ufe15\ufe16\ufe56\ufe57\u203c\u2047-\u2049"
NAME_END: Final = rf"[\w.:-]*+{GAP}*+(?:/{GAP}*+)?[>\uff1e\ufe65]|[\w.:-]*+{GAP}++[\w:-]++\s*+="
TAG_START: Final = pattern(
    # Names after a gap count only when they end like a tag: "a < b" is no tag.
    rf"[{LESS_THAN}](?=(?P<gap>{GAP}*+)(?:(?P<sign>[{SIGNS}])"
    rf"|(?P<letter>[A-Za-z]|[\u24b6-\u24e9]|[^\W\d_\u3040-\u30ff\u4e00-\u9fff])(?P<end>{NAME_END})?))"
)


def defuse_tags(text: str) -> str:
    """
    Write ``&lt;`` for every ``<`` that may begin a markup tag; idempotent.

    That is one before a Latin letter, ``/``, ``!`` or ``?``, in any of their
    NFKC forms; ``a < b``, ``<3`` and ``->`` stay.
    """
    return TAG_START().sub(_defused, text)


def _defused(start: re.Match[str]) -> str:
    if start["sign"]:
        return "&lt;"
    letter = unicodedata.normalize("NFKC", start["letter"])[:1]
    is_name = letter.isascii() and letter.isalpha() and (not start["gap"] or start["end"])
    return "&lt;" if is_name else start[0]


LINE_SHARE: Final = 0.5  # A cut at a line or sentence keeps at least this share of the room.
HEAD_SHARE: Final = 0.7  # The rest is for the tail, where results and errors stand.
MAX_CLUSTER: Final = 32  # A longer run of combining characters is no letter anyone reads.
SENTENCE_END: Final = pattern(r".*(?:[。．！？]|[.!?](?=\s)|(?<=\S)(?=[ \t\u3000]))", re.DOTALL)
LEFT_OUT: Final = pattern(r"\n\[… ([0-9]+) characters left out …\]\n")
ENCODED_RUN_CHARS: Final = 256
ENCODED: Final = pattern(
    # The head is anchored at its colon and the run at its beginning: linear time.
    r"(?P<head>\bdata:[\w.+-]{0,60}(?:/[\w.+-]{1,60})?(?:;[\w.+=-]{1,60}){0,4};base64,)?"
    r"(?<![A-Za-z0-9+/_=-])(?P<body>(?(head)[A-Za-z0-9+/_=%-]*+"
    rf"|(?:[A-Za-z0-9+/_-]{{{ENCODED_RUN_CHARS},}}+"
    r"|[A-Za-z0-9+/]{60,}+\r?\n(?>(?:[A-Za-z0-9+/]{60,}+\r?\n){2,})[A-Za-z0-9+/]*+)={0,2}))"
)
JOINING: Final = frozenset("\u200d\uff9e\uff9f")


def cut(text: str, limit_units: int, mark: str) -> str:
    """
    Give the text if it fits, else its beginning and `mark`: at most `limit_units`.

    The cut is at the last line end, else sentence end or space, that keeps at
    least half of the room; else before a whole character as people see it. If
    not even the mark fits, the beginning stands alone.
    """
    if utf16_units(text) <= limit_units:
        return text
    room = limit_units - utf16_units(mark)
    if room <= 0:
        return text[: cluster_border(text, _chars_in(text, limit_units))]
    end = _chars_in(text, room)
    return text[: _border(text, end)] + mark


def head_and_tail(text: str, limit_chars: int) -> str:
    """
    Give the text if it fits, else its beginning and end around a note of what is left out.

    The note counts characters; at most `limit_chars` in all. A limit too small
    for the note gives the beginning alone.
    """
    if len(text) <= limit_chars:
        return text
    room = limit_chars - len(_left_out(len(text)))
    if room <= 0:
        return text[: cluster_border(text, max(0, limit_chars))]
    head = cluster_border(text, int(room * HEAD_SHARE))
    tail = len(text) - (room - int(room * HEAD_SHARE))
    while tail < len(text) and continues_cluster(text, tail):
        tail += 1
    return text[:head] + _left_out(tail - head) + text[tail:]


def full_length(text: str) -> int:
    """Count the characters of a text and of what `head_and_tail` left out of it."""
    # A text may quote another's note; its own counts most, what it leaves out being the most.
    return len(text) + max((int(note[1]) for note in LEFT_OUT().finditer(text)), default=0)


def without_encoded(text: str) -> str:
    """
    Replace every data URI's and every long run of base64 by a note of its length.

    Nobody can read or search a file in that form. Runs of hex digits and words
    of one case stay.
    """
    return ENCODED().sub(_noted, text)


def _noted(found: re.Match[str]) -> str:
    body = found["body"]
    is_base64 = found["head"] or (
        re.search("[a-z]", body) and re.search("[A-Z]", body) and re.search("[0-9]", body)
    )
    return (
        f"{found['head'] or ''}[{len(body)} characters of base64 left out]" if is_base64 else body
    )


def one_line(text: str, limit_chars: int) -> str:
    """Clean the text and write it on one line for a listing, cut with ``…`` at the limit."""
    line = " ".join(clean(text).split())
    if len(line) <= limit_chars:
        return line
    if limit_chars <= 0:
        return ""
    return line[: cluster_border(line, limit_chars - 1)].rstrip() + "…"


def continues_cluster(text: str, index: int) -> bool:
    """Tell whether a cut before `index` would split what is seen as one character."""
    if not 0 < index < len(text):
        return False
    char, before = text[index], text[index - 1]
    return (
        unicodedata.category(char).startswith("M")
        or char in JOINING
        or "\U0001f3fb" <= char <= "\U0001f3ff"  # skin tones
        or before == "\u200d"
        or (before == "\r" and char == "\n")
        or ("\ud800" <= before <= "\udbff" and "\udc00" <= char <= "\udfff")
        or (_is_flag_letter(char) and _flag_letters_before(text, index) % 2 == 1)
    )


def cluster_border(text: str, index: int) -> int:
    """Move an index back to where a whole character as people see it begins."""
    for border in range(index, max(0, index - MAX_CLUSTER), -1):
        if not continues_cluster(text, border):
            return border
    return 0 if index <= MAX_CLUSTER else index


def _border(text: str, end: int) -> int:
    least = end * LINE_SHARE
    line = end if text[end] == "\n" else text.rfind("\n", 0, end)
    if line >= least and line > 0:
        return line
    if text[end].isspace():
        return end
    sentence = SENTENCE_END().match(text, 0, end)
    if sentence and sentence.end() >= least:
        return cluster_border(text, sentence.end())
    return cluster_border(text, end)


def _chars_in(text: str, units: int) -> int:
    """Count the characters from the beginning that fit into so many UTF-16 units."""
    chars = max(0, units)
    while (over := utf16_units(text[:chars]) - units) > 0 and chars > 0:
        chars -= (over + 1) // 2
    return chars


def _left_out(chars: int) -> str:
    return f"\n[… {chars} characters left out …]\n"


def _is_flag_letter(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _flag_letters_before(text: str, index: int) -> int:
    begin = index
    # The whole run: in a row of flags, only its beginning tells which two belong together.
    while begin > 0 and _is_flag_letter(text[begin - 1]):
        begin -= 1
    return index - begin
