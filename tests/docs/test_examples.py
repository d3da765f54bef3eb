import re
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.docs.examples import Command, ExampleError, commands, matches, run_page

PAGE = """\
# A page

```python
memory = {"a": 1}
```

Names stay until the page ends:

```python
assert memory["a"] + 1 == 2
```

```console
$ printf 'one\\ntwo\\nthree\\n'
one
...
$ cat > note.md <<'END'
## 覚書
END
$ cat note.md; ls nowhere; echo $?
## 覚書
ls: ...
2
$ echo $HOME
/...
```

```sh
git clone https://example.com/never-run
```
"""


def page_with(tmp_path, text):
    page = tmp_path / "page.md"
    page.write_text(textwrap.dedent(text), encoding="utf-8")
    return page


def test_a_true_page_runs_from_top_to_bottom(tmp_path):
    page = page_with(tmp_path, PAGE)

    assert run_page(page, tmp_path / "home") == 3
    assert (tmp_path / "home/project/note.md").read_text(encoding="utf-8") == "## 覚書\n"


@pytest.mark.parametrize(
    ("block", "line", "says", "why"),
    [
        ("```console\n$ echo yes\nno\n```", 4, "yes", "the output differs"),
        ("```console\n$ echo a\na\n$ echo b\n```", 6, "b", "unmentioned output differs too"),
        ("```console\n$ echo a\na\nb\n```", 4, "the page says", "the page promises more"),
        ("```console\n$ ls nowhere\n...\n```", 4, "exited with", "a failure has to be shown"),
        ("```console\n$ git clone x\n```", 4, "`sh` block", "a program that is not ours"),
        ("```python\nx = 1\nx / 0\n```", 5, "ZeroDivisionError", "the code raises"),
        ("```python\nassert 1 + 1 == 3\n```", 4, "AssertionError", "a claim is false"),
        ("```python\nx = (\n```", 4, "SyntaxError", "the code is no Python"),
    ],
)
def test_a_false_example_fails_with_its_line(tmp_path, block, line, says, why):
    page = page_with(tmp_path, f"# A page\n\n{block}\n")

    with pytest.raises(ExampleError) as raised:
        run_page(page, tmp_path / "home")

    assert (raised.value.page, raised.value.line) == (page, line), why
    assert str(raised.value).startswith(f"{page}:{line}: ")
    assert says in str(raised.value)


@pytest.mark.process
def test_the_project_s_own_command_is_the_one_that_runs(tmp_path):
    page = page_with(tmp_path, "```console\n$ runtime --help\nUsage: ...\n...\n```\n")

    assert run_page(page, tmp_path / "home") == 1


def test_a_block_is_split_at_its_commands():
    block = "\n$ a <<'X' | c\n$ 1\nX\nout\nX\n$ b \\\n --long\nmore\n"

    assert list(commands(block, 10)) == [
        Command(11, "a <<'X' | c\n$ 1\nX", "out\nX"),
        Command(16, "b \\\n --long", "more"),
    ]


def test_output_without_a_command_is_a_mistake():
    with pytest.raises(ValueError, match="line 3"):
        list(commands("\nout\n$ a\n", 2))


@pytest.mark.parametrize(
    ("expected", "printed", "same"),
    [
        ("a", "a\n", True),
        ("a", "a", True),
        ("", "", True),
        ("", "a\n", False),
        ("a  ", "a\t\n\n", True),
        ("a", "b\n", False),
        ("took ... ms", "took 12 ms\n", True),
        ("took ... ms", "took 12\n34 ms\n", False),
        ("a\n...\nd", "a\nb\nc\nd\n", True),
        ("a\n...\nd", "a\nd\n", True),
        ("a\n...", "a\n", True),
        ("...", "", True),
        ("a.c", "abc\n", False),
        ("a\n\nb", "a\nb\n", False),
    ],
)
def test_dots_stand_for_what_changes(expected, printed, same):
    assert matches(expected, printed) is same


@given(st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1))
def test_every_text_matches_itself(text):
    assert matches(text, text + "\n")
    assert matches(text, text + "x\n") is bool(re.search(r"\.\.\.$", text))
