"""
Start the worker from a hook process. Standard library only.

The lock is taken here and its descriptor handed over, so that between "nobody
runs" and "the worker runs" nobody else can start one. All three standard
streams go to /dev/null: the client waits for whoever holds a pipe of a hook.
"""

import fcntl
import posix as os  # what `os` adds costs a hook an eighth of its time
import sys
import time

LOCK_FD = 3
CODE = """\
import sys
path = {path!r}
if path not in sys.path: sys.path.insert(0, path)
from runtime.worker.main import main
main()
"""
"""The worker is of the same installation as the hook, wherever that lies."""
NOT_FOR_THE_WORKER = (b"CLAUDE", b"ANTHROPIC", b"OBOEGAKI_", b"MEMORY_")
"""One session's variables; the worker serves all. What matters comes with each event."""
STARTS_MAX = 5
STARTS_WITHIN_S = 60.0


def spawn(home: str, lock: int) -> None:
    """Start a worker that owns the lock from now on; the caller's copy is closed."""
    # Away from 0 to 3, so that no step below closes what a later one needs.
    lock_copy = fcntl.fcntl(lock, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(lock)
    null = os.open("/dev/null", os.O_RDWR)
    actions: list[tuple[int, ...]] = [(os.POSIX_SPAWN_DUP2, null, fd) for fd in (0, 1, 2)]
    actions.append((os.POSIX_SPAWN_DUP2, lock_copy, LOCK_FD))
    actions += [(os.POSIX_SPAWN_CLOSE, fd) for fd in _inheritable()]
    environ = {
        key: value for key, value in os.environ.items() if not key.startswith(NOT_FOR_THE_WORKER)
    }
    ours = __file__.rsplit("/", 3)[0]
    command = [sys.executable, "-I", "-c", CODE.format(path=ours), home]
    try:
        os.posix_spawn(sys.executable, command, environ, file_actions=actions, setsid=True)
    finally:
        os.close(lock_copy)
        os.close(null)


def _inheritable() -> list[int]:
    """
    Return the open descriptors that a new process would get besides its first four.

    Whoever started the hook may have left it some, such as the end of a pipe: the
    reader would wait for as long as the worker lives.
    """
    found = []
    for name in os.listdir("/dev/fd"):
        fd = int(name) if name.isdigit() else -1
        try:
            if fd > LOCK_FD and os.get_inheritable(fd):
                found.append(fd)
        except OSError:
            continue  # the listing's own
    return found


def may_start(run: str) -> bool:
    """
    Tell whether starting a worker is worth a try, and note the attempt.

    Five starts within a minute are a crash loop: then it is left alone for a
    while, and hooks do the work themselves. A worker that has done its first
    work clears the notes.
    """
    path = run + "/starts"
    now = time.time()
    try:
        with open(path, "rb") as file:
            times = [float(line) for line in file.read(4096).split()]
    except (OSError, ValueError):
        times = []
    recent = [moment for moment in times if 0 <= now - moment < STARTS_WITHIN_S]
    if len(recent) >= STARTS_MAX:
        return False
    lines = b"".join(b"%f\n" % moment for moment in [*recent, now])
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        try:
            os.write(fd, lines)
        finally:
            os.close(fd)
    except OSError:
        return True  # a full disk: nothing is known, and nothing speaks against it
    return True


def clear_starts(run: str) -> None:
    """Forget earlier attempts: this worker works."""
    try:
        os.unlink(run + "/starts")
    except FileNotFoundError:
        return
