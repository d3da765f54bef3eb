"""
The writing half of long-term memory as an MCP server: store, delete, stats.

Names, parameters and results are those of the source system's server
`long-term-memory`; to them is added what is true: that a text was known already,
that there was nothing to delete.
"""

from typing import Annotated, Final

import anyio
from mcp_types import ToolAnnotations
from pydantic import Field

from runtime.mcp_servers.common import READS, Memory, Server, answering
from runtime.store.by_hand import MOST_CHARS, Given, origin_of, store_by_hand
from runtime.store.clock import utc_now
from runtime.store.deleting import delete
from runtime.store.longterm_stats import longterm_stats
from schemas.longterm import Kept, LongtermStats, Removed

NAME: Final = "long-term-memory"
MOST_ID: Final = 2**63 - 1
INSTRUCTIONS: Final = (
    "Long-term memory (長期記憶) of this person, kept on this machine. Conversations and tool "
    "results are captured by themselves; store only what should be found again on purpose. "
    "Reading is done by the server chiebukuro."
)

Content = Annotated[
    str,
    Field(
        description=f"What to remember, in full sentences that stand alone, with absolute dates; "
        f"at most {MOST_CHARS:,} characters. Secrets are left out."
    ),
]
Source = Annotated[
    str, Field(description="Who stores it, such as claude_code, claude_desktop or obsidian.")
]
ProjectName = Annotated[
    str | None,
    Field(description="Project it is about; leave it out for the one that is worked in."),
]
Tags = Annotated[list[str] | None, Field(description="Words to list it by.")]
Id = Annotated[
    int, Field(ge=1, le=MOST_ID, description="The memory's id, as search and store give it.")
]


def build(memory: Memory) -> Server:
    """Return the server, which opens nothing before it is asked."""
    server = Server(NAME, "Long-term memory", INSTRUCTIONS)
    # What one client asks for is done in its order, which a lock keeps.
    turns = anyio.Lock()

    @server.tool(
        title="Store a memory",
        annotations=ToolAnnotations(
            read_only_hint=False,
            destructive_hint=False,
            idempotent_hint=True,
            open_world_hint=False,
        ),
    )
    @answering
    async def long_term_memory_store(
        content: Content, source: Source, project: ProjectName = None, tags: Tags = None
    ) -> Kept:
        """
        Keep one memory for later sessions.

        Use it when the person asks to remember something (「長期記憶に保存」, "save this to
        long-term memory"), or for a decision with its reason. Search first. Status "stored"
        means that it is kept, "known" that a memory of this text is there already and was left
        as it is; `note` says what else there is to know.
        """
        given = Given(content, source, tuple(tags or ()), memory.environ.get(SESSION))
        async with turns:
            here = await memory.project(project)
            async with memory.opened() as app, app.opened.transaction() as connection:
                origin = await origin_of(connection, project, here, app.host)
                return await store_by_hand(connection, given, origin, utc_now())

    @server.tool(
        title="Delete a memory",
        annotations=ToolAnnotations(
            read_only_hint=False,
            destructive_hint=True,
            idempotent_hint=True,
            open_world_hint=False,
        ),
    )
    @answering
    async def long_term_memory_delete(id: Id) -> Removed:  # noqa: A002 - the source's name
        """
        Delete one memory, when the person asks for it by what it says; look at it first.

        It is found no more, and can be restored by the person. Status "not found" means that
        there is no such memory and nothing was deleted.
        """
        async with turns, memory.opened() as app, app.opened.transaction() as connection:
            outcome = await delete(connection, [id], utc_now())
        return Removed(id=id, status=outcome[id], note=NOTES[outcome[id]].format(id))

    @server.tool(title="Count memories", annotations=READS)
    @answering
    async def long_term_memory_stats() -> LongtermStats:
        """Count long-term memories: by source, project and machine, with the oldest and newest."""
        async with turns, memory.opened() as app:
            return await longterm_stats(app.opened.connection)

    return server


SESSION: Final = "CLAUDE_CODE_SESSION_ID"
"""Set by the client for the servers that it starts."""
NOTES: Final = {
    "deleted": "`runtime longterm restore {}` takes it back",
    "already deleted": "it had been deleted before: 0 deleted now",
    "not found": "there is no memory {}: 0 deleted; search shows the ids there are",
}
