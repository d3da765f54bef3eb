"""
The hook process: the one command behind every hook entry.

It reads stdin, puts the event into the spool, and tells the worker or asks it.
Where no worker runs it starts one and meanwhile answers by itself. Whatever
happens it exits 0: exit 2 would block the person's prompts and tools, and
stdout is either empty or one JSON object. Standard library only, and little of
that: people feel every millisecond of this process.
"""

import sys
import time

from runtime import __version__, sockets
from runtime.paths import NO, Home, find_home

if sys.platform == "win32":
    import os
else:
    import posix as os  # what `os` adds costs a hook an eighth of its time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from runtime import spool

DEADLINE_S = 5
"""The process ends by then, whatever hangs. Whole seconds: an alarm counts those."""
SESSION_END_DEADLINE_S = 1
"""The client gives all SessionEnd hooks 1.5 s together (measured)."""
ANSWER_WAIT_S = {"SessionStart": 1.0, "PreToolUse": 0.3, "UserPromptExpansion": 0.3}
"""Events whose answer Claude Code waits for, and how long the worker may take."""
ASKING = ("PreToolUse", "UserPromptExpansion")
"""Events that as a rule ask the worker: it is called before they have been read."""
UNSPOOLED_WAIT_S = 0.5
"""For the worker to take an event that could not be put into the spool."""
NAME_MAX_BYTES = 64
PASSED_ON = ("OBOEGAKI_", "MEMORY_")
"""Variables that are settings: the worker serves many sessions and needs each one's."""
SECRETIVE = ("TOKEN", "SECRET", "PASSWORD", "KEY")
TTY_HINT = b"""\
`runtime hook` is started by Claude Code and reads one hook event as JSON from stdin.
Try `runtime demo`, or `runtime replay --last 1` to see a captured event again.
"""


def main(arguments: list[str]) -> None:
    """Handle one hook event. Never returns: ends the process with 0."""
    try:
        answer_fd = _guard_descriptors()
        _handle(arguments, answer_fd)
    except BaseException as error:  # noqa: BLE001 - whatever it is, the hook exits 0
        _last_words(error)
    os._exit(0)  # noqa: SLF001 - nothing here needs tidying up


def _handle(arguments: list[str], answer_fd: int) -> None:
    environ = _variables()
    if environ.get("OBOEGAKI_DISABLE", "0") not in ("", "0"):
        return
    if os.isatty(0):
        _write_all(2, TTY_HINT)
        return
    given = next((word for word in arguments if not word.startswith("-")), "")
    home = find_home(environ)
    # First of all: while the worker wakes up, this process loads the rest of itself.
    line = sockets.call(home.run) if given in ASKING and "--inline" not in arguments else None
    from runtime import spool  # noqa: PLC0415
    from runtime.stdin import read_stdin  # noqa: PLC0415

    payload, problem = read_stdin(0)
    name = given or event_name(payload)
    wait_s = ANSWER_WAIT_S.get(name)
    event = spool.Captured(
        spool.new_id(os.getpid()) + ("" if wait_s is None else spool.ASK),
        facts_of(environ, name, problem),
        payload,
    )
    _put(home, event, spool.to_disk if _is_durable(home, environ) else None)
    if "--inline" in arguments:
        _inline(home, event, answer_fd, lambda: None)
    elif event.name and (wait_s is None or _is_told(home, event, answer_fd)):
        if not sockets.kick(home.run, __version__.encode()):
            _without_worker(home, event, answer_fd)
    else:
        # By its id where it has no file: the id is what makes handling it twice harmless.
        name_and_event = b"%b\n%b" % (
            (event.name or event.id).encode(),
            spool.pack(event.facts, payload),
        )
        answer = sockets.ask(home.run, name_and_event, wait_s or UNSPOOLED_WAIT_S, line)
        if answer is None:
            _without_worker(home, event, answer_fd)
        else:
            _write_all(answer_fd, answer)


def _put(home: Home, event: "spool.Captured", sync: "Callable[[int], None] | None") -> None:
    """Put the event into the spool; the folders are made when they are not there."""
    from runtime import spool  # noqa: PLC0415

    try:
        spool.write(home.spool, event, sync)
    except FileNotFoundError:
        try:
            home.prepare()
            spool.write(home.spool, event, sync)
        except OSError as error:
            _note(home, "spool_unwritable", str(error))
            event.name = ""
    except OSError as error:
        # A full disk or a read-only home: what can be done without it still is.
        _note(home, "spool_unwritable", str(error))
        event.name = ""


def _is_durable(home: Home, environ: dict[str, str]) -> bool:
    """Tell whether events are to outlive a power cut: `hook.durable`, off by default."""
    chosen = environ.get("OBOEGAKI_HOOK_DURABLE")
    return chosen.strip().lower() not in NO if chosen else os.access(home.durable, os.F_OK)


def _is_told(home: Home, event: "spool.Captured", answer_fd: int) -> bool:
    """
    Answer a session's start from what the worker has prepared; False where nothing holds.

    It holds as long as no note has changed, so asking the worker would bring the
    same words later.
    """
    if event.facts.get("event") != "SessionStart":
        return False
    from runtime import spool  # noqa: PLC0415
    from runtime.reader import answer  # noqa: PLC0415 - other events do not need it

    told = answer(home, event)
    if told is None:
        return False
    _write_all(answer_fd, told)
    # Answered: from now on anybody may finish the event, the worker first of all.
    spool.release(home.spool, event)
    return True


def _without_worker(home: Home, event: "spool.Captured", answer_fd: int) -> None:
    import gc  # noqa: PLC0415

    gc.disable()  # the process ends before collecting would pay
    from runtime.away import start_worker, take_care  # noqa: PLC0415 - not on the hot path
    from runtime.spool import ASK  # noqa: PLC0415

    if not take_care(home, event, lambda text: _write_all(answer_fd, text)):
        is_asked = event.name.endswith(ASK)
        _inline(home, event, answer_fd, lambda: start_worker(home, event) if is_asked else None)


def _inline(
    home: Home, event: "spool.Captured", answer_fd: int, afterwards: "Callable[[], None]"
) -> None:
    """
    Do the work in this process: the same dispatcher, with all its packages.

    Ends the process, and calls `afterwards` right before.
    """
    name = event.facts.get("event", "")
    _start_deadline(SESSION_END_DEADLINE_S if name == "SessionEnd" else DEADLINE_S)
    import gc  # noqa: PLC0415

    gc.disable()  # as in `_without_worker`
    from os import environ  # noqa: PLC0415 - pydantic reads this one

    # Else pydantic looks for plugins in whatever is installed, and loads them.
    environ["PYDANTIC_DISABLE_PLUGINS"] = "__all__"
    from runtime import lazy_imports  # noqa: PLC0415
    from runtime.locks import try_lock  # noqa: PLC0415
    from runtime.spool import ASK  # noqa: PLC0415

    lazy_imports.install()

    def leave() -> None:
        afterwards()
        os._exit(0)  # noqa: SLF001 - as in `main`

    if event.name.endswith(ASK) or not event.name:
        from runtime.inline import answer  # noqa: PLC0415

        answer(home, event, lambda text: _write_all(answer_fd, text), leave)
    elif (lock := try_lock(home.drain_lock)) is not None:  # else its holder will see our file
        from runtime.inline import drain_spool  # noqa: PLC0415

        drain_spool(home, lock, leave)
    leave()


def event_name(payload: bytes) -> str:
    """Return the event's name by a byte scan, "" when it is not to be seen."""
    _before, key, rest = payload.partition(b'"hook_event_name"')
    value = rest.lstrip(b" \t\r\n:").partition(b'"')[2].partition(b'"')[0] if key else b""
    return value.decode("ascii", "replace") if len(value) <= NAME_MAX_BYTES else ""


def _variables() -> dict[str, str]:
    """Return the environment as `os.environ` gives it."""
    return {_text(key): _text(value) for key, value in os.environ.items()}


def _text(raw: str | bytes) -> str:
    return raw if isinstance(raw, str) else raw.decode("utf-8", "surrogateescape")


def facts_of(environ: dict[str, str], name: str, problem: str) -> dict[str, str]:
    """Return what only this process can know about the event."""
    facts = {
        "event": name,
        "problem": problem,
        "project": environ.get("CLAUDE_PROJECT_DIR", ""),
        "entrypoint": environ.get("CLAUDE_CODE_ENTRYPOINT", ""),
        "directory": _directory(),
    }
    if facts["entrypoint"].startswith("sdk") and _is_nested(environ.get("CLAUDE_PID", "")):
        facts["nested"] = "1"
    for key, value in environ.items():
        if key.startswith(PASSED_ON) and not any(word in key for word in SECRETIVE):
            facts["env." + key] = value
    return {key: value for key, value in facts.items() if value}


def _directory() -> str:
    """Return where relative paths of this event begin, "" when that folder is gone."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def _is_nested(claude_pid: str) -> bool:
    """Tell whether a headless client was itself started from within a session (Linux)."""
    if not claude_pid.isdigit():
        return False
    try:
        with open(f"/proc/{claude_pid}/environ", "rb") as file:
            return b"CLAUDECODE=1" in file.read().split(b"\0")
    except OSError:
        return False


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
            os.open("/dev/null", os.O_RDWR)
    answer_fd = os.dup(1)
    os.dup2(2, 1)
    return answer_fd


def _write_all(fd: int, data: bytes) -> None:
    try:
        while data:
            data = data[os.write(fd, data) :]
    except OSError:
        return  # nobody reads: nothing to tell anybody


def _start_deadline(seconds: int) -> None:
    import signal  # noqa: PLC0415

    signal.signal(signal.SIGALRM, lambda *_: os._exit(0))  # noqa: SLF001
    signal.alarm(seconds)


def _last_words(error: BaseException) -> None:
    """Log what ended the hook, if that is at all possible."""
    try:
        _note(find_home(_variables()), "hook_failed", f"{type(error).__name__}: {error}")
    except BaseException:  # noqa: BLE001 - there is nobody left to tell
        return


def _note(home: Home, event: str, error: str) -> None:
    """Append a log line; where even that fails, the hook goes on without."""
    import json  # noqa: PLC0415

    from runtime.redact import redact  # noqa: PLC0415

    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    facts = {"timestamp": stamp, "level": "error", "event": event, "error": redact(error)}
    line = json.dumps(facts)
    path = home.logs + "/runtime.jsonl"
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            os.write(fd, line.encode() + b"\n")
        finally:
            os.close(fd)
    except OSError:
        return
