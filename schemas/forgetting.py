"""What `runtime longterm forget` found, or did."""

from schemas.base import Own


class ForgottenMemory(Own):
    """One memory that goes, or stays because it is pinned."""

    id: int
    summary: str
    is_deleted: bool
    found: str = ""
    """The place in its text that --match was found in, between marks; "" where in none."""


class Forgotten(Own):
    """What goes, and what stays and holds it still."""

    done: bool
    """False: nothing was changed."""
    memories: tuple[ForgottenMemory, ...]
    pinned: tuple[ForgottenMemory, ...]
    """These stay: delete them by their ids first."""
    events: int
    saves: int
    """Earlier saves of permanent memories in a folder; the files stay."""
    log_lines: int
    files: tuple[str, ...]
    """In the home: input put aside, waiting events, prepared answers, plans."""
    notes: tuple[str, ...]
    """Notes that hold it, as path:line. They are the person's, and stay."""
    permanent: tuple[str, ...]
    """Permanent memories that hold it, by path or address: out of the search, and there still."""
    others: tuple[str, ...]
    """Other files of the home that still hold the text, when all was done."""
    dumps: tuple[str, ...] = ()
    """Dumps of this machine that hold it; when all was done, a new one stands in their place."""
    other_dumps: tuple[str, ...] = ()
    """Dumps of other machines that hold it. They stay: only who wrote them takes them away."""
    unread_dumps: tuple[str, ...] = ()
    """Folders and dumps that could not be looked into, each with the reason."""
