import sqlite3

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from runtime.mcp_servers.linear import LINEAR
from runtime.mcp_servers.sql_query import select

CHARS = st.text(st.sampled_from("ab設 1."), max_size=6)
VALUES = (
    CHARS
    | st.none()
    | st.integers(-(2**63), 2**63 - 1)
    | st.sampled_from([0.0, 2.0, -1.5, 1e30, 1.25e-9, 123456789012345678.0, 1e999])
    | CHARS.map(str.encode)
)


@example(next(named for named in LINEAR if named[0] == "replace"), [b"a", "", "b"])
@given(st.sampled_from(LINEAR), st.lists(VALUES, min_size=3, max_size=3))
def test_they_give_what_sqlite_gives(named, values):
    name, arguments, function = named
    given_values = values[:arguments]
    marks = ", ".join("?" * arguments)
    connection = sqlite3.connect(":memory:")
    ((expected,),) = connection.execute(f"SELECT {name}({marks})", given_values)
    connection.create_function(name, arguments, function, deterministic=True)
    ((found,),) = connection.execute(f"SELECT {name}({marks})", given_values)
    connection.close()

    assert found == expected


@pytest.mark.parametrize(
    "call",
    [
        "instr(a, b || 'x')",
        "length(replace(a, b || 'x', '')) - 9000000",
        "length(trim(a, replace(b, 'a', 'b') || 'a'))",
    ],
)
def test_long_values_are_compared_before_the_time_is_over(tmp_path, call):
    """SQLite's own functions take an hour for these, and nothing ends them."""
    path = str(tmp_path / "some.db")
    sqlite3.connect(path).close()
    long = "SELECT printf('%.*c', 9000000, 'a') AS a, printf('%.*c', 4000000, 'a') AS b"

    answer = select("some", path, f"WITH long AS ({long}) SELECT {call} AS x FROM long", 100)

    assert answer.text == '[{"x": 0}]'
