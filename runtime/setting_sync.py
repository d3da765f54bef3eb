"""Settings of `[sync]`: where this machine's memories meet those of the others."""

from pydantic import Field

from schemas.base import Own


class Sync(Own):
    """Several machines."""

    dir: str = Field(
        "",
        description="Folder or address (`s3://…`) of dumps; empty: iCloud Drive on macOS, "
        "else `dumps/` in the home.",
    )
    auto: bool = Field(False, description="Dump and sync after Stop and SessionEnd, by the worker.")
    interval_s: float = Field(600, ge=60, description="Least time between two of those.")
    keep: int = Field(2, ge=1, le=100, description="Full dumps of this machine that stay.")
