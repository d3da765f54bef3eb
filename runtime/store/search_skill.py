"""
What a skill's name and arguments find. Standard library only: the hook process imports this.
"""

from runtime.store.search_index import Index
from runtime.store.search_ranking import Found, name, rank, words
from runtime.store.skill_runs import bare

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

    from runtime.store.search_index import Common

ARGUMENTS_SHARE = 0.6
"""A skill's arguments must match this much: what is beside the point costs trust."""


def related(
    connection: "Connection",
    skill: str,
    arguments: str,
    limit: int,
    project_key: str,
    common: "Common | None" = None,
) -> list[tuple[str, Found]]:
    """
    Return what is about a skill's name, then what is about its arguments, each row once.

    With each comes the text that it was found by. One that is found twice keeps
    its first place: it answers both questions. Somebody waits: shares and scores are
    told as far as they are needed to choose.
    """
    index = Index(connection, is_own=True, common=common)
    found: dict[int, tuple[str, Found]] = {}
    names = dict.fromkeys((skill, bare(skill)))
    for query in (*map(name, names), words(arguments, ARGUMENTS_SHARE)):
        if len(found) < limit:
            for hit in rank(index, query, limit, project_key, is_rough=True):
                found.setdefault(hit.row, (query.text, hit))
    return list(found.values())[:limit]
