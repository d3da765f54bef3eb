"""
Tell the hook process whether events are to outlive a power cut.

It parses no TOML, which would take it longer than all the rest. So whoever reads
the settings leaves a mark in the home for what `config.toml` says.
"""

import os
from contextlib import suppress

from runtime.paths import FILE_MODE, Home
from runtime.settings import Loaded


def leave_mark(home: Home, loaded: Loaded) -> None:
    """
    Make the mark, or take it away; blocking, and never an error.

    The environment is each process's own: a value from there changes no mark.
    """
    if loaded.origins.get("hook.durable", home.config) != home.config:
        return
    with suppress(OSError):
        if loaded.settings.hook.durable:
            os.close(os.open(home.durable, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, FILE_MODE))
        else:
            os.unlink(home.durable)
