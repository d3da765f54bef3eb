"""
`chiebukuro.json`: the databases that a reading MCP server offers.

The format is that of chiebukuro-mcp (`~/chiebukuro-mcp/chiebukuro.json`), so that one
file serves both; its defaults are here. Looked at 2026-11.
"""

from schemas.base import Lenient


class Semantic(Lenient):
    """Where the texts of a database lie that can be searched by meaning."""

    vec_table: str = "memories_vec"
    content_table: str = "memories"
    content_column: str = "content"
    source_column: str = "source"
    join_key: str = "memory_id"


class Registered(Lenient):
    """One database."""

    path: str
    description: str = ""
    semantic_search: Semantic | None = None


class Chiebukuro(Lenient):
    """The file."""

    databases: dict[str, Registered]
