"""What every command about permanent memories does first."""

import os
from collections.abc import Awaitable, Callable
from typing import TypeVar

from runtime.cli.session import with_app
from runtime.context import AppContext
from runtime.permanent.service import Permanent
from runtime.permanent.setup import PERSON, open_permanent

T = TypeVar("T")


def with_permanent(work: Callable[[Permanent], Awaitable[T]]) -> T:
    """Run the work with the configured permanent memories opened. Raises ExpectedError."""

    async def opened(app: AppContext) -> T:
        async with open_permanent(
            app.home, app.settings, app.opened, os.environ, author=PERSON
        ) as permanent:
            return await work(permanent)

    return with_app(opened)
