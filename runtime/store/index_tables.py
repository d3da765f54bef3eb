"""
The index's table and the triggers that keep it equal to the records.

One FTS5 table over memories, sections and permanent memories, so that one bm25 ranks
all. A row's id is the record's id times 4, plus 0 for a memory, 1 for a section and
2 for a permanent memory. It holds what
`index_tokens` makes of a record's text, and for a turn of a conversation, in a
column of its own, of the end of the turns before it (`memories.before`). So what is
in it follows from the record's row alone, and is taken out by that row.

`index_tokens` is a function of our own connections: another program that wrote to
these tables would be refused rather than leave a stale index. It also refuses to
work for an index that another version of the tokenizer has made.
"""

import sqlite3
from typing import Final

from runtime.store.connection import Connection, fetch_all
from runtime.tokens.index import TOKENIZER_VERSION

INDEX: Final = "search_index"
NEXT: Final = "next_index"
"""The index that another version of the tokenizer fills, until it takes the place of the first."""
VERSION: Final = "tokenizer_version"
NEXT_VERSION: Final = "tokenizer_next"
"""Rows of `meta`: which version has made the index, and which one makes the next."""
_CREATE: Final = (
    'CREATE VIRTUAL TABLE "{}" USING fts5'
    " (tokens, neighbours, content = '', tokenize = 'porter ascii')"
)


async def versions(connection: Connection) -> dict[str, str]:
    """Return which version of the tokenizer has made the index and, while it does, the next."""
    return {row["name"]: row["value"] for row in await fetch_all(connection, _VERSIONS)}


OURS: Final = {VERSION: str(TOKENIZER_VERSION)}
"""The versions of an index that needs nothing done."""


async def begin_next(connection: Connection) -> None:
    """Have the triggers keep an empty next index of our version, in the caller's transaction."""
    await forget_next(connection)
    await connection.execute(_CREATE.format(NEXT))
    await connection.execute(_NOTE, {"name": NEXT_VERSION, "value": str(TOKENIZER_VERSION)})
    await _keep(connection, NEXT)


async def forget_next(connection: Connection) -> None:
    """Drop what there is of a next index, in the caller's transaction."""
    await _no_triggers(connection)
    await _drop(connection, NEXT)
    await connection.execute(_FORGET_NEXT)


async def take_over(connection: Connection) -> None:
    """Put the next index into the place of the first, in the caller's transaction."""
    await _no_triggers(connection)
    await _drop(connection, INDEX)
    await connection.execute(f"ALTER TABLE {NEXT} RENAME TO {INDEX}")
    await connection.execute(_FORGET_NEXT)
    await _is_ours(connection)


async def make_anew(connection: Connection) -> None:
    """Put an empty index of our version into the place of any, in the caller's transaction."""
    await forget_next(connection)
    await _drop(connection, INDEX)
    await connection.execute(_CREATE.format(INDEX))
    await _is_ours(connection)


async def _is_ours(connection: Connection) -> None:
    await connection.execute(_NOTE, {"name": VERSION, "value": str(TOKENIZER_VERSION)})
    await _keep(connection, INDEX)


async def _keep(connection: Connection, index: str) -> None:
    for statement in triggers(index):
        await connection.execute(statement)


async def is_kept(connection: Connection) -> bool:
    """Tell whether the triggers are all there, as those for a new table may not be."""
    return len(await fetch_all(connection, _TRIGGER_NAMES)) == len(_TRIGGERS)


async def keep_anew(connection: Connection) -> None:
    """Make the triggers of the index that is ours, or becomes it, in the caller's transaction."""
    found = await versions(connection)
    await _no_triggers(connection)
    await _keep(connection, NEXT if NEXT_VERSION in found else INDEX)


async def _no_triggers(connection: Connection) -> None:
    for row in await fetch_all(connection, _TRIGGER_NAMES):
        await connection.execute(f"DROP TRIGGER {row[0]}")


async def _drop(connection: Connection, index: str) -> None:
    try:
        await connection.execute(f"DROP TABLE IF EXISTS {index}")
    except sqlite3.DatabaseError:
        # FTS5 has to open it first, and cannot.
        await connection.execute("PRAGMA writable_schema = ON")
        await connection.execute("DELETE FROM sqlite_master WHERE name = ?", (index,))
        await connection.execute("PRAGMA writable_schema = RESET")
        for part in ("data", "idx", "docsize", "config"):
            await connection.execute(f"DROP TABLE IF EXISTS {index}_{part}")


_VERSIONS: Final = (
    "SELECT name, value FROM meta WHERE name IN ('tokenizer_version', 'tokenizer_next')"
)
_NOTE: Final = (
    "INSERT INTO meta (name, value) VALUES (:name, :value)"
    " ON CONFLICT (name) DO UPDATE SET value = excluded.value"
)
_FORGET_NEXT: Final = "DELETE FROM meta WHERE name GLOB 'tokenizer_next*'"
_TRIGGER_NAMES: Final = """
SELECT name FROM sqlite_master
WHERE type = 'trigger' AND name IN (
    'memories_ai', 'memories_ad', 'memories_au', 'memories_before',
    'note_chunks_ai', 'note_chunks_ad', 'note_chunks_au',
    'permanent_posts_ai', 'permanent_posts_ad', 'permanent_posts_au'
)
"""


def triggers(index: str) -> list[str]:
    """Return the statements that make the triggers."""
    parts = {
        "index": index,
        "new_is_turn": _IS_TURN.format(row="new"),
        "before_new": _BEFORE.format(row="new"),
        "add_memory": f"{fill_memories(index)} AND id = new.id;",
        "take_memory": _TAKE_MEMORY.format(index=index, **_tokens_of_memory("old", index)),
        "add_chunk": _ADD_CHUNK.format(index=index, tokens=tokens_of(chunk_text("new"), index)),
        "take_chunk": _TAKE_CHUNK.format(index=index, tokens=tokens_of(chunk_text("old"), index)),
        "add_post": _ADD_POST.format(index=index, tokens=tokens_of(post_text("new"), index)),
        "take_post": _TAKE_POST.format(index=index, tokens=tokens_of(post_text("old"), index)),
        "tell_followers_of_new": _tell_followers("new"),
        "tell_followers_of_old": _tell_followers("old"),
    }
    if index != INDEX:
        also = _tokens_of_memory("memories", index)["tokens"]
        parts["add_memory"] += _ALSO_MEMORY.format(tokens=also)
        parts["add_chunk"] += _ALSO_CHUNK.format(tokens=tokens_of(chunk_text("new"), index))
        parts["add_post"] += _ALSO_POST.format(tokens=tokens_of(post_text("new"), index))
    return [trigger.format(**parts) for trigger in _TRIGGERS]


def memory_text(row: str) -> str:
    """Return the expression for what a memory is indexed by."""
    return f"coalesce({row}.target || char(10), '') || {row}.content"


def chunk_text(row: str) -> str:
    """Return the expression for what a section is indexed by."""
    return f"{row}.heading_path || char(10) || {row}.content"


def post_text(row: str) -> str:
    """Return the expression for what a permanent memory is indexed by."""
    return f"{row}.title || char(10) || {row}.body_md"


def fill_memories(index: str) -> str:
    """Return the statement that puts all living memories into an index; it may be narrowed."""
    return _FILL_MEMORIES.format(index=index, **_tokens_of_memory("memories", index))


def fill_chunks(index: str) -> str:
    """Return the statement that puts all sections into an index; it may be narrowed."""
    return _FILL_CHUNKS.format(index=index, tokens=tokens_of(chunk_text("note_chunks"), index))


def fill_posts(index: str) -> str:
    """Return the statement that puts all permanent memories into an index; it may be narrowed."""
    return _FILL_POSTS.format(index=index, tokens=tokens_of(post_text("permanent_posts"), index))


def tokens_of(text: str, index: str) -> str:
    """Return the expression for the tokens that an index has of a text."""
    version = VERSION if index == INDEX else NEXT_VERSION
    return f"index_tokens({text}, (SELECT value FROM meta WHERE name = '{version}'))"


def _tokens_of_memory(row: str, index: str) -> dict[str, str]:
    return {
        "tokens": tokens_of(memory_text(row), index),
        "neighbours": tokens_of(f"{row}.before", index),
    }


def _tell_followers(row: str) -> str:
    parts = {"is_turn": _IS_TURN.format(row=row), "followers": _FOLLOWERS.format(row=row)}
    return _TELL_FOLLOWERS.format(before=BEFORE, **parts)


_IS_TURN: Final = "{row}.source = 'session' AND {row}.session_id IS NOT NULL"
_TURN: Final = """
                SELECT turn.id, turn.created_at, turn.content FROM memories AS turn
                WHERE turn.session_id = {row}.session_id AND turn.source = 'session'
                    AND turn.deleted_at IS NULL AND turn."""
# In two parts, since SQLite bounds a range by one column: of many turns of one moment,
# as a dump without times has them, (created_at, id) > (…) reads all.
_EARLIER: Final = f"""(
        SELECT content FROM (
            SELECT * FROM ({_TURN}created_at = {{row}}.created_at AND turn.id < {{row}}.id
                ORDER BY turn.id DESC LIMIT 2)
            UNION ALL
            SELECT * FROM ({_TURN}created_at < {{row}}.created_at
                ORDER BY turn.created_at DESC, turn.id DESC LIMIT 2)
        ) ORDER BY created_at DESC, id DESC LIMIT 1 OFFSET {{offset}}
    )"""
_BEFORE: Final = (
    f"said_before({_EARLIER.replace('{offset}', '1')}, {_EARLIER.replace('{offset}', '0')})"
)
BEFORE: Final = _BEFORE.format(row="memories")
"""The end of the two living turns before a turn, an expression within `UPDATE memories`."""
IS_TURN: Final = _IS_TURN.format(row="memories")
_FOLLOWERS: Final = f"""(
        SELECT id FROM (
            SELECT * FROM ({_TURN}created_at = {{row}}.created_at AND turn.id > {{row}}.id
                ORDER BY turn.id LIMIT 2)
            UNION ALL
            SELECT * FROM ({_TURN}created_at > {{row}}.created_at
                ORDER BY turn.created_at, turn.id LIMIT 2)
        ) ORDER BY created_at, id LIMIT 2
    )"""
IS_FOLLOWER: Final = f"""{_IS_TURN.format(row="one")}
    AND follower.id IN {_FOLLOWERS.format(row="one")}"""
"""Condition for one of the two turns, `follower`, that come next after another, `one`."""
_TELL_FOLLOWERS: Final = """
    UPDATE memories SET before = {before}
    WHERE {is_turn} AND id IN {followers};"""

_FILL_MEMORIES: Final = """
    INSERT INTO {index} (rowid, tokens, neighbours)
    SELECT id * 4, {tokens}, {neighbours}
    FROM memories WHERE deleted_at IS NULL"""
_FILL_CHUNKS: Final = """
    INSERT INTO {index} (rowid, tokens) SELECT id * 4 + 1, {tokens} FROM note_chunks"""
_FILL_POSTS: Final = """
    INSERT INTO {index} (rowid, tokens) SELECT id * 4 + 2, {tokens} FROM permanent_posts"""
_TAKE_MEMORY: Final = """
    INSERT INTO {index} ({index}, rowid, tokens, neighbours)
    SELECT 'delete', old.id * 4, {tokens}, {neighbours}
    WHERE EXISTS (SELECT 1 FROM {index}_docsize WHERE id = old.id * 4);"""
_ADD_CHUNK: Final = """
    INSERT INTO {index} (rowid, tokens) VALUES (new.id * 4 + 1, {tokens});"""
_TAKE_CHUNK: Final = """
    INSERT INTO {index} ({index}, rowid, tokens)
    SELECT 'delete', old.id * 4 + 1, {tokens}
    WHERE EXISTS (SELECT 1 FROM {index}_docsize WHERE id = old.id * 4 + 1);"""
_ADD_POST: Final = _ADD_CHUNK.replace(" + 1", " + 2")
_TAKE_POST: Final = _TAKE_CHUNK.replace(" + 1", " + 2")
# Into the index that is about to go. Nothing is taken out of it: its tokens are
# another version's.
_ALSO_MEMORY: Final = """
    INSERT INTO search_index (rowid, tokens)
    SELECT id * 4, {tokens}
    FROM memories WHERE id = new.id AND deleted_at IS NULL
        AND NOT EXISTS (SELECT 1 FROM search_index_docsize WHERE id = new.id * 4);"""
_ALSO_CHUNK: Final = """
    INSERT INTO search_index (rowid, tokens)
    SELECT new.id * 4 + 1, {tokens}
    WHERE NOT EXISTS (SELECT 1 FROM search_index_docsize WHERE id = new.id * 4 + 1);"""
_ALSO_POST: Final = _ALSO_CHUNK.replace(" + 1", " + 2")

# One trigger for both steps of a change: two would run in an order that SQLite does
# not promise, and a delete after the insert leaves the new text out of the index.
_TRIGGERS: Final = (
    """CREATE TRIGGER memories_ai AFTER INSERT ON memories WHEN new.deleted_at IS NULL BEGIN
    UPDATE memories SET before = {before_new}
    WHERE id = new.id AND {new_is_turn};{add_memory}{tell_followers_of_new}
END""",
    """CREATE TRIGGER memories_ad AFTER DELETE ON memories WHEN old.deleted_at IS NULL BEGIN
    {take_memory}{tell_followers_of_old}
END""",
    """CREATE TRIGGER memories_au AFTER UPDATE
OF id, content, target, deleted_at, source, session_id, created_at ON memories BEGIN{take_memory}
    UPDATE memories SET before = CASE WHEN {new_is_turn} AND new.deleted_at IS NULL
        THEN {before_new} END
    WHERE id = new.id AND ({new_is_turn} OR before IS NOT NULL);{add_memory}
    {tell_followers_of_old}{tell_followers_of_new}
END""",
    # A memory that is being added or changed is in no index yet: those triggers see to it.
    """CREATE TRIGGER memories_before AFTER UPDATE OF before ON memories
WHEN old.before IS NOT new.before
    AND EXISTS (SELECT 1 FROM {index}_docsize WHERE id = new.id * 4) BEGIN{take_memory}{add_memory}
END""",
    """CREATE TRIGGER note_chunks_ai AFTER INSERT ON note_chunks BEGIN{add_chunk}
END""",
    """CREATE TRIGGER note_chunks_ad AFTER DELETE ON note_chunks BEGIN{take_chunk}
END""",
    """CREATE TRIGGER note_chunks_au AFTER UPDATE
OF id, heading_path, content ON note_chunks BEGIN{take_chunk}{add_chunk}
END""",
    """CREATE TRIGGER permanent_posts_ai AFTER INSERT ON permanent_posts BEGIN{add_post}
END""",
    """CREATE TRIGGER permanent_posts_ad AFTER DELETE ON permanent_posts BEGIN{take_post}
END""",
    """CREATE TRIGGER permanent_posts_au AFTER UPDATE
OF id, title, body_md ON permanent_posts BEGIN{take_post}{add_post}
END""",
)
