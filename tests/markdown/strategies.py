"""Texts that look like the Markdown people keep notes in, and some that do not."""

from hypothesis import strategies as st

_PIECES = st.sampled_from(
    [
        "# Top",
        "## 2026-06-11 決定",
        "## ",
        "##",
        "##fused",
        "   ## three spaces ##",
        "    ## four spaces",
        "\t## tab",
        "### Sub #",
        "####### seven",
        "```",
        "```sh",
        "````",
        "``` a`b",
        "  ```",
        "     ```",
        "~~~",
        "~~~~ x",
        "plain text.",
        "文です。次の文です！",
        "",
        "",
        "\u2028## after a line separator",
        "form\x0c## feed",
    ]
)
_MARKED = st.sampled_from(
    ["---", "...", "date: 2026-01-02", "<!--", "-->", "<!-- one -->", "- ```", "1. ~~~", "  x"]
)
_ENDINGS = st.sampled_from(["\n", "\n", "\r\n", "\r"])


def _join(lines: list[tuple[str, str]], bom: str, tail: str) -> str:
    return bom + "".join(body + ending for body, ending in lines) + tail


commonmark_texts = st.builds(
    _join, st.lists(st.tuples(_PIECES, st.just("\n")), max_size=25), st.just(""), _PIECES
)
"""Headings, fences and text that CommonMark reads without lists, HTML or front matter."""

_FLUSH = st.sampled_from(
    [
        "# Top",
        "## 2026-06-11 決定",
        "##",
        "## closed ##",
        "### Sub #",
        "##fused",
        "    ## four spaces",
        "\t## tab",
        "plain text.",
        "",
        "",
    ]
)
"""Lines that stand at the margin, or so far in that they are code or go on with a paragraph."""
_OUTLINES = st.sampled_from(
    [
        "Title\n---",
        "Title\nin two lines\n===",
        "> ## quoted",
        "> ```\n> ## in a quoted fence\n> ```",
        "> open\nlazy",
        "- item",
        "1. item\n   goes on",
        "- ## heading of an item",
        "- > ## quoted in an item",
        "- ```sh\n  ## in the fence of an item\n  ```",
        "10. ~~~\n    ## the same\n    ~~~",
        "* - ```\n    # in an item of an item\n    ```",
        "```\n## in a fence\n```",
        "~~~ md\n```\n## in a fence\n~~~",
        "<!-- ## x -->",
        "<!-- x\n\n## in a comment\n-->",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "* * *",
    ]
)
"""Whole constructs that hold headings or look like them."""

outlined_texts = st.lists(_FLUSH | _OUTLINES, max_size=15).map(
    # A rule at the very start would be front matter, which CommonMark does not know.
    lambda parts: "\n".join(["x", "", *parts])
)
"""Texts with lists, quotes, comments, code and underlined headings."""

marked_texts = st.builds(
    _join,
    st.lists(st.tuples(_PIECES | _MARKED, _ENDINGS), max_size=25),
    st.sampled_from(["", "", "\ufeff"]),
    st.just("") | _PIECES | _MARKED,
)
"""The same with front matter, comments, list items, a byte order mark and mixed endings."""

any_texts = marked_texts | st.text(st.characters(exclude_categories=["Cs"]), max_size=200)
