"""`runtime worker`: the resident worker by hand. Hooks start it by themselves."""

import os
from datetime import UTC, datetime

import click

from runtime.app import prepared_home
from runtime.cli.lazy import Group
from runtime.cli.output import json_option, print_json, say
from runtime.errors import WorkerError
from runtime.locks import try_lock
from runtime.worker import main as process
from runtime.worker import status as worker_status
from schemas.worker import WorkerState


@click.group(cls=Group)
def worker() -> None:
    """The resident worker: the same dispatcher, kept warm."""


@worker.command()
@json_option
def status(*, as_json: bool) -> None:
    """Say whether a worker runs."""
    _print(worker_status.status(prepared_home(os.environ)), as_json=as_json)


@worker.command()
@json_option
def start(*, as_json: bool) -> None:
    """Start a worker unless one runs."""
    now = worker_status.start(prepared_home(os.environ))
    _print(now, as_json=as_json)
    if now is None:
        raise WorkerError("did not start in time", "see `runtime logs --level warning`")


@worker.command()
@json_option
def stop(*, as_json: bool) -> None:
    """Let the worker finish what it has accepted, and leave."""
    home = prepared_home(os.environ)
    before = worker_status.status(home)
    left = worker_status.stop(home)
    if before and left is None and not as_json:
        say(f"worker {before.pid} has finished and left")
    else:
        _print(left, as_json=as_json)
    if left is not None:
        raise WorkerError("has not left in time", f"it is process {left.pid}")


@worker.command()
def run() -> None:
    """Be the worker, in the foreground, until it is interrupted or idle."""
    home = prepared_home(os.environ)
    lock = try_lock(home.drain_lock)
    if lock is None:
        raise WorkerError("runs already", "see `runtime worker status`")
    process.run(home, lock)


def _print(state: WorkerState | None, *, as_json: bool) -> None:
    if as_json:
        print_json({"running": state is not None, **(state.model_dump() if state else {})})
    elif state is None:
        say("no worker runs; the next hook starts one unless worker.enabled is false")
    else:
        since = datetime.fromtimestamp(state.since, UTC).isoformat(timespec="seconds")
        say(f"worker {state.pid}, version {state.version}, since {since}")
