"""What goes through the MCP servers: secrets, and characters that some take for ends of lines."""

import hashlib
import json

import pytest

from tests.cases_tests.playground import Make
from tests.mcp_servers.server_process import HELLO, talk, tool

STORE = "long_term_memory_store"
QUERY = "chiebukuro_query_long_term_memory"


@pytest.mark.process
def test_x01_no_key_that_a_model_stores_is_kept_logged_or_answered(make: Make) -> None:
    ground = make("X01")
    ground.run_make()
    needles = (ground.folder / "needles.txt").read_text(encoding="utf-8").split()
    text = json.loads((ground.folder / "store.json").read_bytes())["content"]
    home = ground.product.home

    stored = talk(
        "longterm",
        home,
        [*HELLO, tool(2, STORE, content=text, source=needles[0]), tool(3, STORE, content=5)],
        OBOEGAKI_LOGS_LEVEL="debug",
    )
    read = talk(
        "chiebukuro",
        home,
        [
            *HELLO,
            tool(2, "search", query="secretlist"),
            tool(3, "show", id=1),
            tool(4, QUERY, sql="SELECT * FROM memories"),
            tool(5, QUERY, sql=f"SELECT '{needles[0]}' FROM nothing_there"),
        ],
        OBOEGAKI_LOGS_LEVEL="debug",
    )

    assert stored.told(2)["status"] == "stored"
    assert "left out" in stored.told(2)["note"]
    told = json.dumps([*stored.lines, *read.lines], ensure_ascii=False)
    assert [needle for needle in needles if needle in told] == []
    kept = ground.product.everything()
    assert [needle for needle in needles if needle.encode() in kept] == []
    assert "keepthistext" in read.told(3)
    assert read.told(3).count("[redacted:") >= len(needles)
    assert "@db.example.invalid:3306/books" in read.told(3)


@pytest.mark.process
def test_t04_ends_of_lines_of_other_kinds_cut_no_message(make: Make) -> None:
    """U+2028, U+2029, U+0085 and a form feed, raw and escaped, in requests and in answers."""
    home = make().product.home
    text = "行区切り a\u2028b\u2029c\x85d\x0ce sepstore"
    raw = json.dumps(tool(2, STORE, content=text, source="x"), ensure_ascii=False).encode() + b"\n"
    escaped = json.dumps(tool(3, STORE, content=text, source="x")).encode() + b"\n"

    stored = talk("longterm", home, [*HELLO, raw, escaped])
    sql = "SELECT content, content_hash, 'x' || char(8232, 133) || 'y' AS raw FROM memories"
    read = talk("chiebukuro", home, [*HELLO, tool(2, QUERY, sql=sql), tool(3, "show", id=1)])

    assert [stored.told(2)["status"], stored.told(3)["status"]] == ["stored", "known"]
    (row,) = read.told(2)
    assert "sepstore" in row["content"]
    assert row["content_hash"] == hashlib.sha256(row["content"].encode()).hexdigest()
    assert row["raw"] == "x\u2028\x85y"
    assert read.told(3).endswith(row["content"])
