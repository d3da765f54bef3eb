"""
Earlier runs of a skill. Standard library only: the hook process imports this.

Apart from what finds by words: where runs say enough, no more is loaded.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection, Row


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
