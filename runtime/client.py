"""
The hook process: the one command behind every hook entry.

It reads stdin, puts the event into the spool, has it handled and prints the
answer. Whatever happens it exits 0: exit 2 would block the person's prompts and
tools, and stdout is either empty or one JSON object. Standard library only up
to the point where the pipeline is needed.
"""

import os
import select
import sys
import time

from runtime import spool
from runtime.locks import try_lock
from runtime.paths import Home, find_home
from runtime.stdin import is_whole

STDIN_WAIT_S = 1.5
"""Most that stdin may take to bring one whole object."""
STDIN_MAX_BYTES = 64_000_000
DEADLINE_S = 5.0
"""The process ends by then, whatever hangs."""
SESSION_END_DEADLINE_S = 1.4
"""The client gives all SessionEnd hooks 1.5 s together (measured)."""
INJECTING = ("SessionStart", "PreToolUse", "UserPromptExpansion")
"""Events whose answer the client waits for."""
NAME_MAX_BYTES = 64
TTY_HINT = """\
`runtime hook` is started by Claude Code and reads one hook event as JSON from stdin.
Try `runtime demo`, or `runtime replay --last 1` to see a captured event again.
"""


def main(arguments: list[str]) -> None:
    """Handle one hook event. Never returns: ends the process with 0."""
    answer_fd = 1
    try:
        answer_fd = _guard_descriptors()
        _handle(arguments, answer_fd)
    except BaseException as error:  # noqa: BLE001 - whatever it is, the hook exits 0
        _last_words(error)
    os._exit(0)


def _handle(arguments: list[str], answer_fd: int) -> None:
    if _is_off(os.environ):
        return
    if os.isatty(0):
        _write_all(2, TTY_HINT.encode())
        return
    given = next((word for word in arguments if not word.startswith("-")), "")
    _start_deadline(SESSION_END_DEADLINE_S if given == "SessionEnd" else DEADLINE_S)
    payload, problem = read_stdin(0, STDIN_WAIT_S)
    name = given or event_name(payload)
    facts = facts_of(os.environ, name, problem)
    home = find_home(os.environ)
    home.prepare()
    is_asking = name in INJECTING
    event_id = spool.new_id(os.getpid())
    event = spool.Captured(event_id + (spool.ASK if is_asking else ""), facts, payload)
    try:
        spool.write(home.spool, event)
    except OSError as error:
        # A full disk or a read-only home: what can be done without it still is.
        _note(home, "spool_unwritable", str(error))
        event.name = ""
    if is_asking or not event.name:
        from runtime.inline import answer  # noqa: PLC0415 - all the heavy packages

        answer(home, event, lambda text: _write_all(answer_fd, text))
        return
    lock = try_lock(home.drain_lock)
    if lock is not None:  # else its holder will see our file
        from runtime.inline import drain_spool  # noqa: PLC0415

        drain_spool(home, lock)


def read_stdin(fd: int, wait_s: float) -> tuple[bytes, str]:
    """
    Return stdin's bytes and what was wrong with them ("" when nothing was).

    Stops at end of file, or as soon as a whole object has arrived: some hosts
    leave the pipe open. A half one is given up after `wait_s`.
    """
    data = bytearray()
    until = time.monotonic() + wait_s
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    while len(data) <= STDIN_MAX_BYTES:
        left_s = until - time.monotonic()
        if left_s <= 0 or not poll.poll(left_s * 1000):
            return bytes(data), f"timed out after {wait_s:g} s with {len(data)} bytes"
        piece = os.read(fd, 1 << 20)
        data += piece
        if not piece or is_whole(data):
            return bytes(data), ""
    return bytes(data), f"more than {STDIN_MAX_BYTES} bytes"


def event_name(payload: bytes) -> str:
    """Return the event's name by a byte scan, "" when it is not to be seen."""
    _before, key, rest = payload.partition(b'"hook_event_name"')
    value = rest.lstrip(b" \t\r\n:").partition(b'"')[2].partition(b'"')[0] if key else b""
    return value.decode("ascii", "replace") if len(value) <= NAME_MAX_BYTES else ""


def facts_of(environ: "os._Environ[str]", name: str, problem: str) -> dict[str, str]:
    """Return what only this process can know about the event."""
    facts = {
        "event": name,
        "problem": problem,
        "project": environ.get("CLAUDE_PROJECT_DIR", ""),
        "entrypoint": environ.get("CLAUDE_CODE_ENTRYPOINT", ""),
    }
    if facts["entrypoint"].startswith("sdk") and _is_nested(environ.get("CLAUDE_PID", "")):
        facts["nested"] = "1"
    return {key: value for key, value in facts.items() if value}


def _is_nested(claude_pid: str) -> bool:
    """Tell whether a headless client was itself started from within a session (Linux)."""
    if not claude_pid.isdigit():
        return False
    try:
        with open(f"/proc/{claude_pid}/environ", "rb") as file:
            return b"CLAUDECODE=1" in file.read().split(b"\0")
    except OSError:
        return False


def _is_off(environ: "os._Environ[str]") -> bool:
    return environ.get("OBOEGAKI_DISABLE", "0") not in ("", "0")


def _guard_descriptors() -> int:
    """
    Keep stdout for the answer alone. Returns the descriptor to write it to.

    Whatever else prints (a library, a warning, C code) lands on stderr. A closed
    standard descriptor would be handed to the next file that is opened, such as
    the database, and take those prints.
    """
    for fd in (0, 1, 2):
        try:
            os.fstat(fd)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    answer_fd = os.dup(1)
    os.dup2(2, 1)
    return answer_fd


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(fd, view) :]
    except OSError:
        return  # nobody reads: nothing to tell anybody


def _start_deadline(seconds: float) -> None:
    import signal  # noqa: PLC0415

    signal.signal(signal.SIGALRM, lambda *_: os._exit(0))
    signal.setitimer(signal.ITIMER_REAL, seconds)


def _last_words(error: BaseException) -> None:
    """Log what ended the hook, if that is at all possible."""
    try:
        _note(find_home(os.environ), "hook_failed", f"{type(error).__name__}: {error}")
    except BaseException:  # noqa: BLE001 - there is nobody left to tell
        return


def _note(home: Home, event: str, error: str) -> None:
    import json  # noqa: PLC0415

    from runtime.redact import redact  # noqa: PLC0415

    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    facts = {"timestamp": stamp, "level": "error", "event": event, "error": redact(error)}
    line = json.dumps(facts)
    path = os.path.join(home.logs, "runtime.jsonl")
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    os.write(fd, line.encode() + b"\n")
    os.close(fd)


if __name__ == "__main__":
    main(sys.argv[1:])
