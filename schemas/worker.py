"""Who serves: what a worker writes into `run/worker.json`."""

from schemas.base import Own


class WorkerState(Own):
    """One running worker."""

    pid: int
    version: str
    since: float
    """Seconds since 1970."""
