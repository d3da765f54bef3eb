"""From settings to permanent memories that can be used."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Literal

import anyio

from runtime.paths import Home
from runtime.permanent.backend import Backend
from runtime.permanent.errors import NotSetUpError
from runtime.permanent.local import Local
from runtime.permanent.saving import saving
from runtime.permanent.service import Permanent
from runtime.permanent.token import find_token
from runtime.setting_sections import Permanent as PermanentSettings
from runtime.settings import Settings
from runtime.store.store import Store

Name = Literal["local", "esa"]
AGENT: Final = "agent"
"""Who saves through MCP."""
PERSON: Final = "you"


def folder_of(home: Home, settings: PermanentSettings) -> Path:
    """Return the folder of the local backend."""
    return Path(settings.dir or f"{home.root}/permanent")


@asynccontextmanager
async def open_permanent(
    home: Home,
    settings: Settings,
    store: Store,
    environ: Mapping[str, str],
    *,
    author: str,
) -> AsyncIterator[Permanent]:
    """Give the configured permanent memories, whose shadow is kept. Raises NotSetUpError."""
    chosen = settings.permanent
    name: Name = "esa" if chosen.backend == "esa" else "local"
    async with open_backend(name, home, chosen, store, environ, author=author) as backend:
        yield Permanent(backend, chosen.tag, await saving(home, settings, store))


@asynccontextmanager
async def open_backend(
    name: Name,
    home: Home,
    settings: PermanentSettings,
    store: Store,
    environ: Mapping[str, str],
    *,
    author: str,
) -> AsyncIterator[Backend]:
    """Give one of the backends, configured or not. Raises NotSetUpError."""
    if name == "local":
        yield Local(folder_of(home, settings), store, author)
        return
    _require(settings)
    # The extra may be missing; and what it needs reads files for its import.
    esa = await anyio.to_thread.run_sync(import_module, "runtime.permanent.esa")
    find = partial(
        find_token,
        environ,
        variable=settings.token_env,
        command=settings.token_command,
        path=settings.token_file,
    )
    token = await anyio.to_thread.run_sync(find)
    timeout_s = settings.timeout_s
    opened = esa.open_esa(settings.url, settings.team, token, timeout_s=timeout_s)
    async with opened as backend:
        yield backend


def _require(settings: PermanentSettings) -> None:
    missing = [name for name in ("httpx2", "stamina") if find_spec(name) is None]
    if missing:
        msg = (
            f"esa needs {' and '.join(missing)}, which this environment does not have: "
            "install oboegaki[esa]"
        )
        raise NotSetUpError(msg)
    if not settings.team:
        msg = "no team for esa: set permanent.team to the first part of its address"
        raise NotSetUpError(msg)
