"""What every command that touches the store does first."""

import os
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

import anyio

from runtime import logs
from runtime.app import prepared_home
from runtime.context import AppContext
from runtime.settings import load, require
from runtime.up_to_date import work_up_to_date

T = TypeVar("T")


def with_app(work: Callable[[AppContext], Awaitable[T]]) -> T:
    """
    Run the work with the person's home opened; what lies in the spool is finished first.

    Raises ExpectedError. What reads files comes before the event loop.
    """
    home = prepared_home(os.environ)
    settings = require(load(home.config, os.environ))
    logs.configure(home, settings.logs)
    return anyio.run(partial(work_up_to_date, home, settings, work))
