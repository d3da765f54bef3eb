"""Put into one text what several say, without a word of its own."""

from collections.abc import Iterable, Iterator, Sequence

from runtime.likeness import sentences
from runtime.markdown.lines import Line, scan_lines


def merged(body: str, others: Iterable[str]) -> str:
    r"""
    Give *body*, and behind it those lines of *others* that say something it does not.

    A line says nothing new when *body*, or what was added, has all its
    sentences; a code fence is taken whole. With nothing new, *body* itself.
    """
    known = set(sentences(body))
    fences = {text for text, is_fence in _units(body) if is_fence}
    added: list[str] = []
    for other in others:
        was_blank = True
        for text, is_fence in _units(other):
            has_news = text not in fences if is_fence else not set(sentences(text)) <= known
            if has_news:
                added += ["", text] if was_blank else [text]
                known.update(sentences(text))
                fences.add(text)
            was_blank = not text.strip() or (was_blank and not has_news)
    return "\n".join([body, *added]) if added else body


def _units(body: str) -> Iterator[tuple[str, bool]]:
    """Yield the lines, each fence as one; tells fences from lines."""
    fence: list[Line] = []
    # An empty line first: no body begins with front matter.
    for line in list(scan_lines("\n" + body))[1:]:
        if fence and (line.kind not in {"fence", "code"} or _is_whole(fence)):
            yield _joined(fence), True
            fence = []
        if line.kind in {"fence", "code"}:
            fence.append(line)
        else:
            yield line.body, False
    if fence:
        yield _joined(fence), True


def _is_whole(fence: Sequence[Line]) -> bool:
    return len(fence) > 1 and fence[-1].kind == "fence"


def _joined(lines: Sequence[Line]) -> str:
    return "\n".join(line.body for line in lines)
