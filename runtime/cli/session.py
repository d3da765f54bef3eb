"""What every command that touches the store does first."""

import os
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import TypeVar

import anyio

from runtime import logs
from runtime.app import open_app, prepared_home
from runtime.context import AppContext
from runtime.inline import drain
from runtime.settings import load, require

T = TypeVar("T")
DRAIN_S = 60.0
"""A command may wait: what it shows should hold everything that was captured."""


@asynccontextmanager
async def opened() -> AsyncGenerator[AppContext]:
    """Open the person's home, finishing what lies in the spool. Raises ExpectedError."""
    home = prepared_home(os.environ)
    settings = require(load(home.config, os.environ))
    logs.configure(home, settings.logs)
    async with open_app(home, settings) as app:
        await drain(app, DRAIN_S)
        yield app


def with_app(work: Callable[[AppContext], Awaitable[T]]) -> T:
    """Run the work with an opened app and return its result."""
    return anyio.run(partial(_with_app, work))


async def _with_app(work: Callable[[AppContext], Awaitable[T]]) -> T:
    async with opened() as app:
        return await work(app)
