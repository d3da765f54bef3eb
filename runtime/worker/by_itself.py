"""
A command of ours that the worker runs by itself, in a process of its own.

It may wait for folders or servers that do not answer, and takes more time and memory
than a worker should.
"""

import os
import signal
import sys
from typing import Final

import anyio

from runtime.launch import import_paths
from runtime.paths import Home

CODE: Final = """\
import sys
sys.path[:0] = [path for path in {paths!r} if path not in sys.path]
from runtime.__main__ import main
main()
"""


async def run_command(home: Home, *arguments: str) -> int:
    """Return the exit code; cancelled, the process is ended first. Raises OSError."""
    paths = await anyio.to_thread.run_sync(import_paths)
    command = [sys.executable, "-I", "-c", CODE.format(paths=paths), *arguments]
    environ = {**os.environ, "OBOEGAKI_HOME": home.root}
    process = await anyio.open_process(
        command, stdin=None, stdout=None, stderr=None, env=environ
    )  # fmt: skip
    try:
        return await process.wait()
    finally:
        with anyio.CancelScope(shield=True):
            if process.returncode is None:
                process.send_signal(signal.SIGTERM)
            await process.aclose()
