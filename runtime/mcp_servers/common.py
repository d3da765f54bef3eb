"""What the MCP servers have in common: the SDK's server on our wire, errors, and the store."""

import functools
import inspect
import signal
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from fnmatch import fnmatchcase
from typing import Any, BinaryIO, Final, ParamSpec, TypeVar, cast

import anyio
import structlog
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.stdio import stdio_server
from mcp_types import CallToolResult, InputRequiredResult, ToolAnnotations
from pydantic import ValidationError

from runtime import __version__, logs
from runtime.app import open_app, prepared_home
from runtime.context import AppContext
from runtime.errors import ExpectedError
from runtime.mcp_servers.arguments import refusal
from runtime.mcp_servers.refusals import ProjectOffError
from runtime.mcp_servers.wire import Wire, standard_streams
from runtime.paths import Home
from runtime.privacy import Privacy
from runtime.project import Project, identify
from runtime.redact import redact
from runtime.settings import Settings, load, require
from runtime.text import clean

P = ParamSpec("P")
T = TypeVar("T")
log = structlog.get_logger(__name__)

READS: Final = ToolAnnotations(read_only_hint=True, open_world_hint=False)
"""Of a tool that changes nothing."""


class Server(MCPServer[object]):
    """A server of the SDK's, over stdin and stdout of this process."""

    def __init__(self, name: str, title: str, instructions: str) -> None:
        super().__init__(
            name,
            title=title,
            instructions=instructions,
            version=__version__,
            # Nobody is told of changes: what tools there are is settled at the start.
            subscriptions=False,
        )

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[object, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool; what is wrong with a call is told so that the next one is right."""
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                raise ToolError(refusal(name, error.__cause__)) from error.__cause__
            names = [tool.name for tool in await self.list_tools()]
            if name not in names:
                msg = f"there is no tool {clean(name)}; there are {', '.join(names)}"
                raise ToolError(redact(msg)) from None
            raise

    async def serve(self, source: BinaryIO, sink: BinaryIO) -> None:
        """Answer until the input ends."""
        wire = Wire(source, sink)
        file = cast("anyio.AsyncFile[str]", wire)  # as much of one as the SDK uses
        async with stdio_server(stdin=file, stdout=file) as (read, write):
            server = self._lowlevel_server
            await server.run(read, write, server.create_initialization_options())


def run(build: Callable[["Memory"], Server], environ: Mapping[str, str]) -> None:
    """
    Serve until stdin ends.

    The streams are taken first: whatever is loaded or built may print.
    """
    # The client ends a server by closing its input, then by signals. Every write is a
    # transaction, so there is nothing to tidy up, and a thread that waits for input
    # would keep Python from ending.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    with standard_streams() as (source, sink):
        memory = Memory(environ)
        memory.log_to_file()
        anyio.run(build(memory).serve, source, sink)


class Memory:
    """
    The person's memory as one call of a tool finds it.

    A server lives for days. So settings are read and the store is opened for each call:
    what has changed meanwhile holds, and what is wrong is told to who asked.
    """

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.environ = environ

    def log_to_file(self) -> None:
        """Send logs to the home; where there is none, each call will say so. Blocking."""
        try:
            home, settings = self.look()
        except ExpectedError as error:
            log.warning("server_without_home", error=str(error))
            return
        logs.configure(home, settings.logs)

    def look(self) -> tuple[Home, Settings]:
        """Return home and settings as they are now. Raises ExpectedError; blocking."""
        home = prepared_home(self.environ)
        return home, require(load(home.config, self.environ))

    @asynccontextmanager
    async def opened(self) -> AsyncGenerator[AppContext]:
        """Open the store for one call. Raises ExpectedError."""
        home, settings = await anyio.to_thread.run_sync(self.look)
        async with open_app(home, settings) as app:
            yield app

    async def project(self, name: str | None = None) -> Project | None:
        """
        Return the project that the client works in, None where it does not tell.

        Raises ProjectOffError when nothing of it, or of the one that is named, is to be kept.
        """
        return await anyio.to_thread.run_sync(self._project, name)

    def _project(self, name: str | None) -> Project | None:
        _home, settings = self.look()
        folder = self.environ.get("CLAUDE_PROJECT_DIR", "")
        patterns = settings.capture.off_projects
        if name is not None and any(fnmatchcase(name, pattern) for pattern in patterns):
            raise ProjectOffError(name)
        if not folder:
            return None
        project = identify(folder)
        if Privacy(folder, settings.capture).is_off:
            raise ProjectOffError(project.name)
        return project


def answering(tool: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[T]]:
    """
    Let a tool's errors reach the model as a text that says what to do.

    Whatever else is raised is a bug; its traceback is in the log.
    """

    @functools.wraps(tool)
    async def answered(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return await tool(*args, **kwargs)
        except ToolError:
            raise
        except ExpectedError as error:
            raise ToolError(redact(clean(str(error)))) from error
        except Exception as error:
            log.exception("tool_failed", tool=tool.__name__)
            msg = (
                f"a bug in oboegaki ({type(error).__name__}), and nothing was changed; go on "
                "without it, and tell the person that `runtime logs --level error` has the details"
            )
            raise ToolError(msg) from error

    # What the model reads: without the indentation of the code.
    answered.__doc__ = inspect.getdoc(tool)
    return answered
