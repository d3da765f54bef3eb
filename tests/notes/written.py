"""What tells that a file was written: reading it changes only its time of access."""

from pathlib import Path


def written_at(path: Path) -> tuple[int, ...]:
    """Return inode, mode, size and the times that a write changes."""
    status = path.stat()
    return (
        status.st_ino,
        status.st_mode,
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
    )
