"""
The token for esa: from a variable, a command, or a file that only its owner reads.

It is held in an object that shows nothing of itself, so that neither a log line
nor a traceback can carry it.
"""

import os
import shlex
import stat
import subprocess
from collections.abc import Mapping
from typing import Final

from runtime.permanent.errors import NotSetUpError

COMMAND: Final = "permanent.token_command"
COMMAND_S: Final = 30.0
"""A password store may ask the person for a passphrase."""
OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


class Token:
    """A secret, and where it came from."""

    __slots__ = ("_value", "origin")

    def __init__(self, value: str, origin: str) -> None:
        self._value = value
        self.origin = origin

    def __repr__(self) -> str:
        return f"Token(from {self.origin})"

    def header(self) -> dict[str, str]:
        """Return the header that carries it."""
        return {"Authorization": f"Bearer {self._value}"}


def find_token(environ: Mapping[str, str], *, variable: str, command: str, path: str) -> Token:
    """
    Return the first that there is: command, file, variable.

    What a person has configured by hand counts more than what happens to be set.
    Blocking: run it in a worker thread. Raises NotSetUpError.
    """
    if command:
        # Named by its setting: the command itself may hold the token.
        return Token(_usable(_from_command(command), COMMAND), COMMAND)
    if path:
        return Token(_usable(_from_file(path), path), path)
    value = environ.get(variable, "")
    if not value:
        msg = (
            f"no token for esa: ${variable} is not set; set it, or permanent.token_command to a "
            "command that prints it, or permanent.token_file to a file of mode 0600"
        )
        raise NotSetUpError(msg)
    return Token(_usable(value, f"${variable}"), f"${variable}")


def _from_command(command: str) -> str:
    try:
        done = subprocess.run(  # noqa: S603 - the person's own command
            shlex.split(command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # it may say what it should not
            timeout=COMMAND_S,
            check=False,
        )
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        msg = f"permanent.token_command cannot be run: {reason}"
        raise NotSetUpError(msg) from None
    except subprocess.TimeoutExpired:
        msg = f"permanent.token_command has printed nothing for {COMMAND_S:g} s"
        raise NotSetUpError(msg) from None
    if done.returncode:
        msg = f"permanent.token_command ended with {done.returncode}; run it by hand to see why"
        raise NotSetUpError(msg)
    return done.stdout.decode("utf-8", "replace")


def _from_file(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            if os.name != "nt" and mode & OTHERS:
                msg = f"{path} has mode {mode:04o}, others can read it: `chmod 600` it"
                raise NotSetUpError(msg)
            return file.read(10_000)
    except OSError as error:
        msg = f"permanent.token_file {path} cannot be read: {error.strerror}"
        raise NotSetUpError(msg) from None
    except UnicodeDecodeError:
        msg = f"permanent.token_file {path} is no text"
        raise NotSetUpError(msg) from None


def _usable(value: str, origin: str) -> str:
    token = value.strip()
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        msg = f"what {origin} gives is no token: one line of printable ASCII is expected"
        raise NotSetUpError(msg)
    return token
