"""
What is known about a skill: its earlier runs, and what its name and arguments find.

Rows can be read by name. Standard library only: the hook process imports this.
"""

from runtime.store.search_index import Index
from runtime.store.search_ranking import Found, name, rank, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection, Row

ARGUMENTS_SHARE = 0.6
"""A skill's arguments must match this much: what is beside the point costs trust."""


def runs_of(
    connection: "Connection", skill: str, project_key: str | None, limit: int
) -> "list[Row]":
    """
    Return the newest memories in which a skill ran, newest first.

    `plugin:skill` and `skill` are the same skill when the last part is. Only the
    project's own memories and global ones.
    """
    values = {"bare": bare(skill), "project_key": project_key, "limit": limit}
    return connection.execute(_RUNS, values).fetchall()


def bare(skill: str) -> str:
    """Return a skill's name without its plugin's."""
    return skill.rsplit(":", 1)[-1]


_RUNS = """
SELECT memories.* FROM memories
WHERE skills IS NOT NULL AND deleted_at IS NULL
    AND (project_key = :project_key OR is_global)
    AND EXISTS (
        SELECT 1 FROM json_each(memories.skills)
        WHERE substr(value, instr(value, ':') + 1) = :bare
    )
ORDER BY created_at DESC, id DESC LIMIT :limit
"""


def related(
    connection: "Connection", skill: str, arguments: str, limit: int, project_key: str
) -> list[tuple[str, Found]]:
    """
    Return what is about a skill's name, then what is about its arguments, each row once.

    With each comes the text that it was found by. One that is found twice keeps
    its first place: it answers both questions.
    """
    index = Index(connection)
    found: dict[int, tuple[str, Found]] = {}
    names = dict.fromkeys((skill, bare(skill)))
    for query in (*map(name, names), words(arguments, ARGUMENTS_SHARE)):
        if len(found) < limit:
            for hit in rank(index, query, limit, project_key):
                found.setdefault(hit.row, (query.text, hit))
    return list(found.values())[:limit]
